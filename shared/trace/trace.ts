// W3C Trace Context. A trace begins with a call of the relay and continues in the host. Spans show which work took the time of a call.
import { randomUUID } from 'node:crypto'

/** `traceparent`: the header for requests of this call. `traceId`: the id in log lines. */
export type Trace = {
  readonly traceId: string
  /** The id of our own span. */
  readonly spanId: string
  /** The span of the caller. Absent: the trace begins here. */
  readonly parentId?: string | undefined
  readonly traceparent: string
  /** Whether the caller requests that the trace is stored. */
  readonly isSampled: boolean
}

/** Finished work. Times are from the monotonic clock. */
export type Span = {
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client'
  readonly began: number
  readonly ended: number
  readonly attributes: Readonly<Record<string, string>>
  readonly fault?: string | undefined
}

type SpanIds = Pick<Trace, 'traceId' | 'spanId' | 'parentId'>

/** Never throws. */
export type NoteSpan = (span: Span, ids: SpanIds) => void

const pattern =
  /^(?<version>[0-9a-f]{2})-(?<traceId>[0-9a-f]{32})-(?<parentId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?$/

export const newTrace = (): Trace => withSpan({ traceId: randomHex(16), flags: '01' })

/** The caller's trace with a new span, or a new trace if the header is missing, repeated or malformed. */
export const continuedTrace = (header: string | string[] | undefined): Trace => {
  const parent = typeof header === 'string' ? parsed(header) : undefined
  return parent ? withSpan(parent) : newTrace()
}

export const notingBelow =
  ({ traceId, spanId }: SpanIds, note: NoteSpan): ((span: Span) => void) =>
  span =>
    note(span, { traceId, spanId: randomHex(8), parentId: spanId })

type Noting<Result> = Pick<Span, 'name' | 'kind'> & {
  note(span: Span): void
  /** Fields of the span from the result. Default: none. */
  says?(result: Result): Pick<Span, 'attributes' | 'fault'>
}

/** Records the work as a span when it ends. Of an error, only the class is recorded, because its text may quote values of Secrets. */
export const spanned = async <Result>(work: Promise<Result>, noting: Noting<Result>): Promise<Result> => {
  const { name, kind, note, says } = noting
  const began = performance.now()
  const end = (said: Pick<Span, 'attributes' | 'fault'>): void =>
    note({ name, kind, began, ended: performance.now(), ...said })
  try {
    const result = await work
    end(says?.(result) ?? { attributes: {} })
    return result
  } catch (error) {
    end({ attributes: {}, fault: error instanceof Error ? error.name : 'Error' })
    throw error
  }
}

type Parent = { readonly traceId: string; readonly parentId?: string; readonly flags: string }

const withSpan = ({ traceId, parentId, flags }: Parent): Trace => {
  const spanId = randomHex(8)
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  return { traceId, spanId, parentId, traceparent: `00-${traceId}-${spanId}-${flags}`, isSampled }
}

const parsed = (header: string): Parent | undefined => {
  const { version, traceId, parentId, flags, more } = pattern.exec(header)?.groups ?? {}
  if (traceId === undefined || parentId === undefined || flags === undefined) return undefined
  const isMalformed =
    version === 'ff' || (version === '00' && more !== undefined) || isZero(traceId) || isZero(parentId)
  return isMalformed ? undefined : { traceId, parentId, flags }
}

const isZero = (hex: string): boolean => /^0+$/.test(hex)

/** At most 16 bytes, from a UUID. Node generates random bytes for many UUIDs together, so a UUID costs a tenth of randomBytes. */
const randomHex = (bytes: number): string =>
  randomUUID()
    .replaceAll('-', '')
    .slice(-2 * bytes)
