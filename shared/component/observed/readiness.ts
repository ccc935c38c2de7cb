// Decides whether a live object is ready: first by rules for all kinds, then by a rule for its kind or by its condition Ready.
import { isMap, type JsonMap, mapOrEmpty, mapsIn, numberIn, shownText } from '../../core/json/json.ts'
import { conditionOf, conditionText, isTrue } from '../../core/objects/condition.ts'
import { groupAndKind, isDeleting, type KubeObject } from '../../core/objects/object.ts'
import type { ItemStatus } from '../item.ts'

/** `message`: what the object waits for, or why it failed. `bare`: the message without text of the manifest, if different. */
export type ObjectReadiness = {
  readonly status: Exclude<ItemStatus, '' | 'Unknown'>
  readonly message: string
  readonly bare?: string
  /** If true, the next wave starts although the object is not ready. */
  readonly isNotAwaited?: true
}

/** For kinds whose controllers write the status late. Example: `P/status-hint: has-ready-condition`. */
export type Hints = {
  /** A missing observedGeneration means that the controller has not seen the object yet. */
  readonly hasObservedGeneration?: boolean
  /** A missing condition Ready means that the object is not ready. */
  readonly hasReadyCondition?: boolean
  /** Further conditions that must be True. */
  readonly conditions: readonly string[]
}

/** `now` is only used for Pods that cannot be scheduled. */
export const readinessOf = (object: KubeObject, hints: Hints, now: Date): ObjectReadiness => {
  const found =
    general(object, hints) ?? kindRules[groupAndKind(object)]?.(object, now) ?? byReadyCondition(object, hints)
  return found.status === 'Current' ? (lacking(object, hints) ?? found) : found
}

const general = (object: KubeObject, hints: Hints): ObjectReadiness | undefined => {
  if (isDeleting(object)) return { status: 'Terminating', message: 'is being deleted' }
  const { generation } = object.metadata
  const observed = observedGeneration(object, hints)
  if (observed !== undefined && typeof generation === 'number' && observed !== generation)
    return inProgress(`generation ${generation} is not observed yet`)
  const [reconciling, stalled] = [conditionOf(object, 'Reconciling'), conditionOf(object, 'Stalled')]
  if (isTrue(reconciling)) return inProgress(conditionText(reconciling, 'is reconciling'))
  if (isTrue(stalled)) return failed(conditionText(stalled, 'is stalled'))
  return undefined
}

/** If the field is missing: -1 when the hints require the field, otherwise undefined. */
const observedGeneration = (object: KubeObject, hints: Hints): number | undefined => {
  const said = numberIn(statusOf(object), 'observedGeneration')
  if (said !== undefined || !hints.hasObservedGeneration) return said
  return numberIn(conditionOf(object, 'Ready') ?? {}, 'observedGeneration') ?? -1
}

const byReadyCondition = (object: KubeObject, hints: Hints): ObjectReadiness => {
  const ready = conditionOf(object, 'Ready')
  const isReady = (ready === undefined && !hints.hasReadyCondition) || isTrue(ready)
  return when(!isReady && conditionText(ready, 'has no condition Ready yet'))
}

/** For these kinds, the conditions must be True even without hints. */
const impliedConditions: Readonly<Record<string, readonly string[]>> = {
  'apiextensions.k8s.io/CustomResourceDefinition': ['Established', 'NamesAccepted'],
  'apiregistration.k8s.io/APIService': ['Available'],
}

const lacking = (object: KubeObject, hints: Hints): ObjectReadiness | undefined => {
  const hinted = [...hints.conditions, ...(hints.hasReadyCondition ? ['Ready'] : [])]
  const type = [...(impliedConditions[groupAndKind(object)] ?? []), ...hinted].find(
    condition => !isTrue(conditionOf(object, condition)),
  )
  if (type === undefined) return undefined
  const condition = conditionOf(object, type)
  const message = conditionText(condition, `condition ${type} is not True yet`)
  if (condition || !hints.conditions.includes(type)) return inProgress(message)
  return { ...inProgress(message), bare: 'a condition that its status hint names is not True yet' }
}

type Rule = (object: KubeObject, now: Date) => ObjectReadiness | undefined

const always: Rule = () => current

const serviceRule: Rule = object => {
  const { type, clusterIP } = specOf(object)
  return when(type === 'LoadBalancer' && !clusterIP && 'has no cluster IP yet')
}

const claimRule: Rule = object => when(statusOf(object).phase !== 'Bound' && 'is not bound')

const deploymentRule: Rule = object => {
  const progressing = conditionOf(object, 'Progressing')
  if (progressing?.reason === 'ProgressDeadlineExceeded')
    return failed(conditionText(progressing, 'its deadline has passed'))
  const spec = specOf(object)
  const [wanted, status] = [numberIn(spec, 'replicas') ?? 1, countsOf(object)]
  return when(
    short('replicas', status('replicas'), wanted),
    short('updated', status('updatedReplicas'), wanted),
    status('replicas') > wanted && `${status('replicas') - wanted} old replicas are still running`,
    short('available', status('availableReplicas'), status('updatedReplicas')),
    short('ready', status('readyReplicas'), wanted),
    !isTrue(conditionOf(object, 'Available')) && conditionText(conditionOf(object, 'Available'), 'is not available'),
    hasDeadline(spec) && !isRolledOut(progressing) && conditionText(progressing, 'is rolling out'),
  )
}

/** The largest int32 means no deadline. */
const hasDeadline = (spec: JsonMap): boolean =>
  ![undefined, 2_147_483_647].includes(numberIn(spec, 'progressDeadlineSeconds'))

const isRolledOut = (progressing: JsonMap | undefined): boolean =>
  isTrue(progressing) && progressing?.reason === 'NewReplicaSetAvailable'

const statefulSetRule: Rule = object => {
  const { updateStrategy } = specOf(object)
  const strategy = mapOrEmpty(updateStrategy)
  if (strategy.type === 'OnDelete') return current
  const partition = numberIn(mapOrEmpty(strategy.rollingUpdate), 'partition')
  const [wanted, status] = [numberIn(specOf(object), 'replicas') ?? 1, countsOf(object)]
  const { currentRevision, updateRevision } = statusOf(object)
  return when(
    short('replicas', status('replicas'), wanted),
    status('replicas') > wanted && `${status('replicas') - wanted} replicas too many`,
    short('ready', status('readyReplicas'), wanted),
    partition !== undefined && short('updated', status('updatedReplicas'), wanted - partition),
    partition === undefined && short('current', status('currentReplicas'), wanted),
    partition === undefined && currentRevision !== updateRevision && 'is rolling out',
  )
}

const daemonSetRule: Rule = object => {
  const status = countsOf(object)
  const wanted = numberIn(statusOf(object), 'desiredNumberScheduled')
  if (object.metadata.generation === undefined || numberIn(statusOf(object), 'observedGeneration') === undefined)
    return inProgress('is not observed yet')
  if (wanted === undefined) return inProgress('has not determined the number of its nodes yet')
  return when(
    short('current', status('currentNumberScheduled'), wanted),
    short('updated', status('updatedNumberScheduled'), wanted),
    short('available', status('numberAvailable'), wanted),
    short('ready', status('numberReady'), wanted),
  )
}

const replicaSetRule: Rule = object => {
  const [wanted, status] = [numberIn(specOf(object), 'replicas') ?? 1, countsOf(object)]
  return when(
    isTrue(conditionOf(object, 'ReplicaFailure')) && 'replicas fail',
    short('labelled', status('fullyLabeledReplicas'), wanted),
    short('available', status('availableReplicas'), wanted),
    short('ready', status('readyReplicas'), wanted),
    status('replicas') > wanted && `${status('replicas') - wanted} replicas too many`,
  )
}

const podRule: Rule = (object, now) => {
  const { phase, message } = statusOf(object)
  if (phase === 'Succeeded') return current
  if (phase === 'Failed') return failed(typeof message === 'string' && message ? message : 'has failed')
  if (phase === 'Running' && isTrue(conditionOf(object, 'Ready'))) return current
  const looping = containersOf(object).find(({ state }) => waitingReason(state) === 'CrashLoopBackOff')
  if (looping)
    return {
      ...failed(`container ${shownText(looping.name)} keeps crashing`),
      bare: 'a container keeps crashing',
    }
  const scheduled = conditionOf(object, 'PodScheduled')
  const isLost = scheduled?.status === 'False' && scheduled.reason === 'Unschedulable'
  if (isLost && ageSeconds(object, now) >= 15) return failed(conditionText(scheduled, 'can not be scheduled'))
  return inProgress(conditionText(conditionOf(object, 'Ready'), `is ${shownText(phase ?? 'Pending')}`))
}

const waitingReason = (state: unknown): unknown =>
  isMap(state) && isMap(state.waiting) ? state.waiting.reason : undefined

const ageSeconds = ({ metadata }: KubeObject, now: Date): number =>
  metadata.creationTimestamp ? (now.getTime() - Date.parse(metadata.creationTimestamp)) / 1000 : 0

const jobRule: Rule = object => {
  const failure = conditionOf(object, 'Failed')
  if (isTrue(failure)) return failed(conditionText(failure, 'has failed'))
  return when(!isTrue(conditionOf(object, 'Complete')) && 'is not complete')
}

const definitionRule: Rule = object => {
  const [established, accepted] = [conditionOf(object, 'Established'), conditionOf(object, 'NamesAccepted')]
  if (accepted?.status === 'False') return failed(conditionText(accepted, 'its names are not accepted'))
  if (established?.status === 'False' && established.reason !== 'Installing')
    return failed(conditionText(established, 'is not established'))
  return when(!isTrue(established) && conditionText(established, 'is not established yet'))
}

export const kindRules: Readonly<Record<string, Rule>> = {
  '/Secret': always,
  '/ConfigMap': always,
  'batch/CronJob': always,
  'policy/PodDisruptionBudget': always,
  '/Service': serviceRule,
  '/PersistentVolumeClaim': claimRule,
  'apps/Deployment': deploymentRule,
  'apps/StatefulSet': statefulSetRule,
  'apps/DaemonSet': daemonSetRule,
  'apps/ReplicaSet': replicaSetRule,
  '/Pod': podRule,
  'batch/Job': jobRule,
  'apiextensions.k8s.io/CustomResourceDefinition': definitionRule,
}

/** The text describes what is missing. */
type Demand = string | false | undefined

/** InProgress with the first unmet demand, otherwise Current. */
const when = (...demands: readonly Demand[]): ObjectReadiness => {
  const missing = demands.find(demand => typeof demand === 'string')
  return typeof missing === 'string' ? inProgress(missing) : current
}

const short = (what: string, has: number, wanted: number): Demand =>
  has < wanted && `${has} of ${wanted} ${what === 'replicas' ? 'replicas are there' : `replicas are ${what}`}`

const current: ObjectReadiness = { status: 'Current', message: 'is ready' }
const inProgress = (message: string): ObjectReadiness => ({ status: 'InProgress', message })
const failed = (message: string): ObjectReadiness => ({ status: 'Failed', message })

export const containersOf = (object: KubeObject): JsonMap[] =>
  ['initContainerStatuses', 'containerStatuses'].flatMap(field => mapsIn(statusOf(object)[field]))

const specOf = ({ spec }: KubeObject): JsonMap => mapOrEmpty(spec)

export const statusOf = ({ status }: KubeObject): JsonMap => mapOrEmpty(status)

/** A missing count is 0. */
const countsOf =
  (object: KubeObject) =>
  (field: string): number =>
    numberIn(statusOf(object), field) ?? 0

const words: Readonly<Record<string, (value: string | undefined) => Partial<Hints> | undefined>> = {
  'has-observed-generation': value => (value === undefined ? { hasObservedGeneration: true } : undefined),
  'has-ready-condition': value => (value === undefined ? { hasReadyCondition: true } : undefined),
  conditions: value => {
    const conditions = (value ?? '').split(';').map(type => type.trim())
    return conditions.includes('') ? undefined : { conditions }
  },
}

export const readHints = (text: string): Hints | undefined => {
  const read = text.split(',').map(readHint)
  const conditions = read.flatMap(hint => hint?.conditions ?? [])
  return read.includes(undefined) ? undefined : Object.assign({}, ...read, { conditions })
}

const readHint = (text: string): Partial<Hints> | undefined => {
  const [word = '', ...value] = text.trim().split('=')
  return Object.hasOwn(words, word) ? words[word]?.(value.length > 0 ? value.join('=') : undefined) : undefined
}
