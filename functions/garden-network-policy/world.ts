// The facts on which garden-network-policy decides.
import type { Garden } from '../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'

export type World = {
  /** All Gardens. undefined: the API server does not serve the kind now, so it is unknown whether Gardens exist. */
  readonly gardens: readonly Garden[] | undefined
  /** Metadata of every namespace. */
  readonly namespaces: readonly KubeObject[]
  /** Names of the namespaces that get all policies because of the setting `namespaceSelectors`. */
  readonly chosen: ReadonlySet<string>
  /** All NetworkPolicies in the cluster with our label or one of our names. */
  readonly policies: readonly KubeObject[]
  /** The subsets of the Endpoints default/kubernetes: the addresses of the runtime cluster's API server. */
  readonly apiServer: readonly Endpoints[]
  /** The CIDRs of a shoot by its namespace, if a Cluster of the shoot exists. */
  readonly shoots: ReadonlyMap<string, readonly string[]>
}

/** Each address listens on all ports. */
export type Endpoints = {
  readonly addresses: readonly string[]
  readonly ports: readonly EndpointPort[]
}

export type EndpointPort = { readonly port: number; readonly protocol: string }

export const networkPolicyKind = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' } as const

/** The label that only our policies have. */
export const ownerLabel = 'networking.gardener.cloud/managed-by'
export const owner = 'garden-network-policy'

export const isOwnPolicy = ({ metadata }: KubeObject): boolean => metadata.labels?.[ownerLabel] === owner

/** Whether the namespace belongs to a shoot. A Cluster of the same name has the shoot's networks. */
export const isOfShoot = ({ metadata }: KubeObject): boolean => metadata.name.startsWith('shoot--')
