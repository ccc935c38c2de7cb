// Reads the start of a body, for error answers and probes.
import type { Readable } from 'node:stream'
import { ReceivedBytes } from './received-bytes.ts'
import type { Traffic } from './traffic.ts'
import { Overdue } from './whole-answer.ts'

/** Reads at most `bytesMost` bytes. Rejects with Overdue after `milliseconds`. */
export const firstBytes = async (
  body: Readable,
  { bytesMost, milliseconds, traffic }: { bytesMost: number; milliseconds: number; traffic?: Traffic },
): Promise<Buffer> => {
  const begun = new ReceivedBytes({ bytesMost, subject: 'the answer', traffic })
  const timer = setTimeout(() => body.destroy(new Overdue()), milliseconds)
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      begun.add(chunk.subarray(0, bytesMost - begun.length))
      if (begun.length === bytesMost) break
    }
    return begun.bytes
  } finally {
    clearTimeout(timer)
  }
}
