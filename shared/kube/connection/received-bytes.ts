// Bytes of an answer that come in pieces and are wanted as a whole, bounded.
import { GrowingBytes } from '../../core/growing-bytes.ts'
import { Excess, mebibytes } from '../limits.ts'

/** A tiny piece costs as much time as a small one, so it counts as one: who sends byte by byte is refused early. */
const pieceBytesLeast = 256

export class ReceivedBytes {
  readonly #bytesMost: number
  readonly #of: string
  #charged = 0
  /** The only piece so far: most answers come as one, and need no copy. */
  #only: Buffer | undefined
  readonly #pieces: GrowingBytes

  /** `of`: what is received, for the sentence of the error. */
  constructor(bytesMost: number, of: string) {
    this.#bytesMost = bytesMost
    this.#of = of
    this.#pieces = new GrowingBytes(bytesMost)
  }

  get length(): number {
    return this.#only?.length ?? this.#pieces.length
  }

  /** Throws an Excess when it is more than may be. */
  add(piece: Buffer): void {
    this.#charged += Math.max(piece.length, pieceBytesLeast)
    if (this.#charged > this.#bytesMost) throw this.excess()
    if (this.length === 0) this.#only = piece
    else this.#append(piece)
  }

  /** All of it; what comes next begins anew. */
  take(): Buffer {
    const all = this.#only ?? this.#pieces.take()
    this.#only = undefined
    this.#charged = 0
    return all
  }

  excess(): Excess {
    return new Excess('TOO_LARGE', `${this.#of} is larger than ${mebibytes(this.#bytesMost)}`)
  }

  #append(piece: Buffer): void {
    if (this.#only) this.#pieces.add(this.#only)
    this.#only = undefined
    this.#pieces.add(piece)
  }
}
