// Garden: the words and types by which functions speak of it. Its schema and CRD are in garden/, from which the types come.
import type { gardenSpec } from './garden/spec.ts'
import type { gardenStatus } from './garden/status.ts'
import type { Typed } from './schema.ts'

export const gardenKind = { apiVersion: 'operator.gardener.cloud/v1alpha1', kind: 'Garden' } as const

/** Where the control plane of the Garden runs, and where everything it refers to lies. */
export const gardenNamespace = 'garden'

/** On the Garden, and on each Secret and ConfigMap it refers to, as long as it needs them. */
export const referenceProtectionFinalizer = 'gardener.cloud/reference-protection'

/** What makes a Kubernetes object a Garden, besides its metadata. */
export type GardenFields = { spec: GardenSpec; status?: GardenStatus }
export type GardenSpec = Typed<typeof gardenSpec>
type GardenStatus = Typed<typeof gardenStatus>
