// Lets many runtimes share one API server, each in a namespace of its own: below the path `/rt-7` whoever asks for all objects of a
// namespaced kind sees those of the namespace rt-7. It changes nothing else of requests and answers. For a list within a watch, the shared API
// server goes through the objects of all runtimes and keeps them in memory. With many runtimes the proxy asks it for a list and a watch
// instead, and answers as the API server of one runtime would.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { Pool } from 'undici'
import { connectorFor } from '../../shared/kube/connection/connector.ts'
import { Streams } from '../../shared/kube/connection/streams.ts'
import type { ApiServer } from '../measure/bare-api.ts'
import { serveParent } from '../measure/worker.ts'

type Behind = {
  readonly server: ApiServer
  readonly admin: { readonly certificate: string; readonly key: string }
  readonly serving: { readonly certificate: string; readonly key: string }
  readonly listsForWatches: boolean
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
const watches = new Map<string, Set<Http2ServerResponse>>()

const refuse = (response: Http2ServerResponse, code: number, reason: string): void => {
  response.writeHead(code, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ kind: 'Status', status: 'Failure', code, reason, message: 'no' }))
}

const answers: Readonly<Record<Trouble, (response: Http2ServerResponse) => void>> = {
  down: response => response.destroy(),
  silent: () => {},
  unauthorized: response => refuse(response, 401, 'Unauthorized'),
}

const patience = {
  answerMilliseconds: 30_000,
  signOfLifeMilliseconds: 10_000,
  pingMilliseconds: 30_000,
  idleMilliseconds: 60_000,
}

const passed = ['accept', 'content-type', 'user-agent']

type Way = Pick<Behind, 'listsForWatches'> & { readonly calls: Pool; readonly streams: Streams }

const pass = async (
  { calls, streams, listsForWatches }: Way,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
) => {
  const { url = '/', method = 'GET', headers } = request
  const [, runtime = ''] = url.split('/')
  const trouble = troubles.get(runtime)
  if (trouble) return answers[trouble](response)
  const ended = new AbortController()
  const isWatch = /[?&]watch=/.test(url)
  const open = watches.get(runtime) ?? new Set()
  watches.set(runtime, open)
  if (isWatch) open.add(response)
  response.once('close', () => {
    ended.abort()
    open.delete(response)
  })
  try {
    const asked = {
      path: pathThere(url),
      method: method as 'GET',
      signal: ended.signal,
      headers: Object.fromEntries(passed.flatMap(name => (headers[name] ? [[name, String(headers[name])]] : []))),
    }
    const begun = listsForWatches && url.includes('sendInitialEvents=') ? await beginWatch(calls, asked) : undefined
    const answer = isWatch
      ? await streams.request({ ...asked, ...begun?.next })
      : await calls.request({ ...asked, body: method === 'GET' ? null : request })
    response.statusCode = answer.statusCode
    for (const name of ['content-type', 'retry-after']) response.setHeader(name, answer.headers[name] ?? [])
    // @types/node does not know that answers over HTTP/2 have it too.
    const flushing = response as unknown as ServerResponse
    flushing.flushHeaders()
    if (begun) response.write(begun.events)
    await pipeline(answer.body, response)
  } catch {
    response.destroy()
  }
}

type Asked = { readonly path: string; readonly method: 'GET'; readonly headers: Readonly<Record<string, string>> }
type Listed = { readonly items: readonly object[] | null; readonly metadata: { readonly resourceVersion: string } }

/** A list and the watch after it. undefined: the API server refuses the list, and will refuse the watch. */
const beginWatch = async (calls: Pool, asked: Asked) => {
  const headers = { ...asked.headers, accept: String(asked.headers.accept).replace('PartialObjectMetadata', '$&List') }
  const answer = await calls.request({ ...asked, headers, path: withQuery(asked.path, {}, [...ofList, ...ofWatch]) })
  const { items, metadata } = (await answer.body.json()) as Listed
  if (answer.statusCode !== 200) return undefined
  const { resourceVersion } = metadata
  const end = { resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } }
  const events = [
    ...(items ?? []).map(object => ({ type: 'ADDED', object })),
    { type: 'BOOKMARK', object: { metadata: end } },
  ]
  return {
    events: events.map(event => `${JSON.stringify(event)}\n`).join(''),
    next: { path: withQuery(asked.path, { resourceVersion }, ofList) },
  }
}

/** What a query has only for a list within a watch. */
const ofList = ['sendInitialEvents', 'resourceVersionMatch']
const ofWatch = ['watch', 'allowWatchBookmarks', 'timeoutSeconds']

const withQuery = (path: string, more: Readonly<Record<string, string>>, dropped: readonly string[]): string => {
  const { pathname, searchParams } = new URL(path, 'https://runtimes')
  for (const name of dropped) searchParams.delete(name)
  for (const [name, value] of Object.entries(more)) searchParams.set(name, value)
  return `${pathname}?${searchParams}`
}

const commands = {
  /** Answers its port. */
  begin: async ({ server, admin, serving, listsForWatches }: Behind): Promise<number> => {
    const connect = { ca: Buffer.from(server.caData, 'base64'), cert: admin.certificate, key: admin.key }
    const way = {
      listsForWatches,
      calls: new Pool(server.url, { connections: 32, connect }),
      streams: new Streams(server.url, { connector: connectorFor(connect), ...patience }),
    }
    const listener = createSecureServer(
      { cert: serving.certificate, key: serving.key, allowHTTP1: true, noDelay: true },
      (request, response) => {
        void pass(way, request, response)
      },
    )
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
