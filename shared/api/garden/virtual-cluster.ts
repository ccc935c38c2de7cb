// spec.virtualCluster of a Garden: the cluster of Gardener's API, without nodes.
import {
  about,
  atomic,
  defaulted,
  duration,
  flag,
  immutable,
  int32,
  int64,
  labelSelector,
  list,
  mapOf,
  nonEmptyText,
  number,
  object,
  oneOf,
  options,
  quantity,
  raw,
  type Schema,
  text,
} from '../schema.ts'
import { autoscaling, domains, featureGates, idle, localRef, networks, olderDomain } from './parts.ts'

// spec.virtualCluster.kubernetes.kubeAPIServer, and parts shared with gardener-apiserver.

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
const apiServerFields = {
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

const kubeAPIServer = about(
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

// spec.virtualCluster.gardener: Gardener's control plane.

const logLevel = defaulted(oneOf('info', 'debug', 'error'), 'info')

const gardenerAPIServer = options({
  ...apiServerFields,
  goAwayChance: about('Share of requests after which the API server closes the connection.', {
    ...number,
    minimum: 0,
    maximum: 0.02,
  }),
  shootAdminKubeconfigMaxExpiration: text,
})

const resourceAdmissionConfiguration = object(
  {
    limits: list(
      object(
        { resources: list(text) },
        { apiGroups: list(text), apiVersions: list(text), size: quantity, count: int64 },
      ),
    ),
  },
  {
    operationMode: about('block or log. Default: block.', text),
    unrestrictedSubjects: list(atomic(object({ kind: text, name: text }, { apiGroup: text, namespace: text }))),
  },
)

const gardenerControllerManager = options({
  logLevel,
  featureGates,
  defaultProjectQuotas: list(object({ config: about('A ResourceQuota.', raw) }, { projectSelector: labelSelector })),
})

const gardener = about(
  'The control plane of Gardener in the virtual garden.',
  object(
    { clusterIdentity: immutable(nonEmptyText, 'Value is immutable') },
    {
      gardenerAPIServer,
      gardenerAdmissionController: options({ logLevel, resourceAdmissionConfiguration }),
      gardenerControllerManager,
      gardenerScheduler: options({
        logLevel,
        featureGates,
        strategy: defaulted(oneOf('SameRegion', 'MinimalDistance'), 'SameRegion'),
      }),
      gardenerDashboard: idle(raw),
      gardenerDiscoveryServer: options({
        domain: about(
          'Default: `discovery.` followed by the first domain of ingress.',
          object({ name: nonEmptyText }, { provider: text }),
        ),
        tlsSecretName: about(
          'Secret of type kubernetes.io/tls; default: the Secret with the label gardener.cloud/role=garden-cert.',
          text,
        ),
      }),
      gardenerResourceManager: options({
        additionalTargetNamespaces: about('Additional namespaces in which it applies objects.', list(text)),
      }),
    },
  ),
)

const timeOfDay: Schema<string> = {
  ...about('Time of day as HHMMSS with the offset from UTC, for example 220000+0100.', text),
  pattern: '([0-1][0-9]|2[0-3])[0-5][0-9][0-5][0-9]([+](0[0-9]|1[0-4])|[-](0[0-9]|1[0-2]))00',
}

const storage = options({ capacity: defaulted(quantity, '10Gi'), className: text })

const backup = object(
  { provider: immutable(text, 'Provider is immutable'), secretRef: localRef },
  {
    bucketName: about(
      'Name of an existing bucket. Without it, no backups are made.',
      immutable(text, 'BucketName is immutable'),
    ),
    region: idle(immutable(text, 'Region is immutable')),
    providerConfig: idle(raw),
  },
)

const etcd = options({
  main: options({ storage, autoscaling, backup }),
  events: about('The etcd that holds Events.', options({ storage, autoscaling })),
})

const kubeControllerManager = options({
  certificateSigningDuration: defaulted(duration, '48h'),
  featureGates,
  horizontalPodAutoscaler: idle(raw),
  nodeCIDRMaskSize: idle(int32),
  nodeCIDRMaskSizeIPv6: idle(int32),
  nodeMonitorGracePeriod: idle(text),
  podEvictionTimeout: idle(text),
})

export const virtualCluster = about(
  'The virtual garden: an API server without nodes that holds the API of Gardener.',
  object(
    {
      dns: options({ domains, domain: olderDomain }),
      gardener,
      kubernetes: object({ version: nonEmptyText }, { kubeAPIServer, kubeControllerManager }),
      maintenance: object({ timeWindow: object({ begin: timeOfDay, end: timeOfDay }) }),
      networking: object({ services: networks }),
    },
    {
      etcd,
      controlPlane: options({
        highAvailability: about('If set, the components run with several replicas.', options({})),
      }),
    },
  ),
)
