// Renders in rounds: the template requests lookups, the lookups are read, and the template is rendered again until no new lookup is
// requested. The next rendering starts with the remembered lookups, so that one round is enough.
import type { BoundedCache } from '../../../core/memory/bounded-cache.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { type Findings, type Lookup, lookupKey, type Rendering as Outcome } from '../../../render/generator.ts'
import { type LookedUp, type LookupClients, LookupRoom, lookedUp } from './lookups.ts'

/** Lookups of successful renderings, without their results. */
export type KeptLookups = BoundedCache<string, readonly Lookup[]>

type Try = (found: Findings) => Outcome | Promise<Outcome>

export type RoundsParts = {
  readonly clients: LookupClients
  /** Called before each round with the results so far, because an error of the round may quote the results. */
  readonly noticed: (found: Findings) => void
  /** Where lookups are remembered. Absent: nowhere. */
  readonly remembered?: { readonly lookups: KeptLookups; readonly key: string }
}

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
