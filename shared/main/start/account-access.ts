// Access to a cluster with our service accounts. Their tokens are requested with the user's own access.
import { createClient } from '../../kube/client/client.ts'
import type { Client } from '../../kube/client-types.ts'
import type { ClusterAccess, Credentials } from '../../kube/clusters/access.ts'

type Account = { readonly namespace: string; readonly name: string }

/** The lifetime we request for tokens; a cluster may give less. */
const tokenSeconds = 24 * 3_600

/** Clients of host, relay and functions, each with its own account. So a right that serverless.yml lacks is also missing here. */
export type AccountClients = {
  readonly host: Client
  readonly relay: Client
  readonly functions: Readonly<Record<string, Client>>
  close(): Promise<void>
}

export const accountClients = async (
  functions: readonly string[],
  accessOf: (account: string) => Promise<ClusterAccess>,
): Promise<AccountClients> => {
  const clientAs = async (account: string) => [account, createClient(await accessOf(account))] as const
  const [host, relay] = await Promise.all([clientAs('host'), clientAs('relay')])
  const own = await Promise.all(functions.map(clientAs))
  const all = [host, relay, ...own].map(([, client]) => client)
  return {
    host: host[1],
    relay: relay[1],
    functions: Object.fromEntries(own),
    close: async () => void (await Promise.all(all.map(client => client.close()))),
  }
}

/** `client`: the user's client. Rejects if the account does not exist. */
export const accountAccess = async (
  access: ClusterAccess,
  client: Client,
  account: Account,
): Promise<ClusterAccess> => {
  const fresh = async () => {
    const { ca, serverName, acceptsAnyCertificate } = await access.credentials()
    const { token, expires } = await tokenOf(client, account)
    const credentials: Credentials = { ca, serverName, acceptsAnyCertificate, token }
    return { credentials, renewAt: (Date.now() + expires.getTime()) / 2 }
  }
  let current = await fresh()
  return {
    ...access,
    credentials: async () => {
      if (current.renewAt < Date.now()) current = await fresh()
      return current.credentials
    },
  }
}

const tokenOf = async (client: Client, { namespace, name }: Account): Promise<{ token: string; expires: Date }> => {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: tokenSeconds },
  }
  const { status } = (await client.raw({ method: 'POST', path, body })) as {
    status: { token: string; expirationTimestamp: string }
  }
  return { token: status.token, expires: new Date(status.expirationTimestamp) }
}
