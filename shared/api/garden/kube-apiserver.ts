// spec.virtualCluster.kubernetes.kubeAPIServer of a Garden, and parts shared with gardener-apiserver.
import {
  about,
  atomic,
  defaulted,
  duration,
  flag,
  int32,
  int64,
  list,
  mapOf,
  nonEmptyText,
  object,
  oneOf,
  options,
  raw,
  text,
} from '../schema.ts'
import { autoscaling, featureGates } from './parts.ts'

const objectReference = atomic(
  options({
    apiVersion: text,
    fieldPath: text,
    kind: text,
    name: text,
    namespace: text,
    resourceVersion: text,
    uid: text,
  }),
)

const admissionPlugins = list(
  object(
    { name: text },
    {
      config: raw,
      disabled: flag,
      kubeconfigSecretName: about('Secret with the kubeconfig for the webhook that the plugin calls.', text),
    },
  ),
)

const auditConfig = options({
  auditPolicy: options({ configMapRef: about('ConfigMap with the policy at key policy.', objectReference) }),
})

const auditWebhook = object(
  { kubeconfigSecretName: about('Secret with the kubeconfig for the webhook.', nonEmptyText) },
  {
    batchMaxSize: defaulted({ ...int32, minimum: 1 }, 30),
    version: defaulted(oneOf('audit.k8s.io/v1'), 'audit.k8s.io/v1'),
  },
)

/** The provider is optional, because a Garden stored by Gardener before 1.136 has none. */
const encryptionConfig = options({
  provider: options({
    type: about('aescbc, aesgcm or secretbox. When it changes, the encryption keys are rotated.', text),
  }),
  resources: about(
    'Resources that are encrypted in addition to those that are always encrypted, for example configmaps or deployments.apps.',
    list(text),
  ),
})

const logging = options({ verbosity: int32, httpAccessVerbosity: int32 })

const requests = options({ maxMutatingInflight: int32, maxNonMutatingInflight: int32 })

const watchCacheSizes = options({
  default: int32,
  resources: list(object({ resource: text, size: int32 }, { apiGroup: text })),
})

/** Fields of both API servers. */
export const apiServerFields = {
  admissionPlugins,
  auditConfig,
  auditWebhook,
  encryptionConfig,
  featureGates,
  logging,
  requests,
  watchCacheSizes,
}

const authentication = options({
  webhook: object(
    { kubeconfigSecretName: about('Secret with the kubeconfig for the webhook.', nonEmptyText) },
    { cacheTTL: duration, version: defaulted(oneOf('v1alpha1', 'v1beta1', 'v1'), 'v1beta1') },
  ),
})

const oidcConfig = options({
  caBundle: text,
  clientAuthentication: about('Intended for kubeconfigs of clients. Has no effect.', raw),
  clientID: text,
  issuerURL: text,
  usernameClaim: text,
  usernamePrefix: text,
  groupsClaim: text,
  groupsPrefix: text,
  signingAlgs: list(text),
  requiredClaims: mapOf(text),
})

const serviceAccountConfig = options({
  issuer: text,
  acceptedIssuers: list(text),
  extendTokenExpiration: flag,
  maxTokenExpiration: text,
})

const sni = options({
  secretName: about(
    'Secret of type kubernetes.io/tls; default: the Secret with the label gardener.cloud/role=garden-cert.',
    nonEmptyText,
  ),
  domainPatterns: list(text),
})

const structuredAuthorization = object({
  configMapName: about('ConfigMap with the configuration at key config.yaml.', text),
  kubeconfigs: list(object({ authorizerName: text, secretName: text })),
})

export const kubeAPIServer = about(
  'The API server of the virtual garden.',
  options({
    ...apiServerFields,
    apiAudiences: list(text),
    authentication,
    autoscaling,
    defaultNotReadyTolerationSeconds: int64,
    defaultUnreachableTolerationSeconds: int64,
    enableAnonymousAuthentication: flag,
    eventTTL: text,
    oidcConfig,
    resourcesToStoreInETCDEvents: list(object({ group: nonEmptyText, resource: nonEmptyText })),
    runtimeConfig: mapOf(flag),
    serviceAccountConfig,
    sni,
    structuredAuthentication: object({
      configMapName: about('ConfigMap with the configuration at key config.yaml.', text),
    }),
    structuredAuthorization,
    tlsMinVersion: text,
  }),
)
