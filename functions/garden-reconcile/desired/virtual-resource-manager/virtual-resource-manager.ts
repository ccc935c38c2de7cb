// The resource manager of the virtual garden. It runs in the runtime cluster, applies ManagedResources without a class, and writes tokens
// into Secrets that request a token.

import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'
import { secretNow } from '../../rules/secrets/secrets-now.ts'
import type { World } from '../../world.ts'
import { configMap, managedResource } from '../parts/config-object.ts'
import { issuerNamespace, namespace, publicNamespace, virtualGarden, withOwnership } from '../parts/names.ts'
import { toRuntimeApiserver, toVirtualGarden } from '../parts/network-access.ts'
import {
  allow,
  gardenClusterRoleBinding,
  leadership,
  namespacedRole,
  type RoleRule,
  roleBinding,
  serviceAccountSubject,
  verbs,
} from '../parts/rbac.ts'
import { clientFiles, tokenSecret, virtualGardenClient } from '../parts/virtual-garden-client.ts'
import { clusterIpService, imageFields, requests, workload } from '../parts/workload.ts'
import { bootstrapClient, isBootstrapNeeded, resourceManagerRights } from './bootstrap.ts'

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
