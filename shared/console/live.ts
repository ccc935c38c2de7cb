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
/** Then the browser begins a new one. */
const beatsMost = 240

export const liveEvents = ({ states, callerOf }: LiveParts): LiveEvents => {
  const open = new Map<EventStream, string>()
  return {
    begin: (follower, stream) => {
      const { caller, token, of } = follower
      const own = [...open.values()].filter(id => id === caller.id).length
      if (open.size >= streamsMost || own >= streamsOfCallerMost) return false
      open.set(stream, caller.id)
      let beats = 0
      let gathering: NodeJS.Timeout | undefined
      const change = (): void => {
        gathering ??= setTimeout(() => {
          gathering = undefined
          if (open.has(stream)) stream.write('data: change\n\n')
        }, gatherMilliseconds)
      }
      const quiet = states.listen(changed => {
        void isSeen(changed, follower).then(
          seen => seen && change(),
          () => undefined,
        )
      })
      const beat = async (): Promise<void> => {
        beats++
        const isKnown = await callerOf(token).catch(() => undefined)
        if (isKnown?.id !== caller.id || beats > beatsMost || stream.waitingBytes() > waitingBytesMost) stream.end()
        // Parts of an object change without it.
        else stream.write(of === undefined ? ': beat\n\n' : 'data: beat\n\n')
      }
      const beating = setInterval(() => void beat(), beatMilliseconds)
      stream.closed(() => {
        open.delete(stream)
        clearInterval(beating)
        clearTimeout(gathering)
        quiet()
      })
      stream.write('retry: 5000\n\n')
      return true
    },
    stop: () => {
      for (const stream of open.keys()) stream.end()
    },
  }
}

/** Whoever may not see an object does not learn that it changed. */
const isSeen = async (changed: readonly ObjectState[], { caller, of }: Follower): Promise<boolean> => {
  for (const { ref } of changed)
    if ((of === undefined || of === placeIn(ref)) && (await caller.mayList(ref, ref.namespace))) return true
  return false
}
