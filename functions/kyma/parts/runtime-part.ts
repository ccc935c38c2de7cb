// Parts that keep something in the runtime and have a condition for it: when they write, and what they report about an unreachable runtime.
import type { Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import type { KymaConditionType } from '../reasons.ts'
import type { World } from '../world.ts'
import type { KymaPart, PartCondition } from './part.ts'
import { inRuntime, isPossible, isThere, type WorldWithRuntime, type Writing } from './runtime-steps.ts'

type RuntimePart = Writing & {
  readonly name: string
  readonly condition: KymaConditionType
  /** Whether this Kyma gets the part; absent: every Kyma with a runtime does. */
  readonly isWanted?: (world: World) => boolean
  readonly steps: (world: WorldWithRuntime) => readonly Step[]
  /** What is wrong; undefined: nothing. */
  readonly trouble: (world: WorldWithRuntime, results: readonly StepResult[]) => string | undefined
  /** The status of the condition if nothing is wrong. */
  readonly status: (world: WorldWithRuntime, results: readonly StepResult[]) => 'True' | 'False' | 'Unknown'
  /** The message of the condition when it is True; absent: the default message. */
  readonly message?: (world: WorldWithRuntime) => string | undefined
  /** If nothing is wrong: call again after this time at the latest. */
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

/** The runtime was healthy and nothing about it has changed. So the condition keeps its last message. */
const conditionBefore = ({ kyma }: World, type: KymaConditionType): PartCondition => {
  const before = kyma.status?.conditions?.find(one => one.type === type && one.status === 'True')
  return { type, status: 'True', ...(before && { message: before.message }), otherwise: 'Processing' }
}
