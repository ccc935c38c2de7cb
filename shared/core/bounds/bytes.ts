// Limits bytes that are being received, and collects them in one buffer. If the limit of all bodies or answers is reached, the sender
// with the most bytes loses its slowest body first. Example: a body of 7 MiB that arrives byte by byte is dropped before a small review.

export type ByteBudget = {
  /** Adds one body or answer. `giveWay` is called if this body must be dropped. */
  enter(from: string, giveWay: () => void): BytePlace
}

export type BytePlace = {
  /** Changes the size to `bytes`. Above the limit, bodies are dropped; false means that this body was dropped. */
  takes(bytes: number): boolean
  /** Call after the last byte arrived. From then on, this body cannot be dropped. */
  isBeingAnswered(): void
  /** May be called more than once. */
  leave(): void
}

type Held = Guest & { weight: number; isBusy: boolean; readonly since: number; readonly giveWay: () => void }

/** `now`: a monotonic time in milliseconds. `gaveWay` is called for each dropped body. */
export const byteBudget = (bytesMost: number, now: () => number, gaveWay = (): void => {}): ByteBudget => {
  const all = new Set<Held>()
  let bytesTaken = 0

  const leave = (held: Held): void => {
    if (all.delete(held)) bytesTaken -= held.weight
  }

  const bytesPerMillisecond = ({ weight, since }: Held): number => weight / (now() - since)

  const takes = (held: Held, bytes: number): boolean => {
    if (!all.has(held)) return false
    bytesTaken += bytes - held.weight
    held.weight = bytes
    while (bytesTaken > bytesMost) {
      const loser = givesWay(all, bytesPerMillisecond) ?? held
      leave(loser)
      gaveWay()
      if (loser === held) return false
      loser.giveWay()
    }
    return true
  }

  return {
    enter: (from, giveWay) => {
      const held: Held = { from, weight: 0, isBusy: false, since: now(), giveWay }
      all.add(held)
      return {
        takes: bytes => takes(held, bytes),
        isBeingAnswered: () => {
          held.isBusy = true
        },
        leave: () => leave(held),
      }
    },
  }
}

/** A connection or body. Above a limit, the sender with the most weight loses the item with the least merit. */
export type Guest = {
  /** Address of the caller, or name of the remote cluster. */
  readonly from: string
  readonly weight: number
  /** Whether the item is being processed. Dropping it would waste the work done. */
  readonly isBusy: boolean
}

/** The item to drop; undefined when all items are busy. */
export const givesWay = <G extends Guest>(guests: Iterable<G>, merit: (guest: G) => number): G | undefined => {
  const all = [...guests]
  const weights = new Map<string, number>()
  for (const { from, weight } of all) weights.set(from, (weights.get(from) ?? 0) + weight)
  const weightOf = ({ from }: Guest): number => weights.get(from) ?? 0
  const isWorse = (one: G, other: G): boolean =>
    weightOf(one) === weightOf(other) ? merit(one) < merit(other) : weightOf(one) > weightOf(other)
  const free = all.filter(({ isBusy }) => !isBusy)
  return free.reduce<G | undefined>((worst, guest) => (worst && !isWorse(guest, worst) ? worst : guest), undefined)
}

const bytesLeast = 16_384

/**
 * Collects pieces in one buffer, because a list would cost a hundred bytes per piece. The buffer doubles as it grows, because a sender may
 * announce more bytes than it sends. `transfer` frees old memory at once.
 */
export class GrowingBytes {
  readonly #bytesMost: number
  #bytes = new Uint8Array()
  #length = 0

  constructor(bytesMost: number) {
    this.#bytesMost = bytesMost
  }

  /** The size of the buffer after adding a piece of this length; undefined when the size would exceed the limit. */
  sizeWith(pieceLength: number): number | undefined {
    const needed = this.#length + pieceLength
    if (needed > this.#bytesMost) return undefined
    if (needed <= this.#bytes.length) return this.#bytes.length
    return Math.min(this.#bytesMost, Math.max(bytesLeast, 2 * needed))
  }

  add(piece: Uint8Array): void {
    const size = this.sizeWith(piece.length)
    if (size === undefined) throw new RangeError(`more than ${this.#bytesMost} bytes`)
    if (size > this.#bytes.length) this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(size))
    this.#bytes.set(piece, this.#length)
    this.#length += piece.length
  }

  get length(): number {
    return this.#length
  }

  /** All bytes so far. Valid until the next `add` or `forget`. */
  get bytes(): Buffer {
    return Buffer.from(this.#bytes.buffer, 0, this.#length)
  }

  forget(): void {
    this.#bytes.buffer.transfer(0)
    this.#bytes = new Uint8Array()
    this.#length = 0
  }
}
