// Answers paths that are not paths of objects: health, version, discovery, OpenAPI, OpenID.
import type { Cluster } from '../cluster.ts'
import {
  aggregated,
  aggregatedType,
  apiVersions,
  groupList,
  oneGroup,
  resourceList,
  version,
  wantsAggregated,
} from '../discovery.ts'
import { openapiDocument, openapiHash, openapiIndex, openapiRoot, openapiVersion2 } from '../openapi/documents.ts'
import { type Exchange, queryOf } from './request.ts'
import { respondJson, respondText } from './respond.ts'

type Answer = (exchange: Exchange) => void

const document =
  (make: (cluster: Cluster) => unknown, contentType?: string): Answer =>
  ({ cluster, response }) =>
    respondJson(response, 200, JSON.stringify(make(cluster)), contentType)

const healthy: Answer = ({ response }) => respondText(response, 200, 'ok')

/** The checks of kube-apiserver, which probes with `?verbose` expect. In this server, all checks succeed. */
const healthChecks: readonly string[] = [
  ...['ping', 'log', 'etcd', 'autoregister-completion'],
  ...[
    'start-apiserver-admission-initializer',
    'generic-apiserver-start-informers',
    'start-apiextensions-informers',
    'start-apiextensions-controllers',
    'crd-informer-synced',
    'bootstrap-controller',
    'start-system-namespaces-controller',
    'start-service-ip-repair-controllers',
    'scheduling/bootstrap-system-priority-classes',
    'start-cluster-authentication-info-controller',
    'start-kube-aggregator-informers',
    'apiservice-registration-controller',
    'apiservice-status-local-available-controller',
    'apiservice-status-remote-available-controller',
    'kube-apiserver-autoregistration',
    'apiservice-openapi-controller',
    'storage-readiness',
  ].map(name => `poststarthook/${name}`),
]

const health =
  (endpoint: string, ...more: readonly string[]): Answer =>
  exchange => {
    if (!queryOf(exchange.request).has('verbose')) return healthy(exchange)
    const lines = [...healthChecks, ...more].map(name => `[+]${name} ok\n`).join('')
    respondText(exchange.response, 200, `${lines}${endpoint} check passed\n`)
  }

const discovered =
  (isCore: boolean, plain: (cluster: Cluster) => unknown): Answer =>
  ({ cluster, request, response }) => {
    if (wantsAggregated(request.headers.accept))
      respondJson(response, 200, JSON.stringify(aggregated(cluster.registry, isCore)), aggregatedType)
    else respondJson(response, 200, JSON.stringify(plain(cluster)))
  }

const answers: Readonly<Record<string, Answer>> = {
  '/healthz': health('healthz'),
  '/livez': health('livez'),
  '/readyz': health('readyz', 'informer-sync', 'shutdown'),
  '/version': document(() => version),
  '/api': discovered(true, cluster => apiVersions(cluster.address())),
  '/apis': discovered(false, cluster => groupList(cluster.registry)),
  '/': document(cluster => ({
    paths: [
      '/api',
      '/api/v1',
      '/apis',
      ...groupPaths(cluster),
      '/healthz',
      '/livez',
      '/openapi/v3',
      '/readyz',
      '/version',
    ],
  })),
  '/.well-known/openid-configuration': document(cluster => cluster.tokens.discovery(cluster.url())),
  '/openid/v1/jwks': document(cluster => cluster.tokens.jwks(), 'application/jwk-set+json'),
  '/openapi/v2': exchange => answerVersion2(exchange),
  [openapiRoot]: document(cluster => openapiIndex(cluster.registry)),
}

const groupPaths = (cluster: Cluster): string[] =>
  [
    ...new Set(
      cluster.registry
        .all()
        .filter(kind => kind.group)
        .flatMap(kind => [`/apis/${kind.group}`, `/apis/${kind.group}/${kind.version}`]),
    ),
  ].sort()

export const answerPlain = (exchange: Exchange, path: string): boolean => {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  const isHealth = /^\/(healthz|livez|readyz)\/[\w-]+$/.test(trimmed)
  const answer = isHealth ? healthy : Object.hasOwn(answers, trimmed) ? answers[trimmed] : undefined
  if (answer) {
    answer(exchange)
    return true
  }
  if (answerOpenapi(exchange, trimmed)) return true
  const found = groupOrVersion(exchange.cluster, trimmed)
  if (found) respondJson(exchange.response, 200, JSON.stringify(found))
  return found !== undefined
}

const groupOrVersion = (cluster: Cluster, path: string): unknown => {
  if (path === '/api/v1') return resourceList(cluster.registry, '', 'v1')
  const [, apis, group = '', groupVersion, ...more] = path.split('/')
  if (apis !== 'apis' || more.length) return undefined
  return groupVersion ? resourceList(cluster.registry, group, groupVersion) : oneGroup(cluster.registry, group)
}

const yearMillis = 365 * 24 * 3_600_000

/** Answers a document of v3, whose hash lets clients cache. Returns false if no such document exists. */
const answerOpenapi = (exchange: Exchange, path: string): boolean => {
  const name = path.startsWith(`${openapiRoot}/`) ? path.slice(openapiRoot.length + 1) : ''
  const hash = name && openapiHash(exchange.cluster.registry, name)
  if (hash) answerDocument(exchange, name, hash)
  return Boolean(hash)
}

/** kubectl requests v2 if v3 lacks a kind. Here, the document in protobuf contains no kinds. */
const answerVersion2 = ({ cluster, request, response }: Exchange): void => {
  const wantsProtobuf = request.headers.accept?.includes(version2Type.asked)
  // A protobuf message without fields has no bytes.
  if (wantsProtobuf) respondJson(response, 200, '', version2Type.given)
  else respondJson(response, 200, JSON.stringify(openapiVersion2(cluster.registry)))
}

/** Clients request a type with `@`, but a media type may not contain `@`. */
const version2Type = {
  asked: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  given: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
}

const answerDocument = ({ cluster, request, response }: Exchange, name: string, hash: string): void => {
  const wanted = queryOf(request).get('hash')
  response.setHeader('etag', `"${hash}"`)
  response.setHeader('vary', 'Accept')
  if (wanted && wanted !== hash)
    response.writeHead(301, { location: `${openapiRoot}/${name}?hash=${hash}`, 'content-length': 0 }).end()
  else if (request.headers['if-none-match'] === `"${hash}"`) response.writeHead(304).end()
  else respondJson(response, 200, openapiDocument(cluster.registry, name, hash), 'application/json', keeping(wanted))
}

const keeping = (wanted: string | null): Record<string, string> =>
  wanted ? { 'cache-control': 'public, immutable', expires: new Date(Date.now() + yearMillis).toUTCString() } : {}
