// Istio: the words and types by which functions speak of it. Its schema and CRD are in istio/, from which the types come.
import type { istioSpec } from './istio/spec.ts'
import type { istioState, istioStatus } from './istio/status.ts'
import type { Typed } from './schema.ts'

export const istioKind = { apiVersion: 'operator.kyma-project.io/v1alpha2', kind: 'Istio' } as const

/** What makes a Kubernetes object an Istio, besides its metadata. */
export type IstioFields = { spec: IstioSpec; status?: IstioStatus }
export type IstioSpec = Typed<typeof istioSpec>
export type IstioStatus = Typed<typeof istioStatus>
export type IstioState = Typed<typeof istioState>
