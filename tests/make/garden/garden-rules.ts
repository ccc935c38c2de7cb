// What the API server must refuse of a Garden, field by field, written down independently of the schema.
import { valueAt, without, withValue } from '../field.ts'
import { fullGarden, type Garden } from './garden.ts'

const runtime = 'spec.runtimeCluster'
const virtual = 'spec.virtualCluster'
const kubernetes = `${virtual}.kubernetes`
const kubeAPIServer = `${kubernetes}.kubeAPIServer`
const gardener = `${virtual}.gardener`
const gardenerAPIServer = `${gardener}.gardenerAPIServer`
const admissionController = `${gardener}.gardenerAdmissionController`
const quotas = `${gardener}.gardenerControllerManager.defaultProjectQuotas[0]`
const rotation = 'status.credentials.rotation'

const below = (parent: string, ...fields: string[]): string[] => fields.map(field => `${parent}.${field}`)

export const required: readonly string[] = [
  'spec',
  ...below('spec', 'runtimeCluster', 'virtualCluster'),
  ...below('spec.dns', 'providers', 'providers[0].name', 'providers[0].type', 'providers[0].secretRef'),
  'spec.extensions[0].type',
  ...below('spec.resources[0]', 'name', 'resourceRef', 'resourceRef.kind', 'resourceRef.name'),
  ...below(runtime, 'ingress', 'networking', 'provider'),
  ...below(`${runtime}.ingress`, 'controller', 'controller.kind', 'domains[0].name'),
  ...below(`${runtime}.networking`, 'pods', 'services'),
  ...below(
    `${runtime}.settings`,
    'loadBalancerServices.proxyProtocol.allowed',
    'topologyAwareRouting.enabled',
    'persistentVolumeClaimAutoscaler.enabled',
  ),
  ...below(virtual, 'dns', 'gardener', 'kubernetes', 'maintenance', 'networking'),
  `${virtual}.dns.domains[0].name`,
  ...below(`${virtual}.etcd.main`, 'autoscaling.minAllowed', 'backup.provider', 'backup.secretRef'),
  `${virtual}.etcd.events.autoscaling.minAllowed`,
  ...below(`${virtual}.maintenance`, 'timeWindow', 'timeWindow.begin', 'timeWindow.end'),
  `${virtual}.networking.services`,
  `${kubernetes}.version`,
  ...[kubeAPIServer, gardenerAPIServer].flatMap(server =>
    below(
      server,
      'admissionPlugins[0].name',
      'auditWebhook.kubeconfigSecretName',
      'watchCacheSizes.resources[0].resource',
      'watchCacheSizes.resources[0].size',
    ),
  ),
  ...below(
    kubeAPIServer,
    'authentication.webhook.kubeconfigSecretName',
    'autoscaling.minAllowed',
    'resourcesToStoreInETCDEvents[0].group',
    'resourcesToStoreInETCDEvents[0].resource',
    'structuredAuthentication.configMapName',
    'structuredAuthorization.configMapName',
    'structuredAuthorization.kubeconfigs',
    'structuredAuthorization.kubeconfigs[0].authorizerName',
    'structuredAuthorization.kubeconfigs[0].secretName',
  ),
  `${gardener}.gardenerDiscoveryServer.domain.name`,
  `${gardener}.clusterIdentity`,
  ...below(
    `${admissionController}.resourceAdmissionConfiguration`,
    'limits',
    'limits[0].resources',
    'unrestrictedSubjects[0].kind',
    'unrestrictedSubjects[0].name',
  ),
  ...below(quotas, 'config', 'projectSelector.matchExpressions[0].key', 'projectSelector.matchExpressions[0].operator'),
]

export const requiredInStatus: readonly string[] = [
  ...below('status.gardener', 'id', 'name', 'version'),
  ...below('status.conditions[0]', 'type', 'status', 'reason', 'message', 'lastTransitionTime', 'lastUpdateTime'),
  ...below('status.lastOperation', 'type', 'state', 'progress', 'description', 'lastUpdateTime'),
  ...below(rotation, 'certificateAuthorities.phase', 'serviceAccountKey.phase', 'etcdEncryptionKey.phase'),
  ...below(
    rotation,
    ...['certificateAuthorities', 'serviceAccountKey'].map(key => `${key}.pendingWorkersRollouts[0].name`),
  ),
  `${rotation}.workloadIdentityKey.phase`,
  ...below('status.advertisedAddresses[0]', 'name', 'url'),
]

/** Neither '' nor []. */
export const nonEmpty: readonly string[] = [
  ...below('spec.dns', 'providers', 'providers[0].name', 'providers[0].type'),
  'spec.extensions[0].type',
  ...below(runtime, 'ingress.domains', 'ingress.domains[0].name', 'networking.pods', 'networking.services'),
  ...below(virtual, 'dns.domains', 'dns.domains[0].name', 'networking.services'),
  `${kubernetes}.version`,
  ...below(
    kubeAPIServer,
    'auditWebhook.kubeconfigSecretName',
    'authentication.webhook.kubeconfigSecretName',
    'resourcesToStoreInETCDEvents[0].group',
    'resourcesToStoreInETCDEvents[0].resource',
    'sni.secretName',
  ),
  `${gardener}.clusterIdentity`,
  `${gardener}.gardenerDiscoveryServer.domain.name`,
  `${gardenerAPIServer}.auditWebhook.kubeconfigSecretName`,
]

/** The words a field may be. */
export const words: Readonly<Record<string, readonly string[]>> = {
  [`${runtime}.ingress.controller.kind`]: ['nginx'],
  [`${kubeAPIServer}.auditWebhook.version`]: ['audit.k8s.io/v1'],
  [`${kubeAPIServer}.authentication.webhook.version`]: ['v1alpha1', 'v1beta1', 'v1'],
  [`${gardenerAPIServer}.auditWebhook.version`]: ['audit.k8s.io/v1'],
  [`${admissionController}.logLevel`]: ['info', 'debug', 'error'],
  [`${gardener}.gardenerControllerManager.logLevel`]: ['info', 'debug', 'error'],
  [`${gardener}.gardenerScheduler.logLevel`]: ['info', 'debug', 'error'],
  [`${gardener}.gardenerScheduler.strategy`]: ['SameRegion', 'MinimalDistance'],
}

/** What the API server fills in when the field is absent and what it stands in is there. */
export const defaults: Readonly<Record<string, unknown>> = {
  [`${runtime}.settings.verticalPodAutoscaler.enabled`]: true,
  'spec.dns.providers[0].secretRef.name': '',
  [`${virtual}.etcd.main.backup.secretRef.name`]: '',
  [`${virtual}.etcd.main.storage.capacity`]: '10Gi',
  [`${virtual}.etcd.events.storage.capacity`]: '10Gi',
  [`${kubeAPIServer}.auditWebhook.batchMaxSize`]: 30,
  [`${kubeAPIServer}.auditWebhook.version`]: 'audit.k8s.io/v1',
  [`${kubeAPIServer}.authentication.webhook.version`]: 'v1beta1',
  [`${kubernetes}.kubeControllerManager.certificateSigningDuration`]: '48h',
  [`${gardenerAPIServer}.auditWebhook.batchMaxSize`]: 30,
  [`${gardenerAPIServer}.auditWebhook.version`]: 'audit.k8s.io/v1',
  [`${admissionController}.logLevel`]: 'info',
  [`${gardener}.gardenerControllerManager.logLevel`]: 'info',
  [`${gardener}.gardenerScheduler.logLevel`]: 'info',
  [`${gardener}.gardenerScheduler.strategy`]: 'SameRegion',
}

/** Who changes it is told this. */
export const immutable: Readonly<Record<string, string>> = {
  [`${gardener}.clusterIdentity`]: 'Value is immutable',
  [`${virtual}.etcd.main.backup.provider`]: 'Provider is immutable',
  [`${virtual}.etcd.main.backup.bucketName`]: 'BucketName is immutable',
  [`${virtual}.etcd.main.backup.region`]: 'Region is immutable',
}

const quantities: readonly string[] = [
  ...below(runtime, 'volume.minimumSize', 'settings.verticalPodAutoscaler.maxAllowed.cpu'),
  ...below(`${virtual}.etcd`, 'main.storage.capacity', 'main.autoscaling.minAllowed.cpu'),
  ...below(`${virtual}.etcd`, 'events.storage.capacity', 'events.autoscaling.minAllowed.memory'),
  `${kubeAPIServer}.autoscaling.minAllowed.cpu`,
  `${admissionController}.resourceAdmissionConfiguration.limits[0].size`,
]
const durations = [
  `${kubeAPIServer}.authentication.webhook.cacheTTL`,
  `${kubernetes}.kubeControllerManager.certificateSigningDuration`,
]
const times = below(`${virtual}.maintenance.timeWindow`, 'begin', 'end')
const flagMaps = [
  `${runtime}.settings.verticalPodAutoscaler.featureGates.X`,
  ...below(kubeAPIServer, 'featureGates.X', 'runtimeConfig.X'),
  `${kubernetes}.kubeControllerManager.featureGates.X`,
  ...below(gardener, 'gardenerAPIServer.featureGates.X', 'gardenerControllerManager.featureGates.X'),
  `${gardener}.gardenerScheduler.featureGates.X`,
]

/** Values that are not of the field's form, and values on its edge that are. */
export const forms: Readonly<Record<string, { wrong: readonly unknown[]; right: readonly unknown[] }>> = {
  ...all(quantities, { wrong: ['10 Gi', 'much', true], right: ['25Gi', '1e3', '.5', 7, '-1'] }),
  ...all(durations, { wrong: ['2', '2d', '-1h', 5], right: ['2m30s', '1.5h', '10µs'] }),
  ...all(times, { wrong: ['240000+0100', '22:00', '220000+1500', '220000'], right: ['000000-1200', '235959+1400'] }),
  ...all(flagMaps, { wrong: ['true', 1], right: [true, false] }),
  ...all([`${kubeAPIServer}.auditWebhook.batchMaxSize`, `${gardenerAPIServer}.auditWebhook.batchMaxSize`], {
    wrong: [0, -1, 1.5, '5'],
    right: [1, 5000],
  }),
  [`${gardenerAPIServer}.goAwayChance`]: { wrong: [-0.001, 0.021, '0.01'], right: [0, 0.02] },
}

/** `garden` differs from a full one in `field` alone. */
export type Fault = { name: string; field: string; garden: Garden }

/** A full Garden with one thing wrong, for every rule above. */
export const faultyGardens = (): Fault[] => {
  const good = fullGarden()
  return [
    ...required.map(field => ({ name: `${field} is required`, field, garden: without(good, field) })),
    ...nonEmpty.map(field => faulty(good, field, Array.isArray(valueAt(good, field)) ? [] : '')),
    ...Object.keys(words).map(field => faulty(good, field, 'another')),
    ...Object.entries(forms).flatMap(([field, { wrong }]) => wrong.map(value => faulty(good, field, value))),
  ]
}

/** A full Garden with one unusual but right value. */
export const unusualGardens = (): Fault[] => {
  const rightWords = Object.entries(words).map(([field, right]) => [field, { right }] as const)
  return [...rightWords, ...Object.entries(forms)].flatMap(([field, { right }]) =>
    right.map(value => faulty(fullGarden(), field, value)),
  )
}

const faulty = (good: Garden, field: string, value: unknown): Fault => ({
  name: `${field}: ${JSON.stringify(value)}`,
  field,
  garden: withValue(good, field, value),
})

function all<Form>(fields: readonly string[], form: Form): Record<string, Form> {
  return Object.fromEntries(fields.map(field => [field, form]))
}
