// The least that can ask an API server: an undici pool, JSON in and out. What everything else is held against.
import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'undici'

export type ApiServer = {
  readonly url: string
  /** PEM in base64, as kubeconfigs hold it. */
  readonly caData: string
}

export type BareCredentials = { readonly certificate: string; readonly key: string } | { readonly token: string }

export type BareApi = {
  /** The answer, parsed; rejects unless its code is 2xx. */
  call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, sent?: Sent): Promise<Record<string, unknown>>
  /** The body as it comes, on a connection of its own, until the signal ends it. */
  stream(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
  /** The answer as text. */
  text(path: string): Promise<string>
  close(): Promise<void>
}

export type Sent = { readonly body: unknown; readonly contentType?: string }

/** With both cores busy for minutes, an API server may take longer than undici's ten seconds to accept a connection. */
const connectMilliseconds = 60_000

export const bareApi = ({ url, caData }: ApiServer, credentials: BareCredentials): BareApi => {
  const { token, ...tls } = 'token' in credentials ? credentials : { token: undefined, ...tlsOf(credentials) }
  const connect = { ca: Buffer.from(caData, 'base64'), timeout: connectMilliseconds, ...tls }
  const pool = new Pool(url, { connections: 32, connect })
  const streams = new Pool(url, { connect, bodyTimeout: 0 })
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const answer = async (method: string, path: string, sent?: Sent) => {
    const reply = await pool.request({
      method,
      path,
      headers: sent ? { ...headers, 'content-type': sent.contentType ?? 'application/json' } : headers,
      body: sent && JSON.stringify(sent.body),
    })
    if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${await reply.body.text()}`)
    return reply.body
  }
  return {
    call: async (method, path, sent) => (await answer(method, path, sent)).json() as Promise<Record<string, unknown>>,
    stream: async (path, signal) => {
      for (;;) {
        const { statusCode, body } = await streams.request({ method: 'GET', path, headers, signal })
        if (statusCode < 300) return body
        const text = await body.text()
        if (statusCode !== tooManyRequests) throw new Error(`GET ${path}: ${statusCode} ${text}`)
        await wait(askAgainMilliseconds)
      }
    },
    text: async path => (await answer('GET', path)).text(),
    close: async () => {
      await Promise.all([pool.close(), streams.close()])
    },
  }
}

/** The answer of an API server for some moments after a kind was defined. */
const tooManyRequests = 429
const askAgainMilliseconds = 100

/** The events of a watch. */
export async function* eventsIn<Event>(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Event> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as Event
  }
}

const tlsOf = ({ certificate, key }: { certificate: string; key: string }) => ({ cert: certificate, key })

export type BareList = { items: unknown[]; metadata: { continue?: string; resourceVersion: string } }

/** All pages, one after the other. `selector`: such as `labelSelector=app=web`. */
export async function* barePages(
  api: BareApi,
  path: string,
  { pageSize = 500, selector = '' } = {},
): AsyncGenerator<BareList> {
  let next: string | undefined = ''
  while (next !== undefined) {
    const page = (await api.call(
      'GET',
      `${path}?limit=${pageSize}${selector && `&${selector}`}${next && `&continue=${next}`}`,
    )) as BareList
    yield page
    // Of custom resources the last page has an empty one.
    next = page.metadata.continue ? encodeURIComponent(page.metadata.continue) : undefined
  }
}
