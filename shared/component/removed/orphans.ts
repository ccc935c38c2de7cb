// Which dependents are left behind instead of being deleted.

import type { DeletePolicy } from '../declared/policies.ts'
import type { Item } from '../inventory/item.ts'
import type { EngineInput } from '../world.ts'

const orphanedAt: Record<DeletePolicy, readonly EngineInput['wish'][]> = {
  Delete: [],
  Orphan: ['apply', 'delete'],
  OrphanOnApply: ['apply'],
  OrphanOnDelete: ['delete'],
}

/** `apply`: it is no longer rendered; `delete`: the component goes. */
export const isOrphaned = (policy: DeletePolicy, wish: EngineInput['wish']): boolean =>
  orphanedAt[policy].includes(wish)

/** What was to be left behind when it was no longer rendered is so too when the component goes before its turn came. */
export const isLeftBehind = ({ deletePolicy, digest }: Item, wish: EngineInput['wish']): boolean =>
  isOrphaned(deletePolicy, wish) || (digest === '' && isOrphaned(deletePolicy, 'apply'))
