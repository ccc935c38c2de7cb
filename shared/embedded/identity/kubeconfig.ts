// Kubeconfig files for the embedded cluster, as YAML text that kubectl and client-node read.
import { stringify } from 'yaml'
import type { Credentials } from './authority.ts'

export type KubeconfigAccess = { token: string } | Credentials

export const kubeconfigText = (name: string, server: string, caData: string, access: KubeconfigAccess): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': caData } }],
    users: [{ name: `${name}-admin`, user: userOf(access) }],
    contexts: [{ name, context: { cluster: name, user: `${name}-admin` } }],
    'current-context': name,
  })

const userOf = (access: KubeconfigAccess): Record<string, string> =>
  'token' in access
    ? { token: access.token }
    : {
        'client-certificate-data': Buffer.from(access.cert).toString('base64'),
        'client-key-data': Buffer.from(access.key).toString('base64'),
      }
