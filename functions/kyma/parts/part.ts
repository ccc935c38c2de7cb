// A part of kyma maintains one thing, such as the modules. decide.ts lists the parts in the order of their reports. A runtime part maintains
// objects in the runtime and has a condition.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { Part } from '../../../shared/core/decisions/parts.ts'
import type { EventNote, Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { faultTexts } from '../../../shared/core/decisions/steps.ts'
import { isDeleting } from '../../../shared/core/objects/object.ts'
import type { ModuleStatus } from '../../../shared/kyma/kinds.ts'
import { runtimeName } from '../../../shared/kyma/kyma-runtime.ts'
import type { KymaConditionType } from '../reasons.ts'
import type { RuntimeThere } from '../rules/runtime.ts'
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

/** Definitions and the namespace come before the objects that need them. */
const order = { base: 0, content: 1 } as const

type Writing = { readonly fieldManager?: string; readonly order?: keyof typeof order }

/** The steps in the Kyma's runtime, with our field manager. Fields that the Go operator applied with another field manager become ours. */
export const inRuntime = ({ kyma }: Pick<World, 'kyma'>, steps: readonly Step[], writing: Writing = {}): Step[] =>
  steps.map(step => ({
    ...(step.do === 'apply' ? { ...step, reclaimFrom: kymaNames.formerFieldManagers } : step),
    on: runtimeName(kyma.metadata.name),
    fieldManager: writing.fieldManager ?? kymaNames.fieldManagers.runtime,
    order: order[writing.order ?? 'base'],
  }))

/**
 * The faults of steps in the namespace of copy and catalogue. If this pass creates the namespace, they are consequences of a fault that
 * runtimeNamespacePart reports, and the next pass repeats the steps.
 */
export const faultsInNamespace = ({ runtime }: World, results: readonly StepResult[]): string[] =>
  runtime.is === 'there' && runtime.namespace === undefined ? [] : faultTexts(results)

export type WorldWithRuntime = World & { readonly runtime: RuntimeThere }

const isThere = (world: World): world is WorldWithRuntime => world.runtime.is === 'there'

/** Whether writes in the runtime are possible now. */
export const isPossible = (world: World): world is WorldWithRuntime => isThere(world) && !isDeleting(world.kyma)
