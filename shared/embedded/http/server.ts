// The HTTPS server: authenticates, authorizes, finds kind and verb, responds. Every error becomes a Status, so that no request can end the process.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import { durationNanos } from '../../core/time/duration.ts'
import type { Cluster } from '../cluster.ts'
import type { Authority } from '../identity/authority.ts'
import type { User } from '../identity/user.ts'
import { type Kind, subresourceOf } from '../kinds/kind.ts'
import { protobufAsJson, protobufType } from '../protobuf.ts'
import {
  badRequest,
  forbiddenPath,
  methodNotAllowed,
  methodNotSupported,
  notFound,
  type StatusError,
  unauthorized,
  unknownResource,
} from '../status.ts'
import type { Call, Reply } from '../verbs/call.ts'
import { subresources } from '../verbs/subresources.ts'
import { verbOf, verbs } from '../verbs/verbs.ts'
import { watch } from '../watch.ts'
import { answerPlain } from './plain.ts'
import { type Exchange, impersonated, queryOf, type ResourcePath, readBody, resourcePath } from './request.ts'
import { addWarnings, formFor, respondError, respondReply, respondText } from './respond.ts'

const clientTimeoutMillis = 60_000

export const httpsServer = (cluster: Cluster, authority: Authority, hosts: readonly string[]): Server => {
  const { cert, key } = authority.serving(hosts)
  const server = createServer(
    {
      cert,
      key,
      ca: authority.caCert,
      requestCert: true,
      rejectUnauthorized: false,
      keepAliveTimeout: 120_000,
      requestTimeout: clientTimeoutMillis,
    },
    answering(cluster),
  )
  server.on('clientError', (_error, socket) => socket.destroy())
  return server
}

export const answering =
  (cluster: Cluster): RequestListener =>
  (request, response) => {
    answer({ cluster, request, response }).catch((error: unknown) => respondError(response, error))
  }

const answer = async (exchange: Exchange): Promise<void> => {
  const { cluster, request, response } = exchange
  const [path = '/'] = (request.url ?? '/').split('?', 1)
  const query = queryOf(request)
  if (!query.has('watch')) requireTimeout(query.get('timeout') || '0')
  const shown = cluster.authentication.userOf(request)
  if (!shown) throw unauthorized()
  const user = impersonated(cluster, shown, request.headers)
  const resource = resourcePath(path)
  if (!resource) return answerPath(exchange, user, path)
  const kind = cluster.registry.find(resource.group, resource.version, resource.plural)
  const verb = verbOf(request.method ?? '', resource, query)
  cluster.authorization.require(user, {
    verb,
    kind: kind ?? { group: resource.group, version: resource.version, plural: resource.plural, kind: '' },
    subresource: resource.subresource,
    namespace: resource.plural === 'namespaces' && resource.group === '' ? resource.name : resource.namespace,
    name: resource.name || (['list', 'watch'].includes(verb) ? nameSelected(query) : ''),
  })
  if (!kind || isMisplaced(kind, resource)) return answerUnknown(cluster, resource, response)
  const { namespace, name, subresource } = resource
  const own = { userAgent: request.headers['user-agent'] ?? '', warnings: new Set<string>() }
  const call = { cluster, user, kind, namespace, name, subresource, query, ...own, ...(await bodyOf(request, kind)) }
  await answerCall(call, verb, exchange)
}

/** Refuses an invalid timeout. A valid timeout has no effect, because requests are fast. */
const requireTimeout = (text: string): void => {
  if (durationNanos(text) !== undefined) return
  const fault = /^[+-]?[\d.]+$/.test(text) ? 'missing unit in' : 'invalid'
  throw badRequest(`invalid timeout specified in the request URL - time: ${fault} duration ${JSON.stringify(text)}`)
}

/** The name of the object that a list or watch selects by name. The request is authorized like a read of this object. */
const nameSelected = (query: URLSearchParams): string =>
  /(?:^|,)metadata\.name==?([^,]*)/.exec(query.get('fieldSelector') ?? '')?.[1] ?? ''

/** Answers a path without a kind. In a group without built-in kinds the answer is a plain 404, because custom kinds may be added. */
const answerUnknown = (cluster: Cluster, { group }: ResourcePath, response: ServerResponse): void => {
  const isBuiltin = cluster.registry.all().some(kind => !kind.custom && kind.group === group)
  if (isBuiltin) throw unknownResource()
  respondText(response, 404, '404 page not found\n')
}

/** A namespaced kind must be written below a namespace, and a cluster-scoped kind must not. */
const isMisplaced = (kind: Kind, { namespace, name }: ResourcePath): boolean =>
  kind.namespaced ? namespace === '' && name !== '' : namespace !== '' && kind.collection !== 'namespaces'

const answerPath = (exchange: Exchange, user: User, path: string): void => {
  const { cluster, request, response } = exchange
  const verb = (request.method ?? '').toLowerCase()
  const isOpen = /^\/(healthz|livez|readyz|version)(\/|$)/.test(path)
  if (!isOpen && !cluster.authorization.onPath(user, { verb, path }).isAllowed)
    throw forbiddenPath(`forbidden: User ${JSON.stringify(user.name)} cannot ${verb} path ${JSON.stringify(path)}`)
  if (!answerPlain(exchange, path)) respondText(response, 404, '404 page not found\n')
}

const withBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Converts protobuf of built-in kinds and of options to JSON. Custom kinds refuse protobuf. */
const bodyOf = async (request: IncomingMessage, kind: Kind): Promise<Pick<Call, 'contentType' | 'body'>> => {
  const contentType = (request.headers['content-type'] ?? '').split(';')[0]?.trim() ?? ''
  if (!withBody.has(request.method ?? '')) return { contentType, body: '' }
  const bytes = await readBody(request)
  const isRead = contentType === protobufType && bytes.length > 0 && (!kind.custom || request.method === 'DELETE')
  return isRead
    ? { contentType: 'application/json', body: protobufAsJson(bytes) }
    : { contentType, body: bytes.toString() }
}

const answerCall = async (call: Call, verb: string, { request, response }: Exchange): Promise<void> => {
  const form = formFor(request.headers.accept, call)
  if (verb === 'watch') return watch(call, response, form)
  const reply = await replyTo(call, verb, request.method ?? '')
  addWarnings(response, call.warnings)
  respondReply(response, reply, form)
}

/** The error for an unknown subresource. For custom kinds, the API server looks for the object first. */
const noSubresource = ({ kind, name }: Call): StatusError => (kind.custom ? notFound(kind, name) : unknownResource())

const replyTo = (call: Call, verb: string, method: string): Promise<Reply> | Reply => {
  if (call.subresource && call.subresource !== 'status') {
    const own = subresources[call.subresource]
    if (!own || !subresourceOf(call.kind, call.subresource)) throw noSubresource(call)
    return own(call, method)
  }
  if (call.subresource && !subresourceOf(call.kind, 'status')) throw noSubresource(call)
  const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  const isKnown = call.subresource ? ['get', 'update', 'patch'].includes(verb) : call.kind.verbs.includes(verb)
  if (!isKnown && call.kind.custom && call.subresource) throw methodNotSupported(call.kind, verb)
  if (!run || !isKnown) throw methodNotAllowed()
  const isOnCollection = method === 'POST' || verb === 'list' || verb === 'deletecollection'
  if (isOnCollection === (call.name !== '')) throw methodNotAllowed()
  return run(call)
}
