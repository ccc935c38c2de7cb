// Identities as functions have them: ServiceAccounts, with tokens from TokenRequest, as a kubelet would mount them. The account must exist; its
// rights come from elsewhere.
import { apiClient } from '../clients/api.ts'
import { type Credentials, type Endpoint, kubeconfig } from '../clients/kubeconfig.ts'

export type Account = { readonly namespace: string; readonly name: string }

export type TokenOptions = {
  /** The audience of the token; the API server itself when absent. */
  readonly audience?: string
  /** Ten minutes when absent, which is the least that Kubernetes gives. */
  readonly seconds?: number
}

/** An API server, and who may ask it for tokens. */
type TokenSource = Endpoint & { readonly admin: Credentials }

/** A fresh token of this ServiceAccount. */
export async function serviceAccountToken(
  cluster: TokenSource,
  account: Account,
  options: TokenOptions = {},
): Promise<string> {
  const api = apiClient(cluster, cluster.admin)
  try {
    const spec = { audiences: options.audience ? [options.audience] : [], expirationSeconds: options.seconds ?? 600 }
    const path = `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }
    const reply = await api.call('POST', path, { body })
    const token = reply.body.status?.token
    if (reply.status !== 201 || typeof token !== 'string') throw new Error(`no token for ${path}: ${reply.text}`)
    return token
  } finally {
    await api.close()
  }
}

/** A kubeconfig in which this ServiceAccount talks to the cluster. */
export async function serviceAccountKubeconfig(
  cluster: TokenSource,
  account: Account,
  options?: TokenOptions,
): Promise<string> {
  return kubeconfig(cluster, { token: await serviceAccountToken(cluster, account, options) })
}
