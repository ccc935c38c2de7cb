// Parts that keep something in the runtime and have a condition for it: when they write, and what they say while nobody reaches it.
import type { Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import type { KymaConditionType } from '../reasons.ts'
import type { World } from '../world.ts'
import type { KymaPart, PartCondition } from './part.ts'
import { inRuntime, isPossible, isThere, type WorldWithRuntime, type Writing } from './runtime-steps.ts'

type RuntimePart = Writing & {
  readonly name: string
  readonly condition: KymaConditionType
  /** Whether this Kyma is to have it; absent: every Kyma with a runtime. */
  readonly isWanted?: (world: World) => boolean
  readonly steps: (world: WorldWithRuntime) => readonly Step[]
  /** Why it is not as it should be; undefined: nothing is wrong. */
  readonly trouble: (world: WorldWithRuntime, results: readonly StepResult[]) => string | undefined
  /** Of the condition, where nothing is wrong. */
  readonly status: (world: WorldWithRuntime, results: readonly StepResult[]) => 'True' | 'False' | 'Unknown'
  /** Of the condition when it is True; absent: the usual one. */
  readonly message?: (world: WorldWithRuntime) => string | undefined
  /** Where nothing is wrong: call again after so long at the latest. */
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

/** The facts about a runtime in order have not changed, so its last report still counts. */
const conditionBefore = ({ kyma }: World, type: KymaConditionType): PartCondition => {
  const before = kyma.status?.conditions?.find(one => one.type === type && one.status === 'True')
  return { type, status: 'True', ...(before && { message: before.message }), otherwise: 'Processing' }
}
