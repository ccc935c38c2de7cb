// Collects garbage as the controller manager does. Dependents are deleted after their last owner (background) or before the owner
// (foreground), or the reference to the owner is removed (orphan). An index by uid is updated at every change, so that no search is needed.
// Also deletes Events an hour after their last change, as kube-apiserver does.
import { keptOrMade } from '../../core/memory/remembered.ts'
import type { KubeObject, OwnerReference } from '../../core/objects/object.ts'
import type { Cluster } from '../cluster.ts'
import type { Change, Store } from '../storage/store.ts'
import { textAt } from '../value.ts'
import { removeFinalizer, writeAs } from '../verbs/internal.ts'
import { removeQuietly } from '../verbs/remove.ts'

const foreground = 'foregroundDeletion'
const orphan = 'orphan'

export const collectGarbage = (cluster: Cluster): void => {
  const owners = new Owners()
  const { store, chores } = cluster
  const plan = (place: Place) =>
    chores.add(`garbage ${place.collection} ${place.key}`, () => visit(cluster, owners, place))
  const onEnd = (object: KubeObject) => {
    const uid = object.metadata.uid ?? ''
    for (const dependent of owners.dependents(uid)) plan(dependent)
    for (const owner of ownersOf(object)) {
      const place = owners.place(owner.uid)
      if (place) plan(place)
    }
    owners.forget(uid)
  }
  store.onChange((change: Change) => {
    owners.record(change)
    const { stored, collection, key, type } = change
    if (type === 'DELETED') onEnd(stored.object)
    else if (ownersOf(stored.object).length || isEnding(stored.object)) plan({ collection, key })
  })
}

const isEnding = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined

const visit = (cluster: Cluster, owners: Owners, place: Place): void => {
  const object = cluster.store.get(place.collection, place.key)?.object
  if (!object) return
  const { finalizers = [] } = object.metadata
  if (isEnding(object)) {
    if (finalizers.includes(orphan)) setFree(cluster, owners, place, object)
    else if (finalizers.includes(foreground)) endDependentsFirst(cluster, owners, place, object)
  } else endWithoutOwner(cluster, owners, place, object)
}

const setFree = (cluster: Cluster, owners: Owners, place: Place, object: KubeObject): void => {
  const { uid } = object.metadata
  for (const dependent of owners.dependents(uid ?? '')) withoutOwners(cluster, dependent, owner => owner.uid === uid)
  removeFinalizer(cluster.store, place.collection, place.key, orphan)
}

const withoutOwners = (cluster: Cluster, place: Place, goes: (owner: OwnerReference) => boolean): void =>
  withOwners(cluster, place, owners => owners.filter(owner => !goes(owner)))

const withOwners = (
  cluster: Cluster,
  place: Place,
  change: (owners: readonly OwnerReference[]) => OwnerReference[],
): void => {
  const object = cluster.store.get(place.collection, place.key)?.object
  const [kind] = cluster.registry.inCollection(place.collection)
  if (!object || !kind) return
  const kept = change(ownersOf(object))
  const { ownerReferences: _, ...metadata } = object.metadata
  const freed = { ...object, metadata: kept.length ? { ...metadata, ownerReferences: kept } : metadata }
  writeAs(cluster, kind, freed, { manager: 'kube-controller-manager' })
}

const endDependentsFirst = (cluster: Cluster, owners: Owners, place: Place, object: KubeObject): void => {
  const uid = object.metadata.uid ?? ''
  const blocks = (dependent: Place) =>
    ownersOf(cluster.store.get(dependent.collection, dependent.key)?.object).some(
      owner => owner.uid === uid && owner.blockOwnerDeletion === true,
    )
  for (const dependent of owners.dependents(uid)) endOne(cluster, owners, dependent, uid)
  if (!owners.dependents(uid).some(blocks)) removeFinalizer(cluster.store, place.collection, place.key, foreground)
}

/** Deletes a dependent of an owner that waits for its dependents, unless another owner keeps it. */
const endOne = (cluster: Cluster, owners: Owners, place: Place, waiting: string): void => {
  const object = cluster.store.get(place.collection, place.key)?.object
  if (!object || isEnding(object)) return
  const { namespace = '', uid = '' } = object.metadata
  const others = ownersOf(object).filter(owner => owner.uid !== waiting && owners.isThere(owner, namespace))
  if (others.length) {
    withoutOwners(cluster, place, owner => owner.uid === waiting)
    return
  }
  const dependents = owners.dependents(uid)
  // In a cycle of owners, each object would wait for the next object.
  if (dependents.some(dependent => waitsForDependents(cluster, dependent)))
    withOwners(cluster, place, all => all.map(owner => ({ ...owner, blockOwnerDeletion: false })))
  removeQuietly(cluster, place.collection, object, dependents.length ? 'Foreground' : 'Background')
}

const waitsForDependents = ({ store }: Cluster, { collection, key }: Place): boolean =>
  store.get(collection, key)?.object.metadata.finalizers?.includes(foreground) === true

const endWithoutOwner = (cluster: Cluster, owners: Owners, place: Place, object: KubeObject): void => {
  const references = ownersOf(object)
  const { namespace = '', finalizers = [] } = object.metadata
  const there = references.filter(owner => owners.isThere(owner, namespace))
  if (references.length === 0 || there.length === references.length) return
  if (there.length) {
    withoutOwners(cluster, place, owner => !there.some(({ uid }) => uid === owner.uid))
    return
  }
  const isForeground = finalizers.includes(foreground)
  const propagation = finalizers.includes(orphan) ? 'Orphan' : isForeground ? 'Foreground' : 'Background'
  removeQuietly(cluster, place.collection, object, propagation)
}

type Place = { readonly collection: string; readonly key: string }

class Owners {
  readonly #places = new Map<string, Place & { namespace: string }>()
  readonly #dependents = new Map<string, Map<string, Place>>()

  record({ type, collection, key, stored, previous }: Change): void {
    const place = { collection, key }
    for (const { uid } of ownersOf(previous?.object)) this.#dependents.get(uid)?.delete(`${collection} ${key}`)
    const { uid = '', namespace = '' } = stored.object.metadata
    if (type === 'DELETED') {
      this.#places.delete(uid)
      return
    }
    this.#places.set(uid, { ...place, namespace })
    for (const owner of ownersOf(stored.object)) this.#dependentsOf(owner.uid).set(`${collection} ${key}`, place)
  }

  dependents(uid: string): Place[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])]
  }

  isThere(owner: OwnerReference, namespace: string): boolean {
    const place = this.#places.get(owner.uid)
    return place !== undefined && (place.namespace === '' || place.namespace === namespace)
  }

  place(uid: string): Place | undefined {
    return this.#places.get(uid)
  }

  forget(uid: string): void {
    if (this.#dependents.get(uid)?.size === 0) this.#dependents.delete(uid)
  }

  #dependentsOf(uid: string): Map<string, Place> {
    return keptOrMade(this.#dependents, uid, () => new Map<string, Place>())
  }
}

const ownersOf = (object: KubeObject | undefined): readonly OwnerReference[] => object?.metadata.ownerReferences ?? []

const keptMilliseconds = 3_600_000
const roundMilliseconds = 60_000

/** Checks once a minute. Returns a function that stops the checks. */
export const expireEvents = ({ store, chores }: Cluster): (() => void) => {
  const round = setInterval(() => chores.add('old events', () => dropOldEvents(store, Date.now())), roundMilliseconds)
  round.unref()
  return () => clearInterval(round)
}

export const dropOldEvents = (store: Store, now: number): void => {
  for (const event of store.objects('events').filter(event => changedAt(event) + keptMilliseconds < now))
    store.remove('events', `${event.metadata.namespace}/${event.metadata.name}`)
}

const changedAt = ({ metadata }: KubeObject): number => {
  const changes = (metadata.managedFields ?? []).map(entry => textAt(entry, 'time'))
  return Math.max(...[metadata.creationTimestamp ?? '', ...changes].filter(Boolean).map(Date.parse))
}
