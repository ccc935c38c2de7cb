// How an object is, in the words that the command line and the console share: its state, since when, and what it waits for. Pure.
import { attempted } from '../../core/decisions/reading.ts'
import { type KubeObject, type ObjectRef, refOf } from '../../core/objects/object.ts'
import { kubectlDuration } from '../../core/time/kubectl-duration.ts'
import { type Explanation, explained } from './explanation.ts'

export type ObjectState = Omit<Explanation, 'parts'> & {
  readonly ref: ObjectRef
  /** The first part that its status says is not ready. */
  readonly waitsFor?: ObjectRef
}

/** People may write anything into a status: one object must not hide all others. */
export const stateOf = (object: KubeObject, now: Date): ObjectState => {
  const ref = refOf(object)
  const told = attempted(() => explained(object, 'local', now))
  if (!('read' in told)) return { ref, is: 'failed', says: ['its status cannot be understood'] }
  const { parts, ...explanation } = told.read
  if (explanation.is === 'ready') return { ref, ...explanation }
  const [waitsFor] = parts.flatMap(part => ('ref' in part && part.isWell === false ? [part.ref] : []))
  return { ref, ...explanation, ...(waitsFor && { waitsFor }) }
}

const order: readonly Explanation['is'][] = ['failed', 'deleting', 'waiting', 'suspended', 'ready']

/** For sorting: those in trouble first, and of these the longest. */
export const byTrouble = (one: ObjectState, other: ObjectState): number =>
  order.indexOf(one.is) - order.indexOf(other.is) ||
  compared(one.since ?? '', other.since ?? '') ||
  compared(one.ref.kind, other.ref.kind) ||
  compared(one.ref.namespace, other.ref.namespace) ||
  compared(one.ref.name, other.ref.name)

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** As kubectl shows an age: `125m`. A time that our clock has not reached counts as now. */
export const ageText = (since: string, now: Date): string =>
  kubectlDuration(Math.max(0, now.getTime() - Date.parse(since)) / 1000)
