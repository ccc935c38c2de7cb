// Reads files from a zip archive in memory, by its central directory. It reads deflated and stored files below 4 GiB; anything else is an error.
import { crc32, inflateRawSync } from 'node:zlib'

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const endSize = 22
const entrySize = 46
const localHeaderSize = 30

type Entry = {
  readonly name: string
  readonly method: number
  readonly checksum: number
  readonly compressedSize: number
  readonly localHeader: number
}

/** The content of one file of the archive. */
export function unzipFile(archive: Buffer, name: string): Buffer {
  const entry = entries(archive).find(entry => entry.name === name)
  if (!entry) throw new Error(`the archive has no file ${name}`)
  // Before the data, the local header repeats the name and has extra fields of its own.
  const nameAndExtra = archive.readUInt16LE(entry.localHeader + 26) + archive.readUInt16LE(entry.localHeader + 28)
  const start = entry.localHeader + localHeaderSize + nameAndExtra
  const content = decompress(entry, archive.subarray(start, start + entry.compressedSize))
  if (crc32(content) !== entry.checksum) throw new Error(`${name} is damaged in the archive`)
  return content
}

function decompress(entry: Entry, data: Buffer): Buffer {
  if (entry.method === 0) return data
  if (entry.method === 8) return inflateRawSync(data)
  throw new Error(`${entry.name} is compressed with method ${entry.method}`)
}

function entries(archive: Buffer): Entry[] {
  const end = archive.lastIndexOf(Buffer.from(Uint32Array.of(endSignature).buffer))
  if (end < 0 || end + endSize > archive.length) throw new Error('this is no zip archive')
  const found: Entry[] = []
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== entrySignature) throw new Error('the central directory is damaged')
    const nameSize = archive.readUInt16LE(at + 28)
    found.push({
      name: archive.toString('utf8', at + entrySize, at + entrySize + nameSize),
      method: archive.readUInt16LE(at + 10),
      checksum: archive.readUInt32LE(at + 16),
      compressedSize: archive.readUInt32LE(at + 20),
      localHeader: archive.readUInt32LE(at + 42),
    })
    at += entrySize + nameSize + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return found
}
