// Unpacks an artifact (a gzipped tar archive) in memory. Archives are untrusted: every size has a limit, and an archive with a link, a
// special file or a path outside the root is refused. A ConfigMap contains the archive in one key, or one file per key. Keys contain `__`
// instead of `/`, which is invalid in keys.
import { gunzipSync } from 'node:zlib'
import { checks } from '../core/decisions/checks.ts'
import { mapOrEmpty } from '../core/json/json.ts'
import type { KubeObject } from '../core/objects/object.ts'
import { naming, ofArtifact } from './blame.ts'
import { type Files, RenderError } from './generator.ts'
import { type TarEntry, tarEntries } from './tar.ts'

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
