// The last calls of each object that this process served, for the console. Bounded: the objects that were called longest ago are forgotten.
import type { Outcome } from '../core/decisions/outcome.ts'
import { BoundedCache } from '../core/memory/bounded-cache.ts'
import { type GroupVersionKind, groupAndKind, type Key, keyText } from '../core/objects/object.ts'

export type DoneCall = {
  readonly function: string
  /** When it ended. */
  readonly at: Date
  readonly milliseconds: number
  /** `thrown`: it ended with an error, which the log has. */
  readonly outcome: Omit<Outcome, 'wrote' | 'outcome'> & { readonly outcome: Outcome['outcome'] | 'thrown' }
}

export type CallBook = {
  note(kind: GroupVersionKind, key: Key, call: DoneCall): void
  /** The newest first. */
  of(kind: GroupVersionKind, key: Key): readonly DoneCall[]
}

const objectsMost = 5_000
const callsMost = 5

export const callBook = (): CallBook => {
  const calls = new BoundedCache<string, readonly DoneCall[]>(objectsMost)
  const idOf = (kind: GroupVersionKind, key: Key): string => `${groupAndKind(kind)} ${keyText(key)}`
  return {
    note: (kind, key, call) =>
      calls.set(idOf(kind, key), [call, ...(calls.get(idOf(kind, key)) ?? [])].slice(0, callsMost)),
    of: (kind, key) => calls.get(idOf(kind, key)) ?? [],
  }
}

/** What the relay does next, in words; `dueAt` where it has a time. */
export const nextCall = ({ at, outcome }: DoneCall): { readonly words: string; readonly dueAt?: string } => {
  const { outcome: is, requeueAfterSeconds: seconds, reason } = outcome
  if (seconds !== undefined) return { words: 'is due', dueAt: new Date(at.getTime() + seconds * 1_000).toISOString() }
  if (is === 'settled') return { words: 'follows when something changes, or with the next sweep' }
  if (is === 'waiting') return { words: 'follows at once' }
  if (is === 'stalled') return { words: `follows when somebody changes the object: ${reason ?? ''}` }
  return { words: 'follows soon: what fails is tried again, after longer and longer pauses' }
}
