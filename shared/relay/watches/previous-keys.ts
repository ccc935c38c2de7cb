// Remembers to which keys each object led. Example: a dependent's owner label changes from a to b: both a and b are called. A dependent
// that was deleted while nobody watched calls the owner it had.
import { type Key, keyText } from '../../core/object.ts'
import { keyIn } from '../key-text.ts'
import type { ObjectChange } from './seen-objects.ts'

export class PreviousKeys {
  readonly #last = new Map<string, readonly string[]>()
  readonly #objectsMost: () => number

  /** Of so many objects it is remembered; of others a change calls those whom it leads to now. */
  constructor(objectsMost: () => number = () => Number.POSITIVE_INFINITY) {
    this.#objectsMost = objectsMost
  }

  /** All keys the change concerns, none twice: those of now and those of before. */
  follow({ type, ref }: ObjectChange, now: readonly Key[]): Key[] {
    const id = keyText(ref)
    const after = now.map(keyText)
    const before = this.#last.get(id) ?? []
    if (type === 'DELETED' || after.length === 0) this.#last.delete(id)
    else if (this.#last.has(id) || this.#last.size < this.#objectsMost()) this.#last.set(id, after)
    return [...new Set([...before, ...after])].map(keyIn)
  }
}
