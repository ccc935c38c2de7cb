// How an object is, in the words that the command line and the console share: its state, since when, and what it waits for. Pure.
import { gardenKind } from '../../api/garden.ts'
import { istioKind } from '../../api/istio.ts'
import { kymaKind, manifestKind, watcherKind } from '../../api/kyma.ts'
import { type GroupVersionKind, type KubeObject, type ObjectRef, refOf, refText } from '../../core/objects/object.ts'
import { kubectlDuration } from '../../core/time/kubectl-duration.ts'
import { type Explanation, explained } from './explanation.ts'

/** The kinds whose objects have a state. */
export const ourKinds: readonly GroupVersionKind[] = [
  { apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component' },
  gardenKind,
  istioKind,
  kymaKind,
  manifestKind,
  watcherKind,
]

export type ObjectState = Omit<Explanation, 'parts'> & {
  readonly ref: ObjectRef
  /** The first part that its status says is not ready. */
  readonly waitsFor?: ObjectRef
}

export const stateOf = (object: KubeObject, now: Date): ObjectState => {
  const { parts, ...explanation } = explained(object, 'local', now)
  const ref = refOf(object)
  if (explanation.is === 'ready') return { ref, ...explanation }
  const [waitsFor] = parts.flatMap(part => ('ref' in part && part.isWell === false ? [part.ref] : []))
  return { ref, ...explanation, ...(waitsFor && { waitsFor }) }
}

const order: readonly Explanation['is'][] = ['failed', 'deleting', 'waiting', 'suspended', 'ready']

/** For sorting: those in trouble first, and of these the longest. */
export const byTrouble = (one: ObjectState, other: ObjectState): number =>
  order.indexOf(one.is) - order.indexOf(other.is) ||
  compared(one.since ?? '', other.since ?? '') ||
  compared(refText(one.ref), refText(other.ref))

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** As kubectl shows an age: `125m`. A time that our clock has not reached counts as now. */
export const ageText = (since: string, now: Date): string =>
  kubectlDuration(Math.max(0, now.getTime() - Date.parse(since)) / 1000)
