// Bytes that come in pieces and are wanted as a whole, bounded. Pieces are copied into one buffer that grows: each would else
// hold a hundred bytes of its own, and the whole chunk of the socket that it is a part of.
import { Excess, mebibytes } from '../limits.ts'

/** A tiny piece costs as much time as a small one, so it counts as one: who sends byte by byte is refused early. */
const pieceBytesLeast = 256

const firstBytes = 16 * 1024

export class Gathering {
  readonly #bytesMost: number
  readonly #of: string
  #charged = 0
  #length = 0
  #buffer: Buffer = Buffer.alloc(0)

  /** `of`: what is gathered, for the sentence of the error. */
  constructor(bytesMost: number, of: string) {
    this.#bytesMost = bytesMost
    this.#of = of
  }

  get length(): number {
    return this.#length
  }

  /** Throws an Excess when it is more than may be. */
  add(piece: Buffer): void {
    this.#charged += Math.max(piece.length, pieceBytesLeast)
    if (this.#charged > this.#bytesMost) throw this.excess()
    if (this.#length === 0) this.#buffer = piece
    else this.#append(piece)
    this.#length += piece.length
  }

  /** All of it; what comes next begins anew. */
  take(): Buffer {
    const all = this.#buffer.subarray(0, this.#length)
    this.#buffer = Buffer.alloc(0)
    this.#length = 0
    this.#charged = 0
    return all
  }

  excess(): Excess {
    return new Excess('TOO_LARGE', `${this.#of} is larger than ${mebibytes(this.#bytesMost)}`)
  }

  #append(piece: Buffer): void {
    const needed = this.#length + piece.length
    if (needed > this.#buffer.length) this.#grow(needed)
    piece.copy(this.#buffer, this.#length)
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length, firstBytes))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}
