// Lets many runtimes share one API server, each in a namespace of its own: below the path `/rt-7` whoever asks for all objects of a
// namespaced kind sees those of the namespace rt-7. It changes nothing else of requests and answers.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { Pool } from 'undici'
import type { ApiServer } from '../measure/bare-api.ts'
import { serveParent } from '../measure/worker.ts'

type Behind = {
  readonly server: ApiServer
  readonly admin: { readonly certificate: string; readonly key: string }
  readonly serving: { readonly certificate: string; readonly key: string }
}

const clusterScoped = new Set([
  ...['namespaces', 'nodes', 'customresourcedefinitions', 'apiservices', 'priorityclasses'],
  ...['clusterroles', 'clusterrolebindings', 'validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
])

const wholeKind = /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)\/([a-z]+)(\?|$)/

/** `/rt-7/api/v1/secrets?limit=5` is `/api/v1/namespaces/rt-7/secrets?limit=5` there. */
const pathThere = (path: string): string => {
  const [, namespace = '', rest = '/'] = /^\/([^/]+)(\/.*)$/.exec(path) ?? []
  const plural = wholeKind.exec(rest)?.[2]
  if (plural === undefined || clusterScoped.has(plural)) return rest
  return rest.replace(wholeKind, `$1/namespaces/${namespace}/$2$3`)
}

/** What is wrong with a runtime: nobody gets through to it, it never answers, or it knows nobody. */
export type Trouble = 'down' | 'silent' | 'unauthorized'

const troubles = new Map<string, Trouble>()
/** Watches that are open now, by runtime. */
const watches = new Map<string, Set<ServerResponse>>()

const answers: Readonly<Record<Trouble, (response: ServerResponse) => void>> = {
  down: response => response.destroy(),
  silent: () => {},
  unauthorized: response => {
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ kind: 'Status', status: 'Failure', code: 401, reason: 'Unauthorized', message: 'no' }),
    )
  },
}

const passed = ['accept', 'content-type', 'user-agent']

const pass = async (pools: { calls: Pool; streams: Pool }, request: IncomingMessage, response: ServerResponse) => {
  const { url = '/', method = 'GET', headers } = request
  const [, runtime = ''] = url.split('/')
  const trouble = troubles.get(runtime)
  if (trouble) return answers[trouble](response)
  const ended = new AbortController()
  const isWatch = /[?&]watch=/.test(url)
  const pool = isWatch ? pools.streams : pools.calls
  const open = watches.get(runtime) ?? new Set()
  watches.set(runtime, open)
  if (isWatch) open.add(response)
  response.once('close', () => {
    ended.abort()
    open.delete(response)
  })
  try {
    const answer = await pool.request({
      path: pathThere(url),
      method: method as 'GET',
      signal: ended.signal,
      headers: Object.fromEntries(passed.flatMap(name => (headers[name] ? [[name, String(headers[name])]] : []))),
      body: method === 'GET' ? null : request,
    })
    response.statusCode = answer.statusCode
    for (const name of ['content-type', 'retry-after']) response.setHeader(name, answer.headers[name] ?? [])
    response.flushHeaders()
    await pipeline(answer.body, response)
  } catch {
    response.destroy()
  }
}

const commands = {
  /** Answers its port. */
  begin: async ({ server, admin, serving }: Behind): Promise<number> => {
    const connect = { ca: Buffer.from(server.caData, 'base64'), cert: admin.certificate, key: admin.key }
    const pools = {
      calls: new Pool(server.url, { connections: 32, connect }),
      streams: new Pool(server.url, { connect, bodyTimeout: 0 }),
    }
    const listener = createServer({ cert: serving.certificate, key: serving.key }, (request, response) => {
      void pass(pools, request, response)
    })
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    return (listener.address() as AddressInfo).port
  },
  streams: () => [...watches.values()].reduce((sum, open) => sum + open.size, 0),
  /** From now on; none: all is well again. */
  trouble: (runtime: string, trouble: Trouble | undefined): void => {
    if (trouble) troubles.set(runtime, trouble)
    else troubles.delete(runtime)
    for (const response of watches.get(runtime) ?? []) response.destroy()
  },
}

export type NamespacesAsRuntimes = typeof commands

serveParent(commands)
