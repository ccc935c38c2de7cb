// Decides by the delete policy which dependents stay in the cluster.
import type { DeletePolicy } from '../declared/policies.ts'
import type { Item } from '../inventory/item.ts'
import type { EngineInput } from '../world.ts'

const orphanedAt: Record<DeletePolicy, readonly EngineInput['goal'][]> = {
  Delete: [],
  Orphan: ['apply', 'delete'],
  OrphanOnApply: ['apply'],
  OrphanOnDelete: ['delete'],
}

/** `apply`: the object is no longer rendered. `delete`: the component is being deleted. */
export const isOrphaned = (policy: DeletePolicy, goal: EngineInput['goal']): boolean =>
  orphanedAt[policy].includes(goal)

/** Example: an object with `orphan-on-apply` is no longer rendered, and then the component is deleted. The object stays. */
export const isLeftBehind = ({ deletePolicy, digest }: Item, goal: EngineInput['goal']): boolean =>
  isOrphaned(deletePolicy, goal) || (digest === '' && isOrphaned(deletePolicy, 'apply'))
