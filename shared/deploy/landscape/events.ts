// The events of a landscape, each with the function it belongs to and its place in serverless.yml.
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
  /** Place in the file, e.g. `functions.istio.events[0].watch`. */
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

/** Such a function gets events of other clusters and has no other events. */
export const isCallback = (settings: FunctionSettings): boolean => settings.events.some(event => 'callback' in event)

/** All others are called by those who have something to tell. */
export const isCalledByRelay = (settings: FunctionSettings): boolean => !isAdmission(settings) && !isCallback(settings)

/** Such a function answers AdmissionReviews and has no other events. */
export const isAdmission = (settings: FunctionSettings): boolean => settings.events.some(event => 'admission' in event)
