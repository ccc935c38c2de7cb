// The resource manager of the virtual garden. It runs in the runtime cluster, applies ManagedResources without a class, and writes tokens
// into Secrets that request a token.
import { managedResourceKind } from '../../../shared/api/garden/kinds.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { type JsonMap, mapOrEmpty, mapsIn, shownText } from '../../../shared/core/json/json.ts'
import { conditionOf } from '../../../shared/core/objects/condition.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedText, secretText } from '../../../shared/core/objects/secret-text.ts'
import { yamlOf } from '../../../shared/core/yaml/write.ts'
import { findObject } from '../rules/objects.ts'
import { caBundleNow, secretNow } from '../rules/secrets/existing-secrets.ts'
import type { SecretConfigName } from '../rules/secrets/secret-configs.ts'
import type { World } from '../world.ts'
import { configMap, configSecret, kubeconfigText, managedResource } from './parts/config-object.ts'
import { imageFields } from './parts/images.ts'
import { issuerNamespace, namespace, prefixes, publicNamespace, virtualGarden, withOwnership } from './parts/names.ts'
import {
  allow,
  gardenClusterRoleBinding,
  leadership,
  namespacedRole,
  type RoleRule,
  roleBinding,
  serviceAccountSubject,
  verbs,
} from './parts/rbac.ts'
import { clusterIpService, toRuntimeApiserver, toVirtualGarden } from './parts/services.ts'
import { clientFiles, requests, tokenSecret, virtualGardenClient, workload } from './parts/workload.ts'

const program = 'gardener-resource-manager'
const name = virtualGarden(program)
const labels = { app: name }
const ports = { server: 10250, health: 8081, metrics: 8080 }
const folders = { config: `/etc/${program}-config`, certificate: `/etc/${program}-tls` }

const configuration = ({ garden }: World): JsonMap => ({
  apiVersion: 'resourcemanager.config.gardener.cloud/v1alpha1',
  kind: 'ResourceManagerConfiguration',
  sourceClientConnection: { namespaces: [namespace] },
  // The resource manager cannot read other namespaces, so it can apply objects only in these namespaces.
  targetClientConnection: {
    kubeconfig: clientFiles.kubeconfig,
    namespaces: [namespace, 'kube-system', issuerNamespace, publicNamespace, ...furtherNamespaces(garden)],
  },
  leaderElection: { leaderElect: true, resourceName: name, resourceNamespace: namespace },
  server: {
    healthProbes: { port: ports.health },
    metrics: { port: ports.metrics },
    webhooks: { port: ports.server, tls: { serverCertDir: folders.certificate } },
  },
  logLevel: 'info',
  logFormat: 'json',
  controllers: {
    garbageCollector: { enabled: true, syncPeriod: '12h' },
    health: { concurrentSyncs: 10, syncPeriod: '1m' },
    managedResource: { concurrentSyncs: 20, syncPeriod: '1h', alwaysUpdate: true },
    tokenRequestor: { enabled: true, concurrentSyncs: 5 },
  },
})

const furtherNamespaces = ({ spec }: World['garden']): readonly string[] =>
  spec.virtualCluster.gardener.gardenerResourceManager?.additionalTargetNamespaces ?? []

/** Rights in namespace garden of the runtime cluster. */
const rules: readonly RoleRule[] = [
  allow('resources.gardener.cloud', 'managedresources managedresources/status', `${verbs.read} update patch`),
  allow('', 'secrets', `${verbs.read} update patch`),
  allow('', 'configmaps events', 'create'),
  ...leadership(name),
]

const place = { namespace, name }

export const virtualResourceManager = (world: World, now?: Date): KubeObject[] => {
  const config = configMap(name, { 'config.yaml': yamlOf(configuration(world)) })
  const access = isBootstrapNeeded(world, now) ? bootstrapClient(world) : virtualGardenClient(world, program)
  const configs = 'config' in access ? [config, access.config] : [config]
  return [
    ...configs,
    tokenSecret(program),
    ...[
      account,
      namespacedRole(place, rules),
      roleBinding(place, [serviceAccountSubject(name, namespace)]),
      service,
    ].map(withOwnership),
    ...workload({
      name,
      labels,
      replicas: 2,
      type: 'server',
      priority: 400,
      minAllowed: { memory: '30Mi' },
      podLabels: { ...toVirtualGarden, ...toRuntimeApiserver },
      mounted: configs,
      pod: {
        serviceAccountName: name,
        securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
        containers: [container(world)],
        volumes: [
          { name: 'config', configMap: { name: config.metadata.name } },
          {
            name: 'certificate',
            secret: { secretName: secretNow(world, 'gardener-resource-manager-server').metadata.name },
          },
          access.volume,
        ],
      },
    }).map(withOwnership),
    ...managedResource(resourceManagerRights, { where: 'virtual', objects: [rightsInVirtualGarden] }),
  ]
}

const account: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...place } }

const rightsInVirtualGarden: KubeObject = gardenClusterRoleBinding(
  'gardener.cloud:target:resource-manager',
  [serviceAccountSubject(program, 'kube-system')],
  'cluster-admin',
)

const service = clusterIpService({
  name,
  labels,
  ports: [
    { name: 'metrics', port: ports.metrics, targetPort: ports.metrics, protocol: 'TCP' },
    { name: 'health', port: ports.health, targetPort: ports.health, protocol: 'TCP' },
    { name: 'server', port: 443, targetPort: ports.server, protocol: 'TCP' },
  ],
})

const probe = (path: string) => ({ httpGet: { path, port: ports.health, scheme: 'HTTP' }, timeoutSeconds: 5 })

const container = (world: World) => ({
  ...imageFields(world, program),
  args: [`--config=${folders.config}/config.yaml`],
  ports: [
    { name: 'metrics', containerPort: ports.metrics, protocol: 'TCP' },
    { name: 'health', containerPort: ports.health, protocol: 'TCP' },
  ],
  resources: requests('10m', '30M'),
  livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 30, failureThreshold: 5 },
  readinessProbe: { ...probe('/readyz'), initialDelaySeconds: 10 },
  securityContext: { allowPrivilegeEscalation: false },
  volumeMounts: [
    { name: 'config', mountPath: folders.config, readOnly: true },
    { name: 'certificate', mountPath: folders.certificate, readOnly: true },
    { name: 'kubeconfig', mountPath: clientFiles.folder, readOnly: true },
  ],
})

const certificate = `${program}-bootstrap` satisfies SecretConfigName

/** The ManagedResource with the resource manager's rights in the virtual garden. */
const resourceManagerRights = `shoot-core-${program}`

/**
 * The resource manager creates all tokens, including its own, and applies its own rights. While the token or the rights are missing, it uses
 * a client certificate with all rights that lasts a few minutes.
 */
export const bootstrapSecrets = (world: World, now?: Date): readonly SecretConfigName[] =>
  isBootstrapNeeded(world, now) ? ['ca', certificate] : []

/** Without `now`, tokens do not expire. */
const isBootstrapNeeded = (world: World, now?: Date): boolean => {
  const isLost = !hasToken(world, now) || rightsOf(world) === undefined || areRightsLost(world)
  return isLost || (isBootstrapping(world) && appliedCondition(world)?.status !== 'True')
}

/** Like virtualGardenClient, but with the client certificate. `config` must be applied, because the volume mounts it. */
const bootstrapClient = (world: World) => {
  const config = configSecret(`${certificate}-kubeconfig`, { kubeconfig: kubeconfig(world) })
  const items = [{ key: 'kubeconfig', path: 'kubeconfig' }]
  const sources = [{ secret: { name: config.metadata.name, items, optional: false } }]
  return { config, volume: { name: 'kubeconfig', projected: { defaultMode: 0o640, sources } } }
}

/** The resource manager refuses kubeconfigs with paths of files, so this kubeconfig contains the certificate and the key. */
const kubeconfig = (world: World): string => {
  const authority = caBundleNow(world, 'ca')
  const cluster = { 'certificate-authority-data': authority, server: `https://${virtualGarden('kube-apiserver')}` }
  const own = (key: string) => encodedText(secretText(secretNow(world, certificate), key))
  const user = { 'client-certificate-data': own('tls.crt'), 'client-key-data': own('tls.key') }
  return kubeconfigText(namespace, cluster, user)
}

/** Tokens are renewed long before they expire, so a renewal may be some minutes late. */
const graceMilliseconds = 600_000

const hasToken = ({ runtime }: World, now?: Date): boolean => {
  const { apiVersion, kind, metadata } = tokenSecret(program)
  const secret = findObject(runtime, { apiVersion, kind, namespace, name: metadata.name })
  const renewed = Date.parse(secret?.metadata.annotations?.[`${prefixes.serviceAccount}/token-renew-timestamp`] ?? '')
  return now === undefined ? !Number.isNaN(renewed) : now.getTime() < renewed + graceMilliseconds
}

const rightsOf = ({ runtime }: World): KubeObject | undefined =>
  findObject(runtime, { ...managedResourceKind, namespace, name: resourceManagerRights })

const appliedCondition = (world: World): JsonMap | undefined => {
  const rights = rightsOf(world)
  return rights && conditionOf(rights, 'ResourcesApplied')
}

/** Parts of error messages: the user has no rights, or the API server does not know the user. */
const refusals = [`User "system:serviceaccount:kube-system:${program}" cannot`, ': Unauthorized']

const areRightsLost = (world: World): boolean => {
  const { status, message } = appliedCondition(world) ?? {}
  return status === 'False' && refusals.some(refusal => shownText(message).includes(refusal))
}

/** Whether the Deployment mounts the certificate. The certificate stays until the resource manager has used it to apply its rights. */
const isBootstrapping = ({ runtime }: World): boolean => {
  const name = virtualGarden(program)
  const deployment = findObject(runtime, { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name })
  const volumes = mapsIn(valueAt(deployment?.spec, 'template', 'spec', 'volumes'))
  const sources = volumes.flatMap(volume => mapsIn(mapOrEmpty(volume.projected).sources))
  return sources.some(({ secret }) => String(mapOrEmpty(secret).name).startsWith(certificate))
}
