// The part of pino's interface that we use. With this type, only shared/http needs to import pino.

export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
