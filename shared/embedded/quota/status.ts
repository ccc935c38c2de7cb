// Keeps the status of ResourceQuotas: their limits, and the usage of all objects in their namespace.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Cluster } from '../cluster.ts'
import { fieldsAt, sameJson } from '../value.ts'
import { writeAs } from '../verbs/internal.ts'
import { added, isInScopes, namesOf, picked, type Usage, usageOf } from './usage.ts'

const quotas = 'resourcequotas'

export const keepQuotas = (cluster: Cluster): void => {
  const { store, chores } = cluster
  store.onChange(({ stored }) => {
    const { namespace } = stored.object.metadata
    if (namespace && store.collection(quotas).size > 0)
      chores.add(`quotas ${namespace}`, () => refresh(cluster, namespace))
  })
}

const refresh = (cluster: Cluster, namespace: string): void => {
  const kind = cluster.registry.named('v1', 'ResourceQuota')
  for (const quota of cluster.store.objects(quotas, `${namespace}/`)) {
    const status = statusOf(cluster, quota)
    if (kind && !sameJson(status, quota.status))
      writeAs(cluster, kind, { ...quota, status }, { manager: 'kube-controller-manager', subresource: 'status' })
  }
}

const statusOf = ({ store, registry }: Cluster, quota: KubeObject): { hard: Usage; used: Usage } => {
  const hard = (fieldsAt(quota, 'spec', 'hard') ?? {}) as Usage
  const names = Object.keys(hard)
  const collections = new Set(registry.all().flatMap(kind => (kind.namespaced ? kind.collection : [])))
  let used: Usage = Object.fromEntries(names.map(name => [name, '0']))
  for (const collection of collections) {
    const own = namesOf(collection, names)
    if (own.length === 0) continue
    for (const object of store.objects(collection, `${quota.metadata.namespace}/`))
      if (isInScopes(quota, collection, object)) used = added(used, picked(usageOf(collection, object), own))
  }
  return { hard, used }
}
