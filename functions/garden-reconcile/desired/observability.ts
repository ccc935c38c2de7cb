// kube-state-metrics, Plutono and gardener-metrics-exporter, which makes metrics of the virtual garden's objects.
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { World } from '../world.ts'
import { programLabels, programService } from './control-plane/control-plane.ts'
import { managedResource } from './parts/config-object.ts'
import { imageFields } from './parts/images.ts'
import { namespace } from './parts/names.ts'
import { allow, gardenClusterRole, gardenClusterRoleBinding, serviceAccountSubject, verbs } from './parts/rbac.ts'
import { clusterIpService, openTo, toRuntimeApiserver, toVirtualGarden } from './parts/services.ts'
import { clientFiles, requests, virtualGardenClient, workload } from './parts/workload.ts'
import { plutono } from './plutono.ts'

export const observability = (world: World): KubeObject[] => [
  ...kubeStateMetrics(world),
  ...plutono(world),
  ...metricsExporter(world),
]

const name = 'kube-state-metrics'
const labels = { component: name, type: 'seed' }
const rights = 'gardener.cloud:monitoring:kube-state-metrics-seed'
const seen = 'list watch'

const rules = [
  allow(
    '',
    'nodes pods services resourcequotas replicationcontrollers limitranges persistentvolumeclaims namespaces',
    seen,
  ),
  allow('apps extensions', 'daemonsets deployments replicasets statefulsets', seen),
  allow('batch', 'cronjobs jobs', seen),
  allow('apiextensions.k8s.io', 'customresourcedefinitions', seen),
  allow('autoscaling.k8s.io', 'verticalpodautoscalers', seen),
  allow('autoscaling', 'horizontalpodautoscalers', seen),
  allow('operator.gardener.cloud', 'gardens', seen),
]

const resources = [
  ...['deployments', 'pods', 'statefulsets', 'nodes', 'horizontalpodautoscalers', 'persistentvolumeclaims'],
  ...['replicasets', 'namespaces'],
]

const probe = { httpGet: { path: '/healthz', port: 8080 }, initialDelaySeconds: 5, timeoutSeconds: 5 }

const kubeStateMetrics = (world: World): KubeObject[] =>
  managedResource(name, {
    where: 'runtime',
    condition: 'ObservabilityComponentsHealthy',
    objects: [
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name, namespace, labels },
        automountServiceAccountToken: false,
      },
      gardenClusterRole(rights, rules),
      gardenClusterRoleBinding(rights, [serviceAccountSubject(name, namespace)]),
      ...workload({
        name,
        labels,
        replicas: 1,
        priority: 100,
        minAllowed: { memory: '32Mi' },
        podLabels: toRuntimeApiserver,
        pod: { serviceAccountName: name, containers: [container(world)] },
      }),
      clusterIpService({
        name,
        labels,
        ports: [{ name: 'metrics', port: 80, targetPort: 8080, protocol: 'TCP' }],
      }),
    ],
  })

const container = (world: World) => ({
  ...imageFields(world, name),
  args: [
    ...['--port=8080', '--telemetry-port=8081', `--resources=${resources.join(',')}`],
    '--metric-labels-allowlist=nodes=[*],pods=[origin]',
  ],
  ports: [{ name: 'metrics', containerPort: 8080, protocol: 'TCP' }],
  resources: requests('10m', '32Mi'),
  livenessProbe: probe,
  readinessProbe: probe,
  securityContext: { allowPrivilegeEscalation: false },
})

const exporter = 'gardener-metrics-exporter'
const exporterRole = 'metrics-exporter'
const exporterRights = 'gardener.cloud:metrics-exporter'
const exporterPort = 2718

const exporterRules = [
  allow('core.gardener.cloud', 'secretbindings seeds shoots projects', verbs.read),
  allow('seedmanagement.gardener.cloud', 'managedseeds', verbs.read),
  allow('security.gardener.cloud', 'credentialsbindings', verbs.read),
]

const metricsExporter = (world: World): KubeObject[] => {
  const access = virtualGardenClient(world, exporter)
  const container = exporterContainer(world, access.mount)
  const pod = { automountServiceAccountToken: false, containers: [container], volumes: [access.volume] }
  const runtime = [
    ...workload({
      name: exporter,
      replicas: 1,
      priority: 100,
      pod,
      labels: programLabels(exporterRole),
      podLabels: toVirtualGarden,
    }),
    programService(
      { name: exporter, role: exporterRole },
      {
        ports: [{ name: 'metrics', port: exporterPort, targetPort: exporterPort }],
        annotations: openTo.scrapers([exporterPort]),
      },
    ),
  ]
  const virtual = [
    gardenClusterRole(exporterRights, exporterRules),
    gardenClusterRoleBinding(exporterRights, [serviceAccountSubject(exporter, 'kube-system')]),
  ]
  const condition = 'ObservabilityComponentsHealthy'
  return [
    access.secret,
    ...managedResource(`${exporter}-runtime`, { where: 'runtime', condition, objects: runtime }),
    ...managedResource(`${exporter}-virtual`, { where: 'virtual', condition, objects: virtual }),
  ]
}

const exporterContainer = (world: World, mount: Record<string, unknown>) => ({
  ...imageFields(world, exporter),
  command: [
    `/${exporter}`,
    `--kubeconfig=${clientFiles.kubeconfig}`,
    '--bind-address=0.0.0.0',
    `--port=${exporterPort}`,
  ],
  ports: [{ name: 'metrics', containerPort: exporterPort, protocol: 'TCP' }],
  resources: requests('100m', '128Mi'),
  livenessProbe: { httpGet: { path: '/', port: exporterPort, scheme: 'HTTP' }, periodSeconds: 5 },
  readinessProbe: {
    httpGet: { path: '/metrics', port: exporterPort, scheme: 'HTTP' },
    periodSeconds: 15,
    timeoutSeconds: 10,
  },
  securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
  volumeMounts: [mount],
})
