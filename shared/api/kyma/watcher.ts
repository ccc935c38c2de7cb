// spec and status of a Watcher: which changes in runtimes are reported. Version v1beta1 had no manager.
import { about, int64, type JsonSchema, labelSelector, mapOf, object, oneOf, text } from '../schema.ts'
import { kubernetesConditions, moduleState } from './shapes.ts'

const required = {
  field: about('The part of the object whose changes count.', oneOf('spec', 'status')),
  gateway: about('The gateways that events pass.', object({ selector: labelSelector })),
  resourceToWatch: object({ group: text, version: text, resource: text }),
  serviceInfo: about('The Service that events go to.', object({ name: text, namespace: text, port: int64 })),
}

const labelsToWatch = about('The labels of objects that are watched.', mapOf(text))

export const watcherSpec = about(
  'Which changes in runtimes are told to the control plane.',
  object(required, {
    labelsToWatch,
    manager: about('A part of the path of events; the label managed-by when absent.', text),
  }),
)

export const watcherStatus = object(
  { state: moduleState },
  { conditions: kubernetesConditions, observedGeneration: int64 },
)

export const formerWatcherSpec: JsonSchema = object(required, { labelsToWatch })
