// Removes our finalizer from a deleted object when no instance of its types is left.
import type { Step } from '../../core/decisions/plan.ts'
import { hasFinalizer, type KubeObject } from '../../core/objects/object.ts'
import { isManaged } from '../declared/managed-types.ts'
import { itemKey, type ManagedType } from '../inventory/item.ts'
import type { World } from '../world.ts'
import { instancesSentence } from './deletion-blockers.ts'

type FinalizerRelease = { readonly step?: Step; readonly message: string }

export const releaseFinalizer = (live: KubeObject, types: readonly ManagedType[], world: World): FinalizerRelease => {
  const { finalizer } = world.settings
  if (!hasFinalizer(live, finalizer)) return { message: 'is being deleted' }
  const left = instancesLeft(types, world)
  if (left !== undefined) return { message: left }
  return { step: { do: 'removeFinalizer', target: live, finalizer }, message: 'is being deleted' }
}

/** The reason why the finalizer stays; undefined when no instances are left. */
const instancesLeft = (types: readonly ManagedType[], world: World): string | undefined => {
  const own = world.items.filter(item => isManaged(types, item) && world.observed.live.has(itemKey(item)))
  if (own.length > 0) return `${own.length} of its instances must be deleted first`
  const others = types.map(type => instancesSentence(type, world))
  if (others.includes(undefined)) return 'its instances were not counted yet'
  return others.find(sentence => sentence !== '')
}
