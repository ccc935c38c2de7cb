// A binary heap of items with a time. Any item can be removed, because an event may start a delayed call earlier.

/** `place`: the item's position, maintained by the heap; -1 outside of heaps. */
export type Timed = { at: number; place: number }

export class DueHeap<Item extends Timed> {
  readonly #items: Item[] = []

  get size(): number {
    return this.#items.length
  }

  peek(): Item | undefined {
    return this.#items[0]
  }

  push(item: Item): void {
    this.#items.push(item)
    this.#rise(item, this.#items.length - 1)
  }

  remove(item: Item): void {
    const place = item.place
    if (place < 0) return
    item.place = -1
    const last = this.#items.pop()
    if (last === undefined || last === item) return
    this.#sink(last, place)
    if (last.place === place) this.#rise(last, place)
  }

  popDue(now: number): Item | undefined {
    const first = this.#items[0]
    if (first === undefined || first.at > now) return undefined
    this.remove(first)
    return first
  }

  #rise(item: Item, from: number): void {
    let place = from
    while (place > 0) {
      const parent = this.#items[(place - 1) >> 1]
      if (parent === undefined || parent.at <= item.at) break
      this.#put(parent, place)
      place = (place - 1) >> 1
    }
    this.#put(item, place)
  }

  #sink(item: Item, from: number): void {
    let place = from
    for (;;) {
      const child = this.#earlierChild(place)
      if (child === undefined || child.at >= item.at) break
      const next = child.place
      this.#put(child, place)
      place = next
    }
    this.#put(item, place)
  }

  #earlierChild(place: number): Item | undefined {
    const left = this.#items[2 * place + 1]
    const right = this.#items[2 * place + 2]
    return left && right && right.at < left.at ? right : left
  }

  #put(item: Item, place: number): void {
    this.#items[place] = item
    item.place = place
  }
}
