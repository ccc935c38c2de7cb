// Bytes of an answer that come in pieces and are wanted as a whole, bounded: each by itself, and those of all clusters of others
// together.
import type { ByteBudget, BytePlace } from '../../core/byte-budget.ts'
import { GrowingBytes } from '../../core/growing-bytes.ts'
import { Excess, mebibytes } from '../limits.ts'

export type ReceivedBytesOptions = {
  readonly bytesMost: number
  /** What is received, for the sentence of the error. */
  readonly of: string
  /** Given: the buffer has its place among what all clusters of others send at once. */
  readonly share?: ReceivingShare
  /** Called when that place is lost to others while nothing comes. */
  readonly lost?: (why: OutOfRoom) => void
}

/** `from`: whose answers they are. */
export type ReceivingShare = { readonly budget: ByteBudget; readonly from: string }

/** A tiny piece costs as much time as a small one, so it counts as one: who sends byte by byte is refused early. */
const pieceBytesLeast = 256

export class ReceivedBytes {
  readonly #options: ReceivedBytesOptions
  #charged = 0
  /** The only piece so far: most answers come as one, and need no copy. */
  #only: Buffer | undefined
  readonly #pieces: GrowingBytes
  #place: BytePlace | undefined
  #isLost = false

  constructor(options: ReceivedBytesOptions) {
    this.#options = options
    this.#pieces = new GrowingBytes(options.bytesMost)
  }

  get length(): number {
    return this.#only?.length ?? this.#pieces.length
  }

  /** Throws an Excess when it is more than may be, and OutOfRoom when others need the memory. */
  add(piece: Buffer): void {
    if (this.#isLost) throw new OutOfRoom()
    this.#charged += Math.max(piece.length, pieceBytesLeast)
    if (this.#charged > this.#options.bytesMost) throw this.excess()
    this.#takePlaceFor(piece)
    if (this.length === 0) this.#only = piece
    else this.#append(piece)
  }

  /** All of it; it keeps its place until `release`. Throws OutOfRoom when others needed the memory meanwhile. */
  get bytes(): Buffer {
    if (this.#isLost) throw new OutOfRoom()
    return this.#only ?? this.#pieces.bytes
  }

  /** What comes next begins anew. */
  release(): void {
    this.#place?.leave()
    this.#place = undefined
    this.#only = undefined
    if (this.#pieces.length > 0) this.#pieces.forget()
    this.#charged = 0
  }

  excess(): Excess {
    const { of, bytesMost } = this.#options
    return new Excess('TOO_LARGE', `${of} is larger than ${mebibytes(bytesMost)}`)
  }

  #append(piece: Buffer): void {
    if (this.#only) this.#pieces.add(this.#only)
    this.#only = undefined
    this.#pieces.add(piece)
  }

  /** For all that is kept alive: an only piece is a part of a larger chunk. */
  #takePlaceFor(piece: Buffer): void {
    const { share } = this.#options
    if (share === undefined) return
    this.#place ??= share.budget.enter(share.from, () => this.#loseRoom())
    const together = (this.#only?.length ?? 0) + piece.length
    const bytes = this.length === 0 ? piece.buffer.byteLength : (this.#pieces.sizeWith(together) ?? 0)
    if (this.#place.takes(bytes)) return
    this.release()
    throw new OutOfRoom()
  }

  #loseRoom(): void {
    this.release()
    this.#isLost = true
    this.#options.lost?.(new OutOfRoom())
  }
}

/** Others need the memory. The one that is told so had most of it; it may try again. */
export class OutOfRoom extends Error {
  override readonly name = 'OutOfRoom'
  readonly code = 'OUT_OF_ROOM'

  constructor() {
    super('remote clusters together send more at once than there is memory for, and this one most')
  }
}
