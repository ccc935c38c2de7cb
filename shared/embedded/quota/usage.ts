// Computes the usage of objects for ResourceQuotas. Each kind that uses more than an object count has a row.
import type { KubeObject } from '../../core/objects/object.ts'
import { addedQuantities, quantityNano } from '../../core/objects/quantity.ts'
import { fieldsAt, isMap, type JsonMap, listAt, mapsAt, textAt } from '../value.ts'

export type Usage = Readonly<Record<string, string>>

type Row = {
  readonly names: RegExp
  usage(object: KubeObject): Usage
}

const rows: Readonly<Record<string, Row>> = {
  pods: {
    names:
      /^(count\/pods|pods|((requests|limits)\.)?(cpu|memory|ephemeral-storage)|(requests\.)?hugepages-.+|requests\.[^/]+\/.+)$/,
    usage: pod => ({ 'count/pods': '1', ...(isOver(pod) ? {} : podUsage(pod)) }),
  },
  services: {
    names: /^(count\/services|services(\.nodeports|\.loadbalancers)?)$/,
    usage: service => ({ 'count/services': '1', services: '1', ...portUsage(service) }),
  },
  persistentvolumeclaims: {
    names:
      /^(count\/persistentvolumeclaims|([^/]+\.storageclass\.storage\.k8s\.io\/)?(persistentvolumeclaims|requests\.storage))$/,
    usage: claim => claimUsage(claim),
  },
}

/** Kinds that are also counted under their bare names. */
const bare: readonly string[] = ['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']

/** `apps/deployments` becomes `count/deployments.apps`. */
const countName = (collection: string): string => {
  const [first = '', plural] = collection.split('/')
  return plural ? `count/${plural}.${first}` : `count/${first}`
}

export const picked = (usage: Usage, names: readonly string[]): Usage =>
  Object.fromEntries(Object.entries(usage).filter(([name]) => names.includes(name)))

export const usageOf = (collection: string, object: KubeObject): Usage =>
  rows[collection]?.usage(object) ?? {
    [countName(collection)]: '1',
    ...(bare.includes(collection) && { [collection]: '1' }),
  }

export const namesOf = (collection: string, names: readonly string[]): string[] => {
  const row = rows[collection]
  return names.filter(name =>
    row ? row.names.test(name) : name === countName(collection) || (bare.includes(collection) && name === collection),
  )
}

const isOver = ({ status }: KubeObject): boolean => ['Failed', 'Succeeded'].includes(textAt(status, 'phase'))

const portUsage = ({ spec }: KubeObject): Usage => {
  const { type, allocateLoadBalancerNodePorts: allocates } = fieldsAt(spec) ?? {}
  const ports = mapsAt(spec, 'ports')
  const isBalanced = type === 'LoadBalancer'
  const counted = isBalanced && allocates === false ? ports.filter(({ nodePort }) => nodePort) : ports
  return {
    'services.loadbalancers': isBalanced ? '1' : '0',
    'services.nodeports': isBalanced || type === 'NodePort' ? String(counted.length) : '0',
  }
}

const claimUsage = ({ metadata, spec }: KubeObject): Usage => {
  const storage = textAt(spec, 'resources', 'requests', 'storage')
  const own = {
    persistentvolumeclaims: '1',
    ...(storage && { 'requests.storage': storage }),
  }
  const storageClass =
    metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? textAt(spec, 'storageClassName')
  const prefix = `${storageClass}.storageclass.storage.k8s.io/`
  const ofClass = storageClass ? Object.entries(own).map(([name, value]) => [prefix + name, value]) : []
  return { 'count/persistentvolumeclaims': '1', ...own, ...Object.fromEntries(ofClass) }
}

const podUsage = ({ spec }: KubeObject): Usage => ({
  pods: '1',
  ...named(podAmounts(spec, 'requests'), name => requestNames(name)),
  ...named(podAmounts(spec, 'limits'), name => (isPlain(name) ? [`limits.${name}`] : [])),
})

const isPlain = (name: string): boolean => ['cpu', 'memory', 'ephemeral-storage'].includes(name)

const requestNames = (name: string): string[] => {
  if (isPlain(name) || name.startsWith('hugepages-')) return [name, `requests.${name}`]
  return name.includes('/') ? [`requests.${name}`] : []
}

const named = (amounts: Usage, names: (name: string) => string[]): Usage =>
  Object.fromEntries(Object.entries(amounts).flatMap(([name, amount]) => names(name).map(each => [each, amount])))

type Side = 'requests' | 'limits'

const amountsOf = (container: JsonMap, side: Side): Usage => {
  const given = fieldsAt(container, 'resources', side) ?? {}
  return Object.fromEntries(Object.entries(given).map(([name, amount]) => [name, String(amount)]))
}

/** The amounts of a Pod. Init containers run one after another. Sidecars run beside all later containers. */
const podAmounts = (spec: unknown, side: Side): Usage => {
  let [sidecars, most]: [Usage, Usage] = [{}, {}]
  for (const container of mapsAt(spec, 'initContainers')) {
    const own = amountsOf(container, side)
    if (container.restartPolicy === 'Always') sidecars = added(sidecars, own)
    most = larger(most, container.restartPolicy === 'Always' ? sidecars : added(sidecars, own))
  }
  const together = mapsAt(spec, 'containers').map(container => amountsOf(container, side))
  const containers = larger(together.reduce(added, sidecars), most)
  const whole = { ...containers, ...amountsOf(isMap(spec) ? spec : {}, side) }
  const overhead = amountsOf({ resources: { [side]: fieldsAt(spec, 'overhead') } }, side)
  return added(whole, side === 'requests' ? overhead : {})
}

const merged = (left: Usage, right: Usage, join: (left: string, right: string) => string): Usage => {
  const result: Record<string, string> = { ...left }
  for (const [name, amount] of Object.entries(right)) {
    const known = result[name]
    result[name] = known === undefined ? amount : join(known, amount)
  }
  return result
}

export const added = (left: Usage, right: Usage): Usage =>
  merged(left, right, (one, other) => addedQuantities(one, other))

const larger = (left: Usage, right: Usage): Usage =>
  merged(left, right, (one, other) => (isMore(other, one) ? other : one))

export const isMore = (left: string, right: string): boolean => (quantityNano(left) ?? 0n) > (quantityNano(right) ?? 0n)

/** A scope matches only Pods. */
export const isInScopes = (quota: KubeObject, collection: string, object: KubeObject): boolean => {
  const scopes = listAt(quota, 'spec', 'scopes').map((scopeName): JsonMap => ({ scopeName, operator: 'Exists' }))
  const all = [...scopes, ...mapsAt(quota, 'spec', 'scopeSelector', 'matchExpressions')]
  return all.every(scope => collection === 'pods' && isInScope(object, scope))
}

const isInScope = (pod: KubeObject, { scopeName, operator, values }: JsonMap): boolean => {
  const priority = textAt(pod, 'spec', 'priorityClassName')
  const isListed = Array.isArray(values) && values.includes(priority)
  const byOperator: Record<string, boolean> = {
    Exists: priority !== '',
    DoesNotExist: priority === '',
    In: priority !== '' && isListed,
    NotIn: !isListed,
  }
  const scopes: Record<string, boolean> = {
    Terminating: isTerminating(pod),
    NotTerminating: !isTerminating(pod),
    BestEffort: isBestEffort(pod),
    NotBestEffort: !isBestEffort(pod),
    PriorityClass: byOperator[String(operator)] ?? false,
    CrossNamespacePodAffinity: reachesNamespaces(pod),
  }
  return scopes[String(scopeName)] ?? false
}

/** A Pod with a deadline is "terminating" in the sense of quota scopes. */
export const isTerminating = (pod: KubeObject): boolean =>
  Number(fieldsAt(pod, 'spec')?.activeDeadlineSeconds ?? -1) >= 0

const reachesNamespaces = ({ spec }: KubeObject): boolean =>
  ['podAffinity', 'podAntiAffinity'].some(affinity =>
    [
      ...mapsAt(spec, 'affinity', affinity, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...mapsAt(spec, 'affinity', affinity, 'preferredDuringSchedulingIgnoredDuringExecution').map(
        ({ podAffinityTerm }) => podAffinityTerm,
      ),
    ].some(term => listAt(term, 'namespaces').length > 0 || fieldsAt(term, 'namespaceSelector') !== undefined),
  )

const isBestEffort = ({ spec }: KubeObject): boolean =>
  [...mapsAt(spec, 'initContainers'), ...mapsAt(spec, 'containers')].every(container =>
    (['requests', 'limits'] as const).every(side =>
      ['cpu', 'memory'].every(name => !(name in amountsOf(container, side))),
    ),
  )
