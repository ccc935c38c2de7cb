// Answers /openapi/v3 and the documents below it, in the way that lets clients keep what they have.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Registry } from '../kinds/registry.ts'
import { openapiDocument, openapiHash, openapiIndex, openapiRoot } from '../openapi/documents.ts'
import { respondJson } from './respond.ts'

const yearMillis = 365 * 24 * 3_600_000

/** Answers a path of OpenAPI's; false when it is none. */
export const answerOpenapi = (
  registry: Registry,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean => {
  if (path === openapiRoot) {
    respondJson(response, 200, JSON.stringify(openapiIndex(registry)))
    return true
  }
  const name = path.startsWith(`${openapiRoot}/`) ? path.slice(openapiRoot.length + 1) : ''
  const hash = name && openapiHash(registry, name)
  if (!hash) return false
  answerDocument(registry, { name, hash }, request, response)
  return true
}

const answerDocument = (
  registry: Registry,
  { name, hash }: { name: string; hash: string },
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const wanted = new URLSearchParams((request.url ?? '').split('?')[1]).get('hash')
  response.setHeader('etag', `"${hash}"`)
  response.setHeader('vary', 'Accept')
  if (wanted && wanted !== hash)
    response.writeHead(301, { location: `${openapiRoot}/${name}?hash=${hash}`, 'content-length': 0 }).end()
  else if (request.headers['if-none-match'] === `"${hash}"`) response.writeHead(304).end()
  else respondJson(response, 200, openapiDocument(registry, name, hash), 'application/json', keeping(wanted))
}

/** A document that was asked for by its hash never changes. */
const keeping = (wanted: string | null): Record<string, string> =>
  wanted ? { 'cache-control': 'public, immutable', expires: new Date(Date.now() + yearMillis).toUTCString() } : {}
