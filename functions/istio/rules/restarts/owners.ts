// Determines by a Pod's owner how it gets a new sidecar. Any user can write an owner into a Pod, so an owner counts only if an object with
// the owner's kind and uid exists in the Pod's namespace.
import { firstRow } from '../../../../shared/core/decisions/first-row.ts'
import { groupOf, type Key, type KubeObject, type OwnerReference } from '../../../../shared/core/objects/object.ts'
import type { SeenPod } from './stale-pod.ts'
import type { SeenWorkload, WorkloadsSeen } from './workloads.ts'

type RestartAction =
  /** Like `kubectl rollout restart`: all Pods are replaced. */
  | { readonly does: 'roll'; readonly workload: SeenWorkload }
  /** One Pod is deleted, and its owner creates a new Pod. */
  | { readonly does: 'delete'; readonly owner: KubeObject }
  | { readonly does: 'nothing'; readonly why: string }

export type PodOwner = {
  /** The same id for all Pods that a single restart replaces. */
  readonly id: string
  readonly key: Key
  readonly action: RestartAction
}

type Ownership = {
  readonly namespace: string
  readonly reference: OwnerReference | undefined
  /** The object that creates the Pod. undefined: the owner that the Pod names does not exist. */
  readonly maker: SeenWorkload | undefined
  /** The controller of the ReplicaSet. */
  readonly above: { readonly reference: OwnerReference; readonly workload: SeenWorkload | undefined } | undefined
}

type Row = { readonly when: (about: Ownership) => boolean; readonly action: (about: Ownership) => RestartAction }

const unowned = 'pod sidecar could not be updated because OwnerReferences was not found.'
const ownedByJob = 'pod sidecar could not be updated because it is owned by a Job.'
const unknownOwner =
  'pod sidecar could not be updated because Espalier does not know how to restart the pods of its owner.'

const nothing = (why: string) => (): RestartAction => ({ does: 'nothing', why })

const rows: readonly Row[] = [
  { when: ({ reference }) => reference === undefined, action: nothing(unowned) },
  // An owner that is not the controller does not recreate the Pod. Its reference only makes the garbage collector delete the Pod with the
  // owner.
  { when: ({ reference }) => reference?.controller !== true, action: nothing(unknownOwner) },
  { when: about => isA(about.reference, 'ReplicaSet') && about.maker === undefined, action: nothing(unowned) },
  { when: ({ reference }) => isA(reference, 'Job', 'batch'), action: nothing(ownedByJob) },
  {
    when: ({ reference, above }) =>
      isA(reference, 'ReplicationController', '') || (isA(reference, 'ReplicaSet') && above === undefined),
    action: ({ reference, maker, namespace }) =>
      reference ? { does: 'delete', owner: maker ?? controllerOf(reference, namespace) } : nothing(unowned)(),
  },
  {
    when: about => rolled(about) !== undefined,
    action: about => {
      const workload = rolled(about)
      return workload ? { does: 'roll', workload } : nothing(unknownOwner)()
    },
  },
  { when: () => true, action: nothing(unknownOwner) },
]

const rolledKinds = ['Deployment', 'StatefulSet', 'DaemonSet']

const rolled = ({ reference, maker, above }: Ownership): SeenWorkload | undefined => {
  if (isA(reference, 'ReplicaSet')) return isA(above?.reference, 'Deployment') ? above?.workload : undefined
  return rolledKinds.some(kind => isA(reference, kind)) ? maker : undefined
}

const isA = (reference: OwnerReference | undefined, kind: string, group = 'apps'): boolean =>
  reference?.kind === kind && groupOf(reference.apiVersion) === group

export const podOwner = (pod: SeenPod, workloads: WorkloadsSeen): PodOwner => {
  const reference = nameable(pod.owner)
  const namespace = pod.metadata.namespace ?? ''
  const maker = reference && workloads.find(namespace, reference)
  const upper = maker && isA(reference, 'ReplicaSet') ? maker.owner : undefined
  const above = upper && { reference: upper, workload: workloads.find(namespace, upper) }
  const about = { namespace, reference, maker, above }
  const action = firstRow(rows, about).action(about)
  const acted = action.does === 'roll' ? action.workload : action.does === 'delete' ? action.owner : undefined
  const shown = acted?.metadata ?? nameable(above?.reference) ?? reference ?? pod.metadata
  return { id: idOf({ namespace, acted, shown }), key: { namespace, name: shown.name }, action }
}

type Shown = {
  readonly namespace: string
  readonly acted: KubeObject | undefined
  readonly shown: { readonly name: string }
}

/** Includes namespace and kind, because any user can write the uid of another owner into a Pod. */
const idOf = ({ namespace, acted, shown }: Shown): string =>
  acted ? `${namespace}/${acted.kind}/${acted.metadata.uid}` : `${namespace}/${shown.name}`

/** Ignores owners with impossible names, so that messages do not show arbitrary text from Pods. */
const nameable = (reference: OwnerReference | undefined): OwnerReference | undefined =>
  reference && /^[\w.:-]{1,253}$/.test(reference.name) ? reference : undefined

const controllerOf = ({ name, uid }: OwnerReference, namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name, namespace, uid },
})
