// A log nobody reads, and one that is kept to be read.
import type { Log } from '../../../shared/core/log.ts'

const drop = () => {}
export const silentLog: Log = { debug: drop, info: drop, warn: drop, error: drop }

export type Line = { level: keyof Log; message: string; fields: object }

/** Every line that is written. */
export const keptLog = (): { log: Log; lines: Line[] } => {
  const lines: Line[] = []
  const write = (level: keyof Log) => (fields: object, message: string) => void lines.push({ level, message, fields })
  return { log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }, lines }
}
