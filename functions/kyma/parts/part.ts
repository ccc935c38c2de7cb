// A part of kyma maintains one thing, such as the modules. Each part is a file in this folder; decide.ts lists the parts in the order of
// their reports.
import type { Part } from '../../../shared/core/decisions/parts.ts'
import type { EventNote } from '../../../shared/core/decisions/plan.ts'
import type { ModuleStatus } from '../../../shared/kyma/kinds.ts'
import type { KymaConditionType } from '../reasons.ts'
import type { World } from '../world.ts'

export type KymaPart = Part<World, KymaPartReport>

export type KymaPartReport = {
  /** Absent: the part is switched off for this Kyma. */
  readonly condition?: PartCondition
  /** Absent: the part does not report modules. */
  readonly modules?: readonly ModuleStatus[]
  readonly trouble?: Trouble
  /** Who can help with the modules that are in Error or Warning. Absent: they may recover without help. */
  readonly needs?: Helper
  readonly events?: readonly EventNote[]
  /** Call again after this time at the latest. */
  readonly againSeconds?: number
}

export type PartCondition = {
  readonly type: KymaConditionType
  readonly status: 'True' | 'False' | 'Unknown'
  /** Absent: the default message. */
  readonly message?: string
  /** The state of the Kyma while the condition is not True. */
  readonly otherwise: 'Error' | 'Processing'
}

/** Why the Kyma is in Error, apart from its modules. */
export type Trouble = { readonly text: string; readonly needs: Helper }

/** `person`: only a user can help. `outside`: an external system must recover, such as a registry or a runtime. */
type Helper = 'person' | 'outside'
