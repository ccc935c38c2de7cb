// Changes objects at a steady pace, as an API server's other clients do, in a process of its own.
import { setTimeout as wait } from 'node:timers/promises'
import { type ApiServer, type BareCredentials, bareApi } from '../measure/bare-api.ts'
import { collection } from '../measure/config-maps.ts'
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
  write: async (server: ApiServer, credentials: BareCredentials, pace: Pace): Promise<Written> => {
    const api = bareApi(server, credentials, pace.inFlight)
    const lastSent = new Map<string, number>()
    const counts = { changes: 0, failures: 0, firstFailure: undefined as string | undefined }
    const change = async (turn: number): Promise<void> => {
      const name = pace.names[turn % pace.names.length] ?? ''
      lastSent.set(name, Date.now())
      try {
        const body = { data: { round: String(turn) } }
        await api.call('PATCH', `${collection}/${name}`, { body, contentType: 'application/merge-patch+json' })
        counts.changes++
      } catch (failure) {
        counts.failures++
        counts.firstFailure ??= String(failure)
      }
    }
    const seconds = await paced(change, pace)
    await api.close()
    return { ...counts, seconds, lastSent, ended: Date.now() }
  },
}

/** Answers how long it took, the last change included. */
const paced = async (
  change: (turn: number) => Promise<void>,
  { perSecond, seconds, inFlight }: Pace,
): Promise<number> => {
  const underWay = new Set<Promise<void>>()
  const began = performance.now()
  const elapsed = () => (performance.now() - began) / 1000
  for (let turn = 0; elapsed() < seconds; ) {
    if (underWay.size >= inFlight) await Promise.race(underWay)
    else if (turn < elapsed() * perSecond) begin(change(turn++), underWay)
    else await wait(restMilliseconds)
  }
  await Promise.all(underWay)
  return elapsed()
}

const begin = (change: Promise<void>, underWay: Set<Promise<void>>): void => {
  underWay.add(change)
  void change.then(() => underWay.delete(change))
}

export type Writer = typeof commands

serveParent(commands)
