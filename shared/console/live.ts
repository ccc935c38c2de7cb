// Server-sent events that make an open page refresh itself, without data about objects. The number of streams is limited, and a stream ends
// with its token.
import type { ObjectState } from '../runtime/why/explanation.ts'
import { placeIn } from './layout.ts'
import type { Mirror } from './mirror.ts'
import type { Caller } from './rights.ts'

export type EventStream = {
  write(text: string): void
  /** The number of bytes that the client has not received yet. */
  waitingBytes(): number
  end(): void
  /** Calls `then` once when the stream is closed, or immediately if it is already closed. */
  closed(then: () => void): void
}

type Follower = {
  readonly token: string
  readonly caller: Caller
  /** The object whose page is open. undefined: the overview is open. */
  readonly of: string | undefined
}

type LiveEvents = {
  /** Returns false if there are too many streams. */
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
/** Changes within this time cause only one event. */
const gatherMilliseconds = 500
const waitingBytesMost = 16_384
/** One hour. After this time, the browser opens a new stream. */
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
        // The page of an object refreshes at each beat, because parts of the object may change without an event.
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

/** Whether the caller may list a changed object and so learn of its change. Each kind and namespace is checked once. */
const isSeen = async (changed: ReadonlyMap<string, ObjectState>, { caller, of }: Follower): Promise<boolean> => {
  const meant = of === undefined ? [...changed.values()] : [changed.get(of)].filter(state => state !== undefined)
  const places = new Map(meant.map(({ ref }) => [`${ref.apiVersion} ${ref.kind} ${ref.namespace}`, ref]))
  for (const ref of places.values()) if (await caller.mayList(ref, ref.namespace)) return true
  return false
}
