// Reads request bodies, no larger than the API server takes them.
import type { IncomingMessage } from 'node:http'
import { gunzip } from 'node:zlib'
import { badRequest, tooLarge } from '../status.ts'

const mostBytes = 3 * 1024 * 1024

/** The body as it was sent, unpacked. */
export const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > mostBytes) throw tooLarge(`limit is ${mostBytes}`)
  const parts: Buffer[] = []
  let size = 0
  // The rest of a body that is too large is discarded, so that the next request on its connection can be read.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length
    if (size > mostBytes) throw tooLarge(`limit is ${mostBytes}`)
    parts.push(part)
  }
  const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
  return request.headers['content-encoding'] === 'gzip' ? unzipped(bytes) : bytes
}

const unzipped = (bytes: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: mostBytes }, (error, result) => {
      if (!error) resolve(result)
      else reject(error.name === 'RangeError' ? tooLarge(`limit is ${mostBytes}`) : badRequest(error.message))
    })
  })
