// Checks the watches of serverless.yml: clusters are declared, and access rules cover the kinds.
import { namesResource } from '../../api/access-rule.ts'
import type { AccessRule, Landscape, WatchEventSettings } from '../../api/serverless.ts'
import { type GroupResource, groupResourceOf } from '../../core/objects/resource-name.ts'
import { valueText } from '../../core/text/text.ts'
import { inventoriesOf, watchesOf } from './events.ts'
import { type LandscapeRefusal, refusalsOf } from './refusal.ts'

export const watchFaults = (landscape: Landscape): readonly LandscapeRefusal[] =>
  faults.flatMap(fault => fault(landscape))

type Fault = (landscape: Landscape) => readonly LandscapeRefusal[]

const remoteUnknown: Fault = landscape => {
  const remotes = Object.keys(landscape.provider.remotes ?? {})
  const allowed = remotes.join(', ') || 'nothing, as provider.remotes declares no group'
  return refusalsOf(
    [...watchesOf(landscape), ...inventoriesOf(landscape)],
    'cluster',
    ({ event: { cluster } }) => cluster !== undefined && !remotes.includes(cluster) && [cluster, allowed],
  )
}

const noCluster = 'self, owner, keys or a label, annotation or key, as the watch names no cluster'

const clusterMappedLocally: Fault = landscape =>
  refusalsOf(
    watchesOf(landscape),
    'map',
    ({ event: { map, cluster } }) => map === 'cluster' && cluster === undefined && [map, noCluster],
  )

const clusterLabelAlone: Fault = landscape =>
  refusalsOf(
    inventoriesOf(landscape),
    '',
    ({ event: { cluster, clusterLabel } }) =>
      (cluster === undefined) !== (clusterLabel === undefined) && [
        { cluster, clusterLabel },
        'cluster and clusterLabel together, or neither',
      ],
  )

/** Only for the local cluster. In others, the kubeconfig decides what may be watched. */
const watchBeyondAccess: Fault = landscape =>
  watchesOf(landscape)
    .filter(({ event, settings }) => event.cluster === undefined && !isWithin(event, settings.access))
    .map(({ path, event, settings }) => ({
      path: `${path}.kind`,
      found: `${valueText(event.kind)} (${placeText(groupResourceOf(event), event.namespace)})`,
      allowed: `what the function's access names: ${settings.access.map(ruleText).join('; ') || 'nothing'}; a plural that English does not make is said by plural of the watch`,
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
  refusalsOf(
    inventoriesOf(landscape),
    'remotePath',
    ({ event: { remotePath, cluster } }) =>
      remotePath !== undefined && cluster === undefined && [remotePath, 'nothing, as the inventory names no cluster'],
  )

const faults: readonly Fault[] = [
  ...[remoteUnknown, clusterMappedLocally, clusterLabelAlone],
  ...[remotePathAlone, watchBeyondAccess],
]
