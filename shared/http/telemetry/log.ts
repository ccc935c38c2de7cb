// The log: a JSON line per entry on standard output, written by pino. Every line is limited here, so that callers need no limits.
import { type DestinationStream, type Logger, pino } from 'pino'
import { loggable } from './log-fields.ts'

export type HostLog = Logger

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** `to`: for tests. Default: standard output. */
export const hostLog = (level: (typeof logLevels)[number], to?: DestinationStream): HostLog =>
  pino({ level, base: {}, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: named, log: loggable } }, to)

const named = (level: string): { level: string } => ({ level })
