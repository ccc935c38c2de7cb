// What the key of an object says about its removal. Live objects need not say it: another program may have written them, or a person
// have edited them.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { type Item, type ItemKey, itemKey } from '../../../shared/component/inventory/item.ts'
import type { World } from '../../../shared/component/world.ts'
import { isDeletedLast } from '../desired/module-objects.ts'

type Removing = {
  /** Of copy and catalogue in the runtime. */
  readonly syncNamespace: string
  readonly defaultKey: ItemKey | undefined
  /** Namespaces in which other Manifests have objects. */
  readonly inhabited: ReadonlySet<ItemKey>
}

/** The item with what counts when the module drops the object or is deleted: whether it goes, and in which order. */
export const asRemoved = (item: Item, { syncNamespace, defaultKey, inhabited }: Removing): Item => ({
  ...item,
  ...((isNamespaceOfOthers(item, syncNamespace) || inhabited.has(itemKey(item))) && {
    deletePolicy: 'Orphan',
  }),
  ...(isDeletedLast(item) && { deleteOrder: 1 }),
  ...(itemKey(item) === defaultKey && { deleteOrder: -1 }),
})

type Kept = { readonly observed: Pick<World['observed'], 'live'>; readonly shared?: World['shared'] }

/** Others keep all that custom objects need, such as definitions and operators, so that none of them has to go before the module does. */
export const isGroundKept = (items: readonly Item[], { observed, shared }: Kept): boolean => {
  const ground = groundOf(items, { observed })
  return ground.length > 0 && ground.every(item => shared?.has(itemKey(item)))
}

/** Objects of the module that finalize custom objects, such as its operator. */
export const groundOf = (items: readonly Item[], { observed }: Pick<Kept, 'observed'>): Item[] =>
  items.filter(item => isDeletedLast(item) && item.deletePolicy !== 'Orphan' && observed.live.has(itemKey(item)))

const { controlPlane, runtime } = kymaNames.namespaces

/** With it all other modules would go, what the control plane keeps in a cluster, or the cluster itself. */
const isNamespaceOfOthers = (item: Item, syncNamespace: string): boolean =>
  isNamespace(item) &&
  (['default', controlPlane, runtime, syncNamespace].includes(item.name) || item.name.startsWith('kube-'))

export const isNamespace = ({ group, kind }: Pick<Item, 'group' | 'kind'>): boolean =>
  group === '' && kind === 'Namespace'
