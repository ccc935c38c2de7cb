// The lines of a stream that may go on for ever: nothing is kept but the line that is coming in.
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Pace } from '../connection/pace.ts'
import { OutOfRoom, ReceivedBytes, type ReceivingShare } from '../connection/received-bytes.ts'
import { StreamError } from '../errors.ts'
import { Excess } from '../limits.ts'

type LinesOptions = {
  /** How long the reader may have to wait. */
  idleMilliseconds: number
  /** Of one line. */
  bytesMost: number
  pace: Pace
  /** Given: a line that is coming in has its place in it. */
  share?: ReceivingShare
  /** Ends what is waited for on our side. */
  signal?: AbortSignal
}

const lineFeed = 10

/** A line costs whoever reads it as much time as so many bytes, and whatever comes by itself as much as so many. */
const lineBytesLeast = 16 * 1024
const chunkBytesLeast = 256

/** So long may one stream be held back in all: who sends more than is read all the time has news that come ever later. */
const heldMillisecondsMost = 30_000

/**
 * Lines without their ends, each of them there until the next one is asked for. Throws a StreamError when the stream breaks, ends within
 * a line, or lets the reader wait too long, OutOfRoom or an Excess when it brings more than it may. The stream is destroyed when the reader leaves the loop.
 */
export async function* linesIn(body: Readable, options: LinesOptions): AsyncGenerator<Buffer> {
  const lost = (why: OutOfRoom) => body.destroy(why)
  const line = new ReceivedBytes({ ...options, of: 'a line of the stream', lost })
  let heldMilliseconds = 0
  try {
    for await (const chunk of chunksIn(body, options.idleMilliseconds)) {
      let cost = Math.max(chunk.length, chunkBytesLeast)
      let start = 0
      for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
        line.add(chunk.subarray(start, end))
        cost += lineBytesLeast
        yield line.bytes
        line.release()
        start = end + 1
      }
      if (start < chunk.length) line.add(chunk.subarray(start))
      heldMilliseconds += await heldBack(options, cost)
      if (heldMilliseconds > heldMillisecondsMost) throw new Excess('TOO_FAST', 'more events come than are read')
    }
    if (line.length > 0) throw new StreamError('garbage', 'the stream ended within a line')
  } finally {
    line.release()
  }
}

/** For how long; at once when it would be too long anyway. */
const heldBack = async ({ pace, signal }: LinesOptions, cost: number): Promise<number> => {
  const milliseconds = pace(cost, performance.now())
  if (milliseconds > 0 && milliseconds <= heldMillisecondsMost) await pause(milliseconds, undefined, { signal })
  return milliseconds
}

/** Only the time the reader waits counts: a slow reader is no silent server. */
async function* chunksIn(body: Readable, idleMilliseconds: number): AsyncGenerator<Buffer> {
  const silent = () => body.destroy(new StreamError('silent', `nothing came for ${idleMilliseconds / 1000} s`))
  let timer = setTimeout(silent, idleMilliseconds)
  try {
    for await (const chunk of body) {
      clearTimeout(timer)
      yield chunk
      timer = setTimeout(silent, idleMilliseconds)
    }
  } catch (error) {
    throw error instanceof StreamError || error instanceof OutOfRoom
      ? error
      : new StreamError('dropped', `the stream broke (${codeOf(error)})`)
  } finally {
    clearTimeout(timer)
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown')
