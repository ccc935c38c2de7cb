// Reads the files of a folder. Components may only read folders below the chart root; the operator of the host may choose any folder.
// Symlinks are followed within the folder, because mounted ConfigMaps consist of symlinks.
import { createHash } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { ArtifactError } from './artifact-error.ts'

export type ChartFolder = {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly digest: string
}

const filesMost = 10_000
const bytesMost = 32 * 2 ** 20

/** Throws ArtifactError. The message shows the path as in the Component, not the location on the host. */
export const folderBelow = async (root: string | undefined, path: string): Promise<ChartFolder> => {
  if (root === undefined)
    throw new ArtifactError(
      'refused',
      `${path}: this host has no chart root (ESPALIER_CHART_ROOT): set it, or use a chart from oci or a configMapRef`,
    )
  try {
    const below = await realpath(root)
    return await filesBelow(below, await placeBelow(below, join(below, path)))
  } catch (error) {
    throw folderError(error, path, 'is not below the chart root')
  }
}

/** Reads a folder that the operator of the host has chosen. Throws ArtifactError. */
export const folderAt = async (path: string): Promise<ChartFolder> => {
  try {
    const top = await realpath(path)
    return await filesBelow(top, top)
  } catch (error) {
    throw folderError(error, path, 'does not exist')
  }
}

const filesBelow = async (below: string, top: string): Promise<ChartFolder> => {
  const files = new Map<string, Uint8Array>()
  await collect({ below, top, files, bytes: 0 }, top)
  return { files, digest: digestOf(files) }
}

type Collecting = { below: string; top: string; files: Map<string, Uint8Array>; bytes: number }

const collect = async (into: Collecting, folder: string): Promise<void> => {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.filter(isShown)) {
    const path = join(folder, entry.name)
    const place = await placeBelow(into.below, path)
    if ((await stat(place)).isDirectory()) {
      if (entry.isSymbolicLink()) throw new ArtifactError('refused', 'contains a symbolic link to a folder')
      await collect(into, path)
    } else await take(into, path, place)
  }
}

const take = async (into: Collecting, path: string, place: string): Promise<void> => {
  into.bytes += (await stat(place)).size
  if (into.bytes > bytesMost) throw new ArtifactError('tooLarge', `has more than ${bytesMost} bytes`)
  if (into.files.size === filesMost) throw new ArtifactError('tooLarge', `has more than ${filesMost} files`)
  into.files.set(relative(into.top, path).split(sep).join('/'), await readFile(place))
}

/** Skips names such as `..data`, in which kubelet stores versions of a mounted ConfigMap. */
const isShown = ({ name }: Dirent): boolean => !name.startsWith('..')

const placeBelow = async (below: string, path: string): Promise<string> => {
  const place = await realpath(path)
  if (place === below || place.startsWith(below + sep)) return place
  throw new ArtifactError('refused', 'points outside the chart root')
}

const digestOf = (files: ChartFolder['files']): string => {
  const hash = createHash('sha256')
  for (const [path, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(JSON.stringify([path, content.length])).update(content)
  return `sha256:${hash.digest('hex')}`
}

/** `absent`: the message for a missing folder. */
const folderError = (error: unknown, path: string, absent: string): unknown => {
  if (error instanceof ArtifactError) return new ArtifactError(error.reason, `the folder ${path} ${error.message}`)
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return new ArtifactError('notFound', `the folder ${path} ${absent}`)
  return typeof code === 'string'
    ? new ArtifactError('unavailable', `the folder ${path} cannot be read (${code})`)
    : error
}
