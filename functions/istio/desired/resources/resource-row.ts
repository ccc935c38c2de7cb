// What a mesh resource is: an object that we keep beside the installation. Which ones there are is said in resource-rows.ts; each is
// built in a file of its own.
import type { KubeObject, ObjectRef } from '../../../../shared/core/object.ts'

export type ResourceRow = {
  readonly ref: ObjectRef
  /** Whether it is wanted; one that is not is removed. */
  readonly when: (facts: ResourceFacts) => boolean
  readonly object: (facts: ResourceFacts) => KubeObject
  /** Who is restarted when it changes: it then carries the time of its last change. Absent: nobody. */
  readonly predicates?: readonly Restarted[]
}

/** Who runs with an old configuration until it is restarted. */
export type Restarted = 'ingressGateway' | 'sidecars'

/** What decides whether a resource is wanted, and what is in it. */
export type ResourceFacts = {
  /** The Istio that owns them. */
  readonly istio: KubeObject
  /** Of Espalier, for the label `app.kubernetes.io/version`. */
  readonly version: string
  /** Our own Deployment. */
  readonly deployment: string
  /** Where Pods reach the API server. */
  readonly apiPort: number
  readonly isVpaServed: boolean
  readonly hasControlPlaneVpas: boolean
  readonly hasNetworkPolicies: boolean
  readonly needsProxyProtocol: boolean
}

/** `EnvoyFilter/kyma-referer`. */
export const resourceName = ({ kind, name }: Pick<ObjectRef, 'kind' | 'name'>): string => `${kind}/${name}`
