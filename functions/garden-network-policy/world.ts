// All that garden-network-policy knows when it decides.
import type { Garden } from '../../shared/core/garden.ts'
import type { KubeObject } from '../../shared/core/object.ts'

export type World = {
  /** Every Garden there is; undefined when the API server does not serve the kind, which says nothing about Gardens. */
  readonly gardens: readonly Garden[] | undefined
  /** Metadata of every namespace. */
  readonly namespaces: readonly KubeObject[]
  /** Names of the namespaces that get all policies, whatever their role: chosen for this installation. */
  readonly chosen: ReadonlySet<string>
  /** Every NetworkPolicy, anywhere, that carries our label or one of our names. */
  readonly policies: readonly KubeObject[]
  /** Where the runtime cluster's API server is: the subsets of the endpoints of default/kubernetes. */
  readonly apiServer: readonly Endpoints[]
  /** CIDRs of the shoot that a namespace is for, by the namespace's name, where its Cluster is there. */
  readonly shoots: ReadonlyMap<string, readonly string[]>
}

/** Each address listens on each of the ports. */
export type Endpoints = {
  readonly addresses: readonly string[]
  readonly ports: readonly EndpointPort[]
}

export type EndpointPort = { readonly port: number; readonly protocol: string }

export const networkPolicyKind = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' } as const

/** On every policy that is ours, and on no other. */
export const ownerLabel = 'networking.gardener.cloud/managed-by'
export const owner = 'garden-network-policy'

export const isOwnPolicy = ({ metadata }: KubeObject): boolean => metadata.labels?.[ownerLabel] === owner

/** The namespaces whose shoots' networks are told by a Cluster of the same name. */
export const isOfShoot = ({ metadata }: KubeObject): boolean => metadata.name.startsWith('shoot--')
