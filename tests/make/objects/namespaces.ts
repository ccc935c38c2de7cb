// Namespaces, and the network policies in them.
import type { KubeObject, ObjectMeta } from '../../../shared/core/objects/object.ts'

export const namespace = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name, ...labels } },
})

/** One with this value of the label by which namespaces tell what they are for. */
export const namespaceOf = (role: string, name: string = role): KubeObject =>
  namespace(name, { 'gardener.cloud/role': role })

/** One that lets everything out, and is somebody else's. */
export const foreignPolicy = (place: Pick<ObjectMeta, 'namespace' | 'name'>): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: place,
  spec: { podSelector: {}, policyTypes: ['Egress'], egress: [{}] },
})

/** What tells of the shoot that a namespace is for. */
export const shootCluster = (name: string, networking: Record<string, string>): KubeObject => ({
  apiVersion: 'extensions.gardener.cloud/v1alpha1',
  kind: 'Cluster',
  metadata: { name },
  spec: { shoot: { apiVersion: 'core.gardener.cloud/v1beta1', kind: 'Shoot', spec: { networking } } },
})
