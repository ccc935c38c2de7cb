// Splits an endless stream into lines. Memory holds only the current line.
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Pace } from '../connection/pace.ts'
import { OutOfRoom, ReceivedBytes, type ReceivingShare } from '../connection/received-bytes.ts'
import type { Traffic } from '../connection/traffic.ts'
import { StreamError } from '../errors.ts'
import { Excess } from '../limits.ts'

type LinesOptions = {
  idleMilliseconds: number
  bytesMost: number
  pace: Pace
  /** Whether the stream still sends the objects with which it begins. Default: no. */
  isInitial?(): boolean
  share?: ReceivingShare
  traffic?: Traffic
  signal?: AbortSignal
}

const lineFeed = 10

/** Minimum cost of a line and of a piece, because even a short line or piece takes time. An event may also lead to a call. */
const lineBytesLeast = { initial: 1024, event: 16 * 1024 }
const chunkBytesLeast = 256

/** Total time that the events of a stream may be slowed down. Otherwise the delay of a fast server's events would grow without limit. */
const heldMillisecondsMost = 30_000

/**
 * Returns lines without line feeds. A line is valid until the next line. Throws a StreamError when the stream breaks, ends within a line or
 * is silent for too long. Throws OutOfRoom or Excess above a limit. The stream is destroyed when the caller leaves the loop.
 */
export async function* linesIn(body: Readable, options: LinesOptions): AsyncGenerator<Buffer> {
  const { isInitial = () => false } = options
  const lost = (why: OutOfRoom) => body.destroy(why)
  const line = new ReceivedBytes({ ...options, subject: 'a line of the stream', lost })
  let heldMilliseconds = 0
  try {
    for await (const chunk of chunksIn(body, options.idleMilliseconds)) {
      let cost = Math.max(chunk.length, chunkBytesLeast)
      let start = 0
      for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
        line.add(chunk.subarray(start, end))
        cost += isInitial() ? lineBytesLeast.initial : lineBytesLeast.event
        yield line.bytes
        line.release()
        start = end + 1
      }
      if (start < chunk.length) line.add(chunk.subarray(start))
      const milliseconds = await heldBack(options, cost)
      heldMilliseconds = isInitial() ? 0 : heldMilliseconds + milliseconds
      if (heldMilliseconds > heldMillisecondsMost)
        throw new Excess('TOO_FAST', 'events arrive faster than they are read')
    }
    if (line.length > 0) throw new StreamError('garbage', 'the stream ended within a line')
  } finally {
    line.release()
  }
}

/** Returns the required wait, and waits unless the required wait exceeds the limit. */
const heldBack = async ({ pace, signal }: LinesOptions, cost: number): Promise<number> => {
  const milliseconds = pace(cost, performance.now())
  if (milliseconds > 0 && milliseconds <= heldMillisecondsMost) await pause(milliseconds, undefined, { signal })
  return milliseconds
}

/** Only the time of waiting for data counts as silence, not the time that the caller needs. */
async function* chunksIn(body: Readable, idleMilliseconds: number): AsyncGenerator<Buffer> {
  const silent = () => body.destroy(new StreamError('silent', `no data arrived for ${idleMilliseconds / 1000} s`))
  let timer = setTimeout(silent, idleMilliseconds)
  try {
    for await (const chunk of body) {
      clearTimeout(timer)
      yield chunk
      timer = setTimeout(silent, idleMilliseconds)
    }
  } catch (error) {
    throw error instanceof StreamError || error instanceof OutOfRoom || error instanceof Excess
      ? error
      : new StreamError('dropped', `the stream broke (${codeOf(error)})`)
  } finally {
    clearTimeout(timer)
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown')
