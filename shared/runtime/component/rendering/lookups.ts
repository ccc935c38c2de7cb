// Performs the lookups of a rendering, in the target cluster, the component's cluster, or the cluster of a kubeconfig in the template.
// Objects of an unserved kind count as missing. Charts choose their lookups, so requests and results are limited per rendering.
import type { KubeObject } from '../../../core/objects/object.ts'
import { atOnce } from '../../../kube/at-once.ts'
import type { ReadClient } from '../../../kube/client-types.ts'
import { ApiError, isNotServed } from '../../../kube/errors.ts'
import { type Lookup, lookupKey, RenderError } from '../../../render/generator.ts'

export type LookupClients = {
  readonly target: ReadClient
  readonly local: ReadClient
  remote(kubeconfig: string): Promise<ReadClient>
}

export type LookedUp = KubeObject | readonly KubeObject[] | undefined

type Answer = { readonly key: string } & ({ readonly found: LookedUp } | { readonly fault: unknown })

/** Limits per rendering. */
const lookupsMost = 1_000
const foundCharactersMost = 16 * 2 ** 20

/** Limits concurrent requests, because calls for other components use the same connections. */
const requestsInFlight = 8

/** Counts the lookups of one rendering. Throws a RenderError above a limit. */
export class LookupRoom {
  #lookups = 0
  #foundCharacters = 0

  asks(lookups: number): void {
    this.#lookups += lookups
    if (this.#lookups > lookupsMost) throw beyond(`more than ${lookupsMost} objects and lists`)
  }

  holds(object: KubeObject): void {
    this.#foundCharacters += JSON.stringify(object).length
    if (this.#foundCharacters > foundCharactersMost)
      throw beyond(`objects of more than ${foundCharactersMost} characters`)
  }
}

const beyond = (what: string): RenderError =>
  new RenderError(`rendering looks up ${what}`, { blame: { kind: 'limit' }, quotesNoValues: true })

/** Rejects when the room throws. */
export const lookedUp = async (
  lookups: readonly Lookup[],
  clients: LookupClients,
  room: LookupRoom,
): Promise<Answer[]> => {
  room.asks(lookups.length)
  const tasks = lookups.map(lookup => () => outcome(lookup, clients, room))
  return atOnce(tasks, requestsInFlight)
}

const outcome = async (lookup: Lookup, clients: LookupClients, room: LookupRoom): Promise<Answer> => {
  const key = lookupKey(lookup)
  try {
    return { key, found: await answer(lookup, clients, room) }
  } catch (fault) {
    if (fault instanceof RenderError) throw fault
    return { key, fault }
  }
}

const answer = async (lookup: Lookup, clients: LookupClients, room: LookupRoom): Promise<LookedUp> => {
  const { apiVersion, kind, namespace, name, labelSelector } = lookup
  const client = await clientFor(lookup, clients)
  try {
    const keep = (object: KubeObject): KubeObject => {
      room.holds(object)
      return object
    }
    if (!name) return await client.list({ apiVersion, kind, labelSelector, ...(namespace && { namespace }), keep })
    const object = await client.get({ apiVersion, kind, namespace, name })
    return object && keep(object)
  } catch (error) {
    if (isNotServed(error)) return name ? undefined : []
    if (name && namespace === '' && isBadRequest(error)) return undefined
    throw error
  }
}

/** The API server answers 400 for a namespaced kind without a namespace. Helm treats this as not found. */
const isBadRequest = (error: unknown): boolean => error instanceof ApiError && error.code === 400

const clientFor = ({ in: cluster }: Lookup, clients: LookupClients): ReadClient | Promise<ReadClient> =>
  typeof cluster === 'string' ? clients[cluster] : clients.remote(cluster.kubeconfig)
