// Unpacks an artifact (tar, gzipped) in memory; nothing is written anywhere. Archives come from outside, so every size is
// bounded, and one entry that is no plain file below the root refuses the whole archive.
import { gunzipSync } from 'node:zlib'
import { type Files, RenderError } from '../generator.ts'
import { pathFault, plainPath } from './paths.ts'
import { type TarEntry, tarEntries } from './tar.ts'

/** Of the archive unpacked; folders and links count as entries. */
export type ArchiveLimits = { bytes: number; entries: number }

export const archiveLimits: ArchiveLimits = { bytes: 32 * 2 ** 20, entries: 10_000 }

/** The files by path; where a path stands twice, the later one. Throws RenderError for what is not taken. */
export const unpackTarGz = (artifact: Uint8Array, limits = archiveLimits): Files => {
  const files = new Map<string, Uint8Array>()
  for (const { name, content } of filesInTar(gunzipped(artifact, limits), limits)) files.set(plainPath(name), content)
  return files
}

/** The files of an archive in its order. Throws RenderError at the first entry that is not taken. */
export function* filesInTar(archive: Uint8Array, { entries }: ArchiveLimits): Generator<TarEntry, void, undefined> {
  let count = 0
  for (const entry of tarEntries(archive)) {
    if (++count > entries) throw new RenderError(`the archive has more than ${entries} entries`)
    const fault = faultOf(entry)
    if (fault) throw new RenderError(`the archive holds ${shown(entry.name)}, which ${fault}`)
    if (entry.kind === 'file') yield entry
  }
}

/** The same without the folder that charts are packed in. Throws RenderError for a file beside it. */
export const withoutFolder = (files: Files): Files =>
  new Map([...files].map(([path, content]) => [withoutFirst(path), content]))

const withoutFirst = (path: string): string => {
  const folder = path.indexOf('/')
  if (folder < 0) throw new RenderError(`the archive holds ${shown(path)} beside the chart's folder`)
  return path.slice(folder + 1)
}

/** Throws RenderError where it is not gzipped, or becomes too large. */
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

/** Why an entry is not taken. */
const faultOf = ({ name, kind }: TarEntry): string | undefined =>
  kindFaults[kind] ?? pathFault(name) ?? (kind === 'file' && plainPath(name) === '' ? 'has no name' : undefined)

const kindFaults: Partial<Record<TarEntry['kind'], string>> = {
  link: 'is a link',
  special: 'is neither file nor folder',
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 100))
