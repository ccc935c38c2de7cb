// Writes files that are there as a whole or not at all: written to another name, flushed, then renamed.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const secretMode = 0o600

/** Replaces a file's content; after it returned the content survives a loss of power. */
export const replaceFile = (path: string, content: Iterable<string>): void => {
  const beside = `${path}.new`
  const file = openSync(beside, 'w', secretMode)
  try {
    for (const part of content) writeWhole(file, Buffer.from(part))
    fsyncSync(file)
    renameSync(beside, path)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  flushFolder(dirname(path))
}

/** Renames are kept by the folder. */
const flushFolder = (path: string): void => {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** The system may take less than it was given. */
export const writeWhole = (file: number, bytes: Buffer): void => {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
}

export const contentOf = (path: string): Buffer | undefined => (existsSync(path) ? readFileSync(path) : undefined)
