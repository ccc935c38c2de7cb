// Runs a scenario: changes the world stage by stage and calls the function until it is at rest, as the relay would but
// without its waits. What disturbs the run is injected into the proxy by whoever asks for it.
import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import type { Log } from '../../../shared/core/log.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { rendererHere } from '../../../shared/main/own/renderer-here.ts'
import { processContext } from '../../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { blobsFor } from '../blobs.ts'
import type { Entry, Ledger, ObjectCounts } from '../proxy/ledger.ts'
import { isWrite } from '../proxy/request.ts'
import type { Scenario, Stage } from '../scenario.ts'
import { twoClusters } from '../two-clusters.ts'
import type { World } from '../world.ts'
import { secretTexts, type Traces } from './nothing-lost.ts'
import { storySettings } from './story-settings.ts'

/** One function with one scenario, in a world where everything it does passes the proxy. */
export type Trial = {
  readonly definition: ReconcileFunction
  readonly scenario: Scenario
  readonly world: World
  /** The way the function takes. */
  readonly client: Client
  /** Its way to other clusters; the same when absent. */
  readonly far?: Client
  readonly ledger: Ledger
}

export type Disturbance = {
  /** Before the change of the stage with this index. */
  before?: (stage: number) => void
  /** How the function is called instead of simply once; `once` calls it through another client when given one. */
  call?: (once: Once) => Promise<Outcome>
  /** When the function is at rest in a stage, before anybody looks. */
  after?: (stage: number) => Promise<void>
  killer?: Killer
}

/** `seconds`: so much later than now, to the function. */
export type Once = (client?: Client, seconds?: number) => Promise<Outcome>

/** Ends the call that is under way, as the death of its process would. */
export type Killer = {
  /** For a call that begins. */
  signal(): AbortSignal
  kill(): void
  /** Whether the latest call was killed. */
  hasKilled(): boolean
}

export const newKiller = (): Killer => {
  let latest = new AbortController()
  return {
    signal: () => {
      latest = new AbortController()
      return latest.signal
    },
    kill: () => latest.abort(),
    hasKilled: () => latest.signal.aborted,
  }
}

/** Calls a function may need to come to rest, failed ones included. */
const callsMost = 200
/** Tells the story once and takes it back; what it left behind is for nothing-lost.ts to judge. */
export const tell = async (trial: Trial, disturbance: Disturbance = {}): Promise<Traces> => {
  const { world, scenario, ledger } = trial
  const ends: (readonly KubeObject[])[] = []
  const traces = { ends, quietWrites: [] as Entry[], said: [] as string[], secrets: [] as string[] }
  const killer = disturbance.killer ?? newKiller()
  let waited = 0
  const once: Once = (client, seconds = 0) =>
    callOnce(trial, { client, seconds: seconds + waited, said: traces.said, signal: killer.signal() })
  /** Waits that end by themselves are over at once, on the function's clock. */
  const isRest = (outcome: Outcome): boolean => {
    const { outcome: is, requeueAfterSeconds: seconds = 0 } = outcome
    const { goesOnAfterSeconds: after, goesOnWithinSeconds: within = 0 } = scenario
    const isShort = is === 'waiting' && seconds > 0 && (seconds === after || seconds <= within)
    if (isShort) waited += seconds
    return !isShort && isAtRest(outcome)
  }
  const call = disturbance.call ?? (once => once())
  ledger.reset()
  try {
    for (const [index, stage] of scenario.stages.entries()) {
      disturbance.before?.(index)
      await stage.change(world.people)
      await callToRest(() => call(once), { killer, stage, isRest })
      await disturbance.after?.(index)
      traces.quietWrites.push(...(await writesIn(trial, once)))
      const objects = await world.observe(scenario)
      traces.secrets.push(...secretTexts(objects))
      ends.push(scenario.masked?.(objects) ?? objects)
    }
    traces.said.push(...(await world.events()).map(event => JSON.stringify(event)))
    return { ...traces, effects: comparable(ledger.effects(), scenario) }
  } finally {
    await world.clear(scenario)
  }
}

/** When it is called again in the quiet minute: at once, after the time of the short form, and when the minute is over. */
const quietLooks = [0, 5, 60]

/** What calls of a quiet minute write. While it waits for something or somebody it may say so again, in an Event that counts. */
const writesIn = async ({ ledger }: Trial, once: Once): Promise<Entry[]> => {
  const writes: Entry[] = []
  for (const seconds of quietLooks) {
    const before = ledger.entries.length
    const { outcome } = await madeAgain(() => once(undefined, seconds))
    const written = ledger.entries.slice(before).filter(isWrite)
    writes.push(...(outcome !== 'settled' ? written.filter(({ resource }) => resource !== 'events') : written))
  }
  return writes
}

const triesMost = 3

/** A call that throws is made again, as the relay does: a bad minute of the API server may outlast the calls of a stage. */
const madeAgain = async (call: () => Promise<Outcome>): Promise<Outcome> => {
  for (let tries = 1; ; tries++) {
    try {
      return await call()
    } catch (error) {
      if (tries === triesMost) throw error
    }
  }
}

/** What the stages of a clean run promise and do not keep. */
export const brokenPromises = (scenario: Scenario, { ends }: Traces): string[] =>
  scenario.stages.flatMap((stage, i) => stage.faults(ends[i] ?? []).map(fault => `${stage.title}: ${fault}`))

type ToRest = { killer: Killer; stage: Stage; isRest(outcome: Outcome): boolean }

const callToRest = async (call: () => Promise<Outcome>, { killer, stage, isRest }: ToRest): Promise<void> => {
  let last = ''
  for (let calls = 0; calls < callsMost; calls++) {
    try {
      const outcome = await call()
      last = JSON.stringify(outcome)
      if (isRest(outcome) && !killer.hasKilled()) return
    } catch (error) {
      last = String(error)
    }
  }
  throw new Error(`"${stage.title}": not at rest after ${callsMost} calls; the last: ${last}`)
}

const isAtRest = ({ outcome, requeueAfterSeconds = 1 }: Outcome): boolean =>
  outcome !== 'failed' && requeueAfterSeconds > 0

/** Time that a call has: for what hangs, since others are busy on this machine. */
const callMilliseconds = 120_000

type Circumstances = { client?: Client; seconds: number; said: string[]; signal: AbortSignal }

const callOnce = async (trial: Trial, { client, seconds, said, signal }: Circumstances): Promise<Outcome> => {
  const { definition, scenario } = trial
  const call = {
    ...processContext({
      ...blobsFor(scenario),
      clusters: twoClusters(client ?? trial.client, trial.far ?? trial.client),
      renderer: rendererHere,
      settingsOf: storySettings,
    }),
    lastPassAt: performance.now() + callMilliseconds,
    lastRequestAt: performance.now() + callMilliseconds,
    signal,
    traceparent: newTraceparent(),
    now: () => new Date(Date.now() + seconds * 1000),
    log: logInto(said),
  }
  try {
    const outcome = await reconcile(definition, scenario.key, call)
    said.push(JSON.stringify(outcome))
    return outcome
  } catch (error) {
    said.push(inspect(error, { depth: Infinity }))
    throw error
  }
}

/** Each call is a caller of its own to the proxy. */
const newTraceparent = (): string => `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`

const logInto = (said: string[]): Log => {
  const say = (fields: object, message: string) => void said.push(`${message} ${inspect(fields, { depth: Infinity })}`)
  return { debug: say, info: say, warn: say, error: say }
}

/** Events are lines for people: how often one is told is not compared. Objects whose names are made anew in each run are counted together. */
export const comparable = (effects: Traces['effects'], { volatileNames }: Scenario): Traces['effects'] => {
  const told = Object.entries(effects).filter(([object]) => !object.startsWith('events '))
  const together = Map.groupBy(told, ([object]) => (volatileNames ? object.replace(volatileNames, '') : object))
  return Object.fromEntries([...together].map(([object, counts]) => [object, sumOf(counts.map(([, count]) => count))]))
}

const sumOf = (counts: readonly ObjectCounts[]): ObjectCounts =>
  counts.reduce((sum, { created, changed, deleted }) => ({
    created: sum.created + created,
    changed: sum.changed + changed,
    deleted: sum.deleted + deleted,
  }))
