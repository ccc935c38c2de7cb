// Reads tar archives (ustar, pax, GNU long names) from memory as a sequence of entries, and checks every number in
// them. unpack.ts decides which names and how many bytes are allowed.
import { RenderError } from './generator.ts'

export type TarEntry = { name: string; kind: 'file' | 'directory' | 'link' | 'special'; content: Uint8Array }

export function* tarEntries(archive: Uint8Array): Generator<TarEntry, void, undefined> {
  let extended: Extended = {}
  for (let at = 0; at + blockBytes <= archive.length; ) {
    const header = archive.subarray(at, at + blockBytes)
    if (isBlank(header)) return
    const type = String.fromCharCode(header[typeAt] ?? 0)
    const extension = extensions[type]
    const ownSize = sizeOf(checked(header))
    const size = extension ? ownSize : (extended.size ?? ownSize)
    const begin = at + blockBytes
    if (!Number.isSafeInteger(size) || size < 0 || begin + size > archive.length)
      throw new RenderError('the archive is incomplete: it ends inside a file')
    const content = archive.subarray(begin, begin + size)
    at = begin + Math.ceil(size / blockBytes) * blockBytes
    if (extension) extended = extendedBy(extended, { extension, content })
    else {
      yield entryOf(header, { type, content, extended })
      extended = {}
    }
  }
}

const blockBytes = 512
const checksumAt = 148
const typeAt = 156

/** Attributes of a file from the extended headers before it, and the number of these headers. */
type Extended = { name?: string; size?: number; headers?: number }

/** Readers by type of the extended header. The types `g` (comment of git) and `K` (target of a link) are ignored; links are refused. */
const extensions: Readonly<Record<string, Extension>> = {
  x: content => paxFields(content),
  L: content => ({ name: textOf(content) }),
  K: () => ({}),
  g: () => ({}),
}

type Extension = (content: Uint8Array) => Extended

/** Limits per file, higher than any program needs. Reading a header or record takes a hundred times as long as reading a byte. */
const [headersMost, headerBytesMost, recordsMost] = [10, 2 ** 20, 1_000]

const extendedBy = (
  before: Extended,
  { extension, content }: { extension: Extension; content: Uint8Array },
): Extended => {
  const headers = (before.headers ?? 0) + 1
  if (headers > headersMost || content.length > headerBytesMost) throw tooMuch()
  return { ...before, ...extension(content), headers }
}

const tooMuch = () => new RenderError('the archive has too many or too large extended headers')

type Body = { type: string; content: Uint8Array; extended: Extended }

const entryOf = (header: Uint8Array, { type, content, extended }: Body): TarEntry => {
  const name = extended.name ?? nameOf(header)
  const kind = kinds[type] ?? 'special'
  return { name, kind: kind === 'file' && name.endsWith('/') ? 'directory' : kind, content }
}

/** `7` is a file in contiguous storage; archives before POSIX have NUL for files. */
const kinds: Readonly<Record<string, TarEntry['kind']>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'link',
  '5': 'directory',
}

const nameOf = (header: Uint8Array): string => {
  const name = textOf(header.subarray(0, 100))
  const prefix =
    textOf(header.subarray(257, 262)) === 'ustar' && header[262] === 0 ? textOf(header.subarray(345, 500)) : ''
  return prefix ? `${prefix}/${name}` : name
}

const sizeOf = (header: Uint8Array): number => {
  const field = header.subarray(124, 136)
  return (field[0] ?? 0) & 0x80 ? binary(field) : octal(field)
}

/** GNU tar writes numbers in binary if they have too many digits. */
const binary = (field: Uint8Array): number =>
  field.reduce((sum, byte, at) => sum * 256 + (at === 0 ? byte & 0x7f : byte), 0)

const octal = (field: Uint8Array): number => {
  const digits = textOf(field).trim()
  if (!/^[0-7]*$/.test(digits)) throw new RenderError('the archive has a header with an invalid number')
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}

const checked = (header: Uint8Array): Uint8Array => {
  const blanked = (at: number) => at >= checksumAt && at < checksumAt + 8
  const sum = header.reduce((total, byte, at) => total + (blanked(at) ? 0x20 : byte), 0)
  if (octal(header.subarray(checksumAt, checksumAt + 8)) !== sum)
    throw new RenderError('the archive has a header with a wrong checksum')
  return header
}

/** Records are `<length> <key>=<value>\n`. The length counts the bytes of the whole record. */
const paxFields = (content: Uint8Array): Extended => {
  const fields: Extended = {}
  let records = 0
  for (let at = 0; at < content.length; ) {
    if (++records > recordsMost) throw tooMuch()
    const space = content.indexOf(0x20, at)
    const length = space < 0 ? Number.NaN : Number(textOf(content.subarray(at, space)))
    if (!Number.isSafeInteger(length) || length <= space - at)
      throw new RenderError('the archive has an invalid extended header')
    const [key = '', ...value] = textOf(content.subarray(space + 1, at + length - 1)).split('=')
    if (key === 'path') fields.name = value.join('=')
    if (key === 'size') fields.size = Number(value.join('='))
    at += length
  }
  return fields
}

const isBlank = (block: Uint8Array): boolean => block.every(byte => byte === 0)

const textOf = (field: Uint8Array): string => {
  const end = field.indexOf(0)
  return Buffer.from(end < 0 ? field : field.subarray(0, end)).toString('utf8')
}
