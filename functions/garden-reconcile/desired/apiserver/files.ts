// The files of kube-apiserver: one row per volume. What it shares with gardener-apiserver is in apiserver-parts.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { bundleNow, secretNow } from '../../rules/secrets/secrets-now.ts'
import type { MountedFiles } from '../apiserver-parts/file-table.ts'
import { sharedFiles } from '../apiserver-parts/shared-tables.ts'
import { namespace } from '../parts/names.ts'
import { authenticationFiles } from './authentication-files.ts'
import { authorizationFiles } from './authorization-files.ts'
import { kubeApiServerFolders as folders } from './folders.ts'
import type { KubeApiServer } from './kube-apiserver.ts'
import { sniSecretName } from './sni-secret.ts'

export const kubeApiServerFiles: readonly MountedFiles<KubeApiServer>[] = [
  { volume: 'ca', folder: folders.ca, from: ({ world }) => bundleNow(world, 'ca') },
  { volume: 'ca-client', folder: folders.caClient, from: ({ world }) => bundleNow(world, 'ca-client') },
  { volume: 'ca-front-proxy', folder: folders.caFrontProxy, from: ({ world }) => bundleNow(world, 'ca-front-proxy') },
  {
    volume: 'service-account-key',
    folder: folders.serviceAccountKey,
    from: ({ world }) => secretNow(world, 'service-account-key'),
  },
  {
    volume: 'service-account-key-bundle',
    folder: folders.serviceAccountKeyBundle,
    from: ({ world }) => bundleNow(world, 'service-account-key'),
  },
  {
    volume: 'static-token',
    folder: folders.token,
    from: ({ world }) => secretNow(world, 'kube-apiserver-static-token'),
  },
  {
    volume: 'kube-aggregator',
    folder: folders.aggregator,
    from: ({ world }) => secretNow(world, 'kube-aggregator'),
  },
  ...sharedFiles,
  ...authenticationFiles,
  ...authorizationFiles,
  { volume: 'tls-sni-0', folder: folders.sni, from: server => secretOf(sniSecretName(server)) },
]

const secretOf = (name: string | undefined): KubeObject | undefined =>
  name === undefined ? undefined : { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } }
