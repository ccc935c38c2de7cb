// The stand-in node: starts every controller of workloads, and registers the one Node and its Lease as a kubelet does.
// The Lease is not renewed: nothing checks this node by it. Without it, Pods stay Pending and workloads are only
// stored.

import type { KubeObject } from '../../core/objects/object.ts'
import type { Cluster } from '../cluster.ts'
import { version } from '../discovery.ts'
import type { Change } from '../storage/history.ts'
import type { Store } from '../storage/store.ts'
import { nowMicroText, nowText } from '../time.ts'
import { fieldsAt, type JsonMap, listAt, textAt } from '../value.ts'
import { type NodeOptions, nodeAddress, nodeName, realPace } from './behaviour.ts'
import { inNamespace } from './claims.ts'
import { type Controller, type Look, runController } from './controller.ts'
import { controllerWorker, type Hands, handsOf } from './controller-worker.ts'
import { endpoints } from './endpoints.ts'
import { Addresses } from './pods/placement.ts'
import { isEnded, isEnding } from './pods/pod-template.ts'
import { kubelet, kubeletWorker, scheduler } from './pods/pods.ts'
import { cronJobs } from './workloads/cronjobs.ts'
import { daemonSets } from './workloads/daemonsets.ts'
import { deployments } from './workloads/deployments.ts'
import { jobs } from './workloads/jobs.ts'
import { replicaSets, replicationControllers } from './workloads/own-pods.ts'
import { statefulSets } from './workloads/statefulsets.ts'

// Volumes without a provisioner: a claim is bound at once to nothing, and deleted when no Pod uses it.

const claimProtection = 'kubernetes.io/pvc-protection'
const volumeProtection = 'kubernetes.io/pv-protection'

const claimsOf = (pod: KubeObject): string[] =>
  listAt(pod, 'spec', 'volumes').flatMap(volume => textAt(volume, 'persistentVolumeClaim', 'claimName') || [])

const volumeClaims: Controller = {
  name: 'persistentvolumeclaim-controller',
  worker: controllerWorker('pvc-protection-controller'),
  collection: 'persistentvolumeclaims',
  concerns: {
    pods: ({ stored }: Change) => claimsOf(stored.object).map(name => `${stored.object.metadata.namespace}/${name}`),
  },
  tend: async (look, claim) => {
    if (isEnding(claim)) {
      if (!isUsed(look.store, claim)) await setFree(look, claim, claimProtection)
      return
    }
    const { accessModes, resources } = fieldsAt(claim, 'spec') ?? {}
    const capacity = fieldsAt(resources, 'requests')
    await look.hands.report(claim, { ...fieldsAt(claim, 'status'), phase: 'Bound', accessModes, capacity })
  },
}

const isUsed = (store: Store, { metadata }: KubeObject): boolean =>
  inNamespace(store, 'pods', metadata.namespace ?? '').some(
    pod => !isEnded(pod) && claimsOf(pod).includes(metadata.name),
  )

const setFree = async ({ hands }: Look, object: KubeObject, finalizer: string): Promise<void> => {
  if (!object.metadata.finalizers?.includes(finalizer)) return
  await hands.update(object, now => ({
    ...now,
    metadata: { ...now.metadata, finalizers: now.metadata.finalizers?.filter(each => each !== finalizer) },
  }))
}

const volumes: Controller = {
  name: 'persistentvolume-controller',
  worker: controllerWorker('pv-protection-controller'),
  collection: 'persistentvolumes',
  concerns: {},
  tend: async (look, volume) => {
    if (isEnding(volume)) await setFree(look, volume, volumeProtection)
    else await look.hands.report(volume, { ...fieldsAt(volume, 'status'), phase: 'Available' })
  },
}

const controllers: readonly Controller[] = [
  deployments,
  replicaSets,
  replicationControllers,
  statefulSets,
  daemonSets,
  jobs,
  cronJobs,
  endpoints,
  volumeClaims,
  volumes,
  scheduler,
]

export const runNode = async (cluster: Cluster, options: NodeOptions): Promise<() => void> => {
  const pace = { ...realPace, ...options }
  await registerNode(cluster.store, handsOf(cluster, kubeletWorker))
  const all = [...controllers, kubelet(new Addresses(cluster.store))]
  const stops = all.map(controller => runController(cluster, controller, pace))
  return () => {
    for (const stop of stops) stop()
  }
}

const resources = { cpu: '64', memory: '256Gi', 'ephemeral-storage': '1Ti', pods: '10000' }

const node = (): JsonMap => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: nodeName,
    labels: {
      'kubernetes.io/hostname': nodeName,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': 'amd64',
    },
  },
  spec: { podCIDR: '10.244.0.0/14', podCIDRs: ['10.244.0.0/14'] },
  status: {
    capacity: resources,
    allocatable: resources,
    addresses: [
      { type: 'InternalIP', address: nodeAddress },
      { type: 'Hostname', address: nodeName },
    ],
    conditions: conditionRows.map(([type, status, reason, message]) => ({
      type,
      status,
      reason,
      message,
      lastHeartbeatTime: nowText(),
      lastTransitionTime: nowText(),
    })),
    nodeInfo,
  },
})

const conditionRows: readonly (readonly [type: string, status: string, reason: string, message: string])[] = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'the stand-in node is ready'],
]

const nodeInfo = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '',
  osImage: 'stand-in',
  containerRuntimeVersion: 'stand-in',
  kubeletVersion: version.gitVersion,
  kubeProxyVersion: '',
  operatingSystem: 'linux',
  architecture: 'amd64',
}

const lease = (): JsonMap => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: nodeName, namespace: 'kube-node-lease' },
  spec: { holderIdentity: nodeName, leaseDurationSeconds: 40, renewTime: nowMicroText() },
})

const registerNode = async (store: Store, hands: Hands): Promise<void> => {
  if (!store.get('nodes', nodeName)) await hands.create(node())
  if (!store.get('coordination.k8s.io/leases', `kube-node-lease/${nodeName}`)) await hands.create(lease())
}
