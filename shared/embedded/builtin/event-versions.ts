// Events are stored as core/v1. Requests for events.k8s.io/v1 get other field names. The namespace of an Event is the namespace of its
// object, or `default`.
import type { KubeObject } from '../../core/objects/object.ts'
import { invalidValue } from '../faults.ts'
import type { Kind } from '../kinds/kind.ts'
import type { FieldFault } from '../status.ts'
import { textAt } from '../value.ts'

/** Fields with different names in core/v1 and events.k8s.io/v1. */
const names: readonly (readonly [core: string, v1: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
]

const renamed = (object: KubeObject, apiVersion: string, to: ReadonlyMap<string, string>): KubeObject => {
  const { kind, apiVersion: _, metadata, ...fields } = object
  const entries = Object.entries(fields).map(([field, value]) => [to.get(field) ?? field, value])
  return { kind, apiVersion, metadata, ...Object.fromEntries(entries) }
}

const fromCore = new Map(names)
const toCore = new Map(names.map(([core, v1]) => [v1, core]))

export const eventVersion = (group: string, plural: string): Pick<Kind, 'show' | 'hide'> =>
  group === 'events.k8s.io' && plural === 'events'
    ? {
        show: stored => renamed(stored, 'events.k8s.io/v1', fromCore),
        hide: shown => renamed(shown, 'v1', toCore),
      }
    : {}

export const eventFaults = (event: KubeObject): FieldFault[] => {
  if (event.apiVersion !== 'v1' || event.eventTime) return []
  const about = textAt(event, 'involvedObject', 'namespace')
  return event.metadata.namespace === (about || 'default')
    ? []
    : [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')]
}
