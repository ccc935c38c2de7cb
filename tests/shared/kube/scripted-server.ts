// An HTTP or HTTPS server whose answers a test writes down, for what a well-behaved API server would not do.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { ClusterAccess } from '../../../shared/kube/clusters/access.ts'
import type { Certified } from '../../harness/clients/certificates.ts'

/** A request as it arrived. */
export type Asked = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: unknown
}

export type Script = (asked: Asked, answer: ServerResponse, times: number) => void

export type ScriptedServer = {
  url: string
  port: number
  /** Every request in the order of arrival. */
  asked: Asked[]
  access: ClusterAccess
  /** Sockets that were ever opened to it. */
  dials(): number
  renew(certified: Certified): void
}

type TestContext = { teardown(cleanUp: () => unknown): unknown }

/** `times` in the script counts the requests of the same method and path, from 1. */
export const scriptedServer = async (
  t: TestContext,
  script: Script,
  options: { tls?: Certified; host?: string } = {},
): Promise<ScriptedServer> => {
  const asked: Asked[] = []
  let dials = 0
  const listen = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const note = await noted(request)
    asked.push(note)
    script(note, response, asked.filter(({ method, path }) => method === note.method && path === note.path).length)
  }
  const secure = options.tls && createSecureServer({ cert: options.tls.certificate, key: options.tls.key }, listen)
  const server = secure ?? createServer(listen)
  server.on('connection', () => dials++)
  server.listen(0, options.host ?? '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const url = `${secure ? 'https' : 'http'}://127.0.0.1:${port}`
  const credentials = { token: 'scripted-token' }
  return {
    url,
    port,
    asked,
    access: { server: url, credentials: () => credentials },
    dials: () => dials,
    renew: ({ certificate, key }) => secure?.setSecureContext({ cert: certificate, key }),
  }
}

const noted = async (request: IncomingMessage): Promise<Asked> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://scripted')
  const text = Buffer.concat(chunks).toString()
  return {
    method: request.method ?? '',
    path: pathname,
    query: searchParams,
    headers: request.headers,
    body: text ? JSON.parse(text) : undefined,
  }
}

export const json = (
  answer: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): void => {
  answer.writeHead(code, { 'content-type': 'application/json', ...headers })
  answer.end(JSON.stringify(body))
}

/** A metav1.Status, as API servers refuse. */
export const status = (code: number, reason: string, details?: object) => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: `scripted ${reason}`,
  reason,
  details,
  code,
})

export const configMap = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '7' },
  ...more,
})
