// Renders in rounds: a template that looks something up answers what it needs, this is read, and it is rendered again, until nothing new
// is needed. What a rendering looked up is remembered: next time it is read first, and one round is enough.
import type { BoundedCache } from '../../../core/memory/bounded-cache.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { atOnce } from '../../../kube/at-once.ts'
import type { ReadClient } from '../../../kube/client-types.ts'
import { ApiError, isNotServed } from '../../../kube/errors.ts'
import {
  type Findings,
  type Lookup,
  lookupKey,
  type Rendering as Outcome,
  RenderError,
} from '../../../render/generator.ts'

/** Lookups of successful renderings: the questions, never the answers. */
export type KeptLookups = BoundedCache<string, readonly Lookup[]>

type Try = (found: Findings) => Outcome | Promise<Outcome>

export type RoundsParts = {
  readonly clients: LookupClients
  /** Called with what was found, before each round: an error of the round may quote it. */
  readonly noticed: (found: Findings) => void
  /** Where this rendering's lookups are remembered; absent: nowhere. */
  readonly remembered?: { readonly lookups: KeptLookups; readonly key: string }
}

/** A lookup may depend on the answer to another one, so many times. */
const roundsMost = 20

/**
 * A lookup that fails is an error only if the template still needs it when all other lookups are answered. Example: the name
 * of an object comes from another lookup; in the first round it is empty, and the lookup without a name is refused.
 */
export const renderedInRounds = (tried: Try, looking: RoundsParts): Promise<readonly KubeObject[]> => {
  const { remembered } = looking
  return rounds(tried, looking, remembered?.lookups.get(remembered.key) ?? [])
}

/** If it needs more than was expected, it begins anew, so that what it needs no more is forgotten. */
const rounds = async (
  tried: Try,
  looking: RoundsParts,
  expected: readonly Lookup[],
): Promise<readonly KubeObject[]> => {
  const answers = new Answers(looking)
  await answers.read(expected)
  for (let round = 0; round < roundsMost; round++) {
    looking.noticed(answers.found)
    const answer = await tried(answers.found)
    if ('objects' in answer) {
      answers.remember()
      return answer.objects
    }
    if (expected.length > 0) return rounds(tried, looking, [])
    await answers.read(answers.open(answer.needs))
  }
  throw new Error(`rendering goes on looking things up after ${roundsMost} rounds`)
}

class Answers {
  readonly found = new Map<string, LookedUp>()
  readonly #asked: Lookup[] = []
  readonly #faults = new Map<string, unknown>()
  readonly #room = new LookupRoom()
  readonly #looking: RoundsParts

  constructor(looking: RoundsParts) {
    this.#looking = looking
  }

  async read(lookups: readonly Lookup[]): Promise<void> {
    this.#asked.push(...lookups)
    for (const one of await lookedUp(lookups, this.#looking.clients, this.#room))
      if ('fault' in one) this.#faults.set(one.key, one.fault)
      else this.found.set(one.key, one.found)
  }

  /** Those that were not tried yet. Throws the fault of the first one where all were tried. */
  open(needs: readonly Lookup[]): readonly Lookup[] {
    const open = needs.filter(need => !this.#faults.has(lookupKey(need)))
    const [refused] = needs
    if (open.length === 0 && refused) throw this.#faults.get(lookupKey(refused))
    return open
  }

  remember(): void {
    const { remembered } = this.#looking
    if (this.#asked.length > 0) remembered?.lookups.set(remembered.key, this.#asked)
  }
}

// Reads what a rendering looks up: objects and lists in the target cluster, in the component's own, or in the cluster of a
// kubeconfig that the template has. An object of a kind that is not served counts as not existing.
// A chart decides what it looks up, so that the number of requests and the size of the answers are bounded for each rendering.

type LookupClients = {
  readonly target: ReadClient
  readonly local: ReadClient
  remote(kubeconfig: string): Promise<ReadClient>
}

type LookedUp = KubeObject | readonly KubeObject[] | undefined

type Answer = { readonly key: string } & ({ readonly found: LookedUp } | { readonly fault: unknown })

/** For each rendering. */
const lookupsMost = 1_000
const foundCharactersMost = 16 * 2 ** 20

/** Calls for other components use the same connections. */
const requestsInFlight = 8

/** Counts what one rendering looks up. Both methods throw a RenderError when it is too much. */
class LookupRoom {
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

/** Rejects with the RenderError of the room. */
const lookedUp = async (lookups: readonly Lookup[], clients: LookupClients, room: LookupRoom): Promise<Answer[]> => {
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

/** A namespaced kind asked without a namespace: the API server answers 400, and Helm takes that for not found. */
const isBadRequest = (error: unknown): boolean => error instanceof ApiError && error.code === 400

const clientFor = ({ in: cluster }: Lookup, clients: LookupClients): ReadClient | Promise<ReadClient> =>
  typeof cluster === 'string' ? clients[cluster] : clients.remote(cluster.kubeconfig)
