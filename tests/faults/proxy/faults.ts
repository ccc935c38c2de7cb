// What can happen to a request on its way to an API server and back: one row per fault. The exchange it happens to is
// made in proxy.ts, what happens within a running watch is told in stream.ts.
import { setTimeout as wait } from 'node:timers/promises'
import type { StreamFault } from './stream.ts'

export type Fault =
  /**
   * Ends the caller before the request or after what it asked for has been done: nothing of it passes any more. Where nothing has been
   * done, as for a create that is answered 409, the caller is told so and lives on.
   */
  | { do: 'kill'; at: 'before' | 'after'; onKill?: () => void }
  /** Done, but the caller is never told: its connection breaks. Where nothing has been done it is told so. */
  | { do: 'swallow' }
  /** Not done; the connection breaks. */
  | { do: 'drop' }
  /** Not done, and no word about it as long as the caller waits. */
  | { do: 'hang' }
  | { do: 'delay'; milliseconds: number }
  /** Waits for the test's word. */
  | { do: 'hold'; until: Promise<unknown> }
  /** The answer breaks off in the middle of its body. */
  | { do: 'truncate' }
  | { do: 'answer'; code: number; reason: string; retryAfterSeconds?: number }
  /** The same answer as the first time this was read: a server that lags behind. */
  | { do: 'stale' }
  /** A watch begins as it should, and is struck after so many events. */
  | { do: 'stream'; afterEvents: number; strike: StreamFault }

export type Reply = { readonly code: number; readonly headers: Record<string, string>; readonly body: Buffer }

/** One request under way, as the faults see it. */
export type Exchange = {
  /** Has it done by the API server. */
  forward(): Promise<Reply>
  answer(reply: Reply): void
  /** Forwards and answers, a watch as a stream. */
  pass(strike?: { afterEvents: number; strike: StreamFault }): Promise<void>
  /** The first answer this very URL ever got, if there was one. */
  remembered(): Reply | undefined
  cut(): void
  /** Answers with only a part of what was promised. */
  breakOff(reply: Reply): void
  killCaller(): void
}

type Behaviours = { [Name in Fault['do']]: (exchange: Exchange, fault: Extract<Fault, { do: Name }>) => unknown }

const behaviours: Behaviours = {
  kill: async (exchange, { at, onKill }) => {
    const reply = at === 'after' ? await exchange.forward() : undefined
    if (reply && isRefusal(reply)) return exchange.answer(reply)
    exchange.killCaller()
    onKill?.()
  },
  swallow: async exchange => {
    const reply = await exchange.forward()
    if (isRefusal(reply)) exchange.answer(reply)
    else exchange.cut()
  },
  drop: exchange => exchange.cut(),
  hang: () => {},
  delay: async (exchange, { milliseconds }) => {
    await wait(milliseconds)
    await exchange.pass()
  },
  hold: async (exchange, { until }) => {
    await until
    await exchange.pass()
  },
  truncate: async exchange => exchange.breakOff(await exchange.forward()),
  answer: (exchange, fault) => exchange.answer(statusReply(fault)),
  stale: async exchange => {
    const before = exchange.remembered()
    return before ? exchange.answer(before) : exchange.pass()
  },
  stream: (exchange, fault) => exchange.pass(fault),
}

export const isRefusal = ({ code }: Pick<Reply, 'code'>): boolean => code >= 300

/** Lets the fault happen; without one the exchange passes untouched. */
export const befall = async (exchange: Exchange, fault: Fault | undefined): Promise<void> => {
  if (!fault) return exchange.pass()
  const behaviour = behaviours[fault.do] as (exchange: Exchange, fault: Fault) => unknown
  await behaviour(exchange, fault)
}

/** A refusal as an API server words it. */
export const statusReply = (told: { code: number; reason: string; retryAfterSeconds?: number }): Reply => {
  const { code, reason, retryAfterSeconds } = told
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }
  const message = `the fault proxy answers ${code}`
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
    ...details,
  }
  const retryAfter: Reply['headers'] = retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` }
  return {
    code,
    headers: { 'content-type': 'application/json', ...retryAfter },
    body: Buffer.from(JSON.stringify(status)),
  }
}
