// Removes finalizers. An object that is being deleted is removed with its last finalizer.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Store } from '../storage/store.ts'
import { listAt } from '../value.ts'

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
