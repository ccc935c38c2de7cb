// The queues of all functions. Each function has a queue for calls. A function with `map: keys` also has a queue for questions.
import type { FunctionSettings } from '../../api/serverless.ts'
import type { Log } from '../../core/log.ts'
import { type Key, keyText } from '../../core/objects/object.ts'
import { keyIn } from '../key-text.ts'
import { Dispatch, type Lane, type Trigger } from '../queue/dispatch.ts'
import { HomeSlots } from '../queue/home-slots.ts'
import { Queue } from '../queue/queue.ts'
import type { Reconciler } from '../reconcilers.ts'
import type { Shards } from '../shards/shards.ts'
import type { RelayClock } from '../time/clock.ts'
import type { KeysQuestion } from '../watches/subscription.ts'
import { type Host, resultOfReply } from './function-host.ts'
import { type KeyQuestions, keyQuestions } from './key-questions.ts'

export type Calls = {
  readonly lanes: readonly Lane[]
  /** Queues the key if this relay holds its shard. Skips an event with a version that the key's own call wrote. */
  call(functionName: string, key: Key, trigger?: Trigger): void
  ask(functionName: string, question: KeysQuestion): void
  /** Call when a remote cluster is listed. */
  wake(): void
  /** Starts no more calls. Resolves when running calls have ended. Calls are aborted after `graceSeconds`. */
  stop(graceSeconds: number): Promise<void>
}

type CallsOptions = {
  reconcilers: readonly Reconciler[]
  host: Host
  shards: Shards
  homeOf(functionName: string, key: Key): string | undefined
  /** Whether this remote cluster is not listed yet. */
  isBeginning(home: string): boolean
  clock: RelayClock
  log: Log
  maxInFlight: number
  taken(lane: Lane, waitedSeconds: number): void
  ended(lane: Lane, workedSeconds: number): void
}

/** The text that determines the shard. Contains the function's name, so that two relays can serve `apps/web` for two functions. */
export const shardText = (functionName: string, key: Key): string => `${functionName} ${keyText(key)}`

/** The relay aborts a call this long after the function's `timeout`. */
const extraSeconds = 5

export const createCalls = (options: CallsOptions): Calls => {
  const { reconcilers, shards } = options
  const lanes = new Map(reconcilers.map(reconciler => [reconciler.name, callLane(reconciler, options)]))
  const add = (lane: Lane, id: string, trigger: Trigger) => dispatch.add(lane, id, trigger)
  const asks = new Map(
    reconcilers.filter(mapsItself).map(reconciler => [reconciler.name, asksOf(reconciler, options, add)]),
  )
  const all = [...lanes.values(), ...[...asks.values()].map(({ lane }) => lane)]
  const dispatch = new Dispatch({ ...options, lanes: all })
  return {
    lanes: all,
    call: (name, key, trigger) => {
      const lane = lanes.get(name)
      if (lane && shards.holds(shardText(name, key))) dispatch.add(lane, keyText(key), trigger)
    },
    ask: (name, question) => asks.get(name)?.put(question),
    wake: () => dispatch.wake(),
    stop: graceSeconds => dispatch.stop(graceSeconds),
  }
}

const mapsItself = ({ watches }: Reconciler): boolean => watches.some(({ map }) => map === 'keys')

const callLane = ({ name, settings }: Reconciler, { host, shards, homeOf, isBeginning, log }: CallsOptions): Lane => {
  const queue = queueOf(settings, { homeOf: id => homeOf(name, keyIn(id)), isBeginning })
  return {
    name,
    concurrency: settings.concurrency,
    timeoutSeconds: settings.timeout + extraSeconds,
    queue,
    isOurs: id => shards.holds(shardText(name, keyIn(id))),
    perform: async ({ id, isQuiet }, signal, waits) => {
      const call = { ...keyIn(id), isQuiet, waiting: queue.depth }
      const { verdict, fault } = resultOfReply(await host.call(name, call, { signal, waits }))
      if (fault !== undefined) log.info({ function: name, key: id, fault }, 'the call failed and will be retried')
      return verdict
    },
  }
}

const queueOf = (
  settings: FunctionSettings,
  homes: Omit<ConstructorParameters<typeof HomeSlots>[0], 'concurrency'>,
): Queue => new Queue(settings, Math.random, new HomeSlots({ concurrency: settings.concurrency, ...homes }))

const asksOf = (
  { name, settings }: Reconciler,
  options: CallsOptions,
  add: (lane: Lane, id: string, trigger: Trigger) => void,
): KeyQuestions => {
  const asks: KeyQuestions = keyQuestions({
    ...options,
    functionName: name,
    concurrency: settings.concurrency,
    timeoutSeconds: settings.timeout + extraSeconds,
    queue: queueOf(settings, { homeOf: id => asks.homeOf(id) }),
    add,
  })
  return asks
}
