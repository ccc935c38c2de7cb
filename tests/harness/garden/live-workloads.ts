import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import { workloadKinds } from '../../../shared/embedded/garden/health.ts'
import { type StandIn, statusWritten } from '../../../shared/embedded/garden/stand-in.ts'
import { type JsonMap, numberAt } from '../../../shared/embedded/value.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import type { FindMounted } from '../processes/mounted-volumes.ts'

const namespace = 'garden'
const deploymentKind = { apiVersion: 'apps/v1', kind: 'Deployment' } as const

/** Workloads that run as processes. Stand-ins of their own report them. */
const lively = /^virtual-garden-(kube-apiserver|kube-controller-manager|etcd-main|etcd-events)$/

/** Secrets and ConfigMaps of namespace garden as they are now. */
export const mountedIn =
  (client: Client): FindMounted =>
  (kind, name) =>
    client.get({ apiVersion: 'v1', kind, namespace, name })

/** All workloads without a process. */
export const idleWorkloads = (client: Client): StandIn => ({
  name: 'idle workloads',
  kinds: workloadKinds.map(kind => ({ ...kind, client })),
  reconcile: async known => {
    for (const kind of workloadKinds)
      for (const object of known.all(kind))
        if (!lively.test(object.metadata.name)) await told(client, object, 'rolledOut')
    return undefined
  },
})

/** Writes into the status how far the rollout of the present template is. */
const told = (client: Client, workload: KubeObject, how: 'rolling' | 'rolledOut'): Promise<KubeObject> =>
  statusWritten({ client, manager: 'kubelet' }, workload, statusOf(workload, how))

const statusOf = (workload: KubeObject, how: 'rolling' | 'rolledOut'): JsonMap => {
  const observedGeneration = workload.metadata.generation
  const replicas = numberAt(workload, ['spec', 'replicas'], 1)
  const updated = how === 'rolledOut' ? replicas : 0
  if (workload.kind === 'DaemonSet') {
    const counts = { currentNumberScheduled: 1, desiredNumberScheduled: 1, numberMisscheduled: 0, numberReady: 1 }
    return { observedGeneration, ...counts, updatedNumberScheduled: 1, numberAvailable: 1 }
  }
  const counts = { replicas, readyReplicas: updated, updatedReplicas: updated, availableReplicas: updated }
  if (workload.kind === 'StatefulSet') return { observedGeneration, ...counts, currentReplicas: updated }
  return { observedGeneration, ...counts, conditions: conditionsOf(how) }
}

const conditionsOf = (how: 'rolling' | 'rolledOut') => [
  { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
  {
    type: 'Progressing',
    status: 'True',
    reason: how === 'rolledOut' ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
  },
]

type Rolled = {
  /** Resolves when only the present template runs. */
  start(workload: KubeObject): Promise<void>
  stop(): Promise<void>
}

/**
 * A workload whose processes `rolled` starts again for each new template. Annotations alone change the generation too, so the template is compared.
 */
export const liveWorkload = (client: Client, ref: ObjectRef, rolled: Rolled): StandIn => {
  let template: string | undefined
  return {
    name: `live ${ref.name}`,
    kinds: [{ apiVersion: ref.apiVersion, kind: ref.kind, client, namespace }],
    reconcile: async known => {
      const workload = known.find(ref)
      if (!workload && template !== undefined) await rolled.stop()
      if (!workload) template = undefined
      if (!workload) return undefined
      const present = templateOf(workload)
      if (present !== template) {
        await told(client, workload, 'rolling')
        await rolled.start(workload)
        template = present
      }
      await told(client, workload, 'rolledOut')
      return undefined
    },
  }
}

const templateOf = ({ spec }: KubeObject): string => JSON.stringify((spec as { template: object }).template)

/** The Deployment with this name in namespace garden. */
export const deploymentRef = (name: string): ObjectRef => ({ ...deploymentKind, namespace, name })
