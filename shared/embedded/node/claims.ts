// Finds the objects of a controller: objects that the controller owns and selects. The controller adopts selected orphans, and releases
// owned objects that it no longer selects.
import type { KubeObject, OwnerReference } from '../../core/objects/object.ts'
import { matchesLabels, structuredSelector } from '../storage/selectors.ts'
import type { Change, Store } from '../storage/store.ts'
import { fieldsAt, type JsonMap } from '../value.ts'
import type { Context } from './controller.ts'

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

const selectorOf = (owner: KubeObject): ((object: KubeObject) => boolean) => {
  const selects = fieldsAt(owner, 'spec', 'selector')
  const selector = structuredSelector(owner.kind === 'ReplicationController' ? { matchLabels: selects } : selects) ?? []
  return ({ metadata }) => selector.length > 0 && matchesLabels(selector, metadata.labels)
}

export const ownedBy = ({ store }: Context, owner: KubeObject, collection: string): KubeObject[] =>
  store
    .objects(collection, `${owner.metadata.namespace}/`)
    .filter(object => controllerOf(object)?.uid === owner.metadata.uid)

/** Adopts and releases objects, then returns the owner's objects. */
export const claimed = async (context: Context, owner: KubeObject, collection: string): Promise<KubeObject[]> => {
  const { store, writes } = context
  const selects = selectorOf(owner)
  for (const object of store.objects(collection, `${owner.metadata.namespace}/`)) {
    const controller = controllerOf(object)
    const fits = selects(object)
    if (controller?.uid === owner.metadata.uid && !fits) await writes.update(object, now => withoutOwner(now, owner))
    else if (!controller && fits && mayAdopt(owner, object)) await writes.update(object, now => withOwner(now, owner))
  }
  return ownedBy(context, owner, collection)
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

/** The keys of the owners that a change affects: the owner of a dependent, or every owner that selects an orphan. */
export const ownersIn =
  (collection: string, kind: string) =>
  ({ stored, previous }: Change, store: Store): readonly string[] => {
    const { namespace = '' } = stored.object.metadata
    const owners = [stored.object, previous?.object].flatMap(object => (object && controllerOf(object)) ?? [])
    if (owners.length > 0) return owners.filter(owner => owner.kind === kind).map(({ name }) => `${namespace}/${name}`)
    return store
      .objects(collection, `${namespace}/`)
      .filter(owner => selectorOf(owner)(stored.object))
      .map(({ metadata }) => `${namespace}/${metadata.name}`)
  }
