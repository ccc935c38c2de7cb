// Parts that maintain objects in the runtime and have a condition: when they write, and what they report about an unreachable runtime.
import type { Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import type { KymaConditionType } from '../reasons.ts'
import type { World } from '../world.ts'
import type { KymaPart, PartCondition } from './part.ts'
import { inRuntime, isPossible, isThere, type WorldWithRuntime, type Writing } from './runtime-steps.ts'

type RuntimePart = Writing & {
  readonly name: string
  readonly condition: KymaConditionType
  /** Whether this Kyma gets the part. Absent: every Kyma with a runtime gets the part. */
  readonly isWanted?: (world: World) => boolean
  readonly steps: (world: WorldWithRuntime) => readonly Step[]
  /** The fault of the part. undefined: no fault. */
  readonly trouble: (world: WorldWithRuntime, results: readonly StepResult[]) => string | undefined
  /** The status of the condition if the part has no fault. */
  readonly status: (world: WorldWithRuntime, results: readonly StepResult[]) => 'True' | 'False' | 'Unknown'
  /** The message of the condition when its status is True. Absent: the default message. */
  readonly message?: (world: WorldWithRuntime) => string | undefined
  /** If the part has no fault: call again after this time at the latest. */
  readonly againSeconds?: (world: WorldWithRuntime) => number | undefined
}

export const runtimePart = ({ name, condition: type, isWanted = () => true, ...part }: RuntimePart): KymaPart => ({
  name,
  steps: world => (isPossible(world) && isWanted(world) ? inRuntime(world, part.steps(world), part) : []),
  reports: (world, results) => {
    if (world.runtime.is === 'off' || !isWanted(world)) return {}
    if (world.runtime.is === 'inOrder') return { condition: conditionBefore(world, type) }
    if (!isThere(world)) return { condition: { type, status: 'Unknown', otherwise: 'Error' } }
    const text = part.trouble(world, results)
    if (text !== undefined)
      return { condition: { type, status: 'False', otherwise: 'Error' }, trouble: { text, needs: 'outside' } }
    const status = part.status(world, results)
    const message = status === 'True' ? part.message?.(world) : undefined
    const condition = { type, status, ...(message !== undefined && { message }), otherwise: 'Processing' } as const
    const againSeconds = part.againSeconds?.(world)
    return { condition, ...(againSeconds !== undefined && { againSeconds }) }
  },
})

/** The runtime was healthy and has not changed since, so the condition keeps its last message. */
const conditionBefore = ({ kyma }: World, type: KymaConditionType): PartCondition => {
  const before = kyma.status?.conditions?.find(one => one.type === type && one.status === 'True')
  return { type, status: 'True', ...(before && { message: before.message }), otherwise: 'Processing' }
}
