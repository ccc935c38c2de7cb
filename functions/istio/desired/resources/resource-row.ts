// What a mesh resource is: an object that we keep beside the installation. Which ones there are is said in resource-rows.ts; each is
// built in a file of its own.
import type { KubeObject, ObjectRef } from '../../../../shared/core/objects/object.ts'

export type ResourceRow = {
  readonly ref: ObjectRef
  /** Whether the resource is wanted; if not, it is removed. */
  readonly when: (facts: ResourceFacts) => boolean
  readonly object: (facts: ResourceFacts) => KubeObject
}

export type ResourceFacts = {
  readonly istio: KubeObject
  /** Espalier's version, for the label `app.kubernetes.io/version`. */
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
