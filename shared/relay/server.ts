// What the relay itself serves: keys are taken from the host, and probes and scrapers are answered. Who is calling is
// judged before a body is read, by whoever started the relay.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isMap } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import type { Key } from '../core/object.ts'
import { isKey } from './key-text.ts'

export type FunctionKeys = { function: string; keys: Key[] }

/** `isPassedOn`: another relay brings them. */
export type HandedKeys = FunctionKeys & { isPassedOn: boolean }

/** Why a request is not answered as wished; `code` and the rest are told to the caller. */
export type Refusal = { status: number; code: string; message: string; [fact: string]: unknown }

export type ServerParts = {
  /** undefined when the caller may hand over keys. */
  refuses(authorization: string | undefined): Promise<Refusal | undefined>
  /** Resolves when the keys are queued, or with why they are not. */
  accept(keys: HandedKeys): Promise<Refusal | undefined>
  /** What stands in the way of work, by name; empty: ready. */
  faults(): Record<string, string>
  metrics: { text(): Promise<string>; contentType: string }
  log: Log
}

export type Listening = { readonly port: number; close(): Promise<void> }

/** Set on keys that one relay hands to another, so that they are not handed on for ever. */
export const passedOnHeader = 'espalier-passed-on'

const bodyBytesMost = 1024 * 1024

/** Resolves when connections are accepted. */
export const listen = async (
  parts: ServerParts,
  { host, port }: { host: string; port: number },
): Promise<Listening> => {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    void answer(parts, request).then(reply => send(response, reply))
  })
  server.listen(port, host)
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => closed(server) }
}

const closed = (server: Server): Promise<void> =>
  new Promise(resolve => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })

type Reply = { status: number; body: string; contentType: string; headers?: Record<string, string> }
type Route = (parts: ServerParts, request: IncomingMessage) => Promise<Reply>

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
  'POST /relay/keys': async (parts, request) => {
    const refused = await parts.refuses(request.headers.authorization)
    if (refused) return refusal(refused)
    const read = await keysFrom(request)
    if ('status' in read) return refusal(read)
    const isPassedOn = request.headers[passedOnHeader] !== undefined
    const notTaken = await parts.accept({ ...read, isPassedOn })
    return notTaken ? refusal(notTaken) : json(202, { queued: read.keys.length })
  },
}

const answer = async (parts: ServerParts, request: IncomingMessage): Promise<Reply> => {
  const path = (request.url ?? '').split('?')[0]
  const route = routes[`${request.method} ${path}`]
  if (!route) return refusal({ status: 404, code: 'unknownPath', message: 'there is nothing at this path' })
  try {
    return await route(parts, request)
  } catch (error) {
    const requestId = randomUUID()
    parts.log.error({ requestId, path, err: error }, 'a request to the relay failed')
    return refusal({ status: 503, code: 'trouble', message: 'the keys cannot be taken now', requestId })
  }
}

const keysFrom = async (request: IncomingMessage): Promise<FunctionKeys | Refusal> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMost) return { status: 413, code: 'tooLarge', message: 'the body is too large' }
    chunks.push(chunk)
  }
  const body = parsed(Buffer.concat(chunks).toString())
  if (!isMap(body)) return { status: 400, code: 'badJson', message: 'the body is no JSON object' }
  const { function: name, keys } = body
  if (typeof name !== 'string') return { status: 400, code: 'badBody', message: 'function: a name is needed' }
  if (!Array.isArray(keys) || !keys.every(isKey))
    return { status: 400, code: 'badBody', message: 'keys: a list of {namespace, name} is needed' }
  return { function: name, keys: keys.map(({ namespace, name }) => ({ namespace, name })) }
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const json = (status: number, body: object): Reply => ({
  status,
  body: JSON.stringify(body),
  contentType: 'application/json',
})

/** Whoever is told that we cannot now is told when to come back. */
const refusal = ({ status, ...body }: Refusal): Reply => ({
  ...json(status, body),
  ...(status === 503 ? { headers: { 'retry-after': '1' } } : {}),
})

const send = (response: ServerResponse, { status, body, contentType, headers }: Reply): void => {
  // An unread body would otherwise be taken for the next request of the connection.
  const close = response.req.complete ? {} : { connection: 'close' }
  response.writeHead(status, { 'content-type': contentType, ...headers, ...close })
  response.end(body)
}
