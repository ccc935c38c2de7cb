// spec.virtualCluster.gardener of a Garden: Gardener's own control plane.
import {
  about,
  atomic,
  defaulted,
  immutable,
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
  text,
} from '../schema.ts'
import { apiServerFields } from './kube-apiserver.ts'
import { featureGates, idle } from './parts.ts'

const logLevel = defaulted(oneOf('info', 'debug', 'error'), 'info')

const gardenerAPIServer = options({
  ...apiServerFields,
  goAwayChance: about('Share of the requests whose connection is closed.', { ...number, minimum: 0, maximum: 0.02 }),
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
    operationMode: about('block or log.', text),
    unrestrictedSubjects: list(atomic(object({ kind: text, name: text }, { apiGroup: text, namespace: text }))),
  },
)

const gardenerControllerManager = options({
  logLevel,
  featureGates,
  defaultProjectQuotas: list(object({ config: about('A ResourceQuota.', raw) }, { projectSelector: labelSelector })),
})

export const gardener = about(
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
          'Absent: `discovery.` and the first domain of ingress.',
          object({ name: nonEmptyText }, { provider: text }),
        ),
        tlsSecretName: about(
          'Secret of type kubernetes.io/tls; absent: the one labelled gardener.cloud/role=garden-cert.',
          text,
        ),
      }),
      gardenerResourceManager: options({
        additionalTargetNamespaces: about('In which the resource manager applies objects, too.', list(text)),
      }),
    },
  ),
)
