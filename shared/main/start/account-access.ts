// Access to a cluster as one of our service accounts, with tokens that are requested through a person's own access.
import type { Client } from '../../kube/client-types.ts'
import type { ClusterAccess, Credentials } from '../../kube/clusters/access.ts'

type Account = { readonly namespace: string; readonly name: string }

/** The lifetime we request for tokens; a cluster may give less. */
const tokenSeconds = 24 * 3_600

/** `client` is the person's, through `access`. Rejects when the account does not exist. */
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
