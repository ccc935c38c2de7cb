// Finds the objects of a controller: objects that the controller owns and selects. The controller adopts selected orphans, and releases
// owned objects that it no longer selects.
import { isDeleting, type KubeObject, type OwnerReference } from '../../core/objects/object.ts'
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
    const { uid } = owner.metadata
    if (controller?.uid === uid && !fits)
      await writes.update(object, now =>
        withOwners(
          now,
          ownersOf(now).filter(each => each.uid !== uid),
        ),
      )
    else if (!controller && fits && !isDeleting(owner) && !isDeleting(object))
      await writes.update(object, now => withOwners(now, [...ownersOf(now), ownerReference(owner)]))
  }
  return ownedBy(context, owner, collection)
}

const withOwners = (object: KubeObject, ownerReferences: readonly OwnerReference[]): JsonMap => ({
  ...object,
  metadata: { ...object.metadata, ownerReferences },
})

const ownersOf = ({ metadata }: KubeObject): readonly OwnerReference[] => metadata.ownerReferences ?? []

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
