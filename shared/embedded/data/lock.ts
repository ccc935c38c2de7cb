// One cluster per data folder: a file with the process that has it. That of a process which is no more counts for nothing.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Takes the folder, or throws who has it; answers how it is given back. */
export const takeFolder = (path: string): (() => void) => {
  if (!isTaken(path)) rmSync(path, { force: true })
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    throw new Error(`another cluster uses this data: process ${holderOf(path)}, as ${path} says`)
  }
  return () => rmSync(path, { force: true })
}

const holderOf = (path: string): number => {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return 0
  }
}

const isTaken = (path: string): boolean => {
  const holder = holderOf(path)
  if (!Number.isInteger(holder) || holder <= 0) return false
  try {
    process.kill(holder, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
