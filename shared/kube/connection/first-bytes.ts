// The beginning of a body of which nobody wants more: of a refusal, or of a probe's answer.
import type { Readable } from 'node:stream'
import { ReceivedBytes } from './received-bytes.ts'
import { Overdue } from './whole-answer.ts'

/** What comes after so many bytes is not read; rejects with Overdue when what comes before takes longer. */
export const beginning = async (
  body: Readable,
  { bytesMost, milliseconds }: { bytesMost: number; milliseconds: number },
): Promise<Buffer> => {
  const begun = new ReceivedBytes({ bytesMost, of: 'the answer' })
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
