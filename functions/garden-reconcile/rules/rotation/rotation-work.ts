// What a rotation still has to do for one of those that depend on its keys: clients with tokens, Seeds, or what is stored encrypted.
import type { Step } from '../../../../shared/core/decisions/plan.ts'

export type RotationWork = {
  readonly steps: readonly Step[]
  /** What the rotation waits for; not all of that is over after the steps. */
  readonly waits: readonly string[]
  readonly longWaits?: readonly string[]
}

export const noWork: RotationWork = { steps: [], waits: [] }
