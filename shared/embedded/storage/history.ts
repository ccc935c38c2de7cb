// The last changes, oldest first. Watches resume from these changes. Paged lists read snapshots. Requests for older changes get 410.
import type { Stored } from './stored.ts'

export type Change = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly collection: string
  readonly key: string
  readonly revision: number
  /** The object after the change. For a deletion, the last state of the object, with the revision of the deletion. */
  readonly stored: Stored
  readonly previous?: Stored
}

export class History {
  #changes: Change[] = []
  #limit: number
  /** Changes up to this revision are no longer kept. */
  compacted = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(change: Change): void {
    this.#changes.push(change)
    if (this.#changes.length >= this.#limit * 2) this.#keep(this.#limit)
  }

  compact(revision: number): void {
    this.compacted = Math.max(this.compacted, revision)
    this.#changes = this.#after(revision)
  }

  since(revision: number, collection: string): Change[] {
    return this.#after(revision).filter(change => change.collection === collection)
  }

  #keep(count: number): void {
    const last = this.#changes.at(-count - 1)
    if (last) this.compact(last.revision)
  }

  #after(revision: number): Change[] {
    return this.#changes.slice(this.#changes.findLastIndex(change => change.revision <= revision) + 1)
  }
}
