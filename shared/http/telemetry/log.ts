// The log: a JSON line per entry on standard output, written by pino. Every line is limited here in depth, length and number of fields, and
// secrets are masked: values from the network may be huge or malicious, and any object may contain a Secret.
import { type DestinationStream, type Logger, pino } from 'pino'

export type HostLog = Logger

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** `to`: for tests. Default: standard output. */
export const hostLog = (level: (typeof logLevels)[number], to?: DestinationStream): HostLog =>
  pino({ level, base: {}, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: named, log: loggable } }, to)

const named = (level: string): { level: string } => ({ level })

const bounds = { depth: 6, keys: 40, items: 20, characters: 1_024 }
const masked = '[masked]'

/** Masked fields, at any depth, in lower case. */
const secretNames = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'token',
  'password',
  'kubeconfig',
  'stringdata',
  'client-key-data',
  'privatekey',
  'private-key',
  'tls.key',
  'ca.key',
])

const loggable = (fields: Record<string, unknown>): Record<string, unknown> => boundedMap(fields, 0)

const bounded = (value: unknown, depth: number): unknown => {
  if (typeof value === 'string') return cut(value)
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? String(value) : value
  if (value instanceof Error) return boundedError(value, depth)
  if (value instanceof Date) return value
  if (depth >= bounds.depth) return '[deeper]'
  return Array.isArray(value) ? boundedList(value, depth) : boundedMap(value, depth)
}

const boundedList = (items: readonly unknown[], depth: number): unknown[] => {
  const kept = items.slice(0, bounds.items).map(item => bounded(item, depth + 1))
  return items.length > bounds.items ? [...kept, `[${items.length - bounds.items} more]`] : kept
}

const boundedMap = (map: object, depth: number): Record<string, unknown> => {
  const isSecret = 'kind' in map && map.kind === 'Secret'
  const entries = Object.entries(map).slice(0, bounds.keys)
  return Object.fromEntries(
    entries.map(([name, value]) => [
      cut(name),
      isMasked(name, isSecret) && value !== undefined ? masked : bounded(value, depth + 1),
    ]),
  )
}

const isMasked = (name: string, inSecret: boolean): boolean =>
  secretNames.has(name.toLowerCase()) || (inSecret && name === 'data')

/** Omits the error's own fields, because client libraries attach whole requests to errors. */
const boundedError = (error: Error, depth: number): Record<string, unknown> => ({
  type: error.name,
  message: cut(error.message),
  ...('code' in error && { code: bounded(error.code, bounds.depth) }),
  stack: cut(error.stack ?? ''),
  ...(error.cause !== undefined && depth < bounds.depth && { cause: bounded(error.cause, depth + 1) }),
})

const cut = (text: string): string =>
  text.length > bounds.characters ? `${text.slice(0, bounds.characters)}[${text.length} characters]` : text
