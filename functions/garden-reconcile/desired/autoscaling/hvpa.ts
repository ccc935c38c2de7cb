// hvpa-controller, which makes VerticalPodAutoscalers of Hvpas. It runs by a feature gate alone.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { managedResource } from '../parts/config-object.ts'
import { allow, namespaceAccess, programAccount, programClusterAccess } from '../parts/rbac.ts'
import { imageFields, requests, toRuntimeApiserver, workload } from '../parts/workload.ts'
import { autoscaled } from '../runtime/autoscaled.ts'
import { hasGate } from '../runtime/switches.ts'

const name = 'hvpa-controller'
const port = 9569

export const hvpa = (world: World): readonly KubeObject[] => {
  if (!hasGate(world, 'HVPA')) return []
  const access = [...programClusterAccess(name, rules), ...namespaceAccess(name, leases)]
  const objects = [programAccount(name), ...access, ...deployment(world)]
  return managedResource('hvpa', { where: 'runtime', objects: autoscaled(world, objects) })
}

const edit = 'create delete get list patch update watch'

const rules = [
  allow('', 'pods replicationcontrollers', 'get list patch update watch'),
  allow('', 'events', 'create patch'),
  allow('apps', 'deployments statefulsets daemonsets replicasets', 'get list watch patch update'),
  allow('batch', 'jobs', 'get list patch update watch'),
  allow('autoscaling', 'horizontalpodautoscalers', edit),
  allow('autoscaling.k8s.io', 'verticalpodautoscalers hvpas hvpas/status', edit),
  allow('druid.gardener.cloud', 'etcds etcds/scale', 'get list watch patch update'),
]

const leases = [allow('coordination.k8s.io', 'leases', 'create get list watch patch update')]

const deployment = (world: World): KubeObject[] =>
  workload({
    name,
    replicas: 1,
    type: 'controller',
    priority: 200,
    minAllowed: { memory: '128Mi' },
    podLabels: toRuntimeApiserver,
    pod: {
      serviceAccountName: name,
      containers: [
        {
          ...imageFields(world, name),
          command: ['./manager'],
          args: [
            ...['--logtostderr=true', '--leader-elect=true', '--enable-detailed-metrics=true'],
            ...[`--metrics-bind-address=:${port}`, '--v=2'],
          ],
          ports: [{ name: 'metrics', containerPort: port, protocol: 'TCP' }],
          resources: requests('50m', '500Mi'),
          securityContext: { allowPrivilegeEscalation: false },
        },
      ],
    },
  })
