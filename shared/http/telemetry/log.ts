// The log: one JSON line per entry on standard output, written by pino. The content of every line is limited, so that no
// caller has to think about it.
import { type DestinationStream, type Logger, pino } from 'pino'
import { loggable } from './log-fields.ts'

export type HostLog = Logger

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** `to` is for tests; standard output otherwise. */
export const hostLog = (level: (typeof logLevels)[number], to?: DestinationStream): HostLog =>
  pino({ level, base: {}, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: named, log: loggable } }, to)

const named = (level: string): { level: string } => ({ level })
