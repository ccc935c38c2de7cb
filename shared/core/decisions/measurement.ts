// What a function measures beside what is measured of every function, as data. shared/http/telemetry/function-metrics.ts shows it to
// scrapers. It is of one process: another replica has measured its own calls.

/** Declared with the function. */
export type Metric = {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly labels: readonly string[]
  /** Others choose the values of this label: the first hundred are shown, and further ones are `other`. */
  readonly fewOf?: string
}

/** A change of one metric under these labels. After `forget` nothing is shown under them. */
export type Measurement = { readonly metric: string; readonly labels?: Readonly<Record<string, string>> } & (
  | { readonly add: number }
  | { readonly set: number }
  | { readonly forget: true }
)

type Shown = {
  readonly states: readonly string[]
  readonly now: string | undefined
  readonly labels: Readonly<Record<string, string>>
}

/** How the state of an object is measured: 1 for the state that it is in, and 0 for the others. */
export const stateMeasurements = (metric: string, { states, now, labels }: Shown): Measurement[] =>
  states.map(state => ({ metric, labels: { ...labels, state }, set: state === now ? 1 : 0 }))
