// The flags of kube-apiserver, one row each. Flags shared with gardener-apiserver are in apiserver-parts.
import { isMap } from '../../../../shared/core/json/json.ts'
import { apiHost, serviceAccountIssuers } from '../../../../shared/core/objects/garden.ts'
import { type Flag, fixedFlags, joined, switches } from '../apiserver-parts/pod-tables.ts'
import { sharedFlags } from '../apiserver-parts/shared-tables.ts'
import { authenticationConfig } from './access-files.ts'
import { kubeApiServerFolders as folders, type KubeApiServer, sniSecretName } from './kube-apiserver.ts'

const alwaysFlags = fixedFlags({
  'client-ca-file': `${folders.caClient}/bundle.crt`,
  'requestheader-client-ca-file': `${folders.caFrontProxy}/bundle.crt`,
  'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
  'requestheader-group-headers': 'X-Remote-Group',
  'requestheader-username-headers': 'X-Remote-User',
  'proxy-client-cert-file': `${folders.aggregator}/tls.crt`,
  'proxy-client-key-file': `${folders.aggregator}/tls.key`,
  'service-account-signing-key-file': `${folders.serviceAccountKey}/id_rsa`,
  'service-account-key-file': `${folders.serviceAccountKeyBundle}/bundle.key`,
  'token-auth-file': `${folders.token}/static_tokens.csv`,
  'authorization-config': `${folders.authorization}/config.yaml`,
  'enable-aggregator-routing': true,
  'enable-bootstrap-token-auth': true,
  'secure-port': 443,
})

const authenticationFlags: readonly Flag<KubeApiServer>[] = [
  { flag: 'anonymous-auth', value: server => (setsAnonymous(server) ? undefined : isAnonymousAllowed(server)) },
  {
    flag: 'authentication-config',
    value: ({ fields }) => fields.structuredAuthentication && `${folders.authentication}/config.yaml`,
  },
  {
    flag: 'authentication-token-webhook-config-file',
    value: ({ fields }) => fields.authentication?.webhook && `${folders.authenticationWebhook}/kubeconfig.yaml`,
  },
  {
    flag: 'authentication-token-webhook-cache-ttl',
    value: ({ fields }) => fields.authentication?.webhook?.cacheTTL,
  },
  { flag: 'authentication-token-webhook-version', value: ({ fields }) => fields.authentication?.webhook?.version },
  { flag: 'api-audiences', value: ({ fields }) => audiences(fields.apiAudiences).join() },
  { flag: 'service-account-issuer', value: ({ world }) => serviceAccountIssuers(world.garden) },
  {
    flag: 'service-account-extend-token-expiration',
    value: ({ fields }) => fields.serviceAccountConfig?.extendTokenExpiration,
  },
  {
    flag: 'service-account-max-token-expiration',
    value: ({ fields }) => fields.serviceAccountConfig?.maxTokenExpiration,
  },
]

const oidcFlags: readonly Flag<KubeApiServer>[] = [
  { flag: 'oidc-issuer-url', value: ({ fields }) => fields.oidcConfig?.issuerURL },
  { flag: 'oidc-client-id', value: ({ fields }) => fields.oidcConfig?.clientID },
  { flag: 'oidc-username-claim', value: ({ fields }) => fields.oidcConfig?.usernameClaim },
  { flag: 'oidc-username-prefix', value: ({ fields }) => fields.oidcConfig?.usernamePrefix },
  { flag: 'oidc-groups-claim', value: ({ fields }) => fields.oidcConfig?.groupsClaim },
  { flag: 'oidc-groups-prefix', value: ({ fields }) => fields.oidcConfig?.groupsPrefix },
  { flag: 'oidc-signing-algs', value: ({ fields }) => joined(fields.oidcConfig?.signingAlgs) },
  {
    flag: 'oidc-required-claim',
    value: ({ fields }) =>
      Object.entries(fields.oidcConfig?.requiredClaims ?? {})
        .map(([claim, value]) => `${claim}=${value}`)
        .sort(),
  },
  { flag: 'oidc-ca-file', value: ({ fields }) => fields.oidcConfig?.caBundle && `${folders.oidc}/ca.crt` },
]

const ownFlags: readonly Flag<KubeApiServer>[] = [
  { flag: 'etcd-servers-overrides', value: ({ fields }) => etcdOverrides(fields.resourcesToStoreInETCDEvents ?? []) },
  { flag: 'external-hostname', value: ({ world }) => apiHost(world.garden) },
  {
    flag: 'service-cluster-ip-range',
    value: ({ world }) => world.garden.spec.virtualCluster.networking.services.join(),
  },
  { flag: 'runtime-config', value: ({ fields }) => switches({ ...notServed, ...fields.runtimeConfig }) },
  { flag: 'default-not-ready-toleration-seconds', value: ({ fields }) => fields.defaultNotReadyTolerationSeconds },
  { flag: 'default-unreachable-toleration-seconds', value: ({ fields }) => fields.defaultUnreachableTolerationSeconds },
  { flag: 'event-ttl', value: ({ fields }) => fields.eventTTL },
  { flag: 'tls-min-version', value: ({ fields }) => fields.tlsMinVersion },
  { flag: 'tls-sni-cert-key', value: server => sniFlag(server) },
]

export const kubeApiServerFlags: readonly Flag<KubeApiServer>[] = [
  ...alwaysFlags,
  ...sharedFlags,
  ...authenticationFlags,
  ...oidcFlags,
  ...ownFlags,
]

/** A cluster without nodes does not need these APIs. */
const notServed = {
  'apps/v1': false,
  'autoscaling/v2': false,
  'batch/v1': false,
  'policy/v1': false,
  'storage.k8s.io/v1/csinodes': false,
}

const isAnonymousAllowed = ({ fields }: KubeApiServer): boolean => fields.enableAnonymousAuthentication ?? false

/** The server refuses to start if both the flag and the configuration set it. */
const setsAnonymous = (server: KubeApiServer): boolean => {
  const config = authenticationConfig(server)
  return isMap(config) && config.anonymous !== undefined
}

const audiences = (listed: readonly string[] | undefined): string[] => [
  ...new Set([...(listed && listed.length > 0 ? listed : ['kubernetes']), 'gardener']),
]

type GroupResource = { readonly group: string; readonly resource: string }

const etcdOverrides = (listed: readonly GroupResource[]): string =>
  [...new Set(['/events', 'events.k8s.io/events', ...listed.map(({ group, resource }) => `${group}/${resource}`)])]
    .map(resource => `${resource}#https://virtual-garden-etcd-events-client:2379`)
    .join()

const sniFlag = (server: KubeApiServer): string | undefined => {
  const { sni } = server.fields
  if (sni === undefined || sniSecretName(server) === undefined) return
  const patterns = joined(sni.domainPatterns)
  return `${folders.sni}/tls.crt,${folders.sni}/tls.key${patterns ? `:${patterns}` : ''}`
}
