// A Fastify route with a description, from which /openapi.json is made. Requests without a route are refused before their bodies are read:
// 405 for a wrong method, otherwise 404.
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { Refused, refusals } from '../errors.ts'

type About = {
  summary: string
  answers: Readonly<Record<string, { description: string; type?: string; schema?: object }>>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    about?: About
  }
  interface FastifyInstance {
    /** Methods by path, as in the Allow header. */
    allowedMethods: Map<string, string>
  }
}

export type OwnRoute = RouteOptions & { method: 'GET' | 'POST'; about: About }

export const serveRoute = (app: FastifyInstance, { about, ...route }: OwnRoute): void => {
  app.allowedMethods.set(route.url, route.method === 'GET' ? 'GET, HEAD' : route.method)
  app.route({ ...route, config: { ...route.config, about } })
}

/** Must be called before routes are added. */
export const refuseOtherRoutes = (app: FastifyInstance): void => {
  app.decorate('allowedMethods', new Map())
  app.addHook('onRequest', async request => {
    if (request.is404) throw noRoute(app, request, () => new Refused('unknownPath'))
  })
}

/** 405 for a wrong method, otherwise the result of `otherwise`. */
export const noRoute = (app: FastifyInstance, { url }: FastifyRequest, otherwise: () => Refused): Refused => {
  const [path = ''] = url.split('?')
  const allow = app.allowedMethods.get(path)
  return allow === undefined ? otherwise() : new Refused('methodNotAllowed', { headers: { allow } })
}

export type Described = { path: string; method: string; body?: object; about: About }

/** Records each described route that is added afterwards. */
export const noteRoutes = (app: FastifyInstance, noted: Described[]): void => {
  app.addHook('onRoute', (route: RouteOptions) => {
    const { about } = route.config ?? {}
    if (about === undefined || typeof route.method !== 'string' || route.method === 'HEAD') return
    const body = route.schema?.body as object | undefined
    noted.push({ path: route.url, method: route.method.toLowerCase(), about, ...(body && { body }) })
  })
}

export const openapiDocument = (described: readonly Described[], version: string): object => ({
  openapi: '3.1.0',
  info: {
    title: 'Espalier',
    version,
    description:
      'Kubernetes controllers as functions. A call has the key of an object; the response says when to call again.',
  },
  paths: Object.fromEntries(paths(described)),
  components: {
    schemas: { Refusal: refusalSchema },
    securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'A service-account token' } },
  },
})

const paths = (described: readonly Described[]): [string, object][] => {
  const byPath = Map.groupBy(described, ({ path }) => path)
  return [...byPath].map(([path, operations]) => [
    path,
    Object.fromEntries(operations.map(one => [one.method, operation(one)])),
  ])
}

const operation = ({ path, method, body, about }: Described): object => ({
  operationId: [method, ...path.split(/[^A-Za-z0-9]+/).filter(Boolean)].join('-'),
  summary: about.summary,
  ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
  ...(path.startsWith('/functions/') && { security: [{ token: [] }] }),
  responses: {
    ...Object.fromEntries(Object.entries(about.answers).map(([status, answer]) => [status, response(answer)])),
    default: {
      description: 'The request was refused or failed',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
    },
  },
})

const response = ({ description, type = 'application/json', schema }: About['answers'][string]): object => ({
  description,
  ...(schema && { content: { [type]: { schema } } }),
})

const refusalSchema = {
  type: 'object',
  required: ['code', 'message', 'requestId'],
  properties: {
    code: { enum: Object.keys(refusals) },
    message: { type: 'string' },
    requestId: { type: 'string' },
  },
}
