// The only node of a test cluster. It is simulated: kwok plays its kubelet.
import { apiClient, type Fields, type KubeObject } from '../clients/api.ts'
import { nodeAnnotation } from './components.ts'
import type { Cluster } from './control-plane-folder.ts'

const nodeName = 'pretender'

/** Registers the node as a kubelet would. Resolves when Pods can run: the node is ready, and so are the first controllers. */
export async function registerNode(cluster: Cluster): Promise<void> {
  const api = apiClient(cluster, cluster.admin)
  try {
    const reply = await api.call('POST', '/api/v1/nodes', { body: node() })
    if (reply.status !== 201) throw new Error(`the node was not registered: ${reply.text}`)
    await Promise.all([
      api.waitFor({ in: '/api/v1/nodes', name: nodeName, until: isReady }),
      // Admission refuses Pods without this ServiceAccount, which the controller manager creates first.
      api.waitFor({ in: '/api/v1/namespaces/default/serviceaccounts', name: 'default', until: Boolean }),
    ])
  } finally {
    await api.close()
  }
}

function node(): object {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: nodeName,
      annotations: nodeAnnotation,
      labels: { 'kubernetes.io/hostname': nodeName, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
    },
  }
}

function isReady(node: KubeObject | undefined): boolean {
  const conditions = node?.status?.conditions
  return Array.isArray(conditions) && conditions.some((it: Fields) => it.type === 'Ready' && it.status === 'True')
}
