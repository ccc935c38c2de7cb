// Writes files completely or not at all: writes another file, flushes it, and renames it. A line of a data file has a checksum, a blank and
// JSON. The checksum shows whether a killed process wrote only a part of the line.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'

const secretMode = 0o600

/** When the function returns, the content survives a loss of power. */
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

const flushFolder = (path: string): void => {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Writes all bytes; the operating system may write fewer bytes per call. */
export const writeWhole = (file: number, bytes: Buffer): void => {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
}

export const contentOf = (path: string): Buffer | undefined => (existsSync(path) ? readFileSync(path) : undefined)

const sumOf = (json: string | Uint8Array): string => crc32(json).toString(16).padStart(8, '0')
const sumLength = 8
const newline = 10

export const lineOf = (value: unknown): string => {
  const json = JSON.stringify(value)
  return `${sumOf(json)} ${json}\n`
}

type Reading = {
  readonly records: readonly unknown[]
  /** Length of the complete lines. At most one unfinished line follows. */
  readonly wholeBytes: number
}

/** Throws if a damaged line is not the last line, because an interrupted write damages only the last line. */
export const recordsIn = (bytes: Buffer, name: string): Reading => {
  const records: unknown[] = []
  let start = 0
  while (start < bytes.length) {
    const end = bytes.indexOf(newline, start)
    const record = end < 0 ? undefined : recordOf(bytes.subarray(start, end))
    if (record === undefined) {
      if (end >= 0 && end + 1 < bytes.length) throw new Error(`${name}: line ${records.length + 1} is damaged`)
      break
    }
    records.push(record)
    start = end + 1
  }
  return { records, wholeBytes: start }
}

const recordOf = (line: Buffer): unknown => {
  const json = line.subarray(sumLength + 1)
  return sumOf(json) === line.toString('latin1', 0, sumLength) ? JSON.parse(json.toString()) : undefined
}
