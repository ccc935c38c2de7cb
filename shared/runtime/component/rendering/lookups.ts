// Renders in rounds: the template requests lookups, the lookups are read, and the template is rendered again until no new lookup is
// requested. The next rendering starts with the remembered lookups, so that one round is enough. Charts choose their lookups, so requests
// and results are limited per rendering.
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

/** Lookups of successful renderings, without their results. */
export type KeptLookups = BoundedCache<string, readonly Lookup[]>

export type RoundsParts = {
  readonly clients: LookupClients
  /** Called before each round with the results so far, because an error of the round may quote the results. */
  readonly noticed: (found: Findings) => void
  /** Where lookups are remembered. Absent: nowhere. */
  readonly remembered?: { readonly lookups: KeptLookups; readonly key: string }
}

type Try = (found: Findings) => Outcome | Promise<Outcome>

/** Maximum depth of lookups that depend on other lookups. */
const roundsMost = 20

/**
 * A failed lookup is an error only if the template still needs this lookup after all other lookups. Example: the name comes from another
 * lookup. In the first round the name is empty, so the lookup fails.
 */
export const renderedInRounds = (tried: Try, looking: RoundsParts): Promise<readonly KubeObject[]> => {
  const { remembered } = looking
  return rounds(tried, looking, remembered?.lookups.get(remembered.key) ?? [])
}

/** If a template needs further lookups, the rounds restart without the remembered lookups. This drops outdated lookups. */
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
  throw new Error(`rendering still needs lookups after ${roundsMost} rounds`)
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

  /** Lookups not tried yet. If all lookups were tried, throws the fault of the first lookup. */
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

type LookupClients = {
  readonly target: ReadClient
  readonly local: ReadClient
  remote(kubeconfig: string): Promise<ReadClient>
}

type LookedUp = KubeObject | readonly KubeObject[] | undefined

type Answer = { readonly key: string } & ({ readonly found: LookedUp } | { readonly fault: unknown })

/** Limits per rendering. */
const lookupsMost = 1_000
const foundCharactersMost = 16 * 2 ** 20

/** Limits concurrent requests, because calls for other components use the same connections. */
const requestsInFlight = 8

/** Counts the lookups of one rendering. Throws a RenderError above a limit. */
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

/** Rejects when the room throws. */
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

/** The API server answers 400 for a namespaced kind without a namespace. Helm treats this as not found. */
const isBadRequest = (error: unknown): boolean => error instanceof ApiError && error.code === 400

const clientFor = ({ in: cluster }: Lookup, clients: LookupClients): ReadClient | Promise<ReadClient> =>
  typeof cluster === 'string' ? clients[cluster] : clients.remote(cluster.kubeconfig)
