// Remembers to which keys each object led. Example: a dependent's owner label changes from a to b: both a and b are called. A dependent
// that was deleted while nobody watched calls the owner it had.
import { type Key, keyText } from '../../core/objects/object.ts'
import { keyIn } from '../key-text.ts'
import type { ObjectChange } from './seen-objects.ts'

export class PreviousKeys {
  readonly #last = new Map<string, readonly string[]>()
  readonly #objectsMost: () => number

  /** Remembers the keys of so many objects. A change of another object calls only the keys that it leads to now. */
  constructor(objectsMost: () => number = () => Number.POSITIVE_INFINITY) {
    this.#objectsMost = objectsMost
  }

  /** The keys that the object leads to now and those it led to before, none twice. */
  follow({ type, ref }: ObjectChange, now: readonly Key[]): Key[] {
    const id = keyText(ref)
    const after = now.map(keyText)
    const before = this.#last.get(id) ?? []
    if (type === 'DELETED' || after.length === 0) this.#last.delete(id)
    else if (this.#last.has(id) || this.#last.size < this.#objectsMost()) this.#last.set(id, after)
    return [...new Set([...before, ...after])].map(keyIn)
  }
}
