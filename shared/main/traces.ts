// The collector to which host and relay send their traces.
import manifest from '../../package.json' with { type: 'json' }
import type { Log } from '../core/log.ts'
import { type TraceCollector, traceCollector } from '../trace/collector.ts'

/** undefined without an endpoint. */
export const tracesOf = (
  { tracesEndpoint: endpoint }: { tracesEndpoint?: string | undefined },
  service: string,
  log: Log,
): TraceCollector | undefined =>
  endpoint === undefined ? undefined : traceCollector({ endpoint, service, version: manifest.version, log })
