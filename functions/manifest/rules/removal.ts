// Decides by an object's key how the object is removed. Annotations of the live object do not count, because other programs or users may
// have changed them.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { type Item, type ItemKey, itemKey } from '../../../shared/component/item.ts'
import type { World } from '../../../shared/component/world.ts'
import { isDeletedLast } from '../desired/module-objects.ts'

type Removing = {
  /** The namespace of copy and catalogue in the runtime. */
  readonly syncNamespace: string
  readonly defaultKey: ItemKey | undefined
  /** Namespaces in which other Manifests have objects. */
  readonly inhabited: ReadonlySet<ItemKey>
}

/** Sets whether the object is deleted, and in which order, when the module drops it or is deleted. */
export const asRemoved = (item: Item, { syncNamespace, defaultKey, inhabited }: Removing): Item => ({
  ...item,
  ...((isNamespaceOfOthers(item, syncNamespace) || inhabited.has(itemKey(item))) && {
    deletePolicy: 'Orphan',
  }),
  ...(isDeletedLast(item) && { deleteOrder: 1 }),
  ...(itemKey(item) === defaultKey && { deleteOrder: -1 }),
})

type Kept = { readonly observed: Pick<World['observed'], 'live'>; readonly shared?: World['shared'] }

/**
 * Whether sharers keep all objects that custom objects need, such as definitions and operators. If so, the removal need not wait for custom
 * objects.
 */
export const isGroundKept = (items: readonly Item[], { observed, shared }: Kept): boolean => {
  const ground = groundOf(items, { observed })
  return ground.length > 0 && ground.every(item => shared?.has(itemKey(item)))
}

/** Objects of the module that are needed for the deletion of custom objects, such as the module's operator. */
export const groundOf = (items: readonly Item[], { observed }: Pick<Kept, 'observed'>): Item[] =>
  items.filter(item => isDeletedLast(item) && item.deletePolicy !== 'Orphan' && observed.live.has(itemKey(item)))

const { controlPlane, runtime } = kymaNames.namespaces

/** A Namespace whose deletion would delete other modules, objects of the control plane, or the cluster itself. */
const isNamespaceOfOthers = (item: Item, syncNamespace: string): boolean =>
  isNamespace(item) &&
  (['default', controlPlane, runtime, syncNamespace].includes(item.name) || item.name.startsWith('kube-'))

export const isNamespace = ({ group, kind }: Pick<Item, 'group' | 'kind'>): boolean =>
  group === '' && kind === 'Namespace'
