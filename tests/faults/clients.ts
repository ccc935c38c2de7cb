// Espalier's own client for test clusters, whose endpoints and credentials come from the harness.
import { createClient } from '../../shared/kube/client/client.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import type { Credentials, Endpoint } from '../harness/clients/kubeconfig.ts'

/** Talks to this API server as whoever the credentials say; the fault proxy needs none. */
export const clientTo = ({ url, caData }: Endpoint, credentials?: Credentials): Client => {
  const fixed = { ca: Buffer.from(caData, 'base64').toString(), ...credentials }
  return createClient({ server: url, credentials: () => fixed })
}
