// The ready keys in order of arrival. Keys of a cluster that has no free place are passed over, and keep their order.
import { Fifo } from './fifo.ts'

type Waiting<Item> = { readonly item: Item; readonly order: number }

export class ReadyEntries<Item, Group> {
  /** No group is empty. */
  readonly #groups = new Map<Group, Fifo<Waiting<Item>>>()
  #order = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  push(item: Item, group: Group): void {
    const waiting = this.#groups.get(group) ?? new Fifo<Waiting<Item>>()
    this.#groups.set(group, waiting)
    waiting.push({ item, order: this.#order++ })
    this.#size++
  }

  /** Takes the oldest entry of the groups that have room. */
  shift(hasRoom: (group: Group) => boolean): Item | undefined {
    const group = this.#firstOpen(hasRoom)
    if (group === undefined) return undefined
    const [name, waiting] = group
    const first = waiting.shift()
    if (waiting.size === 0) this.#groups.delete(name)
    this.#size--
    return first?.item
  }

  /** Whether `shift` would find an entry. */
  isOpen(hasRoom: (group: Group) => boolean): boolean {
    return [...this.#groups.keys()].some(hasRoom)
  }

  #firstOpen(hasRoom: (group: Group) => boolean): [Group, Fifo<Waiting<Item>>] | undefined {
    let first: [Group, Fifo<Waiting<Item>>] | undefined
    let firstOrder = Number.POSITIVE_INFINITY
    for (const entry of this.#groups) {
      const order = entry[1].peek()?.order ?? Number.POSITIVE_INFINITY
      if (order >= firstOrder || !hasRoom(entry[0])) continue
      first = entry
      firstOrder = order
    }
    return first
  }
}
