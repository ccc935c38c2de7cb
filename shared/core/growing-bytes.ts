// Bytes that come in pieces, kept in one buffer: a list of pieces costs a hundred bytes for each of them, be it one byte. The
// buffer doubles as it grows, for what a sender says about its length need not come; outgrown memory is given back at once
// and does not wait for the garbage collector.

const bytesLeast = 16_384

export class GrowingBytes {
  readonly #bytesMost: number
  #bytes = new Uint8Array()
  #length = 0

  constructor(bytesMost: number) {
    this.#bytesMost = bytesMost
  }

  /** How large the buffer is once a piece of that length is in it; undefined: there is more than there may be. */
  sizeWith(pieceLength: number): number | undefined {
    const needed = this.#length + pieceLength
    if (needed > this.#bytesMost) return undefined
    if (needed <= this.#bytes.length) return this.#bytes.length
    return Math.min(this.#bytesMost, Math.max(bytesLeast, 2 * needed))
  }

  /** The buffer then has the size that was told. */
  add(piece: Uint8Array): void {
    const size = this.sizeWith(piece.length)
    if (size === undefined) throw new RangeError(`more than ${this.#bytesMost} bytes`)
    if (size > this.#bytes.length) this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(size))
    this.#bytes.set(piece, this.#length)
    this.#length += piece.length
  }

  /** How many have come. */
  get length(): number {
    return this.#length
  }

  /** All that have come, as long as they are not forgotten. */
  get bytes(): Buffer {
    return Buffer.from(this.#bytes.buffer, 0, this.#length)
  }

  forget(): void {
    this.#bytes.buffer.transfer(0)
    this.#bytes = new Uint8Array()
    this.#length = 0
  }
}
