// What a rotation still has to do for one of those that depend on its keys: clients with tokens, Seeds, or what is stored encrypted.
import type { Step } from '../../../../shared/core/plan.ts'

export type RotationWork = {
  readonly steps: readonly Step[]
  /** What it waits for; not all of it ends with the steps. */
  readonly waits: readonly string[]
  /** Those of the waits that may take hours. */
  readonly longWaits?: readonly string[]
}

/** Everything is done. */
export const noWork: RotationWork = { steps: [], waits: [] }
