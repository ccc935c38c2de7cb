// Reads the module's Pods in istio-system.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { isAlive } from '../rules/restarts/stale-pod.ts'
import type { PodVersionsFacts } from '../world.ts'
import type { ReaderInput } from './reader-input.ts'

const { namespaces, labels, module } = istioNames

export const readPodVersions = async ({ context: { reads } }: ReaderInput): Promise<PodVersionsFacts> => {
  const labelSelector = `${labels.module}=${module}`
  const pods = await reads.list({ apiVersion: 'v1', kind: 'Pod', namespace: namespaces.mesh, labelSelector })
  return { pods: pods.filter(isAlive) }
}
