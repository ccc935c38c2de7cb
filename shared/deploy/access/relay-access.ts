// What the relay may do, derived from what it is asked to watch. It never writes anything but the Leases of its shards.
import type { AccessRule, Landscape, WatchEventSettings } from '../../api/serverless.ts'
import { inventoriesOf, watchesOf } from '../landscape/events.ts'
import { groupResourceOf } from '../landscape/resource-name.ts'

/** Whatever else inventories name is polled by the relay. */
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

/** Kinds of inventories are not known before objects name them: the relay may watch what their function may list. */
const inventoryRules = (landscape: Landscape): AccessRule[] =>
  inventoriesOf(landscape)
    .filter(({ event }) => event.cluster === undefined)
    .flatMap(({ settings }) => settings.access.filter(mayList))
    .map(rule => ({ ...rule, verbs: ['list', 'watch'] }))

const mayList = ({ verbs }: AccessRule): boolean => verbs.includes('list') || verbs.includes('*')

/** RBAC lets a list of one name pass by that name. */
const nameIn = ({ fieldSelector }: WatchEventSettings): string | undefined =>
  /^metadata\.name=(?<name>[^,=!]+)$/.exec(fieldSelector ?? '')?.groups?.name

/** One rule for kinds that may be watched in the same way, however many functions ask. */
const merged = (rules: readonly AccessRule[]): AccessRule[] =>
  [...Map.groupBy(rules, ({ resources, ...rest }) => JSON.stringify(rest)).values()].flatMap(([first, ...others]) => {
    const resources = new Set([first, ...others].flatMap(rule => rule?.resources ?? []))
    return first ? [{ ...first, resources: [...resources].sort() }] : []
  })

/** RBAC knows no labels: access Secrets belong into a namespace of their own. */
const remoteRules = (landscape: Landscape): AccessRule[] =>
  [...new Set(Object.values(landscape.provider.remotes ?? {}).map(remote => remote.namespace))].map(namespace => ({
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['get', 'list', 'watch'],
    namespaces: [namespace],
  }))

/** Objects name Secrets with kubeconfigs in whatever namespace they are in themselves. */
const kubeConfigRules = (landscape: Landscape): AccessRule[] =>
  inventoriesOf(landscape).some(({ event }) => event.kubeConfigPath !== undefined)
    ? [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] }]
    : []

/** One per relay and one per shard: shared/relay/shards/leases.ts. */
const leaseRule = (namespace: string): AccessRule => ({
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['list', 'create', 'patch', 'delete'],
  namespaces: [namespace],
})
