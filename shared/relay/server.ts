// Serves `POST /relay/keys`, probes and metrics. `refuses` checks the caller before the body is read. Keys of other shards are posted to
// their relays. Answers 202 only when all keys are queued. Otherwise the host retries.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { Agent } from 'undici'
import { type ByteBudget, byteBudget } from '../core/bounds/bytes.ts'
import { isMap, parsedJson } from '../core/json/json.ts'
import type { Log } from '../core/log.ts'
import type { Key } from '../core/objects/object.ts'
import type { ServedMetrics } from '../listener/metrics.ts'
import { announcedLength, type BodyFault, bodyFaults, receiveBody } from '../listener/receive-body.ts'
import { type ListenerLimits, limitedServer, usualLimits } from '../listener/server.ts'
import { type Calls, shardText } from './calls/calls.ts'
import { isKey } from './key-text.ts'
import type { Shards } from './shards/shards.ts'

type FunctionKeys = { function: string; keys: Key[] }

type HandedKeys = FunctionKeys & { isPassedOn: boolean }

/** The body contains `code`, `message` and further facts. */
type RequestRefusal = { status: number; code: string; message: string; [fact: string]: unknown }

export type RelayServerParts = {
  refuses(authorization: string | undefined): Promise<RequestRefusal | undefined>
  /** Resolves to undefined when the keys are queued. */
  accept(keys: HandedKeys): Promise<RequestRefusal | undefined>
  faults(): Record<string, string>
  metrics: ServedMetrics
  log: Log
  limits?: ListenerLimits
}

export type Listening = { readonly port: number; close(): Promise<void> }

/** Marks keys from another relay. Such keys are not passed on again. */
const passedOnHeader = 'espalier-passed-on'

const bodyBytesMost = 1024 * 1024

export const listen = async (
  parts: RelayServerParts,
  { host, port }: { host: string; port: number },
): Promise<Listening> => {
  const { limits = usualLimits, metrics } = parts
  const { limitReached } = metrics
  const bodies = byteBudget(
    limits.bodyBytes,
    () => performance.now(),
    () => limitReached('bodyBytes'),
  )
  const server = limitedServer(
    (request, response) => {
      void answer({ ...parts, bodies }, { request, response }).then(reply => send(response, reply))
    },
    { limits, limitReached },
  )
  server.on('clientError', answerBroken)
  server.listen(port, host)
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => closed(server) }
}

const brokenStatuses: ReadonlyMap<string, string> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
])

/** Answers a request that was too slow or not HTTP. */
const answerBroken = ({ code }: NodeJS.ErrnoException, socket: Duplex): void => {
  const status = brokenStatuses.get(code ?? '') ?? '400 Bad Request'
  if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  socket.destroy()
}

const closed = (server: Server): Promise<void> =>
  new Promise(resolve => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })

type Reply = { status: number; body: string; contentType: string; headers?: Record<string, string> }
type Served = RelayServerParts & { bodies: ByteBudget }
type Exchange = { request: IncomingMessage; response: ServerResponse }
type Route = (parts: Served, exchange: Exchange) => Promise<Reply>

const routes: Record<string, Route> = {
  'GET /livez': async () => json(200, { live: true }),
  'GET /readyz': async ({ faults }) => {
    const found = faults()
    const isReady = Object.keys(found).length === 0
    return json(isReady ? 200 : 503, { ready: isReady, faults: found })
  },
  'GET /metrics': async ({ metrics }) => ({
    status: 200,
    body: await metrics.text(),
    contentType: metrics.contentType,
  }),
  'POST /relay/keys': async (parts, exchange) => {
    const { request } = exchange
    const refused = await parts.refuses(request.headers.authorization)
    if (refused) return refusal(refused)
    const read = await keysFrom(exchange, parts.bodies)
    if ('status' in read) return refusal(read)
    const isPassedOn = request.headers[passedOnHeader] !== undefined
    const notTaken = await parts.accept({ ...read, isPassedOn })
    return notTaken ? refusal(notTaken) : json(202, { queued: read.keys.length })
  },
}

const answer = async (parts: Served, exchange: Exchange): Promise<Reply> => {
  const { request } = exchange
  const path = (request.url ?? '').split('?')[0]
  const route = routes[`${request.method} ${path}`]
  if (!route) return refusal({ status: 404, code: 'unknownPath', message: 'this path does not exist' })
  if (announcedLength(request) === undefined) return refusal(bodyRefusal('noLength'))
  try {
    return await route(parts, exchange)
  } catch (error) {
    const requestId = randomUUID()
    parts.log.error({ requestId, path, err: error }, 'a request to the relay failed')
    return refusal({ status: 503, code: 'trouble', message: 'the keys cannot be accepted now', requestId })
  }
}

const bodyRefusal = (fault: BodyFault): RequestRefusal => ({ code: fault, ...bodyFaults[fault] })

const keysFrom = async ({ request, response }: Exchange, room: ByteBudget): Promise<FunctionKeys | RequestRefusal> => {
  const read = await receiveBody(request, { room, response, bytesMost: bodyBytesMost })
  if (read.is === 'fault') return bodyRefusal(read.fault)
  read.place.isBeingAnswered()
  const body = parsedJson(read.body.bytes.toString())
  read.body.forget()
  if (!isMap(body)) return { status: 400, code: 'badJson', message: 'the body is not a JSON object' }
  const { function: name, keys } = body
  if (typeof name !== 'string') return { status: 400, code: 'badBody', message: 'function: expected a name' }
  if (!Array.isArray(keys) || !keys.every(isKey))
    return { status: 400, code: 'badBody', message: 'keys: expected a list of {namespace, name}' }
  return { function: name, keys: keys.map(({ namespace, name }) => ({ namespace, name })) }
}

const json = (status: number, body: object): Reply => ({
  status,
  body: JSON.stringify(body),
  contentType: 'application/json',
})

const refusal = ({ status, ...body }: RequestRefusal): Reply => ({
  ...json(status, body),
  ...(status === 503 ? { headers: { 'retry-after': '1' } } : {}),
})

const send = (response: ServerResponse, { status, body, contentType, headers }: Reply): void => {
  // Close the connection if the body was not read. Otherwise bytes of the body would be parsed as the next request.
  const close = response.req.complete ? {} : { connection: 'close' }
  response.writeHead(status, { 'content-type': contentType, ...headers, ...close })
  response.end(body)
}

type HandedOverKeysOptions = {
  functions: readonly string[]
  calls: Calls
  shards: Shards
  /** The reason why the relay accepts no keys now; undefined when the relay accepts keys. */
  closedBecause(): string | undefined
  token(): Promise<string>
  log: Log
}

export class HandedOverKeys {
  readonly #options: HandedOverKeysOptions
  readonly #agent = new Agent({ headersTimeout: 3_000, bodyTimeout: 3_000, connect: { timeout: 2_000 } })

  constructor(options: HandedOverKeysOptions) {
    this.#options = options
  }

  async accept({ function: name, keys, isPassedOn }: HandedKeys): Promise<RequestRefusal | undefined> {
    const { functions, calls, shards, closedBecause } = this.#options
    if (!functions.includes(name)) return unknownFunction(name, functions)
    const reason = closedBecause()
    if (reason !== undefined) return notNow(reason)
    const isOurs = Map.groupBy(keys, key => shards.holds(shardText(name, key)))
    for (const key of isOurs.get(true) ?? []) calls.call(name, key)
    const others = isOurs.get(false) ?? []
    if (others.length === 0) return undefined
    return isPassedOn ? notNow('another relay serves the keys') : this.#passOn({ function: name, keys: others })
  }

  async close(): Promise<void> {
    await this.#agent.close()
  }

  async #passOn({ function: name, keys }: FunctionKeys): Promise<RequestRefusal | undefined> {
    const byAddress = Map.groupBy(keys, key => this.#options.shards.addressOf(shardText(name, key)))
    const posts = [...byAddress].map(([address, group]) =>
      address === undefined ? false : this.#isTaken(address, { function: name, keys: group }),
    )
    const areTaken = await Promise.all(posts)
    return areTaken.every(Boolean) ? undefined : notNow('no relay that serves the keys accepts them')
  }

  async #isTaken(origin: string, keys: FunctionKeys): Promise<boolean> {
    const { token, log } = this.#options
    try {
      const authorization = `Bearer ${await token()}`
      const headers = { authorization, 'content-type': 'application/json', [passedOnHeader]: 'true' }
      const request = { origin, path: '/relay/keys', method: 'POST', headers, body: JSON.stringify(keys) } as const
      const { statusCode, body } = await this.#agent.request(request)
      await body.dump()
      return statusCode === 202
    } catch (error) {
      log.warn({ function: keys.function, origin, err: error }, 'keys cannot be passed on')
      return false
    }
  }
}

const notNow = (message: string): RequestRefusal => ({ status: 503, code: 'notNow', message })

const unknownFunction = (name: string, functions: readonly string[]): RequestRefusal => ({
  status: 404,
  code: 'unknownFunction',
  message: `there is no function ${JSON.stringify(name)}`,
  functions,
})
