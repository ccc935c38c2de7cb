// W3C Trace Context: continues the trace of the caller or begins a new one.
import { randomUUID } from 'node:crypto'

/** `traceparent` is what calls made on behalf of this one carry; `traceId` is what log lines carry. */
type Trace = { readonly traceId: string; readonly traceparent: string }

const pattern =
  /^(?<version>[0-9a-f]{2})-(?<traceId>[0-9a-f]{32})-(?<parentId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?$/

/** The caller's trace with a span of our own; a new trace when the header is missing, doubled or malformed. */
export const continuedTrace = (header: string | string[] | undefined): Trace => {
  const parent = typeof header === 'string' ? parsed(header) : undefined
  const traceId = parent?.traceId ?? randomHex(16)
  return { traceId, traceparent: `00-${traceId}-${randomHex(8)}-${parent?.flags ?? '01'}` }
}

const parsed = (header: string): { traceId: string; flags: string } | undefined => {
  const { version, traceId, parentId, flags, more } = pattern.exec(header)?.groups ?? {}
  if (traceId === undefined || parentId === undefined || flags === undefined) return undefined
  const isMalformed =
    version === 'ff' || (version === '00' && more !== undefined) || isZero(traceId) || isZero(parentId)
  return isMalformed ? undefined : { traceId, flags }
}

const isZero = (hex: string): boolean => /^0+$/.test(hex)

/** At most 16 bytes, taken from a UUID: Node fetches random bytes for many UUIDs at once, a tenth of the cost of single requests. */
const randomHex = (bytes: number): string =>
  randomUUID()
    .replaceAll('-', '')
    .slice(-2 * bytes)
