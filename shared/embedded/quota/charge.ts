// ResourceQuotas: refuses a write that exceeds a quota, and counts every other write at once, so that parallel writes cannot exceed it.
import type { KubeObject } from '../../core/objects/object.ts'
import { addedQuantities } from '../../core/objects/quantity.ts'
import { type AdmissionParts, type Attributes, refusedName } from '../admission/attributes.ts'
import { forbidden } from '../status.ts'
import { fieldsAt, mapsAt } from '../value.ts'
import { added, isInScopes, isMore, isTerminating, namesOf, picked, type Usage, usageOf } from './usage.ts'

const quotas = 'resourcequotas'

export const chargeQuotas = (attributes: Attributes, { store }: Pick<AdmissionParts, 'store'>): void => {
  if (store.collection(quotas).size === 0 || !isCharged(attributes)) return
  const charged = store
    .objects(quotas, `${attributes.namespace}/`)
    .flatMap(quota => chargedQuota(attributes, quota) ?? [])
  if (attributes.isDryRun) return
  for (const quota of charged) store.write(quotas, `${attributes.namespace}/${quota.metadata.name}`, quota)
}

const changing: readonly string[] = ['services', 'persistentvolumeclaims']

const isCharged = ({ operation, kind, subresource, namespace, object, before }: Attributes): boolean => {
  if (!namespace || subresource || !object) return false
  if (operation === 'CREATE' || !before) return true
  if (kind.collection === 'pods') return isTerminating(object) !== isTerminating(before)
  return changing.includes(kind.collection)
}

/** The quota after the write; undefined if the write does not count. Throws a 403 if the write exceeds the quota. */
const chargedQuota = (attributes: Attributes, quota: KubeObject): KubeObject | undefined => {
  const { kind, object, before } = attributes
  const { collection } = kind
  if (!object) return undefined
  const hard = usageAt(quota, 'hard')
  const used = usageAt(quota, 'used')
  const names = namesOf(collection, Object.keys(hard))
  if (names.length === 0 || !isInScopes(quota, collection, object)) return undefined
  const refuse = (why: string) => forbidden(kind, refusedName(attributes), why)
  const { name } = quota.metadata
  const missing = collection === 'pods' ? unspecified(object, names) : ''
  if (missing) throw refuse(`failed quota: ${name}: must specify ${missing}`)
  if (names.some(each => used[each] === undefined))
    throw refuse(`status unknown for quota: ${name}, resources: ${names.toSorted().join(',')}`)
  const counted = before && isInScopes(quota, collection, before) ? usageOf(collection, before) : {}
  const asked = picked(more(usageOf(collection, object), counted), names)
  if (Object.keys(asked).length === 0) return undefined
  const next = added(used, asked)
  const exceeded = Object.keys(asked).filter(each => isMore(next[each] ?? '0', hard[each] ?? '0'))
  if (exceeded.length > 0) {
    const shown = (usage: Usage) => exceeded.toSorted().map(each => `${each}=${usage[each]}`)
    throw refuse(`exceeded quota: ${name}, requested: ${shown(asked)}, used: ${shown(used)}, limited: ${shown(hard)}`)
  }
  return { ...quota, status: { ...fieldsAt(quota, 'status'), used: next } }
}

const usageAt = (quota: KubeObject, side: 'hard' | 'used'): Usage => (fieldsAt(quota, 'status', side) ?? {}) as Usage

const more = (usage: Usage, before: Usage): Usage =>
  Object.fromEntries(
    Object.entries(usage)
      .map(([name, amount]) => [name, addedQuantities(amount, before[name] ?? '0', -1n)] as const)
      .filter(([, amount]) => isMore(amount, '0')),
  )

const required = ['cpu', 'memory'].flatMap(name => [name, `requests.${name}`, `limits.${name}`])

/** The containers without an amount that the quota counts: `limits.cpu for: a,b`. */
const unspecified = ({ spec }: KubeObject, names: readonly string[]): string => {
  if (Object.keys(fieldsAt(spec, 'resources') ?? {}).length > 0) return ''
  const containers = [...mapsAt(spec, 'containers'), ...mapsAt(spec, 'initContainers')]
  return names
    .filter(name => required.includes(name))
    .toSorted()
    .flatMap(name => {
      const [side, resource] = name.startsWith('limits.')
        ? ['limits', name.slice(7)]
        : ['requests', name.replace('requests.', '')]
      const silent = containers.filter(
        container => fieldsAt(container, 'resources', side as string)?.[resource as string] === undefined,
      )
      const list = [...new Set(silent.map(each => String(each.name)))].sort()
      return list.length > 0 ? [`${name} for: ${list.join(',')}`] : []
    })
    .join('; ')
}
