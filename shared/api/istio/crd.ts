// The CustomResourceDefinition of Istio, and its status: fields of the Kyma Istio module (state, description, conditions), and istio's data
// between calls.
import { dependentsInventory, engineStatus } from '../component/status.ts'
import { type CustomResourceDefinition, customResourceDefinition } from '../custom-resource.ts'
import { kubernetesCondition } from '../kyma/shapes.ts'
import { about, int64, list, object, oneOf, options, text, time } from '../schema.ts'
import descriptions from './descriptions.json' with { type: 'json' }
import { istioSpec } from './spec.ts'

export const istioState = oneOf('Processing', 'Deleting', 'Ready', 'Error', 'Warning')

/** `since`: when the target got this digest. `changingSince`: when fields began to change that are not all in force yet. */
const restart = object(
  { target: oneOf('sidecars', 'ingressGateway', 'controlPlane'), digest: text, since: time },
  { changingSince: time },
)

export const istioStatus = about(
  'The observed state.',
  object(
    { state: istioState },
    {
      description: about('Description of the state and its cause.', text),
      conditions: list(kubernetesCondition),
      observedGeneration: int64,
      installation: about(
        'Progress of the installation of Istio.',
        options({
          version: about('The tag of the images in use.', text),
          charts: about('Source of the charts, with version and digest.', text),
          ...engineStatus,
        }),
      ),
      inventory: dependentsInventory,
      restarts: about('The configuration for which Pods were last restarted.', list(restart)),
    },
  ),
)

export const istioCrd = (): CustomResourceDefinition =>
  customResourceDefinition({
    group: 'operator.kyma-project.io',
    version: 'v1alpha2',
    scope: 'Namespaced',
    kind: 'Istio',
    plural: 'istios',
    categories: ['kyma-modules', 'kyma-istio'],
    description: 'An installation of Istio and its settings.',
    columns: [{ name: 'State', type: 'string', jsonPath: '.status.state', description: 'Where it stands.' }],
    descriptions,
    spec: istioSpec,
    isSpecOptional: true,
    status: istioStatus,
  })
