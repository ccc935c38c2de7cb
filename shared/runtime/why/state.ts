// Summarises an object for the command line and the console: its state, since when, and the object that it waits for. Pure.
import { attempted } from '../../core/decisions/reading.ts'
import { type KubeObject, type ObjectRef, refOf } from '../../core/objects/object.ts'
import { kubectlDuration } from '../../core/time/kubectl-duration.ts'
import { type Explanation, explained } from './explanation.ts'

export type ObjectState = Omit<Explanation, 'parts'> & {
  readonly ref: ObjectRef
  /** The first part that is not ready according to the status. */
  readonly waitsFor?: ObjectRef
}

/** Never throws for invalid statuses, so that one object does not prevent the list of all objects. */
export const stateOf = (object: KubeObject, now: Date): ObjectState => {
  const ref = refOf(object)
  const reading = attempted(() => explained(object, 'local', now))
  if (!('read' in reading)) return { ref, is: 'failed', says: ['its status is not valid'] }
  const { parts, ...explanation } = reading.read
  if (explanation.is === 'ready') return { ref, ...explanation }
  const [waitsFor] = parts.flatMap(part => ('ref' in part && part.isWell === false ? [part.ref] : []))
  return { ref, ...explanation, ...(waitsFor && { waitsFor }) }
}

const order: readonly Explanation['is'][] = ['failed', 'deleting', 'waiting', 'suspended', 'ready']

/** Sorts objects in trouble first, and then by age, oldest first. */
export const byTrouble = (one: ObjectState, other: ObjectState): number =>
  order.indexOf(one.is) - order.indexOf(other.is) ||
  compared(one.since ?? '', other.since ?? '') ||
  compared(one.ref.kind, other.ref.kind) ||
  compared(one.ref.namespace, other.ref.namespace) ||
  compared(one.ref.name, other.ref.name)

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** An age as in kubectl: `125m`. A future time counts as now. */
export const ageText = (since: string, now: Date): string =>
  kubectlDuration(Math.max(0, now.getTime() - Date.parse(since)) / 1000)
