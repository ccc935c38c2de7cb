// Decides what one dependent needs now, by an ordered table. applying.ts decides whose turn has come.
import { firstRow } from '../../core/decisions/checks.ts'
import type { Step } from '../../core/decisions/plan.ts'
import { mapOrEmpty } from '../../core/json/json.ts'
import { groupOf, isDeleting, type KubeObject, refOf, refText } from '../../core/objects/object.ts'
import { kubeTime } from '../../core/time/kube-time.ts'
import { declared } from '../declared/declared-dependents.ts'
import { type Dependent, typesBroughtBy } from '../declared/dependent.ts'
import { isManaged, kindKey, typeOf, unreadableIn } from '../declared/kinds.ts'
import { completedItem, type Item, type ItemStatus, objectKey, wasApplied } from '../item.ts'
import { fingerprintOf } from '../observed/drift.ts'
import { troubleInPods } from '../observed/pod-trouble.ts'
import { type ObjectReadiness, readinessOf } from '../observed/readiness.ts'
import { adoptionFault, isKeptByAnother, isOwnedByUs, ownedFault, possessionOf } from '../ownership.ts'
import { releaseFinalizer } from '../removed/deletion-blockers.ts'
import { isEmptiedSince, lacksNamespace, sentenceFor } from '../world.ts'
import {
  causeOf,
  type DependentCase,
  heldSeconds,
  isHeld,
  isOnce,
  isScheduled,
  isUnrecorded,
  objectToSend,
  type PresentDependent,
  type WriteCause,
} from './write-cause.ts'

export type DependentAction = {
  readonly dependent: Dependent
  readonly item: Item
  readonly step?: Step
  /** The next stage starts when each dependent of this stage is `good` or has `isNotAwaited`. */
  readonly is: 'good' | 'unready' | 'failed' | 'fault'
  readonly isNotAwaited?: true
  readonly message: string
  /** Another client changed the object right after our last write. The repair starts after this number of seconds. */
  readonly repairInSeconds?: number
  /** The inventory must be saved before the next write. */
  readonly savesFirst?: boolean
}

/** `cause`: the reason to write the object. Computed once, because the computation compares whole objects. */
type Present = PresentDependent & { readonly cause: WriteCause | undefined }
type Action = Omit<DependentAction, 'dependent'>
type Row<C> = { readonly when: (c: C) => boolean; readonly action: (c: C) => Action }

export const dependentAction = (c: DependentCase): DependentAction => {
  const action = c.live ? presented(c, c.live) : firstRow(absentRows, c).action(c)
  return { dependent: c.dependent, ...action }
}

/** For a dependent whose turn has not come: reports the state and writes nothing. */
export const observedOnly = (c: DependentCase): DependentAction => {
  const { dependent, item, live } = c
  if (isCompleted(c)) return { dependent, ...completed(c) }
  const isQuiet = live !== undefined && !isScheduled(c) && !isDeleting(live) && isOwnedByUs(live, c.world)
  if (isQuiet) return { dependent, ...observed({ ...c, live }) }
  return { dependent, item, is: item.status === 'Current' ? 'good' : 'unready', message: 'waits for its turn' }
}

const presented = (c: DependentCase, live: KubeObject): Action => {
  const present = { ...c, live, cause: causeOf({ ...c, live }) }
  return firstRow(presentRows, present).action(present)
}

const isCompleted = ({ item }: DependentCase): boolean => item.phase === 'Completed'
const completed = ({ item }: Pick<DependentCase, 'item'>): Action => ({ item, is: 'good', message: 'is completed' })

// Kubernetes deletes Jobs with `ttlSecondsAfterFinished` after they complete. Such a Job must not be created again, because the Job would
// run after each TTL. Exception: if the namespace of the Job was deleted too, the results may be lost, so the Job is created again.

/** Whether the Job was complete and is being deleted. */
const isExpiring = ({ item, live, dependent: { object } }: DependentCase): boolean =>
  item.phase === 'Ready' && live !== undefined && isDeleting(live) && expires(object)

/** Whether the Job was complete and is gone, although its namespace still exists. */
const isExpired = ({ item, live, dependent: { object }, world: { observed } }: DependentCase): boolean =>
  item.phase === 'Ready' &&
  live === undefined &&
  expires(object) &&
  !isEmptiedSince(observed, object.metadata.namespace ?? '', item.lastAppliedAt)

const expires = ({ apiVersion, kind, spec }: KubeObject): boolean =>
  kind === 'Job' && groupOf(apiVersion) === 'batch' && typeof mapOrEmpty(spec).ttlSecondsAfterFinished === 'number'

const absentRows: readonly Row<DependentCase>[] = [
  { when: isCompleted, action: completed },
  { when: c => isOnce(c) && !isScheduled(c) && wasApplied(c.item), action: c => arrived(c, 'was applied once') },
  { when: c => whyUnreadable(c) !== undefined, action: c => unready(c, whyUnreadable(c) ?? '') },
  { when: isExpired, action: ({ item }) => completed({ item: completedItem(item) }) },
  { when: c => isHomeless(c) && !c.world.settings.createMissingNamespaces, action: c => fault(c, noNamespace(c)) },
  { when: c => wasThere(c) && isHeld(c), action: c => unready(c, 'was deleted and will be created again') },
  { when: () => true, action: c => writing(c, creation(c), 'is being created') },
]

const presentRows: readonly Row<Present>[] = [
  { when: isCompleted, action: completed },
  { when: isExpiring, action: completed },
  { when: c => isDeleting(c.live), action: c => ending(c) },
  { when: c => isKeptByAnother(c.live, c.world), action: c => observed(c) },
  { when: c => refusal(c) !== undefined, action: c => fault(c, refusal(c) ?? '') },
  { when: c => c.cause === 'drift' && isHeld(c), action: c => observed(c, heldSeconds(c)) },
  { when: c => c.cause === undefined, action: c => observed(c) },
  { when: c => staleness(c) !== undefined, action: c => fault(c, staleness(c) ?? '') },
  { when: () => true, action: c => writing(c, update(c), 'is being updated') },
]

const creation = (c: DependentCase): Step => {
  const object = objectToSend(c.dependent, c.world)
  const isOfNewKind = isManaged(typesBroughtBy(declared(c.world).dependents), typeOf(object))
  return { do: 'create', object, ...(isOfNewKind && { isOfNewKind }) }
}

/** Whether the object existed after our last write. In other phases, the object was deleted by us or not created yet. */
const wasThere = ({ item }: DependentCase): boolean => item.phase === 'Ready' || item.phase === 'Creating'

const whyUnreadable = ({ world, dependent }: DependentCase): string | undefined =>
  unreadableIn(world, kindKey(dependent.object))

const isHomeless = ({ world, dependent }: DependentCase): boolean =>
  lacksNamespace(world.observed, dependent.object.metadata.namespace ?? '')

const noNamespace = ({ dependent: { object } }: DependentCase): string =>
  `${object.kind} ${object.metadata.name} needs namespace ${object.metadata.namespace}, which does not exist`

/** The reason why the object must not be written: the adoption policy, or another owner took the object over. */
const refusal = ({ item, live, dependent, world }: Present): string | undefined => {
  if (!wasApplied(item)) return adoptionFault(live, dependent.policies.adoptionPolicy, world)
  return possessionOf(live, world) === 'foreign' ? ownedFault(live, world) : undefined
}

/** The manifest has an outdated resourceVersion, so each write would be a conflict. */
const staleness = ({ live, world, dependent: { object, policies } }: Present): string | undefined => {
  const { resourceVersion } = object.metadata
  if (resourceVersion === undefined || policies.updatePolicy === 'Recreate') return undefined
  return resourceVersion === live.metadata.resourceVersion
    ? undefined
    : sentenceFor(world, {
        full: `${refText(refOf(live))} is rendered with resourceVersion ${resourceVersion}, but the live object has another resourceVersion`,
        bare: `${refText(refOf(live))} is rendered with a resourceVersion, but the live object has another resourceVersion`,
      })
}

const update = (c: Present): Step => {
  const object = objectToSend(c.dependent, c.world)
  const force = { do: 'apply', object: boundTo(c.live, object), force: true } as const
  switch (c.dependent.policies.updatePolicy) {
    case 'Replace':
      return { do: 'replace', object, target: c.live }
    case 'SsaMerge':
      return { ...force, reclaimFrom: [] }
    case 'SsaOverride':
      return { ...force, reclaimFrom: c.world.settings.reclaimedManagers }
    case 'Recreate':
      return { do: 'delete', target: c.live, propagation: 'Background' }
  }
}

/** Binds the write to the uid and resourceVersion that were read, so that a changed object causes a conflict. */
const boundTo = ({ metadata: { uid, resourceVersion } }: KubeObject, object: KubeObject): KubeObject => ({
  ...object,
  metadata: { resourceVersion, ...object.metadata, uid },
})

/**
 * An item stays `Unknown` until its object is written. Example: a ConfigMap exists that we do not own. A list by owner label does not
 * contain this ConfigMap, so it is read by GET as long as its item is `Unknown`.
 */
const unlessUnknown = ({ status }: Item, known: ItemStatus): ItemStatus => (status === 'Unknown' ? 'Unknown' : known)

const writing = ({ item }: DependentCase, step: Step, message: string): Action => ({
  item: { ...item, status: unlessUnknown(item, 'InProgress') },
  step,
  is: 'unready',
  message,
})

const unready = ({ item }: DependentCase, message: string): Action => ({
  item: { ...item, status: unlessUnknown(item, 'InProgress') },
  is: 'unready',
  message,
})

const fault = ({ item }: DependentCase, message: string): Action => ({
  item: { ...item, status: 'Unknown' },
  is: 'fault',
  message,
})

const arrived = ({ item }: DependentCase, message: string): Action => ({
  item: { ...item, phase: 'Ready', status: 'Current' },
  is: 'good',
  message,
})

/** Another client deleted the object. When the object is gone, a later pass creates it again. */
const ending = (c: Present): Action => {
  const { step, message } = releaseFinalizer(c.live, c.dependent.managedTypes, c.world)
  return { item: { ...c.item, status: unlessUnknown(c.item, 'Terminating') }, step, is: 'unready', message }
}

const observed = (c: PresentDependent, repairInSeconds?: number): Action => {
  const { status, message, isNotAwaited } = readinessFor(c)
  const item = { ...recorded(c), status }
  if (status === 'Current') return { item: { ...item, phase: 'Ready' }, is: 'good', message, repairInSeconds }
  return { item, is: status === 'Failed' ? 'failed' : 'unready', message, repairInSeconds, isNotAwaited }
}

/** Updates an item if we applied its object in an earlier call that ended before saving the status. */
const recorded = (c: PresentDependent): Item => {
  if (!isUnrecorded(c) && wasApplied(c.item)) return c.item
  const phase = isScheduled(c) ? 'Updating' : c.item.phase
  const lastAppliedAt = isScheduled(c) || !wasApplied(c.item) ? kubeTime(c.now) : c.item.lastAppliedAt
  return { ...c.item, phase, lastAppliedAt, fingerprint: fingerprintOf(c.live, objectToSend(c.dependent, c.world)) }
}

const readinessFor = ({ live, dependent, world, now }: PresentDependent): ObjectReadiness => {
  const builtIn = readinessOf(live, dependent.policies.hints, now)
  const found = world.settings.readiness?.(live, builtIn) ?? builtIn
  const { message, bare = message } = found
  const trouble =
    found.status === 'Current' ? undefined : troubleInPods(live, world.observed.pods?.get(objectKey(live)))
  const said = sentenceFor(world, { full: message, bare })
  return { ...found, message: trouble ? `${said}: ${sentenceFor(world, trouble)}` : said }
}
