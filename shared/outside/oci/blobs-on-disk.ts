// Caches blobs in a folder, one file per digest, up to a number of bytes. Readers check the digest, so the folder need not be trusted. If
// the folder is missing, full or read-only, blobs are pulled again.
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type BlobsOnDisk = {
  get(digest: string): Promise<Uint8Array | undefined>
  set(digest: string, blob: Uint8Array): Promise<void>
}

const bytesMost = 256 * 2 ** 20

/** Drops the oldest blobs first. Several processes may share the folder. */
export const blobsOnDisk = (folder: string): BlobsOnDisk => {
  const pathOf = (digest: string) => join(folder, digest.replace(':', '-'))
  return {
    get: digest => readFile(pathOf(digest)).catch(nothing),
    set: async (digest, blob) => {
      const written = join(folder, `${randomUUID()}.part`)
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await makeRoom(folder, bytesMost - blob.length)
        await writeFile(written, blob, { mode: 0o600 })
        await rename(written, pathOf(digest))
      } catch {
        await rm(written, { force: true }).catch(nothing)
      }
    },
  }
}

export const noBlobsOnDisk: BlobsOnDisk = { get: async () => undefined, set: async () => undefined }

const nothing = (): undefined => undefined

const makeRoom = async (folder: string, bytesLeft: number): Promise<void> => {
  const files = await Promise.all((await readdir(folder)).map(name => fileAt(join(folder, name))))
  const newestFirst = files.filter(file => file !== undefined).sort((a, b) => b.mtimeMs - a.mtimeMs)
  let bytes = 0
  for (const { path, size } of newestFirst) {
    bytes += size
    if (bytes > bytesLeft) await rm(path, { force: true })
  }
}

const fileAt = async (path: string): Promise<{ path: string; size: number; mtimeMs: number } | undefined> => {
  const file = await stat(path).catch(nothing)
  return file?.isFile() ? { path, size: file.size, mtimeMs: file.mtimeMs } : undefined
}
