// Answers what a rendering asked for: objects and lists of the target cluster, of the component's own, or of one that a
// kubeconfig in the template's hands leads to. What does not exist, or is of a kind that is not served, is not there.

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

/** What was found, or why nobody could look. */
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

/** By its name alone nothing is found that has a namespace: there is no such path, which to Helm is a 404 like others. */
const isBadRequest = (error: unknown): boolean => error instanceof ApiError && error.code === 400

const clientFor = ({ in: cluster }: Lookup, clients: LookupClients): Client | Promise<Client> =>
  typeof cluster === 'string' ? clients[cluster] : clients.remote(cluster.kubeconfig)
