// The progress of an installation, and the finding that follows from it.
import { itemKey } from '../../../shared/component/item.ts'
import type { DependentsStatus, Note } from '../../../shared/component/reported/dependents-status.ts'
import type { World as EngineWorld } from '../../../shared/component/world.ts'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { groupOf, isDeleting, type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { listText } from '../../../shared/core/text/text.ts'
import { kubeTime, timePassed } from '../../../shared/core/time/kube-time.ts'
import { descriptions } from '../reasons.ts'
import type { Istio } from '../world.ts'
import { type IstioFinding, installFailed } from './findings.ts'

export const isWorkLeft = ({ next }: DependentsStatus): boolean => next.is === 'again'

/** Since when the installation has not been ready. undefined: it is ready. The time restarts when the wanted objects change. */
export const processingSince = ({ status }: Istio, after: DependentsStatus, now: Date): string | undefined => {
  if (isReady(after)) return undefined
  const before = timePassed(status?.installation?.processingSince, now)
  return after.hasChanged ? kubeTime(now) : (before ?? kubeTime(now))
}

/** Not ready if an object was changed right after our write. The engine repairs the object soon (`againSeconds`). */
const isReady = ({ ready, next }: DependentsStatus): boolean =>
  ready && !(next.is === 'settled' && next.againSeconds !== undefined)

type Passing = {
  /** The objects as read before the steps. */
  readonly dependents: EngineWorld
  readonly since: string | undefined
  readonly now: Date
  readonly installSeconds: number
}

/** undefined: everything is installed. */
export const installationFinding = (after: DependentsStatus, passing: Passing): IstioFinding | undefined => {
  if (after.errors.length > 0) return failed(errorsText(after))
  if (after.failed.length > 0 || isTimedOut(passing)) return failed(notReady(after, passing.dependents))
  if (isReady(after)) return undefined
  return {
    state: 'Processing',
    description: descriptions.reconciling,
    reason: 'ReconcileUnknown',
    detail: [readyCount(after), ...endingText(passing.dependents)].join('; '),
    answer: 'installing',
  }
}

const failed = (cause: string): IstioFinding => installFailed(`Istio installation resulted in an error: ${cause}`)

const isTimedOut = ({ since, now, installSeconds }: Passing): boolean =>
  since !== undefined && now.getTime() - Date.parse(since) >= installSeconds * 1000

const readyCount = ({ items }: DependentsStatus): string => {
  const wanted = items.filter(({ digest }) => digest !== '')
  const ready = wanted.filter(({ phase, status }) => phase === 'Ready' && status === 'Current')
  return `${ready.length} of ${wanted.length} objects ready`
}

export const errorsText = ({ errors }: DependentsStatus): string =>
  listText(
    errors.map(({ message }) => message),
    { between: '; ' },
  )

/** Describes objects in deletion. Other objects may wait for the deletion, for example the content of a namespace. */
const endingText = ({ observed }: EngineWorld): readonly string[] => {
  const held = [...observed.live.values()].flatMap(object => heldText(object) ?? [])
  return held.length > 0 ? [`being deleted: ${listText(held)}`] : []
}

/** Names only applied objects, because objects of later orders are not expected to be ready. */
const notReady = ({ failed, unready, redundant, items }: DependentsStatus, dependents: EngineWorld): string => {
  const { live } = dependents.observed
  const written = new Set(items.filter(({ lastAppliedAt }) => lastAppliedAt !== '').map(itemKey))
  const late = [...failed, ...unready, ...redundant].filter(note => written.has(keyOf(note)))
  const texts = late.flatMap(note => lateText(note, live.get(keyOf(note))) ?? [])
  const ending = endingText(dependents)
  return [...ending, ...(texts.length > 0 || ending.length === 0 ? [`not ready: ${listText(texts)}`] : [])].join('; ')
}

const keyOf = ({ ref }: Note): string => itemKey({ ...ref, group: groupOf(ref.apiVersion) })

/** undefined: the object is being deleted; endingText reports the deletion. */
const lateText = ({ ref }: Note, live: KubeObject | undefined): string | undefined => {
  if (live && isDeleting(live)) return undefined
  const counts = live && readyPods(live)
  return counts ? `${refText(ref)} (${counts})` : refText(ref)
}

/** For example `1 of 3`. undefined for kinds without Pods. */
const readyPods = ({ kind, spec, status }: KubeObject): string | undefined => {
  const { replicas = 1 } = mapOrEmpty(spec)
  const { readyReplicas = 0, numberReady = 0, desiredNumberScheduled = 0 } = mapOrEmpty(status)
  if (kind === 'Deployment') return `${readyReplicas} of ${replicas}`
  return kind === 'DaemonSet' ? `${numberReady} of ${desiredNumberScheduled}` : undefined
}

// Names what delays a deletion, because a removal may wait for it forever.

/**
 * For example `Namespace istio-system (Some content in the namespace has finalizers remaining: …)`. undefined: the object is not being
 * deleted.
 */
export const heldText = (object: KubeObject): string | undefined => {
  if (!isDeleting(object)) return undefined
  const holding = mapsIn(mapOrEmpty(object.status).conditions).filter(({ status }) => status === 'True')
  const [condition] = holdingConditions.flatMap(name => holding.filter(({ type }) => type === name))
  const { finalizers = [] } = object.metadata
  const why = condition ? String(condition.message) : finalizers.length > 0 && `finalizers ${finalizers.join(' ')}`
  return why ? `${refText(refOf(object))} (${why})` : refText(refOf(object))
}

/** Conditions of Namespaces and CustomResourceDefinitions that say what delays the deletion, most precise first. */
const holdingConditions = ['NamespaceFinalizersRemaining', 'NamespaceContentRemaining', 'Terminating']
