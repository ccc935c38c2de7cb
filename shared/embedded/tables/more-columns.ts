// More table columns of built-in kinds: for access, policies, networks, storage and autoscaling.
import type { KubeObject } from '../../core/objects/object.ts'
import { at, fieldsAt, type JsonMap, listAt, mapsAt, textAt } from '../value.ts'
import {
  age,
  aged,
  balancerAddresses,
  type Column,
  column,
  containerColumns,
  none,
  number,
  selectorText,
} from './columns.ts'

const text = (name: string, ...path: string[]): Column => column(name, 'string', object => textAt(object, ...path))
const orNone = (name: string, ...path: string[]): Column =>
  column(name, 'string', object => textAt(object, ...path) || none)
const flag = (name: string, ...path: string[]): Column =>
  column(name, 'boolean', object => at(object, ...path) === true)

/** A column with a number or a percentage, or else with `fallback`. */
const amount = (name: string, fallback: string, ...path: string[]): Column =>
  column(name, 'string', object => String(at(object, ...path) ?? fallback))

const subjects = (name: string, kind: string): Column => {
  const nameOf = (subject: JsonMap) =>
    kind === 'ServiceAccount' ? `${textAt(subject, 'namespace')}/${textAt(subject, 'name')}` : textAt(subject, 'name')
  const named = (binding: KubeObject) =>
    mapsAt(binding, 'subjects')
      .filter(subject => subject.kind === kind)
      .map(nameOf)
  return column(name, 'string', binding => named(binding).join(', '), 1)
}

const bindingColumns: Column[] = [
  column('Role', 'string', ({ roleRef }) => `${textAt(roleRef, 'kind')}/${textAt(roleRef, 'name')}`),
  aged,
  subjects('Users', 'User'),
  subjects('Groups', 'Group'),
  subjects('ServiceAccounts', 'ServiceAccount'),
]

const mostHosts = 3

const shortened = (all: readonly string[]): string => {
  const shown = all.slice(0, mostHosts).join(',')
  return all.length > mostHosts ? `${shown} + ${all.length - mostHosts} more...` : shown
}

const hosts = (ingress: KubeObject): string => {
  const all = listAt(ingress, 'spec', 'rules').map(rule => textAt(rule, 'host'))
  return shortened(all.filter(Boolean)) || '*'
}

const target = (autoscaler: KubeObject): string =>
  `${textAt(autoscaler, 'spec', 'scaleTargetRef', 'kind')}/${textAt(autoscaler, 'spec', 'scaleTargetRef', 'name')}`

const unknown = '<unknown>'

/** `current/wanted` of a metric, written as in autoscaling/v1 or v2. */
const metricText = (metric: unknown, current: unknown): string => {
  const name = textAt(metric, 'resource', 'name')
  const wanted = fieldsAt(metric, 'resource', 'target')
  if (!name || !wanted) return unknown
  const now = fieldsAt(current, 'resource', 'current')
  if (textAt(wanted, 'type') === 'Utilization')
    return `${name}: ${now?.averageUtilization === undefined ? unknown : `${now.averageUtilization}%`}/${wanted.averageUtilization}%`
  return `${name}: ${now?.averageValue ?? unknown}/${wanted.averageValue}`
}

const metrics = (autoscaler: KubeObject): string => {
  const current = listAt(autoscaler, 'status', 'currentMetrics')
  const texts = listAt(autoscaler, 'spec', 'metrics').map((metric, index) => metricText(metric, current[index]))
  const percent = at(autoscaler, 'spec', 'targetCPUUtilizationPercentage')
  if (percent !== undefined) texts.push(`cpu: ${unknown}/${percent}%`)
  return texts.join(', ') || none
}

const budget = (quota: KubeObject, prefixed: boolean): string => {
  const hard = fieldsAt(quota, 'status', 'hard') ?? {}
  const used = fieldsAt(quota, 'status', 'used') ?? {}
  return Object.keys(hard)
    .sort()
    .filter(name => name.startsWith('limits') === prefixed)
    .map(name => `${name}: ${used[name] ?? 0}/${hard[name]}`)
    .join(', ')
}

const endpointsText = (slice: KubeObject): string =>
  shortened(listAt(slice, 'endpoints').flatMap(endpoint => listAt(endpoint, 'addresses').map(String))) || '<unset>'

const portsText = (slice: KubeObject): string =>
  mapsAt(slice, 'ports')
    .map(port => String(port.port))
    .join(',') || '<unset>'

const subsetText = (endpoints: KubeObject): string =>
  listAt(endpoints, 'subsets')
    .flatMap(subset =>
      listAt(subset, 'addresses').flatMap(each =>
        listAt(subset, 'ports').map(port => `${textAt(each, 'ip')}:${number(port, 'port')}`),
      ),
    )
    .join(',') || none

const modes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}

const modesText = (object: KubeObject, ...path: string[]): string =>
  listAt(object, ...path)
    .map(mode => modes[String(mode)] ?? '')
    .join(',')

export const moreColumns: Readonly<Record<string, readonly Column[]>> = {
  'rbac.authorization.k8s.io/rolebindings': bindingColumns,
  'rbac.authorization.k8s.io/clusterrolebindings': bindingColumns,
  'networking.k8s.io/ingresses': [
    orNone('Class', 'spec', 'ingressClassName'),
    column('Hosts', 'string', hosts),
    column('Address', 'string', balancerAddresses),
    column('Ports', 'string', ingress => (listAt(ingress, 'spec', 'tls').length ? '80, 443' : '80')),
    aged,
  ],
  'networking.k8s.io/ingressclasses': [
    text('Controller', 'spec', 'controller'),
    column('Parameters', 'string', ({ spec }) => {
      const given = fieldsAt(spec, 'parameters')
      return given ? `${given.kind}${given.apiGroup ? `.${given.apiGroup}` : ''}/${given.name}` : none
    }),
    aged,
  ],
  'networking.k8s.io/networkpolicies': [
    column('Pod-Selector', 'string', policy => selectorText(policy, 'spec', 'podSelector')),
    aged,
  ],
  'policy/poddisruptionbudgets': [
    amount('Min Available', 'N/A', 'spec', 'minAvailable'),
    amount('Max Unavailable', 'N/A', 'spec', 'maxUnavailable'),
    column('Allowed Disruptions', 'integer', object => number(object, 'status', 'disruptionsAllowed')),
    aged,
  ],
  'autoscaling/horizontalpodautoscalers': [
    column('Reference', 'string', target),
    column('Targets', 'string', metrics),
    amount('MinPods', '<unset>', 'spec', 'minReplicas'),
    column('MaxPods', 'string', object => number(object, 'spec', 'maxReplicas')),
    column('Replicas', 'string', object => number(object, 'status', 'currentReplicas')),
    aged,
  ],
  'batch/cronjobs': [
    text('Schedule', 'spec', 'schedule'),
    orNone('Timezone', 'spec', 'timeZone'),
    column('Suspend', 'boolean', job => (at(job, 'spec', 'suspend') === true ? 'True' : 'False')),
    column('Active', 'integer', job => listAt(job, 'status', 'active').length),
    column('Last Schedule', 'string', job => {
      const last = at(job, 'status', 'lastScheduleTime')
      return last === undefined || last === null ? none : age(last)
    }),
    aged,
    ...containerColumns('spec', 'jobTemplate', 'spec', 'template'),
    column('Selector', 'string', job => selectorText(job, 'spec', 'jobTemplate', 'spec', 'selector'), 1),
  ],
  resourcequotas: [
    column('Request', 'string', quota => budget(quota, false)),
    column('Limit', 'string', quota => budget(quota, true)),
    aged,
  ],
  'scheduling.k8s.io/priorityclasses': [
    column('Value', 'integer', ({ value }) => value ?? 0),
    flag('Global-Default', 'globalDefault'),
    aged,
    orNone('PreemptionPolicy', 'preemptionPolicy'),
  ],
  endpoints: [column('Endpoints', 'string', subsetText), aged],
  'discovery.k8s.io/endpointslices': [
    text('AddressType', 'addressType'),
    column('Ports', 'string', portsText),
    column('Endpoints', 'string', endpointsText),
    aged,
  ],
  persistentvolumeclaims: [
    text('Status', 'status', 'phase'),
    text('Volume', 'spec', 'volumeName'),
    text('Capacity', 'status', 'capacity', 'storage'),
    column('Access Modes', 'string', claim => modesText(claim, 'status', 'accessModes')),
    text('StorageClass', 'spec', 'storageClassName'),
    column('VolumeAttributesClass', 'string', claim => textAt(claim, 'spec', 'volumeAttributesClassName') || '<unset>'),
    aged,
    column('VolumeMode', 'string', claim => textAt(claim, 'spec', 'volumeMode') || '<unset>', 1),
  ],
}
