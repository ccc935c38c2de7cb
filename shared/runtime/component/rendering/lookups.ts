// Reads what a rendering looks up: objects and lists in the target cluster, in the component's own, or in the cluster of a
// kubeconfig that the template has. An object of a kind that is not served counts as not existing.

import type { KubeObject } from '../../../core/object.ts'
import type { Client } from '../../../kube/client-types.ts'
import { ApiError, isNotServed } from '../../../kube/errors.ts'
import { type Lookup, lookupKey } from '../../../render/generator.ts'

type LookupClients = {
  readonly target: Client
  readonly local: Client
  remote(kubeconfig: string): Promise<Client>
}

export type LookedUp = KubeObject | readonly KubeObject[] | undefined

/** The object or list, or why it could not be read. */
type Answer = { readonly key: string } & ({ readonly found: LookedUp } | { readonly fault: unknown })

export const lookedUp = (lookups: readonly Lookup[], clients: LookupClients): Promise<Answer[]> =>
  Promise.all(lookups.map(lookup => outcome(lookup, clients)))

const outcome = async (lookup: Lookup, clients: LookupClients): Promise<Answer> => {
  const key = lookupKey(lookup)
  try {
    return { key, found: await answer(lookup, clients) }
  } catch (fault) {
    return { key, fault }
  }
}

const answer = async (lookup: Lookup, clients: LookupClients): Promise<LookedUp> => {
  const { apiVersion, kind, namespace, name, labelSelector } = lookup
  const client = await clientFor(lookup, clients)
  try {
    if (name) return await client.get({ apiVersion, kind, namespace, name })
    return await client.list({ apiVersion, kind, labelSelector, ...(namespace && { namespace }) })
  } catch (error) {
    if (isNotServed(error)) return name ? undefined : []
    if (name && namespace === '' && isBadRequest(error)) return undefined
    throw error
  }
}

/** A namespaced kind asked without a namespace: the API server answers 400, and Helm takes that for not found. */
const isBadRequest = (error: unknown): boolean => error instanceof ApiError && error.code === 400

const clientFor = ({ in: cluster }: Lookup, clients: LookupClients): Client | Promise<Client> =>
  typeof cluster === 'string' ? clients[cluster] : clients.remote(cluster.kubeconfig)
