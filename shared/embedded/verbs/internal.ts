// Writes by the cluster itself. An object that is being deleted is removed with its last finalizer.
import { apiVersionOf, type KubeObject } from '../../core/objects/object.ts'
import { emptySet } from '../apply/field-set.ts'
import { ownedAfterUpdate } from '../apply/ownership.ts'
import { rootTyping } from '../apply/shape.ts'
import type { Cluster } from '../cluster.ts'
import { type Kind, storageKey } from '../kinds/kind.ts'
import type { Store } from '../storage/store.ts'
import { nowText } from '../time.ts'
import { listAt } from '../value.ts'
import { blankOf } from './strategy.ts'

/** Writes the object, or removes it if it is being deleted and has no finalizers. */
export const writeAs = (
  { store }: Cluster,
  kind: Kind,
  next: KubeObject,
  { manager, subresource = '' }: { manager: string; subresource?: string },
): void => {
  const key = storageKey(kind, next.metadata.namespace ?? '', next.metadata.name)
  const before = store.get(kind.collection, key)?.object
  if (!before) return
  const change = {
    manager,
    subresource,
    apiVersion: apiVersionOf(kind),
    time: nowText(),
    typing: rootTyping(kind),
    ignored: emptySet,
    blank: blankOf(kind),
    isServed: () => true,
  }
  endOrWrite(store, kind.collection, key, ownedAfterUpdate(before, next, change))
}

export const removeFinalizer = (store: Store, collection: string, key: string, finalizer: string): void => {
  const object = store.get(collection, key)?.object
  if (!object?.metadata.finalizers?.includes(finalizer)) return
  const finalizers = object.metadata.finalizers.filter(each => each !== finalizer)
  const { finalizers: _, ...metadata } = object.metadata
  endOrWrite(store, collection, key, {
    ...object,
    metadata: finalizers.length ? { ...metadata, finalizers } : metadata,
  })
}

/** Writes the object, or removes it if it is being deleted and nothing holds it. */
export const endOrWrite = (store: Store, collection: string, key: string, object: KubeObject): void => {
  if (isDeletable(object)) store.remove(collection, key, object)
  else store.write(collection, key, object)
}

/** Whether the object is being deleted and has neither finalizers nor a grace period. */
export const isDeletable = ({ kind, metadata, spec }: KubeObject): boolean => {
  const grace = (metadata as { deletionGracePeriodSeconds?: number }).deletionGracePeriodSeconds
  const isHeld = kind === 'Namespace' && listAt(spec, 'finalizers').length > 0
  return metadata.deletionTimestamp !== undefined && !metadata.finalizers?.length && !grace && !isHeld
}
