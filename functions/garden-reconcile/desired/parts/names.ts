// Names, labels and prefixes that objects of a Garden share.
import { gardenNamespace } from '../../../../shared/api/garden.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'

export const namespace = gardenNamespace

/** In the virtual garden: the namespace of objects that every client may read. */
export const publicNamespace = 'gardener-system-public'

/** In the virtual garden: the namespace for keys of shoots, which gardener-discovery-server publishes. */
export const issuerNamespace = 'gardener-system-shoot-issuer'

/** `virtual-garden-kube-apiserver` */
export const virtualGarden = <Name extends string>(name: Name) => `virtual-garden-${name}` as const

/** Set on everything that garden-reconcile creates, contents of ManagedResources and Pod templates included. */
export const ownershipLabel = { 'operator.gardener.cloud/managed-by': 'garden-reconcile' } as const

export const withOwnership = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...ownershipLabel } },
})

export const prefixes = {
  credentials: 'credentials.gardener.cloud',
  resources: 'resources.gardener.cloud',
  serviceAccount: 'serviceaccount.resources.gardener.cloud',
  networking: 'networking.resources.gardener.cloud',
  reference: 'reference.resources.gardener.cloud',
  highAvailability: 'high-availability-config.resources.gardener.cloud',
} as const

/** Label with value 'true': the object is deleted only if its deletion is confirmed. */
export const protectedLabel = 'gardener.cloud/deletion-protected'

/** Label: how the resource manager spreads replicas. Without the annotation of replicaCount, it would also set their number to two. */
export const replicaType = (type: 'server' | 'controller') => ({ [`${prefixes.highAvailability}/type`]: type })

/** Annotation beside the label: exactly this number of replicas. */
export const replicaCount = (replicas: number) => ({ [`${prefixes.highAvailability}/replicas`]: String(replicas) })

export const role = (value: string) => ({ 'gardener.cloud/role': value })

/** `gardenPriority(500)` is for etcds and API servers, `gardenPriority(100)` for programs that watch them. */
export const gardenPriority = (level: 100 | 200 | 300 | 400 | 500 | 'critical'): string =>
  level === 'critical' ? 'gardener-garden-system-critical' : `gardener-garden-system-${level}`
