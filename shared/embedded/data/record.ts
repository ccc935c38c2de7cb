// One line of a data file: a checksum, a blank, JSON. The checksum tells a whole line from one that a killed process wrote in
// part.
import { crc32 } from 'node:zlib'

const sumOf = (json: string | Uint8Array): string => crc32(json).toString(16).padStart(8, '0')
const sumLength = 8
const newline = 10

export const lineOf = (value: unknown): string => {
  const json = JSON.stringify(value)
  return `${sumOf(json)} ${json}\n`
}

type Reading = {
  readonly records: readonly unknown[]
  /** Length of the lines that are whole. What follows them is at most one line that was never finished. */
  readonly wholeBytes: number
}

/** The records of a file. Throws when a line is damaged that others follow: that is no write which was cut off. */
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
