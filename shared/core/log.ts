// The part of pino that the house uses, so that inner rooms need not know who writes the lines.

export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
