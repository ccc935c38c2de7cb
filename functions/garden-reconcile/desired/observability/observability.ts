// kube-state-metrics, Plutono and gardener-metrics-exporter, which makes metrics of the virtual garden's objects.

import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { programLabels, programService } from '../control-plane/program.ts'
import { managedResource } from '../parts/config-object.ts'
import { openTo, toVirtualGarden } from '../parts/network-access.ts'
import { allow, gardenClusterRole, gardenClusterRoleBinding, serviceAccountSubject, verbs } from '../parts/rbac.ts'
import { clientFiles, virtualGardenClient } from '../parts/virtual-garden-client.ts'
import { imageFields, requests, workload } from '../parts/workload.ts'
import { kubeStateMetrics } from './kube-state-metrics.ts'
import { plutono } from './plutono.ts'

const name = 'gardener-metrics-exporter'
const role = 'metrics-exporter'
const rights = 'gardener.cloud:metrics-exporter'
const port = 2718

const rules = [
  allow('core.gardener.cloud', 'secretbindings seeds shoots projects', verbs.read),
  allow('seedmanagement.gardener.cloud', 'managedseeds', verbs.read),
  allow('security.gardener.cloud', 'credentialsbindings', verbs.read),
]

const metricsExporter = (world: World): KubeObject[] => {
  const access = virtualGardenClient(world, name)
  const container = exporterContainer(world, access.mount)
  const pod = { automountServiceAccountToken: false, containers: [container], volumes: [access.volume] }
  const runtime = [
    ...workload({
      name,
      replicas: 1,
      priority: 100,
      pod,
      labels: programLabels(role),
      podLabels: toVirtualGarden,
    }),
    programService(
      { name, role },
      { ports: [{ name: 'metrics', port, targetPort: port }], annotations: openTo.scrapers([port]) },
    ),
  ]
  const virtual = [
    gardenClusterRole(rights, rules),
    gardenClusterRoleBinding(rights, [serviceAccountSubject(name, 'kube-system')]),
  ]
  const condition = 'ObservabilityComponentsHealthy'
  return [
    access.secret,
    ...managedResource(`${name}-runtime`, { where: 'runtime', condition, objects: runtime }),
    ...managedResource(`${name}-virtual`, { where: 'virtual', condition, objects: virtual }),
  ]
}

const exporterContainer = (world: World, mount: Record<string, unknown>) => ({
  ...imageFields(world, name),
  command: [`/${name}`, `--kubeconfig=${clientFiles.kubeconfig}`, '--bind-address=0.0.0.0', `--port=${port}`],
  ports: [{ name: 'metrics', containerPort: port, protocol: 'TCP' }],
  resources: requests('100m', '128Mi'),
  livenessProbe: { httpGet: { path: '/', port, scheme: 'HTTP' }, periodSeconds: 5 },
  readinessProbe: { httpGet: { path: '/metrics', port, scheme: 'HTTP' }, periodSeconds: 15, timeoutSeconds: 10 },
  securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
  volumeMounts: [mount],
})

export const observability = (world: World): KubeObject[] => [
  ...kubeStateMetrics(world),
  ...plutono(world),
  ...metricsExporter(world),
]
