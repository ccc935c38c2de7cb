// The lines of a stream that may go on for ever: nothing is kept but the line that is coming in.
import type { Readable } from 'node:stream'
import { StreamError } from './errors.ts'

/** No event is larger: etcd holds objects of 1.5 MiB, and JSON may spell them longer. */
const lineBytesMost = 32 * 1024 * 1024

const lineFeed = 10

/**
 * Lines without their ends. Throws a StreamError when the stream breaks, ends within a line, or lets the reader wait
 * longer than `idleMilliseconds`. The stream is destroyed when the reader leaves the loop.
 */
export async function* linesIn(body: Readable, idleMilliseconds: number): AsyncGenerator<string> {
  let begun: Buffer[] = []
  let begunBytes = 0
  for await (const chunk of chunksIn(body, idleMilliseconds)) {
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      yield joined(begun, chunk.subarray(start, end))
      begun = []
      begunBytes = 0
      start = end + 1
    }
    if (start < chunk.length) begun.push(chunk.subarray(start))
    begunBytes += chunk.length - start
    if (begunBytes > lineBytesMost) throw new StreamError('garbage', 'a line of the stream does not end')
  }
  if (begun.length > 0) throw new StreamError('garbage', 'the stream ended within a line')
}

const joined = (begun: readonly Buffer[], rest: Buffer): string =>
  begun.length === 0 ? rest.toString() : Buffer.concat([...begun, rest]).toString()

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
    throw error instanceof StreamError ? error : new StreamError('dropped', `the stream broke (${codeOf(error)})`)
  } finally {
    clearTimeout(timer)
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown')
