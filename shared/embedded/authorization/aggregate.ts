// Aggregated ClusterRoles: their rules are those of the roles that their aggregation rule selects.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Cluster } from '../cluster.ts'
import { matchesLabels, structuredSelector } from '../storage/label-selector.ts'
import { canonicalJson, listAt, sameJson } from '../value.ts'
import { writeAs } from '../verbs/internal.ts'

const collection = 'rbac.authorization.k8s.io/clusterroles'

export const aggregateRoles = (cluster: Cluster): void => {
  cluster.store.onChange(change => {
    if (change.collection === collection) cluster.chores.add('aggregated roles', () => aggregate(cluster))
  })
}

const aggregate = (cluster: Cluster): void => {
  const kind = cluster.registry.named('rbac.authorization.k8s.io/v1', 'ClusterRole')
  const roles = [...cluster.store.collection(collection).values()].map(({ object }) => object)
  for (const role of roles) {
    const rules = kind && aggregatedRules(role, roles)
    if (kind && rules && !sameJson(rules, role.rules))
      writeAs(cluster, kind, { ...role, rules }, { manager: 'clusterrole-aggregation-controller' })
  }
}

/** undefined: the role has rules of its own. */
const aggregatedRules = (role: KubeObject, roles: readonly KubeObject[]): unknown[] | undefined => {
  const selectors = listAt(role, 'aggregationRule', 'clusterRoleSelectors')
  if (selectors.length === 0) return undefined
  const rules = selectors.flatMap(selector => {
    const requirements = structuredSelector(selector) ?? []
    const chosen = roles.filter(each => each !== role && matchesLabels(requirements, each.metadata.labels))
    return chosen
      .sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1))
      .flatMap(each => listAt(each, 'rules'))
  })
  return [...new Map(rules.map(rule => [canonicalJson(rule), rule])).values()]
}
