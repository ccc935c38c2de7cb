// All that garden-network-policy knows when it decides.
import type { Garden } from '../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'

export type World = {
  /** All Gardens; undefined: the API server does not serve the kind now, so it is not known whether there are any. */
  readonly gardens: readonly Garden[] | undefined
  /** Metadata of every namespace. */
  readonly namespaces: readonly KubeObject[]
  /** Names of further namespaces that get all policies, by the setting `namespaceSelectors`. */
  readonly chosen: ReadonlySet<string>
  /** Every NetworkPolicy, anywhere, that carries our label or one of our names. */
  readonly policies: readonly KubeObject[]
  /** The subsets of the Endpoints default/kubernetes: the addresses of the runtime cluster's API server. */
  readonly apiServer: readonly Endpoints[]
  /** By namespace: the CIDRs of its shoot, if its Cluster exists. */
  readonly shoots: ReadonlyMap<string, readonly string[]>
}

/** Each address listens on each of the ports. */
export type Endpoints = {
  readonly addresses: readonly string[]
  readonly ports: readonly EndpointPort[]
}

export type EndpointPort = { readonly port: number; readonly protocol: string }

export const networkPolicyKind = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' } as const

/** The label of our policies, and of no others. */
export const ownerLabel = 'networking.gardener.cloud/managed-by'
export const owner = 'garden-network-policy'

export const isOwnPolicy = ({ metadata }: KubeObject): boolean => metadata.labels?.[ownerLabel] === owner

/** A shoot's namespace: a Cluster of the same name has the shoot's networks. */
export const isOfShoot = ({ metadata }: KubeObject): boolean => metadata.name.startsWith('shoot--')
