// Creates the client of one API server from its verbs. All verbs share the connections.
import type { Client, ClientOptions, RawRequest } from '../client-types.ts'
import type { ClusterAccess } from '../clusters/access.ts'
import { connections } from '../connection/connections.ts'
import { paceOf } from '../connection/pace.ts'
import type { ApiRequest, Call } from '../connection/request.ts'
import { discovery } from '../discovery.ts'
import { localLimits } from '../limits.ts'
import { watch } from '../watch/watch.ts'
import { get, listObjects, names, pages } from './reads.ts'
import { ask, type Session, scopeOf } from './session.ts'
import { apply, create, deleteObject, patch, replace } from './writes.ts'

/**
 * Does not connect before the first request.
 *
 *   const client = createClient(await ownKubeconfigAccess({ files: ['/home/me/.kube/config'] }))
 *   const pods = await client.list({ apiVersion: 'v1', kind: 'Pod', namespace: 'default' })
 *   await client.apply(website, { fieldManager: 'me' })
 *   await client.close()
 */
export const createClient = (access: ClusterAccess, options: ClientOptions = {}): Client => {
  const { readSeconds, limits = localLimits } = options
  const open = connections(access, {
    userAgent: options.userAgent ?? 'espalier',
    connections: options.connections ?? 32,
    answerSeconds: options.answerSeconds ?? 30,
    emptyBytes: limits.emptyBytes,
  })
  const through = {
    connections: open,
    limits,
    pace: paceOf(limits),
    receiving: options.receiving,
    readMilliseconds: readSeconds && readSeconds * 1000,
    callSeconds: options.callSeconds ?? 30,
    random: options.random ?? Math.random,
    onRequest: options.onRequest,
  }
  return clientOf(
    { through, discovery: discovery(), call: {} },
    {
      close: open.close,
      namespace: access.namespace,
      reachedBy: access.digest,
    },
  )
}

const clientOf = (session: Session, fixed: Pick<Client, 'close' | 'namespace' | 'reachedBy'>): Client => ({
  get: (ref, options) => get(session, ref, options),
  list: query => listObjects(session, query),
  pages: query => pages(session, query),
  names: query => names(session, query),
  create: (object, options) => create(session, object, options),
  apply: (object, options) => apply(session, object, options),
  replace: (object, options) => replace(session, object, options),
  patch: (ref, body, options) => patch(session, ref, body, options),
  delete: (ref, options) => deleteObject(session, ref, options),
  watch: query => watch(session, query),
  scopeOf: kind => scopeOf(session, kind),
  raw: request => rawRequest(session, request),
  bound: (call: Call) => clientOf({ ...session, call: { ...session.call, ...call } }, fixed),
  ...fixed,
})

const rawRequest = (session: Session, request: RawRequest): Promise<unknown> =>
  ask(session, {
    verb: 'raw',
    method: methodOf(request.method),
    path: request.path,
    accept: request.accept ?? 'application/json, */*;q=0.5',
    repeatability: request.method === 'GET' ? 'read' : 'once',
    ...(request.body !== undefined && {
      contentType: request.contentType ?? 'application/json',
      body: JSON.stringify(request.body),
    }),
  })

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const

const methodOf = (text: string): ApiRequest['method'] => {
  const method = methods.find(known => known === text)
  if (!method) throw new TypeError(`"${text}" is not an HTTP method of the Kubernetes API`)
  return method
}
