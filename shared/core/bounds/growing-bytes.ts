// Collects pieces of bytes in one buffer. A list of pieces would cost a hundred bytes per piece, even for pieces of one byte. The buffer
// doubles as it grows, because a sender may announce more bytes than it sends. `transfer` frees old memory at once.

const bytesLeast = 16_384

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
