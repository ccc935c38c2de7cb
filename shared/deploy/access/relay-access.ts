// Derives the relay's RBAC rules from the watches of serverless.yml. The relay only writes the Leases of its shards.
import { includesOrAll } from '../../api/access-rule.ts'
import type { AccessRule, Landscape, WatchEventSettings } from '../../api/serverless.ts'
import { groupResourceOf } from '../../core/objects/resource-name.ts'
import { inventoriesOf, watchesOf } from '../landscape/events.ts'

/** If the relay may not watch a kind of an inventory, it polls the owners. */
export const relayAccess = (landscape: Landscape): AccessRule[] => [
  ...merged([...watchRules(landscape), ...inventoryRules(landscape)]),
  ...remoteRules(landscape),
  ...kubeConfigRules(landscape),
  leaseRule(landscape.provider.namespace),
]

const watchRules = (landscape: Landscape): AccessRule[] =>
  watchesOf(landscape)
    .filter(({ event }) => event.cluster === undefined)
    .map(({ event }) => watchRule(event))

const watchRule = (event: WatchEventSettings): AccessRule => {
  const { group, resource } = groupResourceOf(event)
  const name = nameIn(event)
  return {
    apiGroups: [group],
    resources: [resource],
    ...(name ? { resourceNames: [name] } : {}),
    verbs: ['list', 'watch'],
    ...(event.namespace ? { namespaces: [event.namespace] } : {}),
  }
}

/** Kinds in inventories are known only at run time, so the relay may watch all kinds that the function may list. */
const inventoryRules = (landscape: Landscape): AccessRule[] =>
  inventoriesOf(landscape)
    .filter(({ event }) => event.cluster === undefined)
    .flatMap(({ settings }) => watching(settings.access))

/** Watch rules for the kinds that these rules allow a function to list. */
export const watching = (rules: readonly AccessRule[]): AccessRule[] =>
  rules
    .filter(mayList)
    .map(({ resources, ...rule }) => ({ ...rule, resources: resources.filter(isListed), verbs: ['list', 'watch'] }))

/** Subresources, such as `gardens/status`, are not listed. */
const isListed = (resource: string): boolean => !resource.includes('/')

const mayList = ({ verbs }: AccessRule): boolean => includesOrAll(verbs, 'list')

/** The name in the field selector metadata.name. RBAC then only needs access to this name. */
const nameIn = ({ fieldSelector }: WatchEventSettings): string | undefined =>
  /^metadata\.name=(?<name>[^,=!]+)$/.exec(fieldSelector ?? '')?.groups?.name

/** Merges rules that differ only in their kinds. */
const merged = (rules: readonly AccessRule[]): AccessRule[] =>
  [...Map.groupBy(rules, ({ resources, ...rest }) => JSON.stringify(rest)).values()].flatMap(([first, ...others]) => {
    const resources = new Set([first, ...others].flatMap(rule => rule?.resources ?? []))
    return first ? [{ ...first, resources: [...resources].sort() }] : []
  })

/** Rules for access Secrets. These Secrets should have their own namespace, because RBAC cannot select by labels. */
const remoteRules = (landscape: Landscape): AccessRule[] =>
  [...new Set(Object.values(landscape.provider.remotes ?? {}).map(remote => remote.namespace))].map(namespace => ({
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get', 'list', 'watch'],
    namespaces: [namespace],
  }))

/** Rules for kubeconfig Secrets in all namespaces, because objects refer to Secrets in their own namespaces. */
const kubeConfigRules = (landscape: Landscape): AccessRule[] =>
  inventoriesOf(landscape).some(({ event }) => event.kubeConfigPath !== undefined)
    ? [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] }]
    : []

/** The rule for one Lease per relay and one Lease per shard (shared/relay/shards/leases.ts). */
const leaseRule = (namespace: string): AccessRule => ({
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['list', 'create', 'patch', 'delete'],
  namespaces: [namespace],
})
