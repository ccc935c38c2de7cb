// kube-state-metrics of the runtime cluster: metrics about its objects.

import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { managedResource } from '../parts/config-object.ts'
import { namespace } from '../parts/names.ts'
import { toRuntimeApiserver } from '../parts/network-access.ts'
import { allow, gardenClusterRole, gardenClusterRoleBinding, serviceAccountSubject } from '../parts/rbac.ts'
import { clusterIpService, imageFields, requests, workload } from '../parts/workload.ts'

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

export const kubeStateMetrics = (world: World): KubeObject[] =>
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
