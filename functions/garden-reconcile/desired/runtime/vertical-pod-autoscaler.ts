// The VerticalPodAutoscaler of a runtime cluster that has none. The recommender computes requests. The updater evicts Pods whose requests
// are too high or too low. A webhook sets the recommended requests in new Pods.
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { bundleNow, caBundleNow, secretNow } from '../../rules/secrets/existing-secrets.ts'
import type { World } from '../../world.ts'
import { managedResource } from '../parts/config-object.ts'
import { imageFields } from '../parts/images.ts'
import { namespace } from '../parts/names.ts'
import { allow, leadership, namespaceAccess, programAccount, programClusterAccess, verbs } from '../parts/rbac.ts'
import { clusterIpService, openTo, toRuntimeApiserver } from '../parts/services.ts'
import { requests, type Workload, workload } from '../parts/workload.ts'
import { needsVpa } from './switches.ts'

export const verticalPodAutoscaler = (world: World): readonly KubeObject[] => {
  if (!needsVpa(world)) return []
  const programs = [recommender(world), updater(world), ...admission(world)]
  const objects = [...vpaAccess, webhook(world), ...programs.flat()]
  return managedResource('vpa', { where: 'runtime', objects })
}

const metrics = (port: number) => ({ name: 'metrics', port, protocol: 'TCP', targetPort: port })

const metricsService = (name: string, port: number): KubeObject =>
  clusterIpService({ name, labels: { app: name }, ports: [metrics(port)] })

const probe = { httpGet: { path: '/health-check', port: 'metrics', scheme: 'HTTP' } }
const liveness = { ...probe, initialDelaySeconds: 120, periodSeconds: 60, timeoutSeconds: 30 }

type Program = Pick<Workload, 'name' | 'type' | 'priority' | 'autoscaling' | 'mounted'> & {
  readonly container: JsonMap
  readonly metricsPort: number
  readonly volumes?: readonly JsonMap[]
}

const program = (world: World, { container, metricsPort, volumes, ...work }: Program): KubeObject[] =>
  workload({
    ...work,
    replicas: 1,
    minAllowed: { memory: '15Mi' },
    podLabels: toRuntimeApiserver,
    pod: {
      serviceAccountName: work.name,
      containers: [
        {
          ...imageFields(world, work.name),
          ports: [{ name: 'metrics', containerPort: metricsPort, protocol: 'TCP' }],
          livenessProbe: liveness,
          securityContext: { allowPrivilegeEscalation: false },
          ...container,
        },
      ],
      ...(volumes && { volumes }),
    },
  })

/** The recommender does not scale itself. */
const recommender = (world: World): KubeObject[] => [
  metricsService('vpa-recommender', vpaPorts.recommender),
  ...program(world, {
    name: 'vpa-recommender',
    type: 'controller',
    priority: 200,
    autoscaling: 'Off',
    metricsPort: vpaPorts.recommender,
    container: { args: recommenderArgs(world), resources: requests('200m', '800M') },
  }),
]

const updater = (world: World): KubeObject[] => [
  metricsService('vpa-updater', vpaPorts.updater),
  ...program(world, {
    name: 'vpa-updater',
    type: 'controller',
    priority: 200,
    metricsPort: vpaPorts.updater,
    container: { args: updaterArgs(world), resources: requests('10m', '15Mi') },
  }),
]

const name = 'vpa-admission-controller'

const admission = (world: World): KubeObject[][] => {
  const certificate = secretNow(world, 'vpa-admission-controller-server')
  const authority = bundleNow(world, 'ca-garden-runtime')
  const server = { name: 'server', port: 443, protocol: 'TCP', targetPort: vpaPorts.webhook }
  const sources = [
    { secret: { name: authority.metadata.name, items: [{ key: 'bundle.crt', path: 'bundle.crt' }] } },
    { secret: { name: certificate.metadata.name, items: ['tls.crt', 'tls.key'].map(key => ({ key, path: key })) } },
  ]
  return [
    [
      clusterIpService({
        name: 'vpa-webhook',
        labels: { app: name },
        annotations: openTo.world([vpaPorts.webhook]),
        ports: [metrics(vpaPorts.admission), server],
      }),
    ],
    program(world, {
      name,
      type: 'server',
      priority: 300,
      metricsPort: vpaPorts.admission,
      mounted: [certificate, authority],
      container: {
        args: admissionArgs(world),
        ports: [
          { name: 'metrics', containerPort: vpaPorts.admission, protocol: 'TCP' },
          { name: 'server', containerPort: vpaPorts.webhook, protocol: 'TCP' },
        ],
        readinessProbe: { ...probe, periodSeconds: 10 },
        resources: requests('10m', '30Mi'),
        volumeMounts: [{ name: 'certificates', mountPath: certificateFolder, readOnly: true }],
      },
      volumes: [{ name: 'certificates', projected: { defaultMode: 0o644, sources } }],
    }),
  ]
}

const on = (group: string, version: string, resource: string, ...operations: readonly string[]) => ({
  apiGroups: [group],
  apiVersions: [version],
  resources: [resource],
  operations,
  scope: '*',
})

/** If the webhook does not answer, Pods start unchanged. The API server calls the webhook again after another webhook added containers. */
const webhook = (world: World): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: {
    name: 'vpa-webhook-config-source',
    labels: { 'remediation.webhook.shoot.gardener.cloud/exclude': 'true' },
  },
  webhooks: [
    {
      name: 'vpa.k8s.io',
      admissionReviewVersions: ['v1'],
      failurePolicy: 'Ignore',
      matchPolicy: 'Exact',
      reinvocationPolicy: 'IfNeeded',
      sideEffects: 'None',
      timeoutSeconds: 10,
      clientConfig: {
        caBundle: caBundleNow(world, 'ca-garden-runtime'),
        service: { namespace, name: 'vpa-webhook', port: 443 },
      },
      rules: [
        on('', 'v1', 'pods', 'CREATE'),
        on('autoscaling.k8s.io', '*', 'verticalpodautoscalers', 'CREATE', 'UPDATE'),
      ],
    },
  ],
})

const common = ['--stderrthreshold=info', '--kube-api-qps=200', '--kube-api-burst=250']

const leading = (name: string) => [
  ...['--leader-elect=true', `--leader-elect-resource-name=${name}`],
  `--leader-elect-resource-namespace=${namespace}`,
]

const settingsOf = ({ garden }: World) => garden.spec.runtimeCluster.settings?.verticalPodAutoscaler ?? {}

/** `--feature-gates=A=true,B=false` */
const gates = (world: World): string[] => {
  const pairs = Object.entries(settingsOf(world).featureGates ?? {}).map(([name, value]) => `${name}=${value}`)
  return pairs.length > 0 ? [`--feature-gates=${pairs.toSorted().join()}`] : []
}

const admissionArgs = (world: World): string[] => [
  ...['--v=2', ...common, `--address=:${vpaPorts.admission}`, `--port=${vpaPorts.webhook}`],
  `--client-ca-file=${certificateFolder}/bundle.crt`,
  `--tls-cert-file=${certificateFolder}/tls.crt`,
  `--tls-private-key=${certificateFolder}/tls.key`,
  ...['--register-webhook=false', ...gates(world)],
]

const updaterArgs = (world: World): string[] => [
  ...['--v=2', ...common, '--min-replicas=1', '--eviction-tolerance=1.0', '--eviction-rate-burst=1'],
  ...['--eviction-rate-limit=-1', '--evict-after-oom-threshold=48h', '--updater-interval=1m'],
  ...[...leading('vpa-updater'), ...gates(world)],
]

const recommenderArgs = (world: World): string[] => [
  ...['--v=3', ...common, '--recommender-interval=1m', '--memory-saver=true'],
  ...['--recommendation-margin-fraction=0.05', '--pod-recommendation-min-cpu-millicores=10'],
  ...['--pod-recommendation-min-memory-mb=10', ...leading('vpa-recommender'), ...gates(world)],
  ...['cpu', 'memory'].flatMap(resource => {
    const most = settingsOf(world).maxAllowed?.[resource]
    return most === undefined ? [] : [`--container-recommendation-max-allowed-${resource}=${most}`]
  }),
]

const targets = [
  allow('*', '*/scale', 'get watch'),
  allow('', 'replicationcontrollers', verbs.read),
  allow('apps', 'daemonsets deployments replicasets statefulsets', verbs.read),
  allow('batch', 'jobs cronjobs', verbs.read),
  allow('druid.gardener.cloud', 'etcds etcds/scale', verbs.read),
]

const watching = [
  allow('', 'pods nodes limitranges configmaps', verbs.read),
  allow('autoscaling.k8s.io', 'verticalpodautoscalers', verbs.read),
]

const acting = [
  ...watching,
  allow(' events.k8s.io', 'events', 'create get list watch patch update'),
  allow('coordination.k8s.io', 'leases', verbs.read),
]

/** `InPlaceOrRecreate` changes running Pods. */
const updating = [
  allow('apps extensions', 'replicasets', 'get'),
  allow('', 'pods/eviction', 'create'),
  allow('', 'pods pods/resize', 'patch'),
]

const recommending = [
  allow('metrics.k8s.io', 'pods', 'get list'),
  allow('autoscaling.k8s.io', 'verticalpodautoscalercheckpoints', `${verbs.read} create patch delete`),
  allow('', 'namespaces', 'get list'),
  allow('autoscaling.k8s.io', 'verticalpodautoscalers/status', 'get patch'),
]

const admitting = [
  ...watching,
  allow('admissionregistration.k8s.io', 'mutatingwebhookconfigurations', 'create delete get list'),
  allow('coordination.k8s.io', 'leases', 'create update get list watch'),
]

const vpaAccess: readonly KubeObject[] = [
  ...['vpa-recommender', 'vpa-updater', 'vpa-admission-controller'].map(name => programAccount(name)),
  ...programClusterAccess('vpa-recommender', [...targets, ...acting, ...recommending]),
  ...programClusterAccess('vpa-updater', [...targets, ...acting, ...updating]),
  ...programClusterAccess('vpa-admission-controller', [...targets, ...admitting]),
  ...namespaceAccess('vpa-recommender', leadership('vpa-recommender')),
  ...namespaceAccess('vpa-updater', leadership('vpa-updater')),
]

/** The ports of recommender, updater and admission serve metrics. */
const vpaPorts = { recommender: 8942, updater: 8943, admission: 8944, webhook: 10_250 } as const

const certificateFolder = '/etc/tls-certs'
