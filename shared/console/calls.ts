// The last calls of each object that this process served, for the console. Bounded: the objects that were called longest ago are forgotten.

import type { Outcome } from '../core/decisions/outcome.ts'
import type { PictureStep } from '../core/decisions/picture.ts'
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

/** Since the process began. */
type FunctionCounts = {
  readonly running: number
  readonly ended: number
  readonly failed: number
  readonly last?: Date
}

export type CallBook = {
  begins(name: string): void
  ofFunction(name: string): FunctionCounts
  note(kind: GroupVersionKind, key: Key, call: DoneCall): void
  /** How far the object's long process came, as its last pass judged it. */
  picture(kind: GroupVersionKind, key: Key, steps: readonly PictureStep[]): void
  pictureOf(kind: GroupVersionKind, key: Key): readonly PictureStep[] | undefined
  /** The newest first. */
  of(kind: GroupVersionKind, key: Key): readonly DoneCall[]
}

const objectsMost = 5_000
const picturesMost = 50
const callsMost = 5

export const callBook = (): CallBook => {
  const calls = new BoundedCache<string, readonly DoneCall[]>(objectsMost)
  const pictures = new BoundedCache<string, readonly PictureStep[]>(picturesMost)
  const counts = new Map<string, FunctionCounts>()
  const ofFunction = (name: string): FunctionCounts => counts.get(name) ?? { running: 0, ended: 0, failed: 0 }
  const idOf = (kind: GroupVersionKind, key: Key): string => `${groupAndKind(kind)} ${keyText(key)}`
  return {
    ofFunction,
    begins: name => counts.set(name, { ...ofFunction(name), running: ofFunction(name).running + 1 }),
    note: (kind, key, call) => {
      const { running, ended, failed } = ofFunction(call.function)
      const isFailed = ['failed', 'thrown'].includes(call.outcome.outcome)
      counts.set(call.function, {
        ...{ running: running - 1, ended: ended + 1, failed: failed + (isFailed ? 1 : 0), last: call.at },
      })
      calls.set(idOf(kind, key), [call, ...(calls.get(idOf(kind, key)) ?? [])].slice(0, callsMost))
    },
    picture: (kind, key, steps) => pictures.set(idOf(kind, key), steps),
    pictureOf: (kind, key) => pictures.get(idOf(kind, key)),
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
