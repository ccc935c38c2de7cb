// Answers an API server's calls of admission webhooks on a machine without Pods: through a proxy of the test to one server that allows everything.
// The server shows the certificate that the Pods of the Service would show, so the API server finds out whether it trusts this certificate.
//
//   const webhooks = await allowingWebhooks(dir, name => certificateOf(name))
//   startControlPlane({ dir, apiServerFlags: webhooks.apiServerFlags })
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer as createProxy, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createSecureContext } from 'node:tls'
import { stringify } from 'yaml'
import type { Certified } from '../clients/certificates.ts'

type AllowingWebhooks = {
  /** They send calls of Services through the proxy. */
  readonly apiServerFlags: readonly string[]
  close(): void
}

/** `certificateOf` is asked for the certificate of `gardener-resource-manager.garden.svc`; without one the call fails. */
export async function allowingWebhooks(
  dir: string,
  certificateOf: (serverName: string) => Promise<Certified | undefined>,
): Promise<AllowingWebhooks> {
  const [config, socketPath] = [join(dir, 'egress.yaml'), join(dir, 'egress.sock')]
  const server = createServer({ SNICallback: (name, done) => void chosen(name, certificateOf, done) }, allowed)
  const open = new Set<Socket>()
  const proxy = createProxy().on('connect', (_: IncomingMessage, socket: Socket, head: Buffer) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) socket.unshift(head)
    server.emit('connection', socket)
  })
  proxy.listen(socketPath)
  await Promise.all([once(proxy, 'listening'), writeFile(config, stringify(throughProxy(socketPath)))])
  return {
    apiServerFlags: [`--egress-selector-config-file=${config}`],
    close: () => {
      proxy.close()
      for (const socket of open) socket.destroy()
    },
  }
}

const throughProxy = (udsName: string) => ({
  apiVersion: 'apiserver.k8s.io/v1beta1',
  kind: 'EgressSelectorConfiguration',
  egressSelections: [
    { name: 'cluster', connection: { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName } } } },
  ],
})

const chosen = async (
  name: string,
  certificateOf: (serverName: string) => Promise<Certified | undefined>,
  done: (error: Error | null, context?: ReturnType<typeof createSecureContext>) => void,
): Promise<void> => {
  const found = await certificateOf(name).catch(() => undefined)
  if (found) done(null, createSecureContext({ cert: found.certificate, key: found.key }))
  else done(new Error(`no certificate for ${name}`))
}

const allowed = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
  const review = JSON.parse(await text(request)) as { apiVersion: string; kind: string; request: { uid: string } }
  const { apiVersion, kind } = review
  reply.setHeader('content-type', 'application/json')
  reply.end(JSON.stringify({ apiVersion, kind, response: { uid: review.request.uid, allowed: true } }))
}
