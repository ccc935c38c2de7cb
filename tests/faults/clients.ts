// Espalier's own client for test clusters, whose endpoints and credentials come from the harness.
import type { RequestListener } from 'node:http'
import { withoutSockets } from '../../shared/embedded/http/without-sockets.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import type { Credentials, Endpoint } from '../harness/clients/kubeconfig.ts'

/** An API server, or a proxy before it; `answer` where it is in this process and needs no socket to be asked. */
export type Way = Endpoint & { readonly answer?: RequestListener }

/** Talks to this API server as whoever the credentials say; the fault proxy needs none. */
export const clientTo = (way: Endpoint, credentials?: Credentials): Client => createClient(accessTo(way, credentials))

/** The same with no socket where none is needed. */
export const nearClientTo = (way: Way, credentials: Credentials): Client =>
  createClient({
    ...accessTo(way, credentials),
    dispatcher: way.answer && 'token' in credentials ? withoutSockets(way.answer) : undefined,
  })

const accessTo = ({ url, caData }: Endpoint, credentials?: Credentials) => {
  const fixed = { ca: Buffer.from(caData, 'base64').toString(), ...credentials }
  return { server: url, credentials: () => fixed }
}
