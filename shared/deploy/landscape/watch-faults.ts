// Checks the watches of serverless.yml: clusters are declared, and access rules cover the kinds.
import { namesResource } from '../../api/access-rule.ts'
import type { AccessRule, Landscape, WatchEventSettings } from '../../api/serverless.ts'
import { type GroupResource, groupResourceOf } from '../../core/objects/resource-name.ts'
import { valueText } from '../../core/text/text.ts'
import { inventoriesOf, watchesOf } from './events.ts'
import type { LandscapeRefusal } from './refusal.ts'

export const watchFaults = (landscape: Landscape): readonly LandscapeRefusal[] =>
  faults.flatMap(fault => fault(landscape))

type Fault = (landscape: Landscape) => readonly LandscapeRefusal[]

const remoteUnknown: Fault = landscape => {
  const remotes = Object.keys(landscape.provider.remotes ?? {})
  return [...watchesOf(landscape), ...inventoriesOf(landscape)]
    .filter(({ event }) => event.cluster !== undefined && !remotes.includes(event.cluster))
    .map(({ path, event }) => ({
      path: `${path}.cluster`,
      found: valueText(event.cluster),
      allowed: remotes.length > 0 ? remotes.join(', ') : 'nothing, because provider.remotes declares no group',
    }))
}

const clusterMappedLocally: Fault = landscape =>
  watchesOf(landscape)
    .filter(({ event }) => event.map === 'cluster' && event.cluster === undefined)
    .map(({ path, event }) => ({
      path: `${path}.map`,
      found: valueText(event.map),
      allowed: 'self, owner, keys or a label, annotation or key, because the watch names no cluster',
    }))

const clusterLabelAlone: Fault = landscape =>
  inventoriesOf(landscape)
    .filter(({ event }) => (event.cluster === undefined) !== (event.clusterLabel === undefined))
    .map(({ path, event }) => ({
      path,
      found: valueText({ cluster: event.cluster, clusterLabel: event.clusterLabel }),
      allowed: 'cluster and clusterLabel together, or neither',
    }))

/** Checks only the local cluster. In other clusters, the kubeconfig decides which kinds may be watched. */
const watchBeyondAccess: Fault = landscape =>
  watchesOf(landscape)
    .filter(({ event, settings }) => event.cluster === undefined && !isWithin(event, settings.access))
    .map(({ path, event, settings }) => ({
      path: `${path}.kind`,
      found: `${valueText(event.kind)} (${placeText(groupResourceOf(event), event.namespace)})`,
      allowed: `a resource in the function's access: ${settings.access.map(ruleText).join('; ') || 'nothing'}; set plural of the watch if the plural is irregular`,
    }))

const isWithin = (event: WatchEventSettings, access: readonly AccessRule[]): boolean =>
  access.some(
    rule =>
      namesResource(rule, groupResourceOf(event)) &&
      (rule.namespaces === undefined || (event.namespace !== undefined && rule.namespaces.includes(event.namespace))),
  )

const placeText = ({ group, resource }: GroupResource, namespace: string | undefined): string =>
  `${resource} of group '${group}'${namespace ? ` in ${namespace}` : ''}`

const ruleText = (rule: AccessRule): string =>
  rule.apiGroups
    .map(group => placeText({ group, resource: rule.resources.join(', ') }, rule.namespaces?.join(', ')))
    .join('; ')

const remotePathAlone: Fault = landscape =>
  inventoriesOf(landscape)
    .filter(({ event }) => event.remotePath !== undefined && event.cluster === undefined)
    .map(({ path, event }) => ({
      path: `${path}.remotePath`,
      found: valueText(event.remotePath),
      allowed: 'nothing, because the inventory names no cluster',
    }))

const faults: readonly Fault[] = [
  ...[remoteUnknown, clusterMappedLocally, clusterLabelAlone],
  ...[remotePathAlone, watchBeyondAccess],
]
