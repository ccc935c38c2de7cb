// Removes a finalizer from an object. An object that is being deleted goes with its last finalizer.
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

/** An object that is being deleted is removed with its last finalizer. */
export const endOrWrite = (store: Store, collection: string, key: string, object: KubeObject): void => {
  const { metadata, spec } = object
  const grace = (metadata as { deletionGracePeriodSeconds?: number }).deletionGracePeriodSeconds
  const isHeld = object.kind === 'Namespace' && listAt(spec, 'finalizers').length > 0
  const isOver = metadata.deletionTimestamp && !metadata.finalizers?.length && !grace && !isHeld
  if (isOver) store.remove(collection, key, object)
  else store.write(collection, key, object)
}
