// What a function gets besides its object: ProcessContext, made once when the process starts, and CallContext, made for each
// call.
import { defaultInstallation, type Installation } from '../api/installation.ts'
import type { Measurement } from '../core/decisions/measurement.ts'
import type { Log } from '../core/log.ts'
import type { BindableClusters, CallBounds, Client, Clusters, Reads } from '../kube/client-types.ts'
import type { Artifacts } from '../outside/artifacts.ts'
import { type ProcessMemory, processMemory } from './process-memory.ts'
import type { Renderer } from './renderer/renderer.ts'

/** Made once, when the process starts, and handed to every call. */
export type ProcessContext = {
  /** The local cluster and the remotes that serverless.yml names; `local` is the one whose objects functions are called for. */
  readonly clusters: BindableClusters
  /** The namespace the program runs in, where Secrets of its own lie. */
  readonly home: string
  readonly installation: Installation
  /** Hosts that kubeconfigs of components may lead to, by function. A function without an entry obeys its own option. */
  readonly kubeConfigHosts: Readonly<Record<string, readonly string[]>>
  /** What earlier calls learned. Losing it costs requests and changes no answer. */
  readonly memory: ProcessMemory
  /** Absent: this process pulls no artifacts. */
  readonly artifacts?: Artifacts
  /** Absent: this process renders nothing. */
  readonly renderer?: Renderer
}

/** What is not given has its usual value. */
export const processContext = (given: Pick<ProcessContext, 'clusters'> & Partial<ProcessContext>): ProcessContext => ({
  home: 'espalier-system',
  installation: defaultInstallation,
  kubeConfigHosts: {},
  memory: processMemory(given.clusters.clientOptions),
  ...given,
})

/** One call of a function. Times are on the monotonic clock. */
export type CallContext = ProcessContext & {
  /** No further pass and no step is begun after it; the status is still written. */
  readonly lastPassAt: number
  /** No request is begun after it. */
  readonly lastRequestAt: number
  /** Aborts the requests that still run then. */
  readonly signal: AbortSignal
  readonly traceparent?: string
  /** The last call for the object settled, and nothing was heard of it since: only the time has come. */
  readonly isQuiet?: boolean
  readonly now: () => Date
  readonly log: Log
  /** Absent: nobody wants to know. */
  readonly measure?: (measurements: readonly Measurement[]) => void
}

/** What `gather`, `keys` and admission reviews get: every request obeys the bounds of the call. */
export type GatherContext = Pick<ProcessContext, 'installation' | 'memory'> & {
  /** Of the local cluster. */
  readonly reads: Reads
  readonly clusters: Clusters
}

export const gatherContext = async (
  { clusters, installation, memory }: ProcessContext,
  bounds: CallBounds,
): Promise<GatherContext> => {
  const bound = clusters.bound(bounds)
  return { reads: await bound.of('local'), clusters: bound, installation, memory }
}

/** A call that has begun: its clients obey its bounds. */
export type BegunCall = Omit<CallContext, 'clusters'> &
  GatherContext & {
    /** The local cluster, under the function's own identity. */
    readonly local: Client
    /** For clients that are found in the course of the call. */
    readonly bounds: CallBounds
  }

export const begunCall = async (call: CallContext): Promise<BegunCall> => {
  const { signal, lastRequestAt, traceparent } = call
  const bounds = { signal, lastRequestAt, traceparent }
  const context = await gatherContext(call, bounds)
  return { ...call, ...context, local: await context.clusters.of('local'), bounds }
}
