// The type of a mesh resource: an object that istio maintains in addition to the charts' objects (resource-rows.ts).
import type { KubeObject, ObjectRef } from '../../../../shared/core/objects/object.ts'

export type ResourceRow = {
  readonly ref: ObjectRef
  /** If false, the resource is removed. */
  readonly when: (facts: ResourceFacts) => boolean
  readonly object: (facts: ResourceFacts) => KubeObject
}

export type ResourceFacts = {
  readonly istio: KubeObject
  /** Espalier's version, for label `app.kubernetes.io/version`. */
  readonly version: string
  readonly deployment: string
  readonly apiPort: number
  readonly isVpaServed: boolean
  readonly hasControlPlaneVpas: boolean
  readonly hasNetworkPolicies: boolean
  readonly needsProxyProtocol: boolean
}

/** `EnvoyFilter/proxy-protocol`. */
export const resourceName = ({ kind, name }: Pick<ObjectRef, 'kind' | 'name'>): string => `${kind}/${name}`
