// Unpacks an artifact (a gzipped tar archive: ustar, pax, GNU long names) in memory. Archives are untrusted: every number is checked, every size
// has a limit, and a link, a special file or a path outside the root is refused. A ConfigMap contains the archive in one key, or one file per key.
import { gunzipSync } from 'node:zlib'
import { checks } from '../core/decisions/checks.ts'
import { mapOrEmpty } from '../core/json/json.ts'
import type { KubeObject } from '../core/objects/object.ts'
import { type Files, naming, ofArtifact, RenderError } from './generator.ts'

/** Limits of an unpacked archive. Folders and links count as entries. */
export type ArchiveLimits = { bytes: number; entries: number }

export const archiveLimits: ArchiveLimits = { bytes: 32 * 2 ** 20, entries: 10_000 }

/**
 * The files of an archive such as `shop-1.0.0.tgz`. The later of two files with one path wins. Throws RenderError.
 *
 *   const files = unpackTarGz(await readFile('shop-1.0.0.tgz'))
 */
export const unpackTarGz = (artifact: Uint8Array, limits = archiveLimits): Files => {
  const files = new Map<string, Uint8Array>()
  for (const { name, content } of filesInTar(gunzipped(artifact, limits), limits)) files.set(plainPath(name), content)
  return files
}

/** The files in the order of the archive. Throws RenderError at the first entry that is refused. */
export function* filesInTar(archive: Uint8Array, { entries }: ArchiveLimits): Generator<TarEntry, void, undefined> {
  let count = 0
  for (const entry of tarEntries(archive)) {
    if (++count > entries) throw new RenderError(`the archive has more than ${entries} entries`)
    const fault = faultOf(entry)
    if (fault) throw new RenderError(`the archive contains ${shown(entry.name)}, which ${fault}`)
    if (entry.kind === 'file') yield entry
  }
}

export const withoutFolder = (files: Files): Files =>
  new Map([...files].map(([path, content]) => [withoutFirst(path), content]))

const withoutFirst = (path: string): string => {
  const folder = path.indexOf('/')
  if (folder < 0) throw new RenderError(`the archive contains ${shown(path)} outside the folder of the chart`)
  return path.slice(folder + 1)
}

/** Throws RenderError if the artifact is not gzipped or unpacks to more than `bytes`. */
export const gunzipped = (artifact: Uint8Array, { bytes }: ArchiveLimits): Uint8Array => {
  try {
    return gunzipSync(artifact, { maxOutputLength: bytes })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new RenderError(`the archive unpacks to more than ${bytes} bytes`)
    if (typeof code === 'string') throw new RenderError(`the archive is not gzipped (${code})`)
    throw error
  }
}

const faultOf = ({ name, kind }: TarEntry): string | undefined =>
  kindFaults[kind] ?? pathFault(name) ?? (kind === 'file' && plainPath(name) === '' ? 'has no name' : undefined)

const kindFaults: Partial<Record<TarEntry['kind'], string>> = {
  link: 'is a link',
  special: 'is neither a file nor a folder',
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 100))

const lengthMost = 1024

/** Why a path is refused, as the end of a sentence. A path outside the root is never corrected. */
const pathFault = checks(
  (name: string) => name.length > lengthMost && `is longer than ${lengthMost} characters`,
  name => (name.startsWith('/') || /^[A-Za-z]:/.test(name)) && 'is an absolute path',
  name => name.split('/').includes('..') && 'leads outside the artifact',
  name => (name.includes('\\') || name.includes('\0')) && 'contains a backslash or a NUL character',
)

/** `a//./b` becomes `a/b`; the root becomes ''. */
export const plainPath = (name: string): string => name.split('/').filter(isStep).join('/')

const isStep = (part: string): boolean => part !== '' && part !== '.'

export type PackedAs = 'chart' | 'files'

const packedKey = 'artifact.tgz'

/** Throws RenderError, which names the ConfigMap. */
export const configMapFiles = (configMap: KubeObject, packedAs: PackedAs): Files => {
  const about = `ConfigMap ${configMap.metadata.name}`
  const content = contentOf(configMap)
  if (content.size === 0) throw new RenderError(`${about} is empty`, { quotesNoValues: true })
  const artifact = content.get(packedKey)
  return naming(about, () => ofArtifact(() => (artifact ? unpackedAs(packedAs, artifact) : filePerKey(content))))
}

export const unpackedAs = (packedAs: PackedAs, artifact: Uint8Array): Files =>
  packedAs === 'chart' ? withoutFolder(unpackTarGz(artifact)) : unpackTarGz(artifact)

const filePerKey = (content: ReadonlyMap<string, Uint8Array>): Files =>
  new Map([...content].map(([key, bytes]) => [pathOfKey(key), bytes]))

const pathOfKey = (key: string): string => {
  const path = key.replaceAll('__', '/')
  const fault = pathFault(path)
  if (fault) throw new RenderError(`the key ${key} ${fault}`)
  return plainPath(path)
}

const contentOf = ({ data, binaryData }: KubeObject): Map<string, Uint8Array> =>
  new Map([
    ...textsIn(data).map(([key, text]) => [key, Buffer.from(text)] as const),
    ...textsIn(binaryData).map(([key, base64]) => [key, Buffer.from(base64, 'base64')] as const),
  ])

const textsIn = (map: unknown): [string, string][] =>
  Object.entries(mapOrEmpty(map)).filter((entry): entry is [string, string] => typeof entry[1] === 'string')

type TarEntry = { name: string; kind: 'file' | 'directory' | 'link' | 'special'; content: Uint8Array }

function* tarEntries(archive: Uint8Array): Generator<TarEntry, void, undefined> {
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
