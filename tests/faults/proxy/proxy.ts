// A proxy between us and an API server that can do to any request what networks and API servers do on bad days: HTTPS
// in front with an authority of its own, every request noted in a ledger. Which request is struck is told in rules.ts,
// by what in faults.ts and stream.ts; here is only the plumbing.
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import * as http from 'node:http'
import * as https from 'node:https'
import type { AddressInfo } from 'node:net'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { base64 } from '../../harness/clients/kubeconfig.ts'
import type { Way } from '../clients.ts'
import { befall, type Exchange, type Reply } from './faults.ts'
import { type Ledger, newLedger, type Turn } from './ledger.ts'
import { ask, plain, upstreamTo, urlOf, wholeReply } from './onward.ts'
import { isWrite, type KubeRequest, kubeRequest } from './request.ts'
import { fits, type Injected, type Match, newRules, type Rule } from './rules.ts'
import { type LiveWatch, lines, liveWatch, type StreamFault } from './stream.ts'

export type FaultProxy = Way & {
  readonly ledger: Ledger
  inject(rule: Rule): Injected
  /** Takes all rules away; whoever was killed stays dead. */
  clear(): void
  /** Stale answers are from now on those to the first reads after this. */
  forget(): void
  /** Strikes the watches that run at this moment, and tells how many. */
  strikeWatches(match: Match, fault: StreamFault): number
  /** Watches that run at this moment. */
  watches(match: Match): number
  close(): Promise<void>
}

export type ProxyOptions = {
  /** Told of every body that is answered. */
  onReply?: (body: Buffer) => void
  /** HTTPS unless told. Where connections begin by the hundred, handshakes would be a quarter of what is computed. */
  scheme?: keyof typeof servers
}

/**
 * Starts a proxy in front of this API server, without any fault. It has no credentials of its own: callers pass under
 * the tokens they bring.
 */
export const faultProxy = async (target: Way, options: ProxyOptions = {}): Promise<FaultProxy> => {
  const { scheme = 'https' } = options
  const { authority, serving } = await identity
  const state = newState(target, options)
  const server = servers[scheme]({ cert: serving.certificate, key: serving.key, keepAliveTimeout: 60_000 })
  const answer: RequestListener = (incoming, response) => void serve(state, { incoming, response })
  server.on('request', answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caData: base64(authority.certificate),
  }
  return {
    ...endpoint,
    answer: target.answer && answer,
    ledger: state.ledger,
    inject: state.rules.inject,
    clear: state.rules.clear,
    forget: () => state.remembered.clear(),
    strikeWatches: (match, fault) => runningWatches(state, match).map(watch => watch.strike(fault)).length,
    watches: match => runningWatches(state, match).length,
    close: () => close(state, server),
  }
}

/** All proxies of a process share theirs: certificates cost more time than a whole test. */
const identity = (async () => {
  const authority = await newAuthority('fault proxy')
  return { authority, serving: await authority.serving({ ip: ['127.0.0.1'], dns: ['localhost'] }) }
})()

const servers = {
  http: (options: http.ServerOptions) => http.createServer(options),
  https: (options: https.ServerOptions) => https.createServer(options),
}

type State = ReturnType<typeof newState>
type Caller = { incoming: IncomingMessage; response: ServerResponse }

const newState = (target: Way, { onReply = () => {} }: ProxyOptions) => ({
  onReply,
  upstream: upstreamTo(target),
  rules: newRules(),
  ledger: newLedger(),
  dead: new Set<string>(),
  /** The last write of each caller: see `inTurn`. */
  turns: new Map<string, Promise<unknown>>(),
  remembered: new Map<string, Reply>(),
  watches: new Map<LiveWatch, ServerResponse>(),
  /** Requests under way, by caller: a killed one loses all its connections. */
  open: new Map<Caller, string>(),
})

const runningWatches = ({ watches }: State, match: Match): LiveWatch[] =>
  [...watches].flatMap(([watch, response]) => (isOpen(response) && fits(match, watch.request) ? [watch] : []))

/** It closes some moments after its end; from then on nothing that is written gets to the caller. */
const isOpen = ({ writableEnded, destroyed, socket }: ServerResponse): boolean =>
  !writableEnded && !destroyed && socket?.writable !== false

const serve = async (state: State, caller: Caller): Promise<void> => {
  const { incoming, response } = caller
  response.on('error', () => response.destroy())
  const name = callerOf(incoming)
  const request = kubeRequest({
    method: incoming.method ?? 'GET',
    url: incoming.url ?? '/',
    contentType: incoming.headers['content-type'],
  })
  state.open.set(caller, name)
  response.once('close', () => state.open.delete(caller))
  try {
    const body = await bodyOf(incoming)
    if (state.dead.has(name)) return cut(caller)
    const since = state.ledger.arrived(request, name, body)
    const fault = state.rules.faultFor(request)
    const exchange = exchangeOf(state, { ...caller, since, name, request, body, faultName: fault?.do })
    await (isWrite(request) ? inTurn(state, name, () => befall(exchange, fault)) : befall(exchange, fault))
  } catch (error) {
    if (!isBroken(error)) throw error
    cut(caller)
  }
}

/** The API server or the caller broke the connection: the other end learns of it in the same way. */
const isBroken = (error: unknown): boolean => error instanceof Error && ('code' in error || error.name === 'AbortError')

/** The call that the request belongs to by its trace, else the identity it is sent under. */
const callerOf = ({ headers }: IncomingMessage): string =>
  String(headers.traceparent ?? '').split('-')[1] ?? headers.authorization ?? ''

const bodyOf = async (incoming: IncomingMessage): Promise<Buffer> =>
  isWithBody(incoming) ? Buffer.concat(await incoming.toArray()) : nothing

const isWithBody = ({ headers }: IncomingMessage): boolean =>
  'content-length' in headers || 'transfer-encoding' in headers

/** One caller's writes pass one after another, so that "killed after write k" means that exactly k were done. */
const inTurn = async (state: State, name: string, write: () => Promise<void>): Promise<void> => {
  const before = state.turns.get(name) ?? Promise.resolve()
  const own = before.then(async () => {
    if (!state.dead.has(name)) await write()
  })
  const settled = own.catch(() => {})
  state.turns.set(name, settled)
  await own
  if (state.turns.get(name) === settled) state.turns.delete(name)
}

type Passage = Caller & {
  since: Turn
  name: string
  request: KubeRequest
  body: Buffer
  faultName?: Rule['fault']['do']
}

const exchangeOf = (state: State, passage: Passage): Exchange => ({
  forward: () => forward(state, passage),
  answer: reply => answer(passage, reply),
  pass: async strike =>
    passage.request.verb === 'watch' ? stream(state, passage, strike) : answer(passage, await forward(state, passage)),
  remembered: () => state.remembered.get(urlOf(passage)),
  cut: () => cut(passage),
  breakOff: reply => breakOff(passage, reply),
  killCaller: () => {
    state.dead.add(passage.name)
    for (const [caller, name] of state.open) if (name === passage.name) cut(caller)
  },
})

const forward = async (state: State, passage: Passage): Promise<Reply> => {
  const reply = await wholeReply(state.upstream, passage)
  state.onReply(reply.body)
  const { since, request, name, faultName } = passage
  state.ledger.note({
    since,
    request,
    caller: name,
    code: reply.code,
    sent: passage.body,
    body: reply.body,
    fault: faultName,
  })
  if (!isWrite(request) && !state.remembered.has(urlOf(passage))) state.remembered.set(urlOf(passage), reply)
  return reply
}

const answer = ({ response }: Caller, { code, headers, body }: Reply): void => {
  response.writeHead(code, { ...withoutLength(headers), 'content-length': body.length })
  response.end(body)
}

const breakOff = ({ response }: Caller, { code, headers, body }: Reply): void => {
  response.writeHead(code, { ...withoutLength(headers), 'content-length': body.length })
  response.write(body.subarray(0, body.length / 2), () => response.destroy())
}

const withoutLength = ({ 'content-length': _, 'transfer-encoding': __, connection: ___, ...rest }: Reply['headers']) =>
  rest

const cut = ({ response }: Caller): void => {
  response.destroy()
}

const stream = async (
  state: State,
  passage: Passage,
  later?: { afterEvents: number; strike: StreamFault },
): Promise<void> => {
  const { request, response } = passage
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const upstream = await ask(state.upstream, passage, gone.signal)
  const { since, name } = passage
  state.ledger.note({ since, request, caller: name, code: upstream.statusCode, sent: nothing, body: nothing })
  response.writeHead(upstream.statusCode, withoutLength(plain(upstream.headers)))
  response.flushHeaders()
  const watch = liveWatch({ request, later, outlet: { write: text => response.write(text), ...endsOf(response) } })
  state.watches.set(watch, response)
  response.once('close', () => state.watches.delete(watch))
  for await (const line of lines(upstream.body.setEncoding('utf8'))) watch.line(line)
  watch.end()
}

const nothing = Buffer.alloc(0)

const endsOf = (response: ServerResponse) => ({
  end: () => void response.end(),
  /** What was written before still gets out, but never the chunk that would end the body. */
  destroy: () => (response.socket ? response.socket.destroySoon() : response.destroy()),
})

const close = async (state: State, server: http.Server | https.Server): Promise<void> => {
  server.closeAllConnections()
  server.close()
  await state.upstream.destroy()
}
