// fluent-operator runs fluent-bit on all nodes, with the configuration that objects of its kinds say.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { managedResource } from '../parts/config-object.ts'
import { allow, namespaceAccess, programAccount, programClusterAccess, verbs } from '../parts/rbac.ts'
import { imageFields, requests, toRuntimeApiserver, workload } from '../parts/workload.ts'
import { autoscaled } from '../runtime/autoscaled.ts'
import { loggingLabels } from './logging-names.ts'

const name = 'fluent-operator'
const user = 65_532

export const fluentOperator = (world: World): KubeObject[] => {
  const access = [...programClusterAccess(name, clusterRules), ...namespaceAccess(name, ownRules)]
  const objects = [programAccount(name), ...access, ...deployment(world)]
  return managedResource(name, { where: 'runtime', objects: autoscaled(world, objects) })
}

const edit = 'create delete get list patch update watch'

/** Who gives fluent-bit its right to look at Pods must have it. */
const clusterRules = [
  allow(
    'fluentbit.fluent.io',
    [
      'fluentbits fluentbitconfigs collectors filters outputs parsers multilineparsers clusterfluentbitconfigs',
      'clusterfilters clusterinputs clusteroutputs clusterparsers clustermultilineparsers',
    ].join(' '),
    edit,
  ),
  allow('', 'secrets configmaps serviceaccounts services', verbs.read),
  allow('apps', 'daemonsets statefulsets', verbs.read),
  allow('rbac.authorization.k8s.io', 'clusterroles clusterrolebindings', `${verbs.read} create`),
  allow('', 'pods', 'get'),
]

const ownRules = [
  allow('coordination.k8s.io', 'leases', 'create get watch update'),
  allow('', 'events', 'create get list watch patch'),
  allow('apps', 'daemonsets statefulsets', 'create delete patch update'),
  allow('', 'secrets configmaps serviceaccounts services namespaces', edit),
]

const deployment = (world: World): KubeObject[] =>
  workload({
    name,
    replicas: 1,
    type: 'controller',
    priority: 100,
    minAllowed: { memory: '128Mi' },
    labels: loggingLabels(name),
    podLabels: toRuntimeApiserver,
    pod: {
      serviceAccountName: name,
      securityContext: { runAsNonRoot: true, runAsUser: user, runAsGroup: user, fsGroup: user },
      containers: [
        {
          ...imageFields(world, name),
          args: ['--leader-elect=true', '--disable-component-controllers=fluentd'],
          env: [{ name: 'NAMESPACE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } } }],
          resources: requests('20m', '50Mi'),
          securityContext: { allowPrivilegeEscalation: false },
          volumeMounts: [{ name: 'env', mountPath: '/fluent-operator' }],
        },
      ],
      volumes: [{ name: 'env', emptyDir: {} }],
    },
  })
