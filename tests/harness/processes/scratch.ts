// Folders that belong to one process, whose id is in their name. So the folders of killed processes can be told from those in use, and removed.
import { mkdtempSync, statSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const keepHours = 1
const prefix = 'espalier-cluster'

/**
 * The id of the process that our folders are named after: this process, or the process outside that started a PID namespace. An id inside a PID
 * namespace means another process outside, or none, so tests outside would remove the folder as abandoned.
 */
export const scratchOwnerVariable = 'ESPALIER_SCRATCH_OWNER'
export const scratchOwner = Number(process.env[scratchOwnerVariable] ?? process.pid)

/** An empty folder for a cluster of this process. */
export function scratchFolder(): string {
  return mkdtempSync(join(tmpdir(), `${prefix}-${scratchOwner}-`))
}

/** Removes folders of earlier processes. Logs of a failed run stay for an hour. */
export function removeAbandonedScratch(): Promise<void> {
  return removeAbandoned(tmpdir(), prefix)
}

/** Removes the folders of this process and of those that it started in a PID namespace. */
export async function removeOwnScratch(): Promise<void> {
  for (const name of await readdir(tmpdir()))
    if (name.startsWith(`${prefix}-${scratchOwner}-`)) await rm(join(tmpdir(), name), { recursive: true, force: true })
}

/** Removes our entries `<prefix>-<process id>-…` whose process is gone and which are older than an hour. */
export async function removeAbandoned(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = new RegExp(`^${prefix}-(\\d+)-`).exec(name) ?? []
    if (!pid || isAlive(Number(pid))) continue
    const path = join(folder, name)
    const entry = statSync(path, { throwIfNoEntry: false })
    if (!entry || entry.uid !== process.getuid?.()) continue
    const ageHours = (Date.now() - entry.mtimeMs) / 3_600_000
    if (ageHours > keepHours) await rm(path, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: alive, and somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
