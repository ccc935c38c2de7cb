// Which objects belong to a controller: those it owns and selects. It adopts orphans that it selects, and releases
// owned objects that it no longer selects.
import type { KubeObject, OwnerReference } from '../../core/objects/object.ts'
import type { Change } from '../storage/history.ts'
import { matchesLabels, structuredSelector } from '../storage/selectors.ts'
import type { Store } from '../storage/store.ts'
import { fieldsAt, type JsonMap } from '../value.ts'
import type { Look } from './controller.ts'

export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find(owner => owner.controller === true)

export const ownerReference = ({ apiVersion, kind, metadata }: KubeObject): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
})

export const inNamespace = (store: Store, collection: string, namespace: string): KubeObject[] => {
  const now = store.now(collection)
  return now.keys(`${namespace}/`).flatMap(key => now.get(key)?.object ?? [])
}

const selectorOf = (owner: KubeObject): ((object: KubeObject) => boolean) => {
  const selects = fieldsAt(owner, 'spec', 'selector')
  const selector = structuredSelector(owner.kind === 'ReplicationController' ? { matchLabels: selects } : selects) ?? []
  return ({ metadata }) => selector.length > 0 && matchesLabels(selector, metadata.labels)
}

export const ownedBy = ({ store }: Look, owner: KubeObject, collection: string): KubeObject[] =>
  inNamespace(store, collection, owner.metadata.namespace ?? '').filter(
    object => controllerOf(object)?.uid === owner.metadata.uid,
  )

/** After adopting and releasing. */
export const claimed = async (look: Look, owner: KubeObject, collection: string): Promise<KubeObject[]> => {
  const { store, hands } = look
  const selects = selectorOf(owner)
  for (const object of inNamespace(store, collection, owner.metadata.namespace ?? '')) {
    const controller = controllerOf(object)
    const fits = selects(object)
    if (controller?.uid === owner.metadata.uid && !fits) await hands.update(object, now => withoutOwner(now, owner))
    else if (!controller && fits && mayAdopt(owner, object)) await hands.update(object, now => withOwner(now, owner))
  }
  return ownedBy(look, owner, collection)
}

const mayAdopt = (owner: KubeObject, object: KubeObject): boolean =>
  owner.metadata.deletionTimestamp === undefined && object.metadata.deletionTimestamp === undefined

const withOwner = (object: KubeObject, owner: KubeObject): JsonMap => ({
  ...object,
  metadata: {
    ...object.metadata,
    ownerReferences: [...(object.metadata.ownerReferences ?? []), ownerReference(owner)],
  },
})

const withoutOwner = (object: KubeObject, { metadata }: KubeObject): JsonMap => ({
  ...object,
  metadata: {
    ...object.metadata,
    ownerReferences: object.metadata.ownerReferences?.filter(({ uid }) => uid !== metadata.uid),
  },
})

/** A change of a dependent concerns its owner of that kind; a change of an orphan, every owner that selects it. */
export const ownersIn =
  (collection: string, kind: string) =>
  ({ stored, previous }: Change, store: Store): readonly string[] => {
    const { namespace = '' } = stored.object.metadata
    const owners = [stored.object, previous?.object].flatMap(object => (object && controllerOf(object)) ?? [])
    if (owners.length > 0) return owners.filter(owner => owner.kind === kind).map(({ name }) => `${namespace}/${name}`)
    return inNamespace(store, collection, namespace)
      .filter(owner => selectorOf(owner)(stored.object))
      .map(({ metadata }) => `${namespace}/${metadata.name}`)
  }
