// A long process, for display: its steps, their dependencies, and the progress.

export type PictureStep = {
  readonly name: string
  readonly needs: readonly string[]
  /** `blocked`: a step in `needs` is not ready. `skipped`: the step does not apply now. */
  readonly is: 'ready' | 'open' | 'blocked' | 'skipped'
  /** What an open step waits for, in sentences; empty for all other steps. */
  readonly waits: readonly string[]
}
