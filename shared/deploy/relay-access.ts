// What the relay may do, derived from what it is asked to watch. It never writes anything but the Leases of its shards.
import type { AccessRule, Landscape, WatchEventSettings } from '../api/serverless.ts'
import { watchesOf } from './events.ts'
import { groupResourceOf } from './resource-name.ts'

/**
 * Kinds of inventories are not known before objects name them: the relay polls those it may not watch, until somebody
 * binds it to a role of theirs.
 */
export const relayAccess = (landscape: Landscape): AccessRule[] => [
  ...merged(watchRules(landscape)),
  ...remoteRules(landscape),
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

/** One per relay and one per shard: shared/relay/leases.ts. */
const leaseRule = (namespace: string): AccessRule => ({
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['list', 'create', 'patch', 'delete'],
  namespaces: [namespace],
})
