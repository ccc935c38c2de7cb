// Whether all replicas of a Deployment run the present Pod template and are Ready.
//
// The condition Available, and so the end of a rollout, waits until new replicas have been Ready for `minReadySeconds`. Until then
// Kubernetes keeps the old replicas, so that clients know the new replicas before the old ones end. A first rollout has no old replicas, so
// the wait protects nobody. So we look at the replicas: old ones are gone only after that time, and without old ones Ready is enough.
import { mapOrEmpty, mapsIn, numberIn, shownText } from '../../../shared/core/json/json.ts'
import { conditionOf, conditionText } from '../../../shared/core/objects/condition.ts'
import { type KubeObject, keyOf, keyText } from '../../../shared/core/objects/object.ts'

/** The status is for an older generation. */
export const unobserved = ({ metadata, status }: KubeObject): string | undefined =>
  countsIn(status)('observedGeneration') < (metadata.generation ?? 0)
    ? 'its latest generation is not observed yet'
    : undefined

/** Why the Deployment is not rolled out, such as `still has replicas of an older Pod template`. undefined: it is rolled out. */
export const rolloutFault = (deployment: KubeObject): string | undefined =>
  unobserved(deployment) ?? replicasFault(deployment)

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
export const waitsForTimeAlone = (
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
