// Makes the checks that a schema cannot make: references, files, times, plurals. Each row finds all faults of one kind.
import { Cron } from 'croner'
import type { FunctionEvent, Landscape } from '../../api/serverless.ts'
import { valueText } from '../../core/text/text.ts'
import { admissionsOf, isCalledByRelay, schedulesOf } from './events.ts'
import type { LandscapeRefusal } from './refusal.ts'
import { watchFaults } from './watch-faults.ts'

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

const faults: readonly Fault[] = [
  nameReserved,
  handlerElsewhere,
  handlerMissing,
  failureSecondsReversed,
  kindsMixed,
  watchFaults,
  cronUnreadable,
  timeZoneUnknown,
  webhookPathTaken,
  webhookNameTaken,
]

const functionsOf = (landscape: Landscape) =>
  Object.entries(landscape.functions).map(([name, settings]) => ({ path: `functions.${name}`, name, settings }))
