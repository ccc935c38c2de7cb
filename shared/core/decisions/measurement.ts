// What a function measures beside what is measured of every function, as data. shared/http/telemetry/function-metrics.ts shows it to
// scrapers. It is of one process: another replica has measured its own calls.

/** Declared with the function. */
export type Metric = {
  /** As scrapers see it. */
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  readonly labels: readonly string[]
}

/** A change of one metric under these labels. After `forget` nothing is shown under them. */
export type Measurement = { readonly metric: string; readonly labels?: Readonly<Record<string, string>> } & (
  | { readonly add: number }
  | { readonly set: number }
  | { readonly forget: true }
)
