// Metrics that a function declares itself. shared/http/telemetry/function-metrics.ts exposes the metrics. They count one process only:
// other replicas count their own calls.

export type Metric = {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly labels: readonly string[]
  /** A label whose values users choose. `fewNames` limits the number of values. */
  readonly fewOf?: string
}

/** A change of one metric with these labels. `forget` removes the series. */
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

/** One series per state: 1 for the current state of the object, 0 for the others. */
export const stateMeasurements = (metric: string, { states, now, labels }: Shown): Measurement[] =>
  states.map(state => ({ metric, labels: { ...labels, state }, set: state === now ? 1 : 0 }))
