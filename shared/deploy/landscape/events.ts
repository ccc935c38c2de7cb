// Lists the events of a landscape, with their functions and places in serverless.yml.
import type {
  AdmissionSettings,
  FunctionEvent,
  FunctionSettings,
  InventorySettings,
  Landscape,
  ScheduleSettings,
  WatchEventSettings,
} from '../../api/serverless.ts'

export type EventOfFunction<Event> = {
  readonly path: string
  readonly name: string
  readonly settings: FunctionSettings
  readonly event: Event
}

export const watchesOf = (landscape: Landscape): EventOfFunction<WatchEventSettings>[] =>
  eventsOf(landscape, 'watch', event => ('watch' in event ? event.watch : undefined))

export const schedulesOf = (landscape: Landscape): EventOfFunction<ScheduleSettings>[] =>
  eventsOf(landscape, 'schedule', event => ('schedule' in event ? event.schedule : undefined))

export const admissionsOf = (landscape: Landscape): EventOfFunction<AdmissionSettings>[] =>
  eventsOf(landscape, 'admission', event => ('admission' in event ? event.admission : undefined))

export const inventoriesOf = (landscape: Landscape): EventOfFunction<InventorySettings>[] =>
  eventsOf(landscape, 'inventory', event => ('inventory' in event ? event.inventory : undefined))

const eventsOf = <Event>(
  landscape: Landscape,
  type: string,
  pick: (event: FunctionEvent) => Event | undefined,
): EventOfFunction<Event>[] =>
  Object.entries(landscape.functions).flatMap(([name, settings]) =>
    settings.events.flatMap((declared, at) => {
      const event = pick(declared)
      return event === undefined ? [] : [{ path: `functions.${name}.events[${at}].${type}`, name, settings, event }]
    }),
  )

/** Callback functions get events of other clusters and have no other events. */
export const isCallback = (settings: FunctionSettings): boolean => settings.events.some(event => 'callback' in event)

/** API servers and other clusters call all other functions. */
export const isCalledByRelay = (settings: FunctionSettings): boolean => !isAdmission(settings) && !isCallback(settings)

/** Admission functions answer AdmissionReviews and have no other events. */
export const isAdmission = (settings: FunctionSettings): boolean => settings.events.some(event => 'admission' in event)
