// The routes of the console: only GET, except for the login. All answers, including errors, have the safety headers.
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refreshScript, styleSheet } from '../../console/assets.ts'
import type { Console, PageRequest } from '../../console/console.ts'
import { type PageAnswer, safeHeaders, treeSvg } from '../../console/layout.ts'
import type { EventStream } from '../../console/live.ts'
import { Refused } from '../errors.ts'
import { serveRoute } from './route.ts'

const files: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  '/style.css': { type: 'text/css; charset=utf-8', text: styleSheet },
  '/refresh.js': { type: 'text/javascript; charset=utf-8', text: refreshScript },
  '/icon.svg': { type: 'image/svg+xml', text: treeSvg },
}

const formBytes = 16_384

export const serveConsole = (app: FastifyInstance, console: Console): void => {
  app.addHook('onSend', async (_, reply) => {
    reply.headers(safeHeaders)
  })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: formBytes },
    async (_: FastifyRequest, body: string) => new URLSearchParams(body),
  )
  const page = async (request: FastifyRequest, reply: FastifyReply) => sent(reply, await console.page(asked(request)))
  for (const url of ['/', '/landscape', '/object/*', '/plan/*']) get(app, url, 'A page of the console', page)
  for (const [url, { type, text }] of Object.entries(files))
    get(app, url, 'A file that pages of the console load', async (_, reply) => reply.type(type).send(text))
  // A link on another site must not log out the user.
  get(app, '/logout', 'Ends the cookie', (request, reply) =>
    isFromHere(request) ? page(request, reply) : Promise.resolve(reply.redirect('/', 303)),
  )
  get(app, '/events', 'Server-sent events that refresh a page', async (request, reply) => {
    const answer = await console.follow(asked(request), streamOf(reply))
    return answer ? sent(reply, answer) : reply
  })
  // The preview of a link must not use the one-time code.
  get(app, '/once/:code', 'Logs in, once', async (request, reply) => {
    if (request.method === 'HEAD' || request.headers['sec-purpose'] !== undefined) return reply.code(204).send()
    return sent(reply, console.enter((request.params as { code: string }).code))
  })
  serveRoute(app, {
    method: 'POST',
    url: '/login',
    about: {
      summary: 'Stores a token in a cookie',
      answers: { 303: { description: 'Redirects to the requested page' } },
    },
    bodyLimit: formBytes,
    handler: async (request, reply) => {
      if (!isFromHere(request)) throw new Refused('forbidden')
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
      return sent(reply, await console.login(form, request.ip))
    },
  })
}

const get = (
  app: FastifyInstance,
  url: string,
  summary: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void =>
  serveRoute(app, {
    method: 'GET',
    url,
    about: { summary, answers: { 200: { description: 'It', type: 'text/html', schema: { type: 'string' } } } },
    handler,
  })

const asked = ({ raw, ip, headers: { authorization, cookie } }: FastifyRequest): PageRequest => {
  const [path = '', query = ''] = (raw.url ?? '').split(/\?(.*)/s)
  return {
    path,
    query,
    address: ip,
    ...(authorization !== undefined && { authorization }),
    ...(cookie !== undefined && { cookie }),
  }
}

const sent = (reply: FastifyReply, { status, headers, body }: PageAnswer): FastifyReply =>
  reply.code(status).headers(headers).send(body)

/** A form on another site must not log in the user. */
const isFromHere = ({ headers }: FastifyRequest): boolean => {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  const isOwnOrigin = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)
  return isOwnOrigin && (site === undefined || site === 'same-origin' || site === 'none')
}

const streamOf = (reply: FastifyReply): EventStream => {
  const response: ServerResponse = reply.raw
  return {
    write: text => {
      if (!response.headersSent) {
        reply.hijack()
        response.writeHead(200, { ...safeHeaders, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
      }
      response.write(text)
    },
    waitingBytes: () => response.writableLength,
    end: () => response.end(),
    closed: then => {
      if (response.closed) then()
      else response.once('close', then)
    },
  }
}
