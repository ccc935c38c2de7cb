// Server-sent events that tell an open page to refresh itself. They carry no facts. Streams are bounded, and end with the token.
import type { ObjectState } from '../runtime/why/state.ts'
import { placeIn } from './layout.ts'
import type { Mirror } from './mirror.ts'
import type { Caller } from './rights.ts'

export type EventStream = {
  write(text: string): void
  /** Bytes that the caller has not fetched yet. */
  waitingBytes(): number
  end(): void
  /** Calls `then` once when the stream is closed; at once if it is closed already. */
  closed(then: () => void): void
}

type Follower = {
  readonly token: string
  readonly caller: Caller
  /** The object whose page is open; undefined: the overview. */
  readonly of: string | undefined
}

type LiveEvents = {
  /** False: there are too many streams. */
  begin(follower: Follower, stream: EventStream): boolean
  stop(): void
}

type LiveParts = {
  readonly states: Pick<Mirror, 'listen'>
  readonly callerOf: (token: string) => Promise<Caller | undefined>
}

const streamsMost = 200
const streamsOfCallerMost = 10
const beatMilliseconds = 15_000
/** Changes within this time are one event. */
const gatherMilliseconds = 500
const waitingBytesMost = 16_384
/** An hour; then the browser begins a new stream. */
const beatsMost = 240

export const liveEvents = ({ states, callerOf }: LiveParts): LiveEvents => {
  const open = new Map<EventStream, Follower>()
  const changed = new Map<string, ObjectState>()
  let gathering: NodeJS.Timeout | undefined
  let quiet: (() => void) | undefined

  const tell = (): void => {
    gathering = undefined
    const gathered = new Map(changed)
    changed.clear()
    for (const [stream, follower] of open)
      isSeen(gathered, follower).then(
        seen => seen && open.has(stream) && stream.write('data: change\n\n'),
        () => undefined,
      )
  }
  const gather = (state: ObjectState): void => {
    changed.set(placeIn(state.ref), state)
    gathering ??= setTimeout(tell, gatherMilliseconds)
  }
  const close = (stream: EventStream): void => {
    open.delete(stream)
    if (open.size > 0) return
    quiet?.()
    clearTimeout(gathering)
    quiet = gathering = undefined
  }

  return {
    begin: (follower, stream) => {
      const { caller, token, of } = follower
      const own = [...open.values()].filter(other => other.caller.id === caller.id).length
      if (open.size >= streamsMost || own >= streamsOfCallerMost) return false
      open.set(stream, follower)
      quiet ??= states.listen(gather)
      let beats = 0
      const beat = async (): Promise<void> => {
        beats++
        const isKnown = await callerOf(token).catch(() => undefined)
        if (isKnown?.id !== caller.id || beats >= beatsMost || stream.waitingBytes() > waitingBytesMost) stream.end()
        // The page of an object refreshes at each beat, because parts of the object change without an event about it.
        else stream.write(of === undefined ? ': beat\n\n' : 'data: beat\n\n')
      }
      const beating = setInterval(() => void beat(), beatMilliseconds)
      stream.write('retry: 5000\n\n')
      stream.closed(() => {
        clearInterval(beating)
        close(stream)
      })
      return true
    },
    stop: () => {
      for (const stream of open.keys()) stream.end()
    },
  }
}

/** A caller who may not list an object does not learn that it changed. Each kind and namespace is judged once. */
const isSeen = async (changed: ReadonlyMap<string, ObjectState>, { caller, of }: Follower): Promise<boolean> => {
  const meant = of === undefined ? [...changed.values()] : [changed.get(of)].filter(state => state !== undefined)
  const places = new Map(meant.map(({ ref }) => [`${ref.apiVersion} ${ref.kind} ${ref.namespace}`, ref]))
  for (const ref of places.values()) if (await caller.mayList(ref, ref.namespace)) return true
  return false
}
