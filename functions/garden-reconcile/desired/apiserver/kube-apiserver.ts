// What the tables of kube-apiserver are asked about (flags.ts, files.ts), and which of the Garden's references it needs.
import type { GardenFields } from '../../../../shared/api/garden.ts'
import { findObject } from '../../rules/objects.ts'
import type { SecretConfigName } from '../../rules/secrets/secret-names.ts'
import type { World } from '../../world.ts'
import type { ApiServer } from '../apiserver-parts/api-server.ts'
import { namespace } from '../parts/names.ts'

export type KubeApiServerFields = NonNullable<GardenFields['spec']['virtualCluster']['kubernetes']['kubeAPIServer']>

export type KubeApiServer = ApiServer & {
  readonly fields: KubeApiServerFields
  /** What Seeds may do is asked of gardener-admission-controller, once it is there. */
  readonly asksSeedAuthorizer: boolean
}

export const kubeApiServer = (world: World): KubeApiServer => ({
  world,
  name: 'kube-apiserver',
  certificate: 'kube-apiserver',
  fields: world.garden.spec.virtualCluster.kubernetes.kubeAPIServer ?? {},
  asksSeedAuthorizer: authorizerServers.every(name => isDeployed(world, name)),
})

/** Secrets that it mounts, whether the seed authorizer is asked or not. */
export const kubeApiServerSecrets: readonly SecretConfigName[] = [
  ...(['ca', 'ca-client', 'ca-front-proxy', 'ca-etcd', 'ca-gardener', 'etcd-client', 'kube-aggregator'] as const),
  ...(['kube-apiserver', 'service-account-key', 'kube-apiserver-etcd-encryption-key'] as const),
  'kube-apiserver-static-token',
]

const authorizerServers = ['gardener-apiserver', 'gardener-admission-controller']

const isDeployed = ({ runtime }: World, name: string): boolean =>
  findObject(runtime, { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name }) !== undefined

// Where kube-apiserver finds its files.

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
  authorizationWebhook: '/etc/kubernetes/webhook/authorization',
  authentication: '/etc/kubernetes/structured/authentication',
  authorization: '/etc/kubernetes/structured/authorization',
} as const
