// Stand-ins for Gardener's own servers in a virtual garden, with the generated certificates: an admission controller that allows
// everything, and an API server that serves groups without kinds, so that whoever waits for either goes on.
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Test } from 'tap'
import type { KubeObject } from '../../shared/core/objects/object.ts'

type Answer = (asked: { readonly path: string; readonly body: Record<string, unknown> }) => object

/** `kubernetes.io/tls` Secrets; answers are JSON with code 200. Resolves with the port. */
const server = async (t: Test, { data }: KubeObject, answer: Answer): Promise<number> => {
  const text = (key: string) => Buffer.from((data as Record<string, string>)[key] ?? '', 'base64').toString()
  const listening = createServer({ cert: text('tls.crt'), key: text('tls.key') }, async (request, response) => {
    const body = request.method === 'POST' ? ((await json(request)) as Record<string, unknown>) : {}
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer({ path: request.url ?? '', body })))
  })
  listening.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  t.teardown(() => {
    listening.close()
    listening.closeAllConnections()
  })
  return (listening.address() as AddressInfo).port
}

/** Reviews are allowed; the seed authorizer has no opinion. */
export const admissionController = (t: Test, certificate: KubeObject): Promise<number> =>
  server(t, certificate, ({ body: { apiVersion, kind, request } }) =>
    kind === 'AdmissionReview'
      ? { apiVersion, kind, response: { uid: (request as { uid: string }).uid, allowed: true } }
      : { apiVersion, kind, status: { allowed: false } },
  )

/** `/apis/core.gardener.cloud/v1beta1` and the like. */
export const gardenerApiServer = (t: Test, certificate: KubeObject): Promise<number> =>
  server(t, certificate, ({ path }) => {
    const groupVersion = path.replace(/^\/apis\//, '').replace(/\?.*$/, '')
    return { apiVersion: 'v1', kind: 'APIResourceList', groupVersion, resources: [] }
  })
