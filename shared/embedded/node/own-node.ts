// The one Node of the cluster and its Lease, as a kubelet registers them. The Lease is written once and not renewed: nobody
// judges this node by it.
import { version } from '../discovery/version.ts'
import type { Store } from '../storage/store.ts'
import { nowMicroText, nowText } from '../time.ts'
import type { JsonMap } from '../value.ts'
import { nodeAddress, nodeName } from './behaviour.ts'
import type { Hands } from './controller-worker.ts'

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

/** Makes node and Lease where they are missing. */
export const registerNode = async (store: Store, hands: Hands): Promise<void> => {
  if (!store.get('nodes', nodeName)) await hands.create(node())
  if (!store.get('coordination.k8s.io/leases', `kube-node-lease/${nodeName}`)) await hands.create(lease())
}
