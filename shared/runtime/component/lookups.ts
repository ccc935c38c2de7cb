// Answers what a rendering asked for: objects and lists of the target cluster, of the component's own, or of one that a
// kubeconfig in the template's hands leads to. What does not exist, or is of a kind that is not served, is not there.
import { type Lookup, lookupKey } from '../../component/generator.ts'
import type { KubeObject } from '../../core/object.ts'
import type { Client } from '../../kube/client-types.ts'
import { isNotServed } from '../../kube/errors.ts'

export type LookupClients = {
  readonly target: Client
  readonly local: Client
  remote(kubeconfig: string): Client
}

type Answer = readonly [key: string, found: KubeObject | readonly KubeObject[] | undefined]

export const answered = (lookups: readonly Lookup[], clients: LookupClients): Promise<Answer[]> =>
  Promise.all(lookups.map(async lookup => [lookupKey(lookup), await answer(lookup, clients)] as const))

const answer = async (lookup: Lookup, clients: LookupClients) => {
  const { apiVersion, kind, namespace, name, labelSelector } = lookup
  const client = clientFor(lookup, clients)
  try {
    if (name) return await client.get({ apiVersion, kind, namespace, name })
    return await client.list({ apiVersion, kind, labelSelector, ...(namespace && { namespace }) })
  } catch (error) {
    if (isNotServed(error)) return name ? undefined : []
    throw error
  }
}

const clientFor = ({ in: cluster }: Lookup, clients: LookupClients): Client =>
  typeof cluster === 'string' ? clients[cluster] : clients.remote(cluster.kubeconfig)
