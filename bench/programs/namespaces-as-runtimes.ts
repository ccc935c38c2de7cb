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

const passed = ['accept', 'content-type', 'user-agent']

/** Watches that are open now. */
let streams = 0

const pass = async (pools: { calls: Pool; streams: Pool }, request: IncomingMessage, response: ServerResponse) => {
  const { url = '/', method = 'GET', headers } = request
  const ended = new AbortController()
  const isWatch = /[?&]watch=/.test(url)
  const pool = isWatch ? pools.streams : pools.calls
  if (isWatch) streams++
  response.once('close', () => {
    ended.abort()
    if (isWatch) streams--
  })
  try {
    const answer = await pool.request({
      ...{ path: pathThere(url), method: method as 'GET', signal: ended.signal },
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
  streams: () => streams,
}

export type NamespacesAsRuntimes = typeof commands

serveParent(commands)
