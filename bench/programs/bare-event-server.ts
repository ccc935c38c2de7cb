// The least that can hear events of runtimes: TLS that asks for a certificate, a body that is parsed, 200.
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { serveParent } from '../measure/worker.ts'

/** Longer than any turn of the others: otherwise Node closes connections that a pause of 5 s leaves idle, and the agents connect anew. */
const keepAliveTimeout = 600_000

const commands = {
  /** Answers its port. */
  begin: async (tls: { cert: string; key: string; ca: string }): Promise<number> => {
    const server = createServer(
      { ...tls, requestCert: true, rejectUnauthorized: true, keepAliveTimeout },
      (request, response) => {
        void json(request).then(() => response.end('{}'))
      },
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  },
}

export type BareEventServer = typeof commands

serveParent(commands)
