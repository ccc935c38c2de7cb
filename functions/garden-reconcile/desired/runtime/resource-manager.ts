// The resource manager of the runtime cluster. It applies ManagedResources and maintains network policies. Its webhooks spread replicas,
// mount tokens and protect kinds.
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'
import { caBundleNow, secretNow } from '../../rules/secrets/existing-secrets.ts'
import type { World } from '../../world.ts'
import { configMap } from '../parts/config-object.ts'
import { imageFields } from '../parts/images.ts'
import { namespace, ownershipLabel, prefixes, protectedLabel } from '../parts/names.ts'
import { everything, programAccount, programClusterAccess } from '../parts/rbac.ts'
import { clusterIpService, openTo, toRuntimeApiserver } from '../parts/services.ts'
import { requests, workload } from '../parts/workload.ts'
import { criticalPriority } from './garden-system.ts'
import { hasGate } from './switches.ts'

const name = 'gardener-resource-manager'
const files = { config: `/etc/${name}-config`, certificate: `/etc/${name}-tls` } as const
const ports = { metrics: 8080, health: 8081, webhooks: 10250 } as const

/** Includes all objects that the resource manager needs to start, because it cannot apply ManagedResources before. */
export const resourceManager = (world: World): readonly KubeObject[] => {
  const config = configMap(name, { 'config.yaml': yamlOf(configuration(world)) })
  return [
    ...[criticalPriority(), programAccount(name)],
    ...programClusterAccess(`${name}-seed`, [everything], { account: name }),
    ...[config, service, ...deployment(world, config), ...resourceManagerWebhooks(world)],
  ]
}

const configuration = (world: World) => ({
  apiVersion: 'resourcemanager.config.gardener.cloud/v1alpha1',
  kind: 'ResourceManagerConfiguration',
  sourceClientConnection: { qps: 100, burst: 130 },
  leaderElection: { leaderElect: true, resourceName: name, resourceNamespace: namespace },
  server: {
    healthProbes: { port: ports.health },
    metrics: { port: ports.metrics },
    webhooks: { port: ports.webhooks, tls: { serverCertDir: files.certificate } },
  },
  logLevel: 'info',
  logFormat: 'json',
  controllers: {
    resourceClass: 'seed',
    garbageCollector: { enabled: true, syncPeriod: '12h' },
    health: { concurrentSyncs: 10, syncPeriod: '1m' },
    managedResource: { concurrentSyncs: 20, syncPeriod: '1h', alwaysUpdate: false },
    networkPolicy: { enabled: true, concurrentSyncs: 20, namespaceSelectors, ingressControllerSelector },
  },
  webhooks: {
    crdDeletionProtection: { enabled: true },
    highAvailabilityConfig: {
      enabled: true,
      defaultNotReadyTolerationSeconds: 60,
      defaultUnreachableTolerationSeconds: 60,
    },
    projectedTokenMount: { enabled: true, expirationSeconds: 43_200 },
    seccompProfile: { enabled: hasGate(world, 'DefaultSeccompProfile') },
  },
})

const namespaceSelectors = [
  ...['shoot', 'extension', 'istio-system', 'istio-ingress'].map(value => ({
    matchLabels: { 'gardener.cloud/role': value },
  })),
  { matchExpressions: [{ key: 'handler.exposureclass.gardener.cloud/name', operator: 'Exists' }] },
  { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
]

const ingressControllerSelector = {
  namespace,
  podSelector: { matchLabels: { app: 'nginx-ingress', component: 'controller' } },
}

const service = clusterIpService({
  name,
  labels: { app: name, ...ownershipLabel },
  selector: { app: name },
  annotations: openTo.world([ports.webhooks]),
  ports: [
    { name: 'metrics', port: ports.metrics, protocol: 'TCP', targetPort: ports.metrics },
    { name: 'health', port: ports.health, protocol: 'TCP', targetPort: ports.health },
    { name: 'server', port: 443, protocol: 'TCP', targetPort: ports.webhooks },
  ],
})

/** Spreads the Pods over nodes, as the resource manager's webhook does for other Pods. */
const spread = [
  {
    topologyKey: 'kubernetes.io/hostname',
    maxSkew: 1,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: { app: name } },
    matchLabelKeys: ['pod-template-hash'],
  },
]

const deployment = (world: World, config: KubeObject): KubeObject[] => {
  const certificate = secretNow(world, 'gardener-resource-manager-server')
  return workload({
    name,
    replicas: 2,
    type: 'server',
    priority: 'critical',
    minAllowed: { memory: '47Mi' },
    mounted: [config, certificate],
    // The webhook of the resource manager cannot answer while no replica runs.
    ownLabels: { [`${prefixes.highAvailability}/skip`]: 'true' },
    podLabels: {
      ...toRuntimeApiserver,
      [`projected-token-mount.${prefixes.resources}/skip`]: 'true',
    },
    pod: {
      serviceAccountName: name,
      topologySpreadConstraints: spread,
      securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          ...imageFields(world, name),
          args: [`--config=${files.config}/config.yaml`],
          ports: [
            { name: 'metrics', containerPort: ports.metrics, protocol: 'TCP' },
            { name: 'health', containerPort: ports.health, protocol: 'TCP' },
          ],
          resources: requests('23m', '47Mi'),
          livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 30, failureThreshold: 5, timeoutSeconds: 5 },
          readinessProbe: { ...probe('/readyz'), initialDelaySeconds: 10 },
          securityContext: { allowPrivilegeEscalation: false },
          volumeMounts: [
            { name: 'api-server-access', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
            { name: 'config', mountPath: files.config, readOnly: true },
            { name: 'tls', mountPath: files.certificate, readOnly: true },
          ],
        },
      ],
      volumes: [
        { name: 'api-server-access', projected: { defaultMode: 0o644, sources: ownAccess } },
        { name: 'config', configMap: { name: config.metadata.name } },
        { name: 'tls', secret: { secretName: certificate.metadata.name } },
      ],
    },
  })
}

const probe = (path: string) => ({ httpGet: { path, port: ports.health, scheme: 'HTTP' }, periodSeconds: 10 })

/** The webhook of the resource manager mounts tokens into other Pods, but not into the Pod of the resource manager itself. */
const ownAccess = [
  { serviceAccountToken: { path: 'token', expirationSeconds: 43_200 } },
  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
  {
    downwardAPI: {
      items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
    },
  },
]

/** The webhooks of the resource manager. The CA of the runtime cluster signs their server certificate. */
const resourceManagerWebhooks = (world: World): KubeObject[] => {
  const caBundle = caBundleNow(world, 'ca-garden-runtime')
  const mutating = [highAvailability, projectedToken, ...(hasGate(world, 'DefaultSeccompProfile') ? [seccomp] : [])]
  const configuration = (kind: string, rows: readonly Row[]): KubeObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: `${name}-seed`, labels: { app: name, ...ownershipLabel } },
    webhooks: rows.map(row => webhook(row, caBundle)),
  })
  return [
    configuration('MutatingWebhookConfiguration', mutating),
    configuration('ValidatingWebhookConfiguration', [crdDeletion, resourceDeletion]),
  ]
}

type Row = {
  readonly name: string
  readonly path: string
  readonly rules: readonly JsonMap[]
  readonly matchPolicy: 'Exact' | 'Equivalent'
  readonly namespaceSelector?: JsonMap
  readonly objectSelector?: JsonMap
}

/**
 * `scope` has its default value. Lists of rules are compared as a whole, so a rule without `scope` would be applied again in every call.
 */
const on = (group: string, versions: string, resources: string, operations: string): JsonMap => ({
  apiGroups: [group],
  apiVersions: versions.split(' '),
  resources: resources.split(' '),
  operations: operations.split(' '),
  scope: '*',
})

const without = (key: string) => ({ key, operator: 'DoesNotExist' })
const notTheResourceManager = { key: 'app', operator: 'NotIn', values: [name] }
const ofGarden = { matchLabels: { 'gardener.cloud/role': 'garden' } }

const highAvailability: Row = {
  name: `high-availability-config.${prefixes.resources}`,
  path: '/webhooks/high-availability-config',
  rules: [
    on('apps', 'v1', 'deployments statefulsets', 'CREATE UPDATE'),
    on('autoscaling', 'v2', 'horizontalpodautoscalers', 'CREATE UPDATE'),
  ],
  matchPolicy: 'Equivalent',
  namespaceSelector: { matchLabels: { [`${prefixes.highAvailability}/consider`]: 'true' } },
  objectSelector: { matchExpressions: [without(`${prefixes.highAvailability}/skip`)] },
}

const projectedToken: Row = {
  name: `projected-token-mount.${prefixes.resources}`,
  path: '/webhooks/mount-projected-service-account-token',
  rules: [on('', 'v1', 'pods', 'CREATE')],
  matchPolicy: 'Exact',
  namespaceSelector: ofGarden,
  objectSelector: {
    matchExpressions: [without(`projected-token-mount.${prefixes.resources}/skip`), notTheResourceManager],
  },
}

const seccomp: Row = {
  name: `seccomp-profile.${prefixes.resources}`,
  path: '/webhooks/seccomp-profile',
  rules: [on('', 'v1', 'pods', 'CREATE')],
  matchPolicy: 'Exact',
  namespaceSelector: ofGarden,
  objectSelector: {
    matchExpressions: [without(`seccompprofile.${prefixes.resources}/skip`), notTheResourceManager],
  },
}

const crdDeletion: Row = {
  name: `crd-deletion-protection.${prefixes.resources}`,
  path: '/webhooks/validate-crd-deletion',
  rules: [on('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'DELETE')],
  matchPolicy: 'Exact',
  objectSelector: { matchLabels: { [protectedLabel]: 'true' } },
}

const resourceDeletion: Row = {
  name: `cr-deletion-protection.${prefixes.resources}`,
  path: '/webhooks/validate-crd-deletion',
  rules: [on('druid.gardener.cloud', 'v1alpha1', 'etcds', 'DELETE')],
  matchPolicy: 'Exact',
}

const webhook = ({ path, ...row }: Row, caBundle: string): JsonMap => ({
  ...row,
  admissionReviewVersions: ['v1', 'v1beta1'],
  failurePolicy: 'Fail',
  sideEffects: 'None',
  timeoutSeconds: 10,
  clientConfig: { caBundle, service: { namespace, name, path, port: 443 } },
})
