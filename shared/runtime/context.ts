// What a function gets besides its object: ProcessContext, made once when the process starts, and CallContext, made for each
// call.
import { defaultInstallation, type Installation } from '../api/installation.ts'
import type { Measurement } from '../core/decisions/measurement.ts'
import type { PictureStep } from '../core/decisions/picture.ts'
import type { Log } from '../core/log.ts'
import type { BindableClusters, CallBounds, Outside, ReadClient, ReadClusters, Reads } from '../kube/client-types.ts'
import { readOnlyClusters } from '../kube/clusters/read-only.ts'
import type { Artifacts } from '../outside/artifacts.ts'
import type { Span } from '../trace/trace.ts'
import { requestSpan, tracedRenderer } from './call-spans.ts'
import { renderKey } from './component/rendering/render-key.ts'
import { learntOnce, type ProcessMemory, processMemory } from './process-memory.ts'
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
  /** Functions whose templates may look things up with kubeconfigs whomever the component acts as. */
  readonly kubeConfigLookups: readonly string[]
  /** What earlier calls learned; losing it costs requests. */
  readonly memory: ProcessMemory
  /** Absent: this process pulls no artifacts. */
  readonly artifacts?: Artifacts
  /** Absent: this process renders nothing. */
  readonly renderer?: Renderer
  /** The key from which templates draw random values. The process makes its Secret if there is none; no call does. */
  readonly renderKey: () => Promise<Buffer>
}

/** Fields that are not given have their defaults. */
export const processContext = (given: Pick<ProcessContext, 'clusters'> & Partial<ProcessContext>): ProcessContext => {
  const { clusters, home = 'espalier-system' } = given
  return {
    home,
    installation: defaultInstallation,
    kubeConfigHosts: {},
    kubeConfigLookups: [],
    memory: processMemory(clusters.clientOptions),
    renderKey: learntOnce(async () => renderKey(await clusters.of('local'), home)),
    ...given,
  }
}

/** One call of a function. Times are on the monotonic clock. */
export type CallContext = ProcessContext & {
  /** No further pass and no step is begun after it; the status is still written. */
  readonly lastPassAt: number
  /** No request is begun after it. */
  readonly lastRequestAt: number
  /** Aborts the requests that still run then. */
  readonly signal: AbortSignal
  readonly traceparent?: string
  /** Notes a span below that of the call. Absent: the call is not traced. */
  readonly noteSpan?: ((span: Span) => void) | undefined
  /** The last call for the object settled, and no event came since: only the time has come. */
  readonly isQuiet?: boolean
  /** Absent: nobody wants to know how long the call waits for registries and other clusters. */
  readonly outside?: Outside
  readonly now: () => Date
  readonly log: Log
  /** Absent: nobody wants to know. */
  readonly measure?: (measurements: readonly Measurement[]) => void
  /** Absent: nobody wants to see it. */
  readonly pictured?: ((picture: readonly PictureStep[]) => void) | undefined
}

/** The context of `gather`, `keys` and admission reviews: read-only clients, whose requests obey the bounds of the call. */
export type GatherContext = Pick<ProcessContext, 'installation' | 'memory'> & {
  /** Of the local cluster. */
  readonly reads: Reads
  readonly clusters: ReadClusters
}

export const gatherContext = async (
  { clusters, installation, memory }: ProcessContext,
  bounds: CallBounds,
): Promise<GatherContext> => {
  const bound = readOnlyClusters(clusters.bound(bounds))
  return { reads: await bound.of('local'), clusters: bound, installation, memory }
}

/** A call that has begun: its clients obey its bounds, and can only read. */
export type BegunCall = Omit<CallContext, 'clusters'> &
  GatherContext & {
    readonly local: ReadClient
    /** For clients that are found in the course of the call. */
    readonly bounds: CallBounds
    /** From now on `now` is this moment: gather, decide and report of a pass have the same time. */
    beginPass(): void
  }

export const begunCall = async (call: CallContext, count?: CallBounds['onRequest']): Promise<BegunCall> => {
  const { signal, lastRequestAt, traceparent, outside, noteSpan } = call
  const onRequest: CallBounds['onRequest'] = noteSpan
    ? request => {
        count?.(request)
        noteSpan(requestSpan(request))
      }
    : count
  const bounds = { signal, lastRequestAt, traceparent, onRequest, outside }
  const context = await gatherContext(call, bounds)
  let moment = call.now()
  const clock = {
    now: () => moment,
    beginPass: () => {
      moment = call.now()
    },
  }
  const artifacts = call.artifacts && noted(call.artifacts, outside)
  const renderer = call.renderer && noteSpan ? tracedRenderer(call.renderer, noteSpan) : call.renderer
  return { ...call, ...context, ...clock, artifacts, renderer, local: await context.clusters.of('local'), bounds }
}

const noted = (artifacts: Artifacts, outside: Outside = answer => answer): Artifacts => ({
  ...artifacts,
  pull: asked => outside(artifacts.pull(asked)),
  blob: asked => outside(artifacts.blob(asked)),
  componentLayer: asked => outside(artifacts.componentLayer(asked)),
})
