// The text of a kubeconfig with everything inline, as Espalier accepts it from Secrets and as kubectl reads it.
import { stringify } from 'yaml'

export type Endpoint = {
  readonly url: string
  /** The certificate of the authority that vouches for the server: PEM in base64, as kubeconfigs hold it. */
  readonly caData: string
}

export type Credentials = { readonly certificate: string; readonly key: string } | { readonly token: string }

/** A kubeconfig with one context, in which these credentials talk to this API server. */
export function kubeconfig(endpoint: Endpoint, credentials: Credentials): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: endpoint.url, 'certificate-authority-data': endpoint.caData } }],
    users: [{ name: 'test', user: user(credentials) }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  })
}

/** PEM text as kubeconfigs and webhook configurations hold it. */
export function base64(pem: string): string {
  return Buffer.from(pem).toString('base64')
}

function user(credentials: Credentials): Record<string, string> {
  if ('token' in credentials) return { token: credentials.token }
  return {
    'client-certificate-data': base64(credentials.certificate),
    'client-key-data': base64(credentials.key),
  }
}
