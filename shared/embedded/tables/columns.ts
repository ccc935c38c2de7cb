// The table columns of built-in kinds after the name, in kubectl's order.
import { conditionOf, isTrue } from '../../core/objects/condition.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { kubectlDuration } from '../../core/time/duration.ts'
import { fieldsAt, listAt, mapsAt, textAt } from '../value.ts'

export type Column = {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  cell(object: KubeObject): unknown
}

export const none = '<none>'

export const column = (name: string, type: string, cell: (object: KubeObject) => unknown, priority = 0): Column => ({
  name,
  type,
  priority,
  cell,
})
export const aged = column('Age', 'string', object => age(object.metadata.creationTimestamp))

export const number = (object: unknown, ...path: string[]): number =>
  Number(fieldsAt(object, ...path.slice(0, -1))?.[path.at(-1) ?? ''] ?? 0)
const size = (object: KubeObject, ...fields: string[]): number =>
  fields.reduce((sum, field) => sum + Object.keys(fieldsAt(object, field) ?? {}).length, 0)

const containerTitles = { name: 'Containers', image: 'Images' } as const

/** The images and names of the containers in the Pod template at `template`. */
export const containerColumns = (...template: string[]): Column[] =>
  (['name', 'image'] as const).map(field => {
    const texts = (object: KubeObject) => mapsAt(object, ...template, 'spec', 'containers').map(each => each[field])
    return column(containerTitles[field], 'string', object => texts(object).join(','), 1)
  })
const ownContainers = containerColumns('spec', 'template')

export const selectorText = (object: KubeObject, ...path: string[]): string => {
  const labels = fieldsAt(object, ...path, 'matchLabels') ?? fieldsAt(object, ...path)
  const text = Object.entries(labels ?? {})
    .filter(([, value]) => typeof value === 'string')
    .map(([key, value]) => `${key}=${value}`)
  return text.sort().join(',') || none
}
const selector = column('Selector', 'string', object => selectorText(object, 'spec', 'selector'), 1)

const podStatuses = (pod: KubeObject): Record<string, unknown>[] => mapsAt(pod, 'status', 'containerStatuses')

const podReady = (pod: KubeObject): string =>
  `${podStatuses(pod).filter(each => each.ready === true).length}/${listAt(pod, 'spec', 'containers').length}`

const restarts = (pod: KubeObject): number =>
  podStatuses(pod).reduce((sum, each) => sum + number(each, 'restartCount'), 0)

const podState = (pod: KubeObject): string => {
  if (pod.metadata.deletionTimestamp) return 'Terminating'
  const waiting = podStatuses(pod)
    .map(each => textAt(each, 'state', 'waiting', 'reason') || textAt(each, 'state', 'terminated', 'reason'))
    .find(Boolean)
  return waiting ?? (textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase'))
}

const ports = (service: KubeObject): string =>
  mapsAt(service, 'spec', 'ports')
    .map(port => `${port.port}${port.nodePort ? `:${port.nodePort}` : ''}/${port.protocol}`)
    .join(',') || none

export const balancerAddresses = (object: KubeObject): string =>
  listAt(object, 'status', 'loadBalancer', 'ingress')
    .map(each => textAt(each, 'ip') || textAt(each, 'hostname'))
    .join(',')

const externalIp = (service: KubeObject): string => {
  if (textAt(service, 'spec', 'type') === 'LoadBalancer') return balancerAddresses(service) || '<pending>'
  return textAt(service, 'spec', 'externalName') || listAt(service, 'spec', 'externalIPs').join(',') || none
}

const readyOfAll = column(
  'Ready',
  'string',
  object => `${number(object, 'status', 'readyReplicas')}/${number(object, 'spec', 'replicas')}`,
)

const jobDuration = (job: KubeObject): string => {
  const start = Date.parse(textAt(job, 'status', 'startTime'))
  const end = Date.parse(textAt(job, 'status', 'completionTime'))
  if (Number.isNaN(start)) return ''
  return kubectlDuration(((Number.isNaN(end) ? Date.now() : end) - start) / 1000)
}

const completions = (job: KubeObject): string =>
  `${number(job, 'status', 'succeeded')}/${number(job, 'spec', 'completions')}`

const jobState = (job: KubeObject): string =>
  ['Complete', 'Failed'].find(type => isTrue(conditionOf(job, type))) ?? 'Running'

export const builtinColumns: Readonly<Record<string, readonly Column[]>> = {
  configmaps: [column('Data', 'string', object => size(object, 'data', 'binaryData')), aged],
  secrets: [
    column('Type', 'string', object => object.type),
    column('Data', 'string', object => size(object, 'data')),
    aged,
  ],
  namespaces: [column('Status', 'string', object => textAt(object, 'status', 'phase')), aged],
  serviceaccounts: [aged],
  services: [
    column('Type', 'string', object => textAt(object, 'spec', 'type')),
    column('Cluster-IP', 'string', object => textAt(object, 'spec', 'clusterIP') || none),
    column('External-IP', 'string', externalIp),
    column('Port(s)', 'string', ports),
    aged,
    selector,
  ],
  pods: [
    column('Ready', 'string', podReady),
    column('Status', 'string', podState),
    column('Restarts', 'string', pod => String(restarts(pod))),
    aged,
    column('IP', 'string', pod => textAt(pod, 'status', 'podIP') || none, 1),
    column('Node', 'string', pod => textAt(pod, 'spec', 'nodeName') || none, 1),
    column('Nominated Node', 'string', pod => textAt(pod, 'status', 'nominatedNodeName') || none, 1),
    column('Readiness Gates', 'string', () => none, 1),
  ],
  'apps/deployments': [
    readyOfAll,
    column('Up-to-date', 'string', object => number(object, 'status', 'updatedReplicas')),
    column('Available', 'string', object => number(object, 'status', 'availableReplicas')),
    aged,
    ...ownContainers,
    selector,
  ],
  'apps/replicasets': [
    column('Desired', 'integer', object => number(object, 'spec', 'replicas')),
    column('Current', 'integer', object => number(object, 'status', 'replicas')),
    column('Ready', 'integer', object => number(object, 'status', 'readyReplicas')),
    aged,
    ...ownContainers,
    selector,
  ],
  'apps/statefulsets': [readyOfAll, aged, ...ownContainers],
  'apps/daemonsets': [
    column('Desired', 'integer', object => number(object, 'status', 'desiredNumberScheduled')),
    column('Current', 'integer', object => number(object, 'status', 'currentNumberScheduled')),
    column('Ready', 'integer', object => number(object, 'status', 'numberReady')),
    column('Up-to-date', 'integer', object => number(object, 'status', 'updatedNumberScheduled')),
    column('Available', 'integer', object => number(object, 'status', 'numberAvailable')),
    column('Node Selector', 'string', object => selectorText(object, 'spec', 'template', 'spec', 'nodeSelector')),
    aged,
    ...ownContainers,
    selector,
  ],
  'batch/jobs': [
    column('Status', 'string', jobState),
    column('Completions', 'string', completions),
    column('Duration', 'string', jobDuration),
    aged,
    ...ownContainers,
    selector,
  ],
  'coordination.k8s.io/leases': [column('Holder', 'string', lease => textAt(lease, 'spec', 'holderIdentity')), aged],
}

export const age = (time: unknown): string => {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return Number.isNaN(at) ? '<unknown>' : kubectlDuration((Date.now() - at) / 1000)
}
