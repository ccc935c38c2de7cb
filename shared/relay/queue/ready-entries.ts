// Ready keys in order of arrival. A key whose group (home) has no room is skipped and keeps its order. Each operation takes constant time.
// With shift() of a long array, or the first element of a long Set, the time would grow with the number of keys.
import { keptOrMade } from '../../core/memory/remembered.ts'

type Place<Item, Group> = { readonly item: Item; readonly group: Group; readonly order: number }

export class ReadyEntries<Item, Group> {
  readonly #places = new Map<Item, Place<Item, Group>>()
  readonly #coming = new Fifo<Place<Item, Group>>()
  /** Skipped entries. All skipped entries are older than the entries in `coming`. No group is empty. */
  readonly #passedOver = new Map<Group, Fifo<Place<Item, Group>>>()
  #order = 0

  get size(): number {
    return this.#places.size
  }

  push(item: Item, group: Group): void {
    const place = { item, group, order: this.#order++ }
    this.#places.set(item, place)
    this.#coming.push(place)
  }

  /** Removes the item, if present. Its place stays in the queue and is skipped. */
  remove(item: Item): void {
    this.#places.delete(item)
  }

  /** Removes the oldest entry of the groups with room. */
  shift(hasRoom: (group: Group) => boolean): Item | undefined {
    const first = this.#first(hasRoom)?.shift()
    if (first) this.#places.delete(first.item)
    return first?.item
  }

  /** The entry that `shift` would remove. */
  peek(hasRoom: (group: Group) => boolean): Item | undefined {
    return this.#first(hasRoom)?.peek()?.item
  }

  #first(hasRoom: (group: Group) => boolean): Fifo<Place<Item, Group>> | undefined {
    let first: Fifo<Place<Item, Group>> | undefined
    for (const [group, line] of this.#passedOver) {
      const head = this.#headOf(line)
      if (head === undefined) this.#passedOver.delete(group)
      else if (head.order < (first?.peek()?.order ?? Number.POSITIVE_INFINITY) && hasRoom(group)) first = line
    }
    return first ?? this.#firstComing(hasRoom)
  }

  #firstComing(hasRoom: (group: Group) => boolean): Fifo<Place<Item, Group>> | undefined {
    for (let head = this.#headOf(this.#coming); head; head = this.#headOf(this.#coming)) {
      if (hasRoom(head.group)) return this.#coming
      this.#coming.shift()
      keptOrMade(this.#passedOver, head.group, () => new Fifo()).push(head)
    }
    return undefined
  }

  #headOf(line: Fifo<Place<Item, Group>>): Place<Item, Group> | undefined {
    for (let head = line.peek(); head; head = line.peek()) {
      if (this.#places.get(head.item) === head) return head
      line.shift()
    }
    return undefined
  }
}

class Fifo<Item> {
  #items: Item[] = []
  #head = 0

  push(item: Item): void {
    this.#items.push(item)
  }

  peek(): Item | undefined {
    return this.#items[this.#head]
  }

  shift(): Item | undefined {
    const item = this.#items[this.#head]
    if (this.#head < this.#items.length) this.#head++
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }
}
