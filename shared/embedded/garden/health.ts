// The conditions ResourcesHealthy and ResourcesProgressing of a ManagedResource, from its workloads. Objects of other kinds are healthy as
// soon as they are applied. A stand-in only works while the Deployment of the replaced program is available. So a missing Deployment has
// the same effect as in a real cluster.
import { conditionOf, isTrue } from '../../core/objects/condition.ts'
import type { KubeObject, ObjectRef } from '../../core/objects/object.ts'
import type { Client } from '../../kube/client-types.ts'
import type { Condition } from '../conditions.ts'
import { numberAt, textAt } from '../value.ts'
import type { Known, StandIn } from './stand-in.ts'

const workloads = ['Deployment', 'StatefulSet', 'DaemonSet']

export const workloadKinds = workloads.map(kind => ({ apiVersion: 'apps/v1', kind }))

export const healthOf = (known: Known, refs: readonly ObjectRef[]): Condition[] => {
  const own = refs.filter(({ kind }) => workloads.includes(kind)).map(ref => ({ ref, object: known.find(ref) }))
  const sick = own.find(({ object }) => object === undefined || !isHealthy(object))
  const moving = own.find(({ object }) => object === undefined || !isRolledOut(object))
  return [
    { type: 'ResourcesHealthy', ...(sick ? unhealthy(sick.ref) : healthy) },
    { type: 'ResourcesProgressing', ...(moving ? progressing(moving.ref) : rolledOut) },
  ]
}

type Finding = Omit<Condition, 'type'>

const healthy: Finding = { status: 'True', reason: 'ResourcesHealthy', message: 'All resources are healthy.' }
const unhealthy = ({ kind, name }: ObjectRef): Finding => ({
  status: 'False',
  reason: `${kind}Unhealthy`,
  message: `${kind} "${name}" is unhealthy`,
})

const rolledOut: Finding = {
  status: 'False',
  reason: 'ResourcesRolledOut',
  message: 'All resources have been fully rolled out.',
}
const progressing = ({ kind, name }: ObjectRef): Finding => ({
  status: 'True',
  reason: `${kind}Progressing`,
  message: `${name} is rolled out`,
})

const isObserved = (object: KubeObject): boolean =>
  numberAt(object, ['status', 'observedGeneration']) >= (object.metadata.generation ?? 1)

const isHealthy = (object: KubeObject): boolean =>
  isObserved(object) && (object.kind === 'Deployment' ? isAvailable : isFull)(object)

const isAvailable = (deployment: KubeObject): boolean => isTrue(conditionOf(deployment, 'Available'))

/** Whether the Deployment is rolled out and its last new replica has been ready for `minReadySeconds`. */
const isThrough = (deployment: KubeObject): boolean =>
  textAt(conditionOf(deployment, 'Progressing'), 'reason') === 'NewReplicaSetAvailable'

const isFull = (object: KubeObject): boolean =>
  object.kind === 'DaemonSet'
    ? numberAt(object, ['status', 'numberReady']) >= numberAt(object, ['status', 'desiredNumberScheduled'])
    : numberAt(object, ['status', 'readyReplicas']) >= numberAt(object, ['spec', 'replicas'], 1)

const isRolledOut = (object: KubeObject): boolean => {
  if (!isObserved(object) || object.kind === 'DaemonSet') return isObserved(object)
  if (object.kind === 'Deployment' && !isThrough(object)) return false
  const replicas = numberAt(object, ['spec', 'replicas'], 1)
  const has = (field: string) => numberAt(object, ['status', field])
  return has('updatedReplicas') >= replicas && has('replicas') <= replicas && has('readyReplicas') >= replicas
}

type Operator = { readonly client: Client; readonly namespace: string; readonly name: string }

const deployments = { apiVersion: 'apps/v1', kind: 'Deployment' } as const

export const whileAvailable = (standIn: StandIn, { client, namespace, name }: Operator): StandIn => ({
  ...standIn,
  kinds: standIn.kinds.some(({ kind }) => kind === deployments.kind)
    ? standIn.kinds
    : [...standIn.kinds, { ...deployments, client, namespace }],
  reconcile: async known => {
    const operator = known.find({ ...deployments, namespace, name })
    return operator && isAvailable(operator) ? standIn.reconcile(known) : undefined
  },
})
