// Calls and writes by the cluster itself.
import { apiVersionOf, type KubeObject } from '../../core/objects/object.ts'
import { emptySet } from '../apply/field-set.ts'
import { ownedAfterUpdate } from '../apply/ownership.ts'
import { rootTyping } from '../apply/shape.ts'
import type { Cluster } from '../cluster.ts'
import { endOrWrite } from '../collect/finalizers.ts'
import { admin } from '../identity/user.ts'
import { type Kind, storageKey } from '../kinds/kind.ts'
import { nowText } from '../time.ts'
import type { Call } from './call.ts'
import { blankOf } from './strategy.ts'

export const internalCall = (cluster: Cluster, collection: string, object: KubeObject): Call | undefined => {
  const [kind] = cluster.registry.inCollection(collection)
  return (
    kind && {
      cluster,
      user: admin,
      kind,
      namespace: object.metadata.namespace ?? '',
      name: object.metadata.name,
      subresource: '',
      query: new URLSearchParams(),
      contentType: 'application/json',
      body: '',
      userAgent: 'embedded',
      warnings: new Set(),
    }
  )
}

type Writer = { readonly manager: string; readonly subresource?: string }

/** Writes the object, or removes it if it is being deleted and has no finalizers. */
export const writeAs = (
  { store }: Cluster,
  kind: Kind,
  next: KubeObject,
  { manager, subresource = '' }: Writer,
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
