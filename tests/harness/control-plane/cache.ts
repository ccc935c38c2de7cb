// Folders that are made once per machine and then only read: built binaries, unpacked archives. A folder appears complete or not at all, so killed
// and concurrent makers do no harm. The caller fills the folder.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { removeAbandoned } from '../processes/scratch.ts'

const cacheRoot = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'espalier')

/** Go's names, because they are also the names in download archives. */
const goNames: Readonly<Record<string, string>> = { x64: 'amd64', win32: 'windows' }

/** The machine as Go spells it: `linux-amd64`. */
export const platform = [process.platform, process.arch].map(name => goNames[name] ?? name).join('-')

function cachePath(name: string): string {
  return join(cacheRoot, name)
}

/** The folder's path if it has been made before. */
export function findCached(name: string): string | undefined {
  const folder = cachePath(name)
  return existsSync(folder) ? folder : undefined
}

/** The folder's path. If the folder does not exist, `fill` fills a draft of it. */
export async function cachedFolder(name: string, fill: (draft: string) => Promise<void>): Promise<string> {
  const found = findCached(name)
  if (found) return found
  await mkdir(cacheRoot, { recursive: true })
  await removeAbandoned(cacheRoot, 'draft')
  const draft = await mkdtemp(cachePath(`draft-${process.pid}-`))
  try {
    await fill(draft)
    return await publish(draft, cachePath(name))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function publish(draft: string, folder: string): Promise<string> {
  try {
    await rename(draft, folder)
  } catch (error) {
    // Another process was faster and made the same.
    if (!existsSync(folder)) throw error
  }
  return folder
}
