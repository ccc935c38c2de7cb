// The last calls of each object in this process, for the console. The number is limited: the objects whose calls are oldest are dropped.
import type { Outcome } from '../core/decisions/outcome.ts'
import type { PictureStep } from '../core/decisions/plan.ts'
import { BoundedCache } from '../core/memory/bounded-cache.ts'
import { keptOrMade } from '../core/memory/remembered.ts'
import { type GroupVersionKind, groupAndKind, type Key, keyText, type ObjectRef } from '../core/objects/object.ts'
import type { KeptCertificate } from '../core/tls/renewal.ts'

export type DoneCall = {
  readonly function: string
  /** When the call ended. */
  readonly at: Date
  readonly milliseconds: number
  /** `thrown`: the call ended with an error. The log contains the error. */
  readonly outcome: Omit<Outcome, 'wrote' | 'outcome'> & { readonly outcome: Outcome['outcome'] | 'thrown' }
}

/** Counts since the start of the process. */
type Counts = {
  readonly running: number
  readonly ended: number
  readonly failed: number
  readonly last?: Date
}

/** `waiting`: the number of ready keys that wait in relays, from the last call of each relay. Absent: no relay reported a number. */
type FunctionCounts = Counts & { readonly waiting?: number }

/** `relay`: the address of the relay. */
export type RelayQueue = { readonly relay: string; readonly waiting: number }

type CertifiedObject = {
  readonly ref: ObjectRef
  readonly certificates: readonly KeptCertificate[]
}

export type CallBook = {
  begins(name: string, call: { readonly at: Date; readonly queue?: RelayQueue | undefined }): void
  ofFunction(name: string): FunctionCounts
  note(kind: GroupVersionKind, key: Key, call: DoneCall): void
  /** The progress of the object's long process, from the last pass. */
  picture(kind: GroupVersionKind, key: Key, steps: readonly PictureStep[]): void
  pictureOf(kind: GroupVersionKind, key: Key): readonly PictureStep[] | undefined
  /** The certificates that a function maintains for the object, from the last pass. */
  certificates(kind: GroupVersionKind, key: Key, certificates: readonly KeptCertificate[]): void
  certified(): readonly CertifiedObject[]
  /** The calls of an object, newest first. */
  of(kind: GroupVersionKind, key: Key): readonly DoneCall[]
}

const objectsMost = 5_000
const picturesMost = 50
const callsMost = 5
const relaysMost = 20
/** If the last call of a relay is this much older than the last call of another relay, the relay may have ended and is ignored. */
const relayMilliseconds = 600_000

export const callBook = (): CallBook => {
  const calls = new BoundedCache<string, readonly DoneCall[]>(objectsMost)
  const pictures = new BoundedCache<string, readonly PictureStep[]>(picturesMost)
  const certified = new BoundedCache<string, CertifiedObject>(objectsMost)
  const counts = new Map<string, Counts>()
  const queues = new Map<string, BoundedCache<string, Said>>()
  const countsOf = (name: string): Counts => counts.get(name) ?? { running: 0, ended: 0, failed: 0 }
  const said = (name: string, { relay, waiting }: RelayQueue, at: Date): void => {
    const relays = keptOrMade(queues, name, () => new BoundedCache<string, Said>(relaysMost))
    relays.set(relay, { waiting, at: at.getTime() })
  }
  const idOf = (kind: GroupVersionKind, key: Key): string => `${groupAndKind(kind)} ${keyText(key)}`
  return {
    ofFunction: name => ({ ...countsOf(name), ...waitingIn(queues.get(name)) }),
    begins: (name, { at, queue }) => {
      if (queue) said(name, queue, at)
      counts.set(name, { ...countsOf(name), running: countsOf(name).running + 1 })
    },
    note: (kind, key, call) => {
      const { running, ended, failed } = countsOf(call.function)
      const isFailed = ['failed', 'thrown'].includes(call.outcome.outcome)
      counts.set(call.function, {
        ...{ running: running - 1, ended: ended + 1, failed: failed + (isFailed ? 1 : 0), last: call.at },
      })
      calls.set(idOf(kind, key), [call, ...(calls.get(idOf(kind, key)) ?? [])].slice(0, callsMost))
    },
    picture: (kind, key, steps) => pictures.set(idOf(kind, key), steps),
    pictureOf: (kind, key) => pictures.get(idOf(kind, key)),
    certificates: (kind, key, certificates) =>
      certified.set(idOf(kind, key), { ref: { apiVersion: kind.apiVersion, kind: kind.kind, ...key }, certificates }),
    certified: () => [...certified.entries()].map(([, object]) => object),
    of: (kind, key) => calls.get(idOf(kind, key)) ?? [],
  }
}

type Said = { readonly waiting: number; readonly at: number }

const waitingIn = (said: BoundedCache<string, Said> | undefined): Pick<FunctionCounts, 'waiting'> => {
  const relays = [...(said?.entries() ?? [])].map(([, one]) => one)
  const last = Math.max(...relays.map(({ at }) => at))
  const recent = relays.filter(({ at }) => last - at < relayMilliseconds)
  return recent.length === 0 ? {} : { waiting: recent.reduce((sum, { waiting }) => sum + waiting, 0) }
}

/** The relay's next step as text. `dueAt` if the step has a time. */
export const nextCall = ({ at, outcome }: DoneCall): { readonly words: string; readonly dueAt?: string } => {
  const { outcome: is, requeueAfterSeconds: seconds, reason } = outcome
  if (seconds !== undefined) return { words: 'is due', dueAt: new Date(at.getTime() + seconds * 1_000).toISOString() }
  if (is === 'settled') return { words: 'follows when an object changes, or with the next periodic call' }
  if (is === 'waiting') return { words: 'follows at once' }
  if (is === 'stalled') return { words: `follows when the object changes: ${reason ?? ''}` }
  return { words: 'follows soon: failed calls are retried, with growing pauses' }
}
