// A long process as people see it: its steps, what each needs, and how far it came. Pure.

export type PictureStep = {
  readonly name: string
  /** Names of steps that must be ready before this one begins. */
  readonly needs: readonly string[]
  /** `blocked`: a step that it needs is not ready. `skipped`: it is left out now. */
  readonly is: 'ready' | 'open' | 'blocked' | 'skipped'
  /** Sentences; empty unless it is open. */
  readonly waits: readonly string[]
}
