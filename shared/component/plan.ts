// Plans the next steps for a component's dependents: applied/applying.ts, or removed/deleting.ts for a component that is being deleted.
// After the steps, the plan is computed again with the answers to the writes, without another read.
import type { Next, Step, StepResult } from '../core/decisions/plan.ts'
import { faultText, stepFaults, subjectOf, subjectText } from '../core/decisions/steps.ts'
import { type ClusterName, type KubeObject, refText } from '../core/objects/object.ts'
import { listText } from '../core/text/text.ts'
import { kubeTime } from '../core/time/kube-time.ts'
import { applying } from './applied/applying.ts'
import { objectToSend } from './applied/write-cause.ts'
import { declared, dependentOfItem } from './declared/declared-dependents.ts'
import { type Item, itemKey, objectKey, refOfItem } from './item.ts'
import { fingerprintOf } from './observed/drift.ts'
import { isOwnedByUs, possessionOf } from './ownership.ts'
import { type DeletingOptions, deleting } from './removed/deleting.ts'
import { secondsByAge } from './reported/component-state.ts'
import {
  type DependentFault,
  type DependentsStatus,
  isDone,
  noProgress,
  noteText,
  type Progress,
  plainFault,
} from './reported/dependents-status.ts'
import { type ObservedCluster, sentenceFor, type World } from './world.ts'

export type ComponentPlan = DependentsStatus & { readonly steps: readonly Step[] }

/** The steps to perform now, and the inventory to save with them. No steps if a manifest has a fault. */
export const plan = (world: World, now: Date, options: DeletingOptions = {}): ComponentPlan => {
  const { dependents, faults } = declared(world)
  if (faults.length > 0)
    return refused(
      world,
      faults.map(fault => sentenceFor(world, fault)),
    )
  const { progress, hasChanged } =
    world.goal === 'apply' ? applying(world, dependents, now) : deleting(world, dependents, now, options)
  const { mustSave: _, repairInSeconds: __, ...found } = progress
  return { ...found, hasChanged, ready: isDone(progress), next: nextAfter(progress, now) }
}

const { mustSave: _, repairInSeconds: __, ...nothing } = noProgress

const refused = ({ items }: World, faults: readonly string[]): ComponentPlan => ({
  ...nothing,
  items,
  errors: faults.map(plainFault),
  ready: false,
  hasChanged: false,
  next: { is: 'waiting', seconds: 10, for: listText(faults, { between: '; ' }) },
})

const nextAfter = (progress: Progress, now: Date): Next => {
  const { items, steps, mustSave, repairInSeconds } = progress
  if (steps.length > 0 || mustSave) return { is: 'again' }
  if (isDone(progress)) return { is: 'settled', againSeconds: repairInSeconds }
  const age = secondsByAge(
    now,
    items.map(({ lastAppliedAt }) => lastAppliedAt),
  )
  return { is: 'waiting', seconds: Math.min(age, repairInSeconds ?? age), for: waitingFor(progress) }
}

const waitingFor = ({ errors, failed, blocked, unready, redundant }: Progress): string => {
  const notes = [...failed, ...blocked, ...unready, ...redundant].map(noteText)
  return listText([...errors.map(({ message }) => message), ...notes], { between: '; ' })
}

/** `results` has no entry for a step that did not start. */
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
  // Without results, the status from the plan is still correct.
  const { steps: _, ...status } =
    results.length > 0
      ? plan({ ...world, items, observed: observedAfter(world, results, now) }, now, options)
      : tried.plan
  const refused = stepFaults(results).map(error => ({ message: faultText(error), isRetriable: error.isRetriable }))
  const errors = [...status.errors, ...refused]
  return { ...status, errors, hasChanged: tried.plan.hasChanged, next: nextAfterSteps(status.next, errors, results) }
}

type Written = { readonly manifest: KubeObject | undefined; readonly now: Date }

const itemAfter = (item: Item, { step, object, error }: StepResult, { manifest, now }: Written): Item => {
  // The object exists, but no read has shown it. The next pass reads it to find its owner.
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
  // Otherwise the object was deleted to create it again (update policy `recreate`).
  if (item.status === 'Terminating') return { ...item, phase: 'Deleting' }
  return item.reconcilePolicy === 'Once' ? item : { ...item, phase: 'Updating' }
}

const observedAfter = (world: World, results: readonly StepResult[], now: Date): ObservedCluster => {
  const { observed } = world
  const live = new Map(observed.live)
  const namespaces = new Map(observed.namespaces)
  for (const result of results.filter(({ error }) => !error)) {
    if (isLeftToAnother(result, world)) continue
    const object = liveAfter(result, now)
    if (object) live.set(objectKey(object), object)
    else live.delete(objectKey(subjectOf(result.step)))
    if (result.step.do === 'create' && isNamespace(object)) namespaces.set(object.metadata.name, object)
  }
  return { ...observed, live, namespaces }
}

/** The object was handed over to another component. The next pass reads the object again, because that component may be gone by then. */
const isLeftToAnother = ({ step, object }: StepResult, world: World): boolean =>
  step.do === 'patch' &&
  object !== undefined &&
  (isOwnedByUs(step.target, world) || world.stillOurs?.has(objectKey(step.target)) === true) &&
  possessionOf(object, world) === 'foreign'

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

const nextAfterSteps = (next: Next, errors: readonly DependentFault[], results: readonly StepResult[]): Next => {
  if (results.some(({ error }) => error?.isConflict)) return { is: 'again' }
  const [error] = errors
  if (error) return { is: 'waiting', seconds: 10, for: error.message }
  // The answer to a delete does not show whether the object is gone, so read again.
  return results.some(mayBeGone) ? { is: 'again' } : next
}

const mayBeGone = ({ step, changed }: StepResult): boolean =>
  changed && (step.do === 'delete' || step.do === 'removeFinalizer')

export type LaterObject = {
  readonly apiVersion: string
  readonly does: 'apply' | 'delete'
  /** `Deployment shop/shop` */
  readonly object: string
  readonly on?: ClusterName
}

const phases: Partial<Record<Item['phase'], LaterObject['does']>> = {
  ScheduledForApplication: 'apply',
  ScheduledForCompletion: 'delete',
  ScheduledForDeletion: 'delete',
}

export const laterSteps = (
  { items, steps }: Pick<ComponentPlan, 'items' | 'steps'>,
  on: ClusterName,
): LaterObject[] => {
  const now = new Set(steps.map(subjectText))
  return items.flatMap(item => {
    const does = phases[item.phase]
    const ref = refOfItem(item)
    const object = refText(ref)
    const place = on === 'local' ? {} : { on }
    return does === undefined || now.has(object) ? [] : [{ apiVersion: ref.apiVersion, does, object, ...place }]
  })
}
