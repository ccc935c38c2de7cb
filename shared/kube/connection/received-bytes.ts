// Collects the bytes of one answer, up to a limit. All remote clusters share a second limit.
import { type ByteBudget, type BytePlace, GrowingBytes } from '../../core/bounds/bytes.ts'
import { Excess, mebibytes } from '../limits.ts'
import type { Traffic } from './traffic.ts'

type ReceivedBytesOptions = {
  readonly bytesMost: number
  /** Subject of error messages: `the answer`. */
  readonly subject: string
  /** Absent: only `bytesMost` limits the buffer. */
  readonly share?: ReceivingShare
  /** Called when another cluster needs the memory while no bytes arrive here. */
  readonly lost?: (why: OutOfRoom) => void
  readonly traffic?: Traffic
}

/** `from`: the cluster that sends the answers. */
export type ReceivingShare = { readonly budget: ByteBudget; readonly from: string }

/** A smaller piece counts as this many bytes, because each piece costs time. So a server that sends byte by byte reaches the limit early. */
const pieceBytesLeast = 256

export class ReceivedBytes {
  readonly #options: ReceivedBytesOptions
  #charged = 0
  /** The only piece so far. Most answers arrive in one piece, which need not be copied. */
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

  /** Throws an Excess above the limit, and OutOfRoom when other clusters need the memory. */
  add(piece: Buffer): void {
    this.#options.traffic?.answered(piece.length)
    if (this.#isLost) throw new OutOfRoom()
    this.#charged += Math.max(piece.length, pieceBytesLeast)
    if (this.#charged > this.#options.bytesMost) throw this.excess()
    this.#takePlaceFor(piece)
    if (this.length === 0) this.#only = piece
    else this.#append(piece)
  }

  /** All bytes. The bytes count in the budget until `release`. Throws OutOfRoom if the memory was given to other clusters. */
  get bytes(): Buffer {
    if (this.#isLost) throw new OutOfRoom()
    return this.#only ?? this.#pieces.bytes
  }

  release(): void {
    this.#place?.leave()
    this.#place = undefined
    this.#only = undefined
    if (this.#pieces.length > 0) this.#pieces.forget()
    this.#charged = 0
  }

  excess(): Excess {
    const { subject, bytesMost } = this.#options
    return new Excess('TOO_LARGE', `${subject} is larger than ${mebibytes(bytesMost)}`)
  }

  #append(piece: Buffer): void {
    if (this.#only) this.#pieces.add(this.#only)
    this.#only = undefined
    this.#pieces.add(piece)
  }

  /** Counts all memory that the answer keeps alive: a single piece is a slice of a larger chunk from the socket. */
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

/** Other clusters needed the memory, and this cluster used most of the memory. The request may be repeated. */
export class OutOfRoom extends Error {
  override readonly name = 'OutOfRoom'
  readonly code = 'OUT_OF_ROOM'

  constructor() {
    super('the responses of remote clusters together exceed the memory limit, and this cluster sends most')
  }
}
