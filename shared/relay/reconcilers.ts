// Reads from serverless.yml the functions that the relay calls, with their events by type.
import type {
  FunctionEvent,
  FunctionSettings,
  InventorySettings,
  Landscape,
  ScheduleSettings,
  WatchEventSettings,
} from '../api/serverless.ts'
import type { Key } from '../core/objects/object.ts'

export type Reconciler = {
  readonly name: string
  readonly settings: FunctionSettings
  readonly watches: readonly WatchEventSettings[]
  readonly schedules: readonly ScheduleSettings[]
  readonly inventories: readonly InventorySettings[]
  /** Local watches with `map: self`: the watches of the function's own objects. */
  readonly own: readonly WatchEventSettings[]
  /** Keys of `map: {key}`. Each round calls them, even if the object does not exist. */
  readonly fixed: readonly Key[]
}

/** Leaves out admission functions, which the relay never calls. */
export const reconcilersOf = (landscape: Landscape): Reconciler[] =>
  Object.entries(landscape.functions)
    .map(([name, settings]) => reconcilerOf(name, settings))
    .filter(({ watches, schedules, inventories }) => watches.length + schedules.length + inventories.length > 0)

const reconcilerOf = (name: string, settings: FunctionSettings): Reconciler => {
  const watches = settings.events.flatMap(watchIn)
  return {
    name,
    settings,
    watches,
    schedules: settings.events.flatMap(event => ('schedule' in event ? [event.schedule] : [])),
    inventories: settings.events.flatMap(event => ('inventory' in event ? [event.inventory] : [])),
    own: watches.filter(({ map, cluster }) => map === 'self' && cluster === undefined),
    fixed: watches.flatMap(({ map }) => (typeof map !== 'string' && 'key' in map ? [map.key] : [])),
  }
}

const watchIn = (event: FunctionEvent): WatchEventSettings[] =>
  'watch' in event ? [{ metadataOnly: isSecret(event.watch), ...event.watch }] : []

/** Secrets are watched as metadata only by default, so that the relay never receives data of Secrets. */
const isSecret = ({ apiVersion, kind }: WatchEventSettings): boolean => apiVersion === 'v1' && kind === 'Secret'
