// A minimal client of an API server: one call, and waiting for an object through a watch. Tests of Espalier itself use Espalier's client. This client
// is separate, so that a cluster can be judged without Espalier's.
import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'undici'
import { usualSeconds } from '../until.ts'
import type { Credentials, Endpoint } from './kubeconfig.ts'

export type Fields = { readonly [field: string]: unknown }
export type KubeObject = Fields & {
  readonly kind?: string
  readonly metadata?: Fields & { readonly name?: string; readonly uid?: string; readonly resourceVersion?: string }
  readonly spec?: Fields
  readonly status?: Fields
}

export type Reply = {
  readonly status: number
  readonly text: string
  /** The text as an object; without fields if the text is none. */
  readonly body: KubeObject
  readonly warnings: readonly string[]
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** `as`: the user to impersonate. */
export type Sent = {
  readonly body?: unknown
  readonly contentType?: string
  readonly as?: string
  readonly accept?: string
}

export type Sought = {
  /** Path of the collection. */
  readonly in: string
  readonly name: string
  /** Judges the object; undefined: there is none. */
  readonly until: (object: KubeObject | undefined) => boolean
}

export type WatchEvent = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: KubeObject
}

export type ApiClient = {
  /** Makes one request. Every status is an answer; only a broken connection is an error. */
  call(method: Method, path: string, sent?: Sent): Promise<Reply>
  /** The events of a watch, until the server ends it or the caller stops. The path includes all parameters. */
  watch(path: string, signal?: AbortSignal): AsyncGenerator<WatchEvent>
  /** The same, but resolves as soon as the server has begun to watch, so that no later change is missed. */
  openWatch(path: string, signal?: AbortSignal): Promise<AsyncGenerator<WatchEvent>>
  /** Resolves as soon as the object is as expected, without polling. Fails after `usualSeconds`. */
  waitFor(sought: Sought): Promise<KubeObject | undefined>
  /**
   * Resolves once a collection, or a group, is served to these credentials: some time after its definition says
   * Established, or after a binding. Fails after the usual seconds.
   */
  served(path: string): Promise<void>
  close(): Promise<void>
}

const askAgainMilliseconds = 20

/** A client with these credentials; without any, an anonymous one. */
export function apiClient(endpoint: Endpoint, credentials?: Credentials): ApiClient {
  const pool = new Pool(endpoint.url, {
    // Over HTTP/2, an API server closes a connection whose client says nothing in the first two seconds, for example while the server is stopped.
    allowH2: false,
    bodyTimeout: 0,
    connect: { ca: Buffer.from(endpoint.caData, 'base64'), ...clientCertificate(credentials) },
  })
  const authorization = credentials && 'token' in credentials ? { authorization: `Bearer ${credentials.token}` } : {}

  const call = async (method: Method, path: string, sent: Sent = {}): Promise<Reply> => {
    const body = sent.body === undefined ? undefined : JSON.stringify(sent.body)
    const headers = {
      ...authorization,
      'content-type': sent.contentType ?? 'application/json',
      ...(sent.as && { 'impersonate-user': sent.as }),
      ...(sent.accept && { accept: sent.accept }),
    }
    const reply = await pool.request({ method, path, headers, body })
    const text = await reply.body.text()
    const warnings = [reply.headers.warning ?? []].flat()
    return { status: reply.statusCode, text, warnings, body: text.startsWith('{') ? JSON.parse(text) : {} }
  }

  const openWatch = async (path: string, signal?: AbortSignal): Promise<AsyncGenerator<WatchEvent>> => {
    for (;;) {
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers: authorization, signal })
      if (statusCode === 200) return parsed(lines(body.setEncoding('utf8')))
      const text = await body.text()
      // A new kind is not always in the API server's cache yet.
      if (statusCode !== 429) throw new Error(`${path} cannot be watched: ${statusCode} ${text}`)
      await wait(askAgainMilliseconds)
    }
  }

  const watch = async function* (path: string, signal?: AbortSignal): AsyncGenerator<WatchEvent> {
    yield* await openWatch(path, signal)
  }

  const waitFor = async (sought: Sought): Promise<KubeObject | undefined> => {
    const collection = `${sought.in}?fieldSelector=metadata.name%3D${sought.name}`
    const list = (await call('GET', collection)).body
    let latest = Array.isArray(list.items) ? (list.items[0] as KubeObject | undefined) : undefined
    if (sought.until(latest)) return latest
    const signal = AbortSignal.timeout(usualSeconds * 1000)
    try {
      const path = `${collection}&watch=1&resourceVersion=${list.metadata?.resourceVersion}`
      for await (const event of watch(path, signal)) {
        latest = event.type === 'DELETED' ? undefined : event.object
        if (sought.until(latest)) return latest
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
    throw new Error(`${sought.in}/${sought.name} is not as expected after ${usualSeconds} s: ${JSON.stringify(latest)}`)
  }

  const served = async (path: string): Promise<void> => {
    const deadline = performance.now() + usualSeconds * 1000
    for (;;) {
      const { status, text } = await call('GET', `${path}?limit=1`)
      if (status === 200) return
      if (performance.now() > deadline) throw new Error(`${path} is not served: ${status} ${text}`)
      await wait(askAgainMilliseconds)
    }
  }

  return { call, watch, openWatch, waitFor, served, close: () => pool.destroy() }
}

async function* parsed(texts: AsyncIterable<string>): AsyncGenerator<WatchEvent> {
  for await (const text of texts) yield JSON.parse(text)
}

async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const complete = (rest + chunk).split('\n')
    rest = complete.pop() ?? ''
    yield* complete
  }
}

function clientCertificate(credentials?: Credentials): { cert?: string; key?: string } {
  return credentials && 'certificate' in credentials ? { cert: credentials.certificate, key: credentials.key } : {}
}
