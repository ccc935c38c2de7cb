// Delivers items at their times with one timer: the calls of a round, spread over an hour.
import type { RelayClock } from './clock.ts'
import { DueHeap, type Timed } from './due-heap.ts'

export type LaterDeliveries<Item> = {
  put(item: Item, afterSeconds: number): void
  /** Forgets what is not delivered yet. */
  stop(): void
}

export const deliverLater = <Item>(clock: RelayClock, deliver: (item: Item) => void): LaterDeliveries<Item> => {
  const heap = new DueHeap<Timed & { item: Item }>()
  let callOff = () => {}
  const deliverDue = () => {
    for (let due = heap.popDue(clock.monotonic()); due; due = heap.popDue(clock.monotonic())) deliver(due.item)
    setTimer()
  }
  const setTimer = () => {
    callOff()
    const first = heap.peek()
    callOff = first ? clock.after(first.at - clock.monotonic(), deliverDue) : () => {}
  }
  return {
    put: (item, afterSeconds) => {
      const entry = { item, at: clock.monotonic() + afterSeconds * 1000, place: -1 }
      heap.push(entry)
      if (heap.peek() === entry) setTimer()
    },
    stop: () => callOff(),
  }
}
