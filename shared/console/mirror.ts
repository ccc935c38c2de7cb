// The states of all objects of our kinds, updated by watches while a user looks at the console. Only the state and the first sentence of
// each object are kept.
import { setTimeout as wait } from 'node:timers/promises'
import { ourKinds } from '../api/our-kinds.ts'
import { isText } from '../core/json/json.ts'
import type { Log } from '../core/log.ts'
import { type GroupVersionKind, groupAndKind, type KubeObject, keyOf, keyText } from '../core/objects/object.ts'
import { errorText } from '../core/text/error-text.ts'
import { excerpt } from '../core/text/text.ts'
import type { Client } from '../kube/client-types.ts'
import { isNotServed } from '../kube/errors.ts'
import { byTrouble, type ObjectState, stateOf } from '../runtime/why/explanation.ts'

export type Mirror = {
  /** The current states. Waits a moment for the first lists. */
  states(): Promise<MirroredStates>
  /** Calls the listener for each changed state. The returned function removes the listener. */
  listen(listener: (changed: ObjectState) => void): () => void
  stop(): void
}

export type MirroredStates = {
  /** The states, objects in trouble first. */
  readonly states: readonly ObjectState[]
  /** Kinds that cannot be read, with the reason. */
  readonly faults: readonly { readonly kind: GroupVersionKind; readonly fault: string }[]
  /** False while lists are still being read. */
  readonly isWhole: boolean
}

type MirrorParts = {
  readonly client: Pick<Client, 'pages' | 'watch'>
  readonly log: Log
  readonly now: () => Date
}

const firstMilliseconds = 60
const idleMilliseconds = 120_000
const statesMost = 50_000
const sentenceLength = 400
/** The size is small, because parsing a large page would delay webhooks. */
const pageSize = 50
const pauses = { first: 1_000, most: 30_000 }

type KindStates = {
  readonly kind: GroupVersionKind
  states: SortedStates
  fault?: string
  isListed: boolean
}

export const mirror = ({ client, log, now }: MirrorParts): Mirror => {
  const listeners = new Set<(changed: ObjectState) => void>()
  let following: { readonly kinds: readonly KindStates[]; readonly listed: Promise<unknown>; end(): void } | undefined
  let idle: NodeJS.Timeout | undefined
  const tell = (state: ObjectState): void => {
    for (const listener of listeners) listener(state)
  }
  const end = (): void => {
    following?.end()
    following = undefined
  }
  const startedFollowing = () => {
    if (following) return following
    const ending = new AbortController()
    const kinds = ourKinds.map((kind): KindStates => ({ kind, states: new SortedStates(), isListed: false }))
    const listed = kinds.map(kind => followKind(kind, { client, log, now, tell, signal: ending.signal }))
    following = { kinds, listed: Promise.all(listed), end: () => ending.abort() }
    return following
  }
  const keptAlive = () => {
    clearTimeout(idle)
    if (listeners.size === 0) idle = setTimeout(end, idleMilliseconds).unref()
    return startedFollowing()
  }
  return {
    states: async () => {
      const { kinds, listed } = keptAlive()
      await Promise.race([listed, wait(firstMilliseconds, undefined, { ref: false })])
      return {
        states: kinds.flatMap(({ states }) => states.sorted).sort(byTrouble),
        faults: kinds.flatMap(({ kind, fault }) => (fault === undefined ? [] : [{ kind, fault }])),
        isWhole: kinds.every(({ isListed }) => isListed),
      }
    },
    listen: listener => {
      listeners.add(listener)
      keptAlive()
      return () => {
        listeners.delete(listener)
        if (following) keptAlive()
      }
    },
    stop: () => {
      clearTimeout(idle)
      end()
    },
  }
}

type FollowParts = MirrorParts & { readonly tell: (state: ObjectState) => void; readonly signal: AbortSignal }

/** Resolves when the kind was listed once, or cannot be listed. The kind is watched until the signal aborts. */
const followKind = (kind: KindStates, parts: FollowParts): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { signal, log } = parts
  const rounds = async (): Promise<void> => {
    let pause = pauses.first
    while (!signal.aborted) {
      try {
        const version = await list(kind, parts)
        resolve()
        pause = pauses.first
        await watchFrom(version, kind, parts)
      } catch (error) {
        if (signal.aborted) return
        kind.isListed = true
        kind.fault = isNotServed(error) ? undefined : errorText(error)
        if (kind.fault !== undefined)
          log.debug({ err: error, kind: kind.kind.kind }, 'the console cannot follow a kind')
        resolve()
        await wait(pause, undefined, { ref: false, signal }).catch(() => undefined)
        pause = Math.min(pause * 2, pauses.most)
      }
    }
  }
  void rounds()
  return promise
}

const list = async (kind: KindStates, { client, now, signal }: FollowParts): Promise<string> => {
  const found = new SortedStates()
  const first = !kind.isListed
  if (first) kind.states = found
  const keep = (object: KubeObject): undefined => {
    found.put(nameOf(object), shortState(object, now()))
  }
  let version = ''
  for await (const { resourceVersion } of client.pages({ ...kind.kind, pageSize, keep })) {
    if (signal.aborted) return version
    version = resourceVersion
  }
  kind.states = found
  kind.isListed = true
  kind.fault = undefined
  return version
}

/** Rejects when a new list is needed. If the API server ends the watch, the watch starts again. */
const watchFrom = async (from: string, kind: KindStates, { client, now, tell, signal }: FollowParts): Promise<void> => {
  let version = from
  while (!signal.aborted) {
    for await (const { type, object } of client.watch({ ...kind.kind, resourceVersion: version, signal })) {
      version = object.metadata.resourceVersion ?? version
      if (type === 'BOOKMARK') continue
      const state = shortState(object, now())
      if (type === 'DELETED') kind.states.take(nameOf(object))
      else kind.states.put(nameOf(object), state)
      tell(state)
    }
    await wait(pauses.first, undefined, { ref: false, signal })
  }
}

/** Keeps states sorted after each change, because sorting thousands of states for a page would delay webhooks. */
class SortedStates {
  readonly sorted: ObjectState[] = []
  readonly #byName = new Map<string, ObjectState>()

  /** Ignores a new object if there are too many objects. */
  put(name: string, state: ObjectState): void {
    this.take(name)
    if (this.sorted.length >= statesMost) return
    this.#byName.set(name, state)
    this.sorted.splice(this.#placeOf(state), 0, state)
  }

  take(name: string): void {
    const state = this.#byName.get(name)
    if (state && this.#byName.delete(name)) this.sorted.splice(this.#placeOf(state), 1)
  }

  /** The number of states that come before this state. */
  #placeOf(state: ObjectState): number {
    let [from, to] = [0, this.sorted.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      const other = this.sorted[middle]
      if (other && byTrouble(other, state) < 0) from = middle + 1
      else to = middle
    }
    return from
  }
}

const nameOf = (object: KubeObject): string => `${groupAndKind(object)} ${keyText(keyOf(object))}`

const shortState = (object: KubeObject, now: Date): ObjectState => {
  const state = stateOf(object, now)
  return {
    ...state,
    says: state.says
      .slice(0, 1)
      .filter(isText)
      .map(text => excerpt(sentenceLength, text)),
  }
}
