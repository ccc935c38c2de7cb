// status of an Istio: fields of the Kyma Istio module (state, description, conditions), and istio's data between calls.
import { dependentsInventory, engineStatus } from '../component/status.ts'
import { kubernetesCondition } from '../kyma/shapes.ts'
import { about, int64, list, object, oneOf, options, text, time } from '../schema.ts'

export const istioState = oneOf('Processing', 'Deleting', 'Ready', 'Error', 'Warning')

/** `since`: when the target got this digest. `changingSince`: since when fields are changing that are not all in effect. */
const restart = object(
  { target: oneOf('sidecars', 'ingressGateway', 'controlPlane'), digest: text, since: time },
  { changingSince: time },
)

export const istioStatus = about(
  'What became of it.',
  object(
    { state: istioState },
    {
      description: about('Why it is so: what, and its cause.', text),
      conditions: list(kubernetesCondition),
      observedGeneration: int64,
      installation: about(
        'The work on the objects of Istio.',
        options({
          version: about('The tag of the images in use.', text),
          charts: about('Where the charts came from, with their version and digest.', text),
          ...engineStatus,
        }),
      ),
      inventory: dependentsInventory,
      restarts: about('What pods were last to be restarted for.', list(restart)),
    },
  ),
)
