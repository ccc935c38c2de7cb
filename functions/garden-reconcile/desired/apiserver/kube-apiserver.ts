// The input for the tables of kube-apiserver (flags.ts, apiserver.ts), its Secrets, and the folders of its files. Also its certificate for
// clients that ask for a domain of the installation.
import type { GardenFields } from '../../../../shared/api/garden.ts'
import { objectsOf } from '../../rules/objects.ts'
import type { SecretConfigName } from '../../rules/secrets/secret-configs.ts'
import type { World } from '../../world.ts'
import { type ApiServer, certificateFaults } from '../apiserver-parts/api-server.ts'
import { namespace } from '../parts/names.ts'

export type KubeApiServerFields = NonNullable<GardenFields['spec']['virtualCluster']['kubernetes']['kubeAPIServer']>

export type KubeApiServer = ApiServer & { readonly fields: KubeApiServerFields }

export const kubeApiServer = (world: World): KubeApiServer => ({
  world,
  name: 'kube-apiserver',
  certificate: 'kube-apiserver',
  fields: world.garden.spec.virtualCluster.kubernetes.kubeAPIServer ?? {},
})

/** Secrets that kube-apiserver mounts, and authorities in its files. */
export const kubeApiServerSecrets: readonly SecretConfigName[] = [
  ...(['ca', 'ca-client', 'ca-front-proxy', 'ca-etcd', 'ca-gardener', 'etcd-client', 'kube-aggregator'] as const),
  ...(['kube-apiserver', 'service-account-key', 'kube-apiserver-etcd-encryption-key'] as const),
  'kube-apiserver-static-token',
]

export const kubeApiServerFolders = {
  ca: '/srv/kubernetes/ca',
  caClient: '/srv/kubernetes/ca-client',
  caFrontProxy: '/srv/kubernetes/ca-front-proxy',
  serviceAccountKey: '/srv/kubernetes/service-account-key',
  serviceAccountKeyBundle: '/srv/kubernetes/service-account-key-bundle',
  token: '/srv/kubernetes/token',
  aggregator: '/srv/kubernetes/aggregator',
  oidc: '/srv/kubernetes/oidc',
  sni: '/srv/kubernetes/tls-sni/0',
  authenticationWebhook: '/etc/kubernetes/webhook/authentication',
  authentication: '/etc/kubernetes/structured/authentication',
  authorization: '/etc/kubernetes/structured/authorization',
} as const

const label = 'gardener.cloud/role'
const wildcard = 'garden-cert'

/** The Secret that the Garden names, otherwise the Secret with the wildcard label. */
export const sniSecretName = ({ fields: { sni }, world }: KubeApiServer): string | undefined =>
  sni && (sni.secretName ?? wildcardSecretName(world))

/** The Secret that a user labelled as the certificate of all domains of the Garden. */
export const wildcardSecretName = ({ runtime }: World): string | undefined =>
  objectsOf(runtime, { apiVersion: 'v1', kind: 'Secret' }).find(
    ({ metadata }) => metadata.namespace === namespace && metadata.labels?.[label] === wildcard,
  )?.metadata.name

export const sniFaults = (server: KubeApiServer): string[] => {
  if (server.fields.sni === undefined) return []
  const name = sniSecretName(server)
  return name === undefined
    ? [`Namespace ${namespace}: no Secret has label ${label}=${wildcard} and key tls.crt`]
    : certificateFaults(server.world, name)
}
