// Reads from serverless.yml which functions the relay calls, and their events by type.
import type {
  FunctionEvent,
  FunctionSettings,
  InventorySettings,
  Landscape,
  ScheduleSettings,
  WatchEventSettings,
} from '../api/serverless.ts'
import type { Key } from '../core/object.ts'

export type Reconciler = {
  readonly name: string
  readonly settings: FunctionSettings
  readonly watches: readonly WatchEventSettings[]
  readonly schedules: readonly ScheduleSettings[]
  readonly inventories: readonly InventorySettings[]
  /** The watches of its own kinds: their objects are what it is called for. */
  readonly own: readonly WatchEventSettings[]
  /** Keys it is called for whatever happens to be there. */
  readonly fixed: readonly Key[]
}

/** Functions that only review admission requests are no concern of the relay. */
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

/** That it changed is all that is wanted of a Secret: what it holds shall not come here, unless somebody writes down that it must. */
const isSecret = ({ apiVersion, kind }: WatchEventSettings): boolean => apiVersion === 'v1' && kind === 'Secret'
