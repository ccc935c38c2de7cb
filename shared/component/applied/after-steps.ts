// Where the dependents stand after the steps of a plan were tried. The answer to a write counts as a read: the same
// decision is made once more over the world as the answers show it, and nothing else is asked.
import { kubeTime } from '../../core/kube-time.ts'
import { type KubeObject, refText } from '../../core/object.ts'
import type { Next, Step, StepResult } from '../../core/plan.ts'
import { dependentOfItem } from '../declared/declared-dependents.ts'
import { type Item, itemKey, objectKey } from '../inventory/item.ts'
import { fingerprintOf } from '../observed/fingerprint.ts'
import { type ComponentPlan, plan } from '../plan.ts'
import type { DeletingOptions } from '../removed/deleting.ts'
import type { DependentFault, DependentsStatus } from '../told/dependents-status.ts'
import type { ObservedCluster, World } from '../world.ts'
import { objectToSend } from './object-to-send.ts'

/** What was planned, and what became of it. Steps that were not begun have no result. */
export type Tried = { readonly plan: ComponentPlan; readonly results: readonly StepResult[] }

export const afterSteps = (world: World, tried: Tried, now: Date, options: DeletingOptions = {}): DependentsStatus => {
  const results = tried.results.filter(({ step }) => step.do !== 'hook')
  const byKey = new Map(results.map(result => [objectKey(subjectOf(result.step)), result]))
  const dependentOf = dependentOfItem(world)
  const items = tried.plan.items.map(item => {
    const result = byKey.get(itemKey(item))
    if (!result) return item
    const dependent = dependentOf(item)
    return itemAfter(item, result, { manifest: dependent && objectToSend(dependent, world), now })
  })
  // Where nothing was tried, all stands as it was decided.
  const { steps: _, ...standing } =
    results.length > 0
      ? plan({ ...world, items, found: foundAfter(world.found, results, now) }, now, options)
      : tried.plan
  const errors = [...standing.errors, ...results.flatMap(faultIn)]
  return { ...standing, errors, hasChanged: tried.plan.hasChanged, next: nextAfter(standing.next, errors, results) }
}

/** What a step is about. */
export const subjectOf = (step: Step): KubeObject => {
  if ('target' in step) return step.target
  return 'into' in step ? step.into : step.object
}

type Written = { readonly manifest: KubeObject | undefined; readonly now: Date }

const itemAfter = (item: Item, { step, object, error }: StepResult, { manifest, now }: Written): Item => {
  // It exists though we did not see it: whose it is, is to be asked.
  if (error) return step.do === 'create' && error.isConflict ? { ...item, status: 'Unknown' } : item
  if (step.do === 'delete') return deletedItem(item)
  if (step.do !== 'create' && step.do !== 'replace' && step.do !== 'apply') return item
  return {
    ...item,
    phase: step.do === 'create' ? 'Creating' : 'Updating',
    status: 'InProgress',
    lastAppliedAt: kubeTime(now),
    fingerprint: object && manifest ? fingerprintOf(object, manifest) : '',
  }
}

const deletedItem = (item: Item): Item => {
  if (item.phase === 'ScheduledForCompletion') return { ...item, phase: 'Completing' }
  // One that is only to be created anew is not on its way out; what is written once has not been yet.
  if (item.status === 'Terminating') return { ...item, phase: 'Deleting' }
  return item.reconcilePolicy === 'Once' ? item : { ...item, phase: 'Updating' }
}

const foundAfter = (found: ObservedCluster, results: readonly StepResult[], now: Date): ObservedCluster => {
  const live = new Map(found.live)
  const namespaces = new Map(found.namespaces)
  for (const result of results.filter(({ error }) => !error)) {
    const object = liveAfter(result, now)
    if (object) live.set(objectKey(object), object)
    else live.delete(objectKey(subjectOf(result.step)))
    if (result.step.do === 'create' && isNamespace(object)) namespaces.set(object.metadata.name, true)
  }
  return { ...found, live, namespaces }
}

/** undefined: it is gone. */
const liveAfter = ({ step, changed, object }: StepResult, now: Date): KubeObject | undefined => {
  if (step.do === 'removeFinalizer') return object ?? step.target
  if (step.do !== 'delete') return object
  return changed ? terminating(object ?? step.target, now) : object
}

const terminating = (object: KubeObject, now: Date): KubeObject => ({
  ...object,
  metadata: { deletionTimestamp: kubeTime(now), ...object.metadata },
})

const isNamespace = (object: KubeObject | undefined): object is KubeObject =>
  object?.apiVersion === 'v1' && object.kind === 'Namespace'

/** A conflict is no fault: the world is not as it was read, and is looked at again. */
const faultIn = ({ error }: StepResult): DependentFault[] =>
  error && !error.isConflict
    ? [{ message: `${refText(error.ref)}: ${error.message}`, isRetriable: error.isRetriable }]
    : []

const nextAfter = (next: Next, errors: readonly DependentFault[], results: readonly StepResult[]): Next => {
  if (results.some(({ error }) => error?.isConflict)) return { is: 'again' }
  const [error] = errors
  if (error) return { is: 'waiting', seconds: 10, for: error.message }
  // What was deleted or let go may be gone already, which no answer tells.
  return results.some(mayBeGone) ? { is: 'again' } : next
}

const mayBeGone = ({ step, changed }: StepResult): boolean =>
  changed && (step.do === 'delete' || step.do === 'removeFinalizer')
