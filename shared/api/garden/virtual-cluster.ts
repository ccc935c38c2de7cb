// spec.virtualCluster of a Garden: the cluster of Gardener's API, without nodes.
import {
  about,
  atomic,
  defaulted,
  duration,
  immutable,
  int32,
  int64,
  labelSelector,
  list,
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
import { apiServerFields, kubeAPIServer } from './kube-apiserver.ts'
import { autoscaling, domains, featureGates, idle, localRef, networks, olderDomain } from './parts.ts'

// spec.virtualCluster.gardener of a Garden: Gardener's control plane.

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
