// The stand-in node: starts all controllers of workloads, and registers the Node and its Lease as a kubelet does. The Lease is not renewed,
// because nothing checks it. Without the stand-in node Pods stay Pending and workloads are only stored.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Cluster } from '../cluster.ts'
import { version } from '../discovery.ts'
import type { Change, Store } from '../storage/store.ts'
import { nowMicroText, nowText } from '../time.ts'
import { fieldsAt, type JsonMap, listAt, textAt } from '../value.ts'
import { type NodeOptions, nodeAddress, nodeName, realPace } from './behaviour.ts'
import { type Controller, runController } from './controller.ts'
import { controllerWorker, type Writes, writesOf } from './controller-worker.ts'
import { endpoints } from './endpoints.ts'
import { Addresses, kubelet, kubeletWorker, scheduler } from './pods.ts'
import { cronJobs } from './workloads/cronjobs.ts'
import { daemonSets } from './workloads/daemonsets.ts'
import { deployments } from './workloads/deployments.ts'
import { jobs } from './workloads/jobs.ts'
import { isEnded, isEnding, replicaSets, replicationControllers } from './workloads/own-pods.ts'
import { statefulSets } from './workloads/statefulsets.ts'

const claimProtection = 'kubernetes.io/pvc-protection'
const volumeProtection = 'kubernetes.io/pv-protection'

const claimsOf = (pod: KubeObject): string[] =>
  listAt(pod, 'spec', 'volumes').flatMap(volume => textAt(volume, 'persistentVolumeClaim', 'claimName') || [])

/** There is no provisioner. A claim becomes Bound at once, without a volume. A claim in deletion is removed when no Pod uses it. */
const volumeClaims: Controller = {
  name: 'persistentvolumeclaim-controller',
  worker: controllerWorker('pvc-protection-controller'),
  collection: 'persistentvolumeclaims',
  concerns: {
    pods: ({ stored }: Change) => claimsOf(stored.object).map(name => `${stored.object.metadata.namespace}/${name}`),
  },
  reconcile: async (context, claim) => {
    if (isEnding(claim)) {
      if (!isUsed(context.store, claim)) await context.writes.removeFinalizer(claim, claimProtection)
      return
    }
    const { accessModes, resources } = fieldsAt(claim, 'spec') ?? {}
    const capacity = fieldsAt(resources, 'requests')
    await context.writes.report(claim, { ...fieldsAt(claim, 'status'), phase: 'Bound', accessModes, capacity })
  },
}

const isUsed = (store: Store, { metadata }: KubeObject): boolean =>
  store.objects('pods', `${metadata.namespace}/`).some(pod => !isEnded(pod) && claimsOf(pod).includes(metadata.name))

const volumes: Controller = {
  name: 'persistentvolume-controller',
  worker: controllerWorker('pv-protection-controller'),
  collection: 'persistentvolumes',
  concerns: {},
  reconcile: async (context, volume) => {
    if (isEnding(volume)) await context.writes.removeFinalizer(volume, volumeProtection)
    else await context.writes.report(volume, { ...fieldsAt(volume, 'status'), phase: 'Available' })
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
  await registerNode(cluster.store, writesOf(cluster, kubeletWorker))
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

const registerNode = async (store: Store, writes: Writes): Promise<void> => {
  if (!store.get('nodes', nodeName)) await writes.create(node())
  if (!store.get('coordination.k8s.io/leases', `kube-node-lease/${nodeName}`)) await writes.create(lease())
}
