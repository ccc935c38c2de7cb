// Names, labels and prefixes that objects of a Garden share.
import { gardenNamespace } from '../../../../shared/api/garden.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'

export const namespace = gardenNamespace

/** A namespace in the virtual garden. Every client may read its objects. */
export const publicNamespace = 'gardener-system-public'

/** A namespace in the virtual garden for the keys of shoots, which gardener-discovery-server publishes. */
export const issuerNamespace = 'gardener-system-shoot-issuer'

/** `virtual-garden-kube-apiserver` */
export const virtualGarden = <Name extends string>(name: Name) => `virtual-garden-${name}` as const

/** The label on every object that garden-reconcile creates, including contents of ManagedResources and Pod templates. */
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

/** An object with this label (value 'true') can be deleted only after its deletion is confirmed. */
export const protectedLabel = 'gardener.cloud/deletion-protected'

/** The label that makes the resource manager spread replicas. Without the annotation of replicaCount, the label also sets two replicas. */
export const replicaType = (type: 'server' | 'controller') => ({ [`${prefixes.highAvailability}/type`]: type })

/** The annotation that sets exactly this number of replicas, used together with the label of replicaType. */
export const replicaCount = (replicas: number) => ({ [`${prefixes.highAvailability}/replicas`]: String(replicas) })

export const role = (value: string) => ({ 'gardener.cloud/role': value })

/** `gardenPriority(500)` is for etcds and API servers, `gardenPriority(100)` for programs that watch them. */
export const gardenPriority = (level: 100 | 200 | 300 | 400 | 500 | 'critical'): string =>
  level === 'critical' ? 'gardener-garden-system-critical' : `gardener-garden-system-${level}`
