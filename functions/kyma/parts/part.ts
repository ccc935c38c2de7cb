// A part of kyma keeps one thing in order, such as the modules. Each part is a file beside this one; which parts there
// are, and in which order they report, is said in all-parts.ts.
import type { Part } from '../../../shared/core/decisions/parts.ts'
import type { EventNote } from '../../../shared/core/decisions/plan.ts'
import type { ModuleStatus } from '../../../shared/kyma/kinds.ts'
import type { KymaConditionType } from '../reasons.ts'
import type { World } from '../world.ts'

export type KymaPart = Part<World, KymaPartReport>

export type KymaPartReport = {
  /** Absent: the part is switched off for this Kyma. */
  readonly condition?: PartCondition
  /** Absent: the part knows nothing of modules. */
  readonly modules?: readonly ModuleStatus[]
  readonly trouble?: Trouble
  /** Who can help with the modules that are in Error or Warning; absent: time. */
  readonly needs?: Helper
  readonly events?: readonly EventNote[]
  /** Call again after so long at the latest. */
  readonly againSeconds?: number
}

export type PartCondition = {
  readonly type: KymaConditionType
  readonly status: 'True' | 'False' | 'Unknown'
  /** Absent: the usual one. */
  readonly message?: string
  /** What the Kyma is while this is not True. */
  readonly otherwise: 'Error' | 'Processing'
}

/** Why the Kyma is in Error, apart from its modules. */
export type Trouble = { readonly text: string; readonly needs: Helper }

/** A person alone, or something outside that has to recover, such as a registry or a runtime. */
type Helper = 'person' | 'outside'
