// Steps of parts in the runtime: their cluster, field manager and order.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { isDeleting } from '../../../shared/core/objects/object.ts'
import { runtimeName } from '../../../shared/kyma/kyma-runtime.ts'
import type { RuntimeThere } from '../rules/runtime.ts'
import type { World } from '../world.ts'

/** Definitions and the namespace come before the objects that need them. */
const order = { base: 0, content: 1 } as const

export type Writing = { readonly fieldManager?: string; readonly order?: keyof typeof order }

/** The steps in the Kyma's runtime, with our field manager. Fields that the Go operator applied with another field manager become ours. */
export const inRuntime = ({ kyma }: Pick<World, 'kyma'>, steps: readonly Step[], writing: Writing = {}): Step[] =>
  steps.map(step => ({
    ...(step.do === 'apply' ? { ...step, reclaimFrom: kymaNames.formerFieldManagers } : step),
    on: runtimeName(kyma.metadata.name),
    fieldManager: writing.fieldManager ?? kymaNames.fieldManagers.runtime,
    order: order[writing.order ?? 'base'],
  }))

export type WorldWithRuntime = World & { readonly runtime: RuntimeThere }

export const isThere = (world: World): world is WorldWithRuntime => world.runtime.is === 'there'

/** Whether writes in the runtime are possible now. */
export const isPossible = (world: World): world is WorldWithRuntime => isThere(world) && !isDeleting(world.kyma)
