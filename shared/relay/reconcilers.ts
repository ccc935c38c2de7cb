// Reads from serverless.yml which functions the relay calls, and their events by type.
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
  /** The local watches with `map: self`: the function is called for their objects. */
  readonly own: readonly WatchEventSettings[]
  /** Keys of `map: {key}`, which every round calls, whether such an object exists or not. */
  readonly fixed: readonly Key[]
}

/** Leaves out functions that only review admission requests: the relay never calls them. */
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

/** Secrets are watched as metadata only, so that their data never comes here, unless the event says `metadataOnly: false`. */
const isSecret = ({ apiVersion, kind }: WatchEventSettings): boolean => apiVersion === 'v1' && kind === 'Secret'
