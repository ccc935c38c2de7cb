// What a rotation still has to do for users of its keys: clients with tokens, Seeds, or encrypted objects.
import type { Step } from '../../../../shared/core/decisions/plan.ts'

export type RotationWork = {
  readonly steps: readonly Step[]
  /** What the rotation waits for. Some of it goes on after the steps. */
  readonly waits: readonly string[]
  readonly longWaits?: readonly string[]
}

export const noWork: RotationWork = { steps: [], waits: [] }
