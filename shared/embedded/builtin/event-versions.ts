// Events are stored as core/v1 and shown through events.k8s.io/v1 under other names; they lie in the namespace of what they
// tell of, or in `default`.
import type { KubeObject } from '../../core/objects/object.ts'
import { invalidValue } from '../faults.ts'
import type { Kind } from '../kinds/kind.ts'
import type { FieldFault } from '../status.ts'
import { textAt } from '../value.ts'

/** Fields by their name in core/v1 and in events.k8s.io/v1; those not listed are called the same. */
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

/** The conversions of the events.k8s.io version; none for any other kind. */
export const eventVersion = (group: string, plural: string): Pick<Kind, 'show' | 'hide'> =>
  group === 'events.k8s.io' && plural === 'events'
    ? {
        show: stored => renamed(stored, 'events.k8s.io/v1', fromCore),
        hide: shown => renamed(shown, 'v1', toCore),
      }
    : {}

/** Of an event in its older form: whether it lies where it belongs. */
export const eventFaults = (event: KubeObject): FieldFault[] => {
  if (event.apiVersion !== 'v1' || event.eventTime) return []
  const about = textAt(event, 'involvedObject', 'namespace')
  return event.metadata.namespace === (about || 'default')
    ? []
    : [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')]
}
