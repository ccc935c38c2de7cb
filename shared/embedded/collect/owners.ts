// Who owns whom, by uid: kept up to date with every change, so that collecting garbage never searches.
import type { KubeObject, OwnerReference } from '../../core/objects/object.ts'
import type { Change } from '../storage/history.ts'

export type Place = { readonly collection: string; readonly key: string }

export class Owners {
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

  /** Whether the owner is there: by uid, in the same namespace or in none. */
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
    const known = this.#dependents.get(uid)
    if (known) return known
    const made = new Map<string, Place>()
    this.#dependents.set(uid, made)
    return made
  }
}

export const ownersOf = (object: KubeObject | undefined): readonly OwnerReference[] =>
  object?.metadata.ownerReferences ?? []
