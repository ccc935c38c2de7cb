// The remaining work of a rotation for users of the keys: clients with tokens, Seeds, or encrypted objects.
import type { Step } from '../../../../shared/core/decisions/plan.ts'

export type RotationWork = {
  readonly steps: readonly Step[]
  /** What the rotation waits for. Some of this work continues after the steps. */
  readonly waits: readonly string[]
  readonly longWaits?: readonly string[]
}

export const noWork: RotationWork = { steps: [], waits: [] }
