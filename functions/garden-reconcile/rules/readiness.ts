// Decides whether an object of a step is ready: an ordered table of faults for each kind. Objects of other kinds are ready once they exist.
import { operationAnnotation } from '../../../shared/api/garden/operations.ts'
import { type Check, checks } from '../../../shared/core/decisions/checks.ts'
import { isMap, mapOrEmpty, mapsIn, numberIn, sameJson, sentFields, shownText } from '../../../shared/core/json/json.ts'
import { conditionOf, conditionText } from '../../../shared/core/objects/condition.ts'
import { type KubeObject, keyOf, keyText, refOf, refText } from '../../../shared/core/objects/object.ts'
import { quantityNano } from '../../../shared/core/objects/quantity.ts'
import { deploymentKind, findObject, kindText, type Objects, objectsOf } from './objects.ts'

/** `runtime`: the objects of the object's cluster. */
type Fault = Check<[object: KubeObject, runtime: Objects], string>

const faults = checks<[object: KubeObject, runtime: Objects], string>

/** What the step waits for. undefined: the object exists as wanted, and is ready. */
export const waitText = (wanted: KubeObject, runtime: Objects): string | undefined => {
  const live = findObject(runtime, refOf(wanted))
  if (!live) return `${refText(refOf(wanted))}: does not exist yet`
  return contains(live, wanted)
    ? unreadyText(live, runtime)
    : `${refText(refOf(wanted))}: does not have the desired content yet`
}

/** What the step waits for, such as `Etcd garden/virtual-garden-etcd-main: is not ready yet`. undefined: the object is ready. */
export const unreadyText = (object: KubeObject, runtime: Objects): string | undefined => {
  const fault = faultsByKind.get(kindText(object))?.(object, runtime)
  return fault === undefined || fault === false ? undefined : `${refText(refOf(object))}: ${fault}`
}

const statusOf = ({ status }: KubeObject) => mapOrEmpty(status)

const condition =
  (type: string, wanted: 'True' | 'False' = 'True'): Fault =>
  object => {
    const found = conditionOf(object, type)
    if (found?.status === wanted) return undefined
    const because = typeof found?.message === 'string' && found.message !== '' ? ` (${found.message})` : ''
    return `${type} is still ${shownText(found?.status ?? 'not reported')}${because}`
  }

const lacksReplicas: Fault = object => {
  const wanted = numberIn(mapOrEmpty(object.spec), 'replicas') ?? 1
  return (numberIn(statusOf(object), 'readyReplicas') ?? 0) < wanted && 'does not have enough ready replicas yet'
}

const operationPending: Fault = ({ metadata }) =>
  metadata.annotations?.[operationAnnotation] !== undefined && 'its operation annotation is not processed yet'

const lastError: Fault = object => {
  const [first] = mapsIn(statusOf(object).lastErrors)
  const description =
    first?.description ?? mapOrEmpty(statusOf(object).lastError).description ?? statusOf(object).lastError
  return typeof description === 'string' && description !== '' && description
}

const backupUnready: Fault = object => {
  const backup = conditionOf(object, 'BackupReady')
  return backup?.status === 'False' && `its backup is not ready yet (${shownText(backup.message ?? '')})`
}

const etcdUnready: Fault = object => statusOf(object).ready !== true && 'is not ready yet'

/** The fault of a ManagedResource's condition, unless the condition only waits for the `minReadySeconds` of rolled out Deployments. */
const exceptForTime =
  (type: string, wanted?: 'False'): Fault =>
  (object, runtime) => {
    const fault = condition(type, wanted)(object, runtime)
    return fault && !waitsForTimeAlone(object, { type, deployments: objectsOf(runtime, deploymentKind) }) && fault
  }

/** ManagedResources whose rollout must end before the next steps, because the next steps replace or need their objects. */
const settledResources = new Set(['etcd-druid', 'gardener-apiserver-runtime'])

const stillProgressing: Fault = (object, runtime) =>
  settledResources.has(object.metadata.name) && exceptForTime('ResourcesProgressing', 'False')(object, runtime)

/** The status is for an older generation. */
const unobserved = ({ metadata, status }: KubeObject): string | undefined =>
  countsIn(status)('observedGeneration') < (metadata.generation ?? 0)
    ? 'its latest generation is not observed yet'
    : undefined

/**
 * Why the Deployment is not rolled out. undefined: all replicas run the present Pod template and are Ready. The condition Available, and so the
 * end of a rollout, waits until new replicas have been Ready for `minReadySeconds`. Until then Kubernetes keeps the old replicas. A first
 * rollout has no old replicas, so the wait protects nobody. So we look at the replicas.
 */
const rolloutFault = (deployment: KubeObject): string | undefined => unobserved(deployment) ?? replicasFault(deployment)

const replicasFault = (deployment: KubeObject): string | undefined => {
  const count = countsIn(deployment.status)
  const wanted = numberIn(mapOrEmpty(deployment.spec), 'replicas') ?? 1
  if (count('replicas') > count('updatedReplicas')) return 'still has replicas of an older Pod template'
  const ready = count('readyReplicas')
  return ready < wanted ? `has only ${ready} of ${wanted} ready replicas${because(deployment)}` : undefined
}

/** Why replicas are missing, if the status has a reason. */
const because = (deployment: KubeObject): string => {
  const [failure, progress] = ['ReplicaFailure', 'Progressing'].map(type => conditionOf(deployment, type))
  const cause = failure?.status === 'True' ? failure : progress?.status === 'False' ? progress : undefined
  const text = conditionText(cause, '')
  return text === '' ? '' : ` (${text})`
}

const countsIn = (fields: unknown) => {
  const counts = mapOrEmpty(fields)
  return (field: string): number => numberIn(counts, field) ?? 0
}

/** gardener-resource-manager reports these reasons for a Deployment that is not Available or is still rolling out. */
const deploymentReasons: readonly unknown[] = ['DeploymentUnhealthy', 'DeploymentProgressing']

/**
 * gardener-resource-manager reports only the first unhealthy object. So the rule applies only to ManagedResources in which no other kind
 * than Deployment has a health check.
 */
const judgedByDeployments: ReadonlySet<string> = new Set(['gardener-apiserver-runtime'])

/**
 * Whether the condition only waits until `minReadySeconds` are over. `deployments`: Deployments of the cluster, read after the
 * ManagedResource, because Deployments read earlier might have old content.
 */
const waitsForTimeAlone = (
  managedResource: KubeObject,
  { type, deployments }: { readonly type: string; readonly deployments: readonly KubeObject[] },
): boolean => {
  if (!judgedByDeployments.has(managedResource.metadata.name)) return false
  if (!deploymentReasons.includes(conditionOf(managedResource, type)?.reason)) return false
  const named = mapsIn(mapOrEmpty(managedResource.status).resources).filter(({ kind }) => kind === 'Deployment')
  const names = new Set(named.map(({ namespace, name }) => `${shownText(namespace)}/${shownText(name)}`))
  const own = deployments.filter(one => names.has(keyText(keyOf(one))))
  return own.length === names.size && own.every(isThrough) && own.some(hasToBeReadyFor)
}

/** Whether the last replica of the old template has also ended, if this version of Kubernetes counts terminating replicas. */
const isThrough = (deployment: KubeObject): boolean =>
  rolloutFault(deployment) === undefined && countsIn(deployment.status)('terminatingReplicas') === 0

const hasToBeReadyFor = ({ spec }: KubeObject): boolean => countsIn(spec)('minReadySeconds') > 0

const faultsByKind: ReadonlyMap<string, Fault> = new Map<string, Fault>([
  [kindText(deploymentKind), rolloutFault],
  ['apps/v1 StatefulSet', faults(unobserved, lacksReplicas)],
  ['apiextensions.k8s.io/v1 CustomResourceDefinition', faults(condition('Established'))],
  [
    'resources.gardener.cloud/v1alpha1 ManagedResource',
    faults(unobserved, condition('ResourcesApplied'), exceptForTime('ResourcesHealthy'), stillProgressing),
  ],
  ['druid.gardener.cloud/v1alpha1 Etcd', faults(unobserved, operationPending, lastError, backupUnready, etcdUnready)],
])

/**
 * Whether a live object has all wanted fields. It may have more fields, such as defaults, and other spellings of quantities (`1` for
 * `1000m`). `isApplied` is too strict here: it is also false if the API server only rewrote a value.
 */
const contains = (live: unknown, wanted: unknown): boolean => {
  if (isMap(wanted)) {
    if (sentFields(wanted).length === 0) return live === undefined || isMap(live)
    return isMap(live) && sentFields(wanted).every(field => contains(live[field], wanted[field]))
  }
  if (Array.isArray(wanted))
    return wanted.length === 0 ? live === undefined || Array.isArray(live) : listHolds(live, wanted)
  return sameJson(live, wanted) || isSameQuantity(live, wanted)
}

/** A live list may have elements of other programs between our elements. */
const listHolds = (live: unknown, wanted: readonly unknown[]): boolean =>
  Array.isArray(live) && wanted.every(element => live.some(other => contains(other, element)))

const isSameQuantity = (live: unknown, wanted: unknown): boolean => {
  const [one, other] = [live, wanted].map(value =>
    typeof value === 'string' || typeof value === 'number' ? quantityNano(String(value)) : undefined,
  )
  return one !== undefined && one === other
}
