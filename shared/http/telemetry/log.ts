// The log: one JSON line per entry on standard output, written by pino. What may stand in a line is decided in
// log-fields.ts for every line at once, so that no writer of a line has to think of it.
import { type DestinationStream, type Logger, pino } from 'pino'
import { loggable } from './log-fields.ts'

export type HostLog = Logger

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** `to` is for tests; standard output otherwise. */
export const hostLog = (level: (typeof logLevels)[number], to?: DestinationStream): HostLog =>
  pino({ level, base: {}, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: named, log: loggable } }, to)

const named = (level: string): { level: string } => ({ level })
