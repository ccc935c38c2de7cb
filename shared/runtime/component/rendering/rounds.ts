// Renders in rounds: a template that looks something up answers what it needs, this is read, and it is rendered again, until nothing new
// is needed. What a rendering looked up is remembered: next time it is read first, and one round is enough.
import type { BoundedCache } from '../../../core/memory/bounded-cache.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { type Findings, type Lookup, lookupKey, type Rendering as Outcome } from '../../../render/generator.ts'
import { type LookedUp, type LookupClients, LookupRoom, lookedUp } from './lookups.ts'

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
