// Sends spans to a collector of OpenTelemetry, in batches of OTLP as JSON over HTTP. No call waits for the collector: if the collector is
// slow or unreachable, spans are dropped.
import { hostname } from 'node:os'
import { Agent } from 'undici'
import type { Log } from '../core/log.ts'
import type { NoteSpan, Span } from './trace.ts'

type CollectorOptions = {
  /** The base URL, as in OTEL_EXPORTER_OTLP_ENDPOINT: `http://collector:4318`. */
  endpoint: string
  service: string
  version: string
  log: Log
}

export type TraceCollector = {
  note: NoteSpan
  /** Sends the remaining spans. */
  close(): Promise<void>
}

const spansMost = 2_048
const spansOfABatch = 512
const batchMilliseconds = 2_000
const answerMilliseconds = 10_000
const warningMilliseconds = 60_000

export const traceCollector = ({ endpoint, service, version, log }: CollectorOptions): TraceCollector => {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const { origin, pathname: path } = new URL(url)
  const dispatcher = new Agent({ headersTimeout: answerMilliseconds, bodyTimeout: answerMilliseconds })
  let spans: object[] = []
  let dropped = 0
  let warnedAt = Number.NEGATIVE_INFINITY
  let sending: Promise<void> | undefined

  const send = async (batch: readonly object[]): Promise<void> => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(exportOf(batch, { service, version }))
    const answer = await dispatcher.request({ origin, path, method: 'POST', headers, body })
    await answer.body.dump()
    if (answer.statusCode >= 300) throw new Error(`the trace collector answered ${answer.statusCode}`)
  }
  const drop = (count: number, err: unknown): void => {
    dropped += count
    if (performance.now() - warnedAt < warningMilliseconds) return
    warnedAt = performance.now()
    log.warn({ err, url, dropped }, 'spans were dropped')
  }
  const sendAll = async (): Promise<void> => {
    while (spans.length > 0) {
      const batch = spans.slice(0, spansOfABatch)
      spans = spans.slice(spansOfABatch)
      await send(batch).catch(error => drop(batch.length, error))
    }
    sending = undefined
  }
  const flush = (): Promise<void> => {
    sending ??= sendAll()
    return sending
  }
  const timer = setInterval(() => void flush(), batchMilliseconds).unref()
  return {
    note: (span, ids) => {
      if (spans.length >= spansMost) return drop(1, 'the trace collector is slow')
      spans.push(spanOf(span, ids))
      if (spans.length === spansOfABatch) void flush()
    },
    close: async () => {
      clearInterval(timer)
      await flush()
      await dispatcher.close()
    },
  }
}

const exportOf = (spans: readonly object[], { service, version }: Pick<CollectorOptions, 'service' | 'version'>) => ({
  resourceSpans: [
    {
      resource: {
        attributes: attributesOf({ 'service.name': service, 'service.version': version, 'host.name': hostname() }),
      },
      scopeSpans: [{ scope: { name: 'espalier', version }, spans }],
    },
  ],
})

const kinds = { internal: 1, server: 2, client: 3 }

const spanOf = (
  { name, kind, began, ended, attributes, fault }: Span,
  { traceId, spanId, parentId }: Parameters<NoteSpan>[1],
) => ({
  traceId,
  spanId,
  parentSpanId: parentId,
  name,
  kind: kinds[kind],
  startTimeUnixNano: unixNanoseconds(began),
  endTimeUnixNano: unixNanoseconds(ended),
  attributes: attributesOf(attributes),
  status: fault === undefined ? {} : { code: 2, message: fault },
})

const attributesOf = (attributes: Readonly<Record<string, string>>) =>
  Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }))

/** A string, because a JSON number would lose digits. */
const unixNanoseconds = (monotonic: number): string => `${Math.round((performance.timeOrigin + monotonic) * 1_000)}000`
