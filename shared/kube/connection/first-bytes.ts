// Reads the first bytes of a body where no more is needed: of an error answer, or of a probe's answer.
import type { Readable } from 'node:stream'
import { ReceivedBytes } from './received-bytes.ts'
import type { Traffic } from './traffic.ts'
import { Overdue } from './whole-answer.ts'

/** At most `bytesMost` bytes; the rest is not read. Rejects with Overdue when they take longer than `milliseconds`. */
export const firstBytes = async (
  body: Readable,
  { bytesMost, milliseconds, traffic }: { bytesMost: number; milliseconds: number; traffic?: Traffic },
): Promise<Buffer> => {
  const begun = new ReceivedBytes({ bytesMost, of: 'the answer', traffic })
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
