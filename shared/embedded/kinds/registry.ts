// All kinds that one cluster serves now: the built-in kinds and the kinds of its CustomResourceDefinitions.
import { apiVersionOf } from '../../core/objects/object.ts'
import { builtinKinds } from './builtin.ts'
import type { Kind } from './kind.ts'

export class Registry {
  readonly #byPath = new Map<string, Kind>()
  readonly #byName = new Map<string, Kind>()
  readonly #custom = new Map<string, readonly Kind[]>()
  /** Grows with every change, so that caches of derived data can detect a change. */
  version = 0

  constructor() {
    for (const kind of builtinKinds) this.#add(kind)
  }

  find(group: string, version: string, plural: string): Kind | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`)
  }

  named(apiVersion: string, kind: string): Kind | undefined {
    return this.#byName.get(`${apiVersion}/${kind}`)
  }

  all(): Kind[] {
    return [...this.#byPath.values()]
  }

  inCollection(collection: string): Kind[] {
    return this.all().filter(kind => kind.collection === collection)
  }

  setCustom(definition: string, kinds: readonly Kind[]): void {
    for (const kind of this.#custom.get(definition) ?? []) this.#remove(kind)
    if (kinds.length) this.#custom.set(definition, kinds)
    else this.#custom.delete(definition)
    for (const kind of kinds) this.#add(kind)
    this.version++
  }

  customKinds(): Kind[] {
    return [...this.#custom.values()].flat()
  }

  #add(kind: Kind): void {
    this.#byPath.set(`${pathOf(kind)}/${kind.plural}`, kind)
    this.#byName.set(`${apiVersionOf(kind)}/${kind.kind}`, kind)
  }

  #remove(kind: Kind): void {
    this.#byPath.delete(`${pathOf(kind)}/${kind.plural}`)
    this.#byName.delete(`${apiVersionOf(kind)}/${kind.kind}`)
  }
}

const pathOf = (kind: Kind): string => `${kind.group}/${kind.version}`
