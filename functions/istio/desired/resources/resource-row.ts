// What a mesh resource is: an object that we keep beside the installation. Which ones there are is said in resource-rows.ts; each is
// built in a file of its own.
import type { KubeObject, ObjectRef } from '../../../../shared/core/objects/object.ts'

export type ResourceRow = {
  readonly ref: ObjectRef
  /** Whether the resource is wanted; if not, it is removed. */
  readonly when: (facts: ResourceFacts) => boolean
  readonly object: (facts: ResourceFacts) => KubeObject
  /** Which proxies are restarted when the resource changes; it then has an annotation with the time of its last change. Absent: none. */
  readonly predicates?: readonly Restarted[]
}

/** Proxies that keep the old configuration until they are restarted. */
export type Restarted = 'ingressGateway' | 'sidecars'

/** What a resource depends on: whether it is wanted, and its content. */
export type ResourceFacts = {
  /** The Istio that owns them. */
  readonly istio: KubeObject
  /** Espalier's version, for the label `app.kubernetes.io/version`. */
  readonly version: string
  /** Our own Deployment. */
  readonly deployment: string
  /** The port at which Pods reach the API server. */
  readonly apiPort: number
  readonly isVpaServed: boolean
  readonly hasControlPlaneVpas: boolean
  readonly hasNetworkPolicies: boolean
  readonly needsProxyProtocol: boolean
}

/** `EnvoyFilter/kyma-referer`. */
export const resourceName = ({ kind, name }: Pick<ObjectRef, 'kind' | 'name'>): string => `${kind}/${name}`
