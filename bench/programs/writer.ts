// Changes objects at a steady pace, as an API server's other clients do, in a process of its own.
import { setTimeout as wait } from 'node:timers/promises'
import { collection } from '../measure/config-maps.ts'
import { linesTo, type Place } from '../measure/lines.ts'
import { serveParent } from '../measure/worker.ts'

export type Pace = {
  /** What it takes turns in changing. */
  readonly names: readonly string[]
  readonly perSecond: number
  readonly seconds: number
  /** What is due waits while so many changes are under way; it is made up for as soon as the API server is fast enough. */
  readonly inFlight: number
}

export type Written = {
  readonly changes: number
  readonly failures: number
  readonly firstFailure: string | undefined
  readonly seconds: number
  /** By name, when the last change was sent. */
  readonly lastSent: ReadonlyMap<string, number>
  readonly ended: number
}

const restMilliseconds = 2

const commands = {
  write: async (place: Place, pace: Pace): Promise<Written> => {
    const lines = linesTo(place)
    const lastSent = new Map<string, number>()
    const counts = { changes: 0, failures: 0, firstFailure: undefined as string | undefined }
    const change = async (turn: number): Promise<void> => {
      const name = pace.names[turn % pace.names.length] ?? ''
      lastSent.set(name, Date.now())
      try {
        const answer = await lines.send(changeOf(name, turn))
        if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(answer.slice(0, 1000))
        counts.changes++
      } catch (failure) {
        counts.failures++
        counts.firstFailure ??= String(failure)
      }
    }
    const seconds = await paced(change, pace)
    lines.close()
    return { ...counts, seconds, lastSent, ended: Date.now() }
  },
}

const changeOf = (name: string, turn: number) => ({
  method: 'PATCH',
  path: `${collection}/${name}`,
  contentType: 'application/merge-patch+json',
  body: JSON.stringify({ data: { round: String(turn) } }),
})

/** Answers how long it took, the last change included. */
const paced = async (
  change: (turn: number) => Promise<void>,
  { perSecond, seconds, inFlight }: Pace,
): Promise<number> => {
  let underWay = 0
  let freed = Promise.withResolvers<void>()
  const end = () => {
    underWay--
    freed.resolve()
    freed = Promise.withResolvers()
  }
  const began = performance.now()
  const elapsed = () => (performance.now() - began) / 1000
  for (let turn = 0; elapsed() < seconds; ) {
    if (underWay >= inFlight) await freed.promise
    else if (turn < elapsed() * perSecond) {
      underWay++
      void change(turn++).finally(end)
    } else await wait(restMilliseconds)
  }
  while (underWay > 0) await freed.promise
  return elapsed()
}

export type Writer = typeof commands

serveParent(commands)
