// Whether all replicas of a Deployment run its present template and are Ready.
//
// The condition Available, and with it the end of a rollout, waits until new replicas have been Ready for `minReadySeconds`. Meanwhile
// Kubernetes keeps those of the former template, so that whoever sends requests knows the new replicas before the former end. A first
// rollout has no former replicas, and the wait protects nobody. So we look at the replicas: former ones are gone only after that time,
// and where there are none, Ready is enough.
import { mapOrEmpty, mapsIn, numberIn, shownText } from '../../../shared/core/json/json.ts'
import { conditionOf, conditionText } from '../../../shared/core/objects/condition.ts'
import { type KubeObject, keyOf, keyText } from '../../../shared/core/objects/object.ts'

/** The status is of a former spec. */
export const unobserved = ({ metadata, status }: KubeObject): string | undefined =>
  countsIn(status)('observedGeneration') < (metadata.generation ?? 0) ? 'its generation is not observed yet' : undefined

/** What is missing, `has replicas of a former template yet`; undefined: it is rolled out. */
export const rolloutFault = (deployment: KubeObject): string | undefined =>
  unobserved(deployment) ?? replicasFault(deployment)

const replicasFault = (deployment: KubeObject): string | undefined => {
  const count = countsIn(deployment.status)
  const wanted = numberIn(mapOrEmpty(deployment.spec), 'replicas') ?? 1
  if (count('replicas') > count('updatedReplicas')) return 'has replicas of a former template yet'
  const ready = count('readyReplicas')
  return ready < wanted ? `has ${ready} of ${wanted} ready replicas yet${because(deployment)}` : undefined
}

/** Why there are no more of them, where the status says so. */
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

/** By these reasons gardener-resource-manager says of a ManagedResource that a Deployment is not Available, or still rolled out. */
const deploymentReasons: readonly unknown[] = ['DeploymentUnhealthy', 'DeploymentProgressing']

/**
 * gardener-resource-manager reports the first unhealthy object and does not check the objects after it. The rule therefore is for content
 * in which only Deployments have a health.
 */
const judgedByDeployments: ReadonlySet<string> = new Set(['gardener-apiserver-runtime'])

/**
 * Whether that condition of the ManagedResource only waits until `minReadySeconds` are over. `deployments` are those of the cluster, read
 * after the ManagedResource: read before, they might be those of its former content.
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

/** Also the last replica of a former template has ended, where Kubernetes counts those. */
const isThrough = (deployment: KubeObject): boolean =>
  rolloutFault(deployment) === undefined && countsIn(deployment.status)('terminatingReplicas') === 0

const hasToBeReadyFor = ({ spec }: KubeObject): boolean => countsIn(spec)('minReadySeconds') > 0
