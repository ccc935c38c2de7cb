// spec and status of a Watcher: which changes in runtimes are reported. Version v1beta1 had no manager.
import { about, int64, type JsonSchema, labelSelector, mapOf, object, oneOf, text } from '../schema.ts'
import { kubernetesConditions, moduleState } from './shapes.ts'

const required = {
  field: about('Part of the object whose changes are reported.', oneOf('spec', 'status')),
  gateway: about('Gateways that receive the events.', object({ selector: labelSelector })),
  resourceToWatch: object({ group: text, version: text, resource: text }),
  serviceInfo: about('Service to which events are sent.', object({ name: text, namespace: text, port: int64 })),
}

const labelsToWatch = about('Labels that select the watched objects.', mapOf(text))

export const watcherSpec = about(
  'Defines which changes in runtimes are reported to the control plane.',
  object(required, {
    labelsToWatch,
    manager: about('Manager of the Watcher, part of the URL path of events. Default: the label managed-by.', text),
  }),
)

export const watcherStatus = object(
  { state: moduleState },
  { conditions: kubernetesConditions, observedGeneration: int64 },
)

export const formerWatcherSpec: JsonSchema = object(required, { labelsToWatch })
