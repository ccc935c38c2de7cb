// Addresses of Pods: each its own, from 10.244.0.0/14; none is routed. Kept up to date with every change, never stored.
import type { Store } from '../../storage/store.ts'
import { textAt } from '../../value.ts'

const room = 4 * 65_536 - 2

export class Addresses {
  readonly #taken = new Set<string>()
  #cursor = 0

  constructor(store: Store) {
    const pods = store.now('pods')
    for (const key of pods.keys('')) this.#taken.add(textAt(pods.get(key)?.object, 'status', 'podIP'))
    store.onChange(({ collection, type, stored }) => {
      if (collection === 'pods' && type === 'DELETED') this.#taken.delete(textAt(stored.object, 'status', 'podIP'))
    })
  }

  next(): string {
    for (let tries = 0; tries < room; tries++) {
      this.#cursor = (this.#cursor % room) + 1
      const address = `10.${244 + (this.#cursor >> 16)}.${(this.#cursor >> 8) & 255}.${this.#cursor & 255}`
      if (this.#taken.has(address)) continue
      this.#taken.add(address)
      return address
    }
    throw new Error('every address of a Pod is taken')
  }
}
