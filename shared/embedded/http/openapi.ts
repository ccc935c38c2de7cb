// Answers /openapi/v3 and the documents below it, in the way that lets clients keep what they have.
import { openapiDocument, openapiHash, openapiIndex, openapiRoot, openapiVersion2 } from '../openapi/documents.ts'
import type { Exchange } from './exchange.ts'
import { respondJson } from './respond.ts'

const yearMillis = 365 * 24 * 3_600_000

/** Answers a path of OpenAPI's; false when it is none. */
export const answerOpenapi = (exchange: Exchange, path: string): boolean => {
  const { registry } = exchange.cluster
  if (path === '/openapi/v2') {
    answerVersion2(exchange)
    return true
  }
  if (path === openapiRoot) {
    respondJson(exchange.response, 200, JSON.stringify(openapiIndex(registry)))
    return true
  }
  const name = path.startsWith(`${openapiRoot}/`) ? path.slice(openapiRoot.length + 1) : ''
  const hash = name && openapiHash(registry, name)
  if (!hash) return false
  answerDocument(exchange, name, hash)
  return true
}

/** kubectl asks for it where it finds a kind in none of v3. In protobuf it has no kinds. */
const answerVersion2 = ({ cluster, request, response }: Exchange): void => {
  const wantsProtobuf = request.headers.accept?.includes(version2Type.asked)
  // Of a message in protobuf no bytes are one without fields.
  if (wantsProtobuf) respondJson(response, 200, '', version2Type.given)
  else respondJson(response, 200, JSON.stringify(openapiVersion2(cluster.registry)))
}

/** Clients ask with a sign that no media type may have. */
const version2Type = {
  asked: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  given: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
}

const answerDocument = ({ cluster, request, response }: Exchange, name: string, hash: string): void => {
  const wanted = new URLSearchParams((request.url ?? '').split('?')[1]).get('hash')
  response.setHeader('etag', `"${hash}"`)
  response.setHeader('vary', 'Accept')
  if (wanted && wanted !== hash)
    response.writeHead(301, { location: `${openapiRoot}/${name}?hash=${hash}`, 'content-length': 0 }).end()
  else if (request.headers['if-none-match'] === `"${hash}"`) response.writeHead(304).end()
  else respondJson(response, 200, openapiDocument(cluster.registry, name, hash), 'application/json', keeping(wanted))
}

/** A document that was asked for by its hash never changes. */
const keeping = (wanted: string | null): Record<string, string> =>
  wanted ? { 'cache-control': 'public, immutable', expires: new Date(Date.now() + yearMillis).toUTCString() } : {}
