// A Fastify route with a description for /openapi.json. Requests without a route are refused before their bodies are read: 405 for a wrong
// method, otherwise 404.
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { Refused } from '../errors.ts'

export type About = {
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
