// When an object of a module is ready. If the module names a manager, only the manager counts, otherwise all Deployments and StatefulSets.
// CRDs and APIServices are judged as in other components. All other objects are ready as soon as they are applied.
import type { ObjectReadiness } from '../../../shared/component/observed/readiness.ts'
import { mapOrEmpty, mapsIn, numberIn } from '../../../shared/core/json/json.ts'
import { conditionOf, conditionText, isTrue } from '../../../shared/core/objects/condition.ts'
import { apiVersionOf, groupAndKind, isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'

export const moduleReadiness = (object: KubeObject, builtIn: ObjectReadiness, manifest: Manifest): ObjectReadiness => {
  if (isDeleting(object) || groundKinds.includes(groupAndKind(object))) return builtIn
  const judge = workloads[groupAndKind(object)]
  if (!judge || !isManager(object, manifest)) return current
  // The default object is created as soon as everything is applied, because the module's operator may need it to become ready.
  return { ...judge(object), isNotAwaited: true }
}

/** Whether the object is a StatefulSet that counts for readiness and is not ready yet. */
export const isStarting = (object: KubeObject, manifest: Manifest): boolean =>
  groupAndKind(object) === 'apps/StatefulSet' && isManager(object, manifest) && statefulSet(object).status !== 'Current'

/** A Deployment's Pods are read after the Deployment has been unavailable for this time. */
const patienceSeconds = 10

/** A Deployment that counts for readiness and has been unavailable for a while. */
export const isLongUnavailable = (object: KubeObject, manifest: Manifest, now: Date): boolean => {
  if (groupAndKind(object) !== 'apps/Deployment' || !isManager(object, manifest) || isDeleting(object)) return false
  if (deployment(object).status === 'Current') return false
  const since = conditionOf(object, 'Available')?.lastTransitionTime ?? object.metadata.creationTimestamp
  return now.getTime() - Date.parse(String(since)) >= patienceSeconds * 1_000
}

/** Why the first container of a StatefulSet's first Pod is stuck. undefined: the container is starting. */
export const podTrouble = ({ metadata, status }: KubeObject): string | undefined => {
  const { containerStatuses } = mapOrEmpty(status)
  const [first] = mapsIn(containerStatuses)
  const { reason, message } = mapOrEmpty(mapOrEmpty(first?.state).waiting)
  if (!stuckReasons.some(stuck => stuck === reason)) return undefined
  return `Pod ${metadata.namespace}/${metadata.name}: ${reason}${typeof message === 'string' ? `: ${message}` : ''}`
}

const stuckReasons = [
  ...['ImagePullBackOff', 'ErrImagePull', 'ErrImageNeverPull', 'InvalidImageName', 'ImageInspectError'],
  ...['CrashLoopBackOff', 'RunContainerError', 'CreateContainerError', 'CreateContainerConfigError'],
]

const current: ObjectReadiness = { status: 'Current', message: 'is ready' }
const inProgress = (message: string): ObjectReadiness => ({ status: 'InProgress', message })
const failed = (message: string): ObjectReadiness => ({ status: 'Failed', message })

const groundKinds = ['apiextensions.k8s.io/CustomResourceDefinition', 'apiregistration.k8s.io/APIService']

/** A workload that the module's readiness depends on. Without a manager, every workload counts. */
export const isManager = ({ apiVersion, kind, metadata }: KubeObject, { spec: { manager } }: Manifest): boolean =>
  !manager ||
  (apiVersionOf(manager) === apiVersion &&
    manager.kind === kind &&
    manager.name === metadata.name &&
    (manager.namespace ?? metadata.namespace) === metadata.namespace)

const deployment = (object: KubeObject): ObjectReadiness => {
  const [progressing, available] = [conditionOf(object, 'Progressing'), conditionOf(object, 'Available')]
  if (progressing === undefined) return inProgress('is not observed yet')
  if (isTrue(progressing) && progressing.reason === rolledOut && isTrue(available)) return current
  if (isTrue(progressing) && onTheWay.some(reason => reason === progressing.reason))
    return inProgress(conditionText(isTrue(available) ? progressing : available, 'is rolling out'))
  return failed(conditionText(isTrue(progressing) ? available : progressing, 'does not roll out'))
}

const rolledOut = 'NewReplicaSetAvailable'
const onTheWay = [rolledOut, 'FoundNewReplicaSet', 'NewReplicaSetCreated', 'ReplicaSetUpdated']

const statefulSet = ({ spec, status }: KubeObject): ObjectReadiness => {
  const replicas = numberIn(mapOrEmpty(spec), 'replicas') ?? 1
  const readyReplicas = numberIn(mapOrEmpty(status), 'readyReplicas') ?? 0
  return replicas === readyReplicas ? current : inProgress(`${readyReplicas} of ${replicas} replicas are ready`)
}

const workloads: Readonly<Record<string, (object: KubeObject) => ObjectReadiness>> = {
  'apps/Deployment': deployment,
  'apps/StatefulSet': statefulSet,
}
