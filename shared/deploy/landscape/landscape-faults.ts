// Makes the checks that a schema cannot make: references, files, times, plurals. Each row finds all faults of one kind.
import { Cron } from 'croner'
import {
  type AccessRule,
  type FunctionEvent,
  type Landscape,
  namesResource,
  type WatchEventSettings,
} from '../../api/serverless.ts'
import { type GroupResource, groupResourceOf } from '../../core/objects/object.ts'
import { valueText } from '../../core/text/text.ts'
import { admissionsOf, inventoriesOf, isCalledByRelay, schedulesOf, watchesOf } from './events.ts'
import type { LandscapeRefusal } from './refusal.ts'

/** Whether the function has code and exports `exported`, if given. */
export type IsThere = (name: string, exported?: string) => boolean

export const landscapeFaults = (landscape: Landscape, isThere: IsThere): readonly LandscapeRefusal[] =>
  faults.flatMap(fault => fault(landscape, isThere))

type Fault = (landscape: Landscape, isThere: IsThere) => readonly LandscapeRefusal[]

const nameReserved: Fault = landscape =>
  functionsOf(landscape)
    .filter(({ name }) => reservedNames.includes(name))
    .map(({ name, path }) => ({
      path,
      found: valueText(name),
      allowed: `a name other than ${reservedNames.join(', ')}`,
    }))

/** Names of accounts, workloads or files that no function may have. */
const reservedNames = ['default', 'host', 'relay', 'relay-routes', 'knative-network-policy', 'kustomization']

const handlerElsewhere: Fault = landscape =>
  functionsOf(landscape)
    .filter(({ name, settings }) => !settings.handler.startsWith(`functions/${name}/index.`))
    .map(({ name, settings, path }) => ({
      path: `${path}.handler`,
      found: valueText(settings.handler),
      allowed: `functions/${name}/index.<export>`,
    }))

const handlerMissing: Fault = (landscape, isThere) =>
  functionsOf(landscape)
    .filter(({ name, settings }) => !isThere(name, settings.handler.split(`functions/${name}/index.`)[1]))
    .map(({ path, name, settings }) => ({
      path: `${path}.handler`,
      found: valueText(settings.handler),
      allowed: `an export of functions/${name}/index.ts${isThere(name) ? '' : ', which does not exist'}`,
    }))

const failureSecondsReversed: Fault = landscape =>
  functionsOf(landscape)
    .filter(({ settings }) => settings.failureMaxSeconds < settings.failureBaseSeconds)
    .map(({ path, settings }) => ({
      path: `${path}.failureMaxSeconds`,
      found: valueText(settings.failureMaxSeconds),
      allowed: `at least failureBaseSeconds, ${settings.failureBaseSeconds}`,
    }))

const kindsMixed: Fault = landscape =>
  functionsOf(landscape)
    .filter(({ settings }) => !isCalledByRelay(settings) && new Set(settings.events.map(kindOf)).size > 1)
    .map(({ path, settings }) => ({
      path: `${path}.events`,
      found: settings.events.flatMap(event => Object.keys(event)).join(', '),
      allowed: 'only admission, only callback, or only watch, schedule and inventory; split the function',
    }))

const kindOf = (event: FunctionEvent): string => ['admission', 'callback'].find(kind => kind in event) ?? 'watch'

const cronUnreadable: Fault = landscape =>
  schedulesOf(landscape)
    .filter(({ event }) => !isReadable(() => new Cron(event.cron, { paused: true })))
    .map(({ path, event }) => ({
      path: `${path}.cron`,
      found: valueText(event.cron),
      allowed: 'minute hour day month weekday, such as "*/10 * * * *"',
    }))

const timeZoneUnknown: Fault = landscape =>
  schedulesOf(landscape)
    .filter(({ event }) => !isReadable(() => new Intl.DateTimeFormat('en', { timeZone: event.timeZone })))
    .map(({ path, event }) => ({
      path: `${path}.timeZone`,
      found: valueText(event.timeZone),
      allowed: 'an IANA time zone, such as Europe/Berlin',
    }))

const isReadable = (read: () => unknown): boolean => {
  try {
    read()
    return true
  } catch {
    return false
  }
}

const webhookPathTaken: Fault = landscape =>
  repeated(admissionsOf(landscape), ({ event }) => event.path).map(({ path, event }) => ({
    path: `${path}.path`,
    found: `${valueText(event.path)} a second time`,
    allowed: 'a path that no other function has',
  }))

const webhookNameTaken: Fault = landscape =>
  repeated(admissionsOf(landscape), ({ event }) => `${event.type}/${event.configuration}/${event.webhook}`).map(
    ({ path, event }) => ({
      path: `${path}.webhook`,
      found: `${valueText(event.webhook)} a second time in ${event.configuration}`,
      allowed: 'a name that is unique in its configuration',
    }),
  )

const repeated = <T>(all: readonly T[], name: (one: T) => string): T[] =>
  all.filter((one, at) => all.findIndex(other => name(other) === name(one)) < at)

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
  nameReserved,
  handlerElsewhere,
  handlerMissing,
  failureSecondsReversed,
  kindsMixed,
  remoteUnknown,
  clusterMappedLocally,
  clusterLabelAlone,
  remotePathAlone,
  watchBeyondAccess,
  cronUnreadable,
  timeZoneUnknown,
  webhookPathTaken,
  webhookNameTaken,
]

const functionsOf = (landscape: Landscape) =>
  Object.entries(landscape.functions).map(([name, settings]) => ({ path: `functions.${name}`, name, settings }))
