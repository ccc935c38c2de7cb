// W3C Trace Context, as far as the house needs it: continue the caller's trace or begin one, and hand it on.
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

/** Of at most 16 bytes. UUIDs are cut from entropy that Node fetches for many at once; asking for each costs ten times as much. */
const randomHex = (bytes: number): string =>
  randomUUID()
    .replaceAll('-', '')
    .slice(-2 * bytes)
