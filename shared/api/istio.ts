// Names and types of Istio. Schema and CRD are in istio/.
import type { istioState, istioStatus } from './istio/crd.ts'
import type { istioSpec } from './istio/spec.ts'
import type { Typed } from './schema.ts'

export const istioKind = { apiVersion: 'operator.kyma-project.io/v1alpha2', kind: 'Istio' } as const

export type IstioFields = { spec: IstioSpec; status?: IstioStatus }
export type IstioSpec = Typed<typeof istioSpec>
export type IstioStatus = Typed<typeof istioStatus>
export type IstioState = Typed<typeof istioState>
