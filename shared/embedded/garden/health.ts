// Whether the workloads of a ManagedResource run, as its conditions ResourcesHealthy and ResourcesProgressing say it. Other kinds count as
// healthy when they are applied.
import type { KubeObject, ObjectRef } from '../../core/object.ts'
import { listAt, numberAt, textAt } from '../value.ts'
import type { Known } from './stand-in.ts'
import type { StandInCondition } from './writes.ts'

const workloads = ['Deployment', 'StatefulSet', 'DaemonSet']

export const workloadKinds = workloads.map(kind => ({ apiVersion: 'apps/v1', kind }))

/** `refs`: what was applied. */
export const healthOf = (known: Known, refs: readonly ObjectRef[]): StandInCondition[] => {
  const own = refs.filter(({ kind }) => workloads.includes(kind)).map(ref => ({ ref, object: known.find(ref) }))
  const sick = own.find(({ object }) => object === undefined || !isHealthy(object))
  const moving = own.find(({ object }) => object === undefined || !isRolledOut(object))
  return [
    sick
      ? told(
          'ResourcesHealthy',
          'False',
          `${sick.ref.kind}Unhealthy`,
          `${sick.ref.kind} "${sick.ref.name}" is unhealthy`,
        )
      : told('ResourcesHealthy', 'True', 'ResourcesHealthy', 'All resources are healthy.'),
    moving
      ? told('ResourcesProgressing', 'True', `${moving.ref.kind}Progressing`, `${moving.ref.name} is rolled out`)
      : told('ResourcesProgressing', 'False', 'ResourcesRolledOut', 'All resources have been fully rolled out.'),
  ]
}

const told = (
  type: string,
  status: 'True' | 'False',
  ...[reason, message]: [reason: string, message: string]
): StandInCondition => ({ type, status, reason, message })

const isObserved = (object: KubeObject): boolean =>
  numberAt(object, ['status', 'observedGeneration']) >= (object.metadata.generation ?? 1)

const isHealthy = (object: KubeObject): boolean =>
  isObserved(object) && (object.kind === 'Deployment' ? isAvailable : isFull)(object)

export const isAvailable = (deployment: KubeObject): boolean =>
  listAt(deployment, 'status', 'conditions').some(
    one => textAt(one, 'type') === 'Available' && textAt(one, 'status') === 'True',
  )

const isFull = (object: KubeObject): boolean =>
  object.kind === 'DaemonSet'
    ? numberAt(object, ['status', 'numberReady']) >= numberAt(object, ['status', 'desiredNumberScheduled'])
    : numberAt(object, ['status', 'readyReplicas']) >= numberAt(object, ['spec', 'replicas'], 1)

const isRolledOut = (object: KubeObject): boolean => {
  if (!isObserved(object) || object.kind === 'DaemonSet') return isObserved(object)
  const replicas = numberAt(object, ['spec', 'replicas'], 1)
  const has = (field: string) => numberAt(object, ['status', field])
  return has('updatedReplicas') >= replicas && has('replicas') <= replicas && has('readyReplicas') >= replicas
}
