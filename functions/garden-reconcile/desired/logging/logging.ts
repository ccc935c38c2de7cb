// The logs of a runtime cluster: vali stores them, fluent-bit sends them from every node, and fluent-operator runs fluent-bit with the
// configuration in objects of its kinds. A component whose log lines have a special format has a row in `programs`.
import { keepsLogs } from '../../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { managedResource } from '../parts/config-object.ts'
import { imageFields } from '../parts/images.ts'
import { allow, namespaceAccess, programAccount, programClusterAccess, verbs } from '../parts/rbac.ts'
import { toRuntimeApiserver } from '../parts/services.ts'
import { requests, workload } from '../parts/workload.ts'
import { fluentBit, fluentPart } from './fluent-bit.ts'
import { loggingLabels, sendsToVali, vali } from './vali.ts'

const name = 'fluent-operator'
const user = 65_532

const fluentOperator = (world: World): KubeObject[] => {
  const access = [...programClusterAccess(name, clusterRules), ...namespaceAccess(name, ownRules)]
  const objects = [programAccount(name), ...access, ...deployment(world)]
  return managedResource(name, { where: 'runtime', objects })
}

const edit = 'create delete get list patch update watch'

/** fluent-operator may give fluent-bit only rights that fluent-operator has itself, such as the right to read Pods. */
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

export const logging = (world: World): readonly KubeObject[] => [
  ...(keepsLogs(world.garden) ? vali(world) : []),
  ...fluentOperator(world),
  ...fluentBit(world),
  ...gardenLogs(),
]

/** How the logs of a Garden's components are parsed and where they are sent. */
const gardenLogs = (): KubeObject[] =>
  managedResource('fluent-operator-custom-resources-garden', {
    where: 'runtime',
    condition: 'ObservabilityComponentsHealthy',
    objects: [...units.flatMap(ofUnit), ...programs.flatMap(ofProgram), toVali],
  })

const toVali = fluentPart('ClusterOutput', 'static-vali', { customPlugin: { config: sendsToVali.ofContainers } })

/** Units of the node whose logs are read from the journal. */
const units = ['kubelet', 'containerd']

const ofUnit = (unit: string): KubeObject[] => {
  const tag = `journald.${unit}`
  const systemd = { tag, readFromTail: 'on', systemdFilter: [`_SYSTEMD_UNIT=${unit}.service`] }
  const recordModifier = { records: [`hostname $\{NODE_NAME}`, `unit ${unit}`] }
  return [
    fluentPart('ClusterInput', `journald-${unit}`, { systemd }),
    fluentPart('ClusterFilter', `journald-${unit}`, { match: tag, filters: [{ recordModifier }] }),
  ]
}

/** Lines of klog: `I0302 10:00:00.000000       1 server.go:12] Starting`. */
const klog = {
  regex: {
    regex: '^(?<severity>\\w)(?<time>\\d{4} [^\\s]*)\\s+(?<pid>\\d+)\\s+(?<source>[^ \\]]+)\\] (?<log>.*)$',
    timeKey: 'time',
    timeFormat: '%m%d %H:%M:%S.%L',
  },
}

const json = { json: { timeKey: 'ts', timeFormat: '%Y-%m-%dT%H:%M:%S.%L' } }

const programs = [
  { name: 'gardener-resource-manager', parser: json },
  { name: 'kube-apiserver', parser: klog },
  { name: 'kube-controller-manager', parser: klog },
  { name: 'vpa-admission-controller', parser: klog },
  { name: 'vpa-recommender', parser: klog },
  { name: 'vpa-updater', parser: klog },
]

const renamed = { modify: { rules: [{ rename: { level: 'severity', msg: 'log', logger: 'source' } }] } }

const ofProgram = ({ name, parser }: (typeof programs)[number]): KubeObject[] => {
  const parsed = { parser: { keyName: 'log', parser: `${name}-parser`, reserveData: true } }
  return [
    fluentPart('ClusterFilter', name, {
      match: `kubernetes.*${name}*`,
      filters: [parsed, ...(parser === json ? [renamed] : [])],
    }),
    fluentPart('ClusterParser', `${name}-parser`, parser),
  ]
}
