// Names and types of Garden. Schema and CRD are in garden/.
import type { gardenSpec } from './garden/spec.ts'
import type { gardenStatus } from './garden/status.ts'
import type { Typed } from './schema.ts'

export const gardenKind = { apiVersion: 'operator.gardener.cloud/v1alpha1', kind: 'Garden' } as const

/** The namespace of the Garden's control plane, and of all objects that it refers to. */
export const gardenNamespace = 'garden'

/** A finalizer of the Garden, and of the Secrets and ConfigMaps to which it refers. */
export const referenceProtectionFinalizer = 'gardener.cloud/reference-protection'

export type GardenFields = { spec: GardenSpec; status?: GardenStatus }
export type GardenSpec = Typed<typeof gardenSpec>
type GardenStatus = Typed<typeof gardenStatus>
