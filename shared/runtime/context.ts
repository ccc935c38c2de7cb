// The contexts of functions: ProcessContext is made once per process, CallContext once per call.
import type { Measurement } from '../core/decisions/measurement.ts'
import type { PictureStep } from '../core/decisions/plan.ts'
import type { Log } from '../core/log.ts'
import { type Declaring, defaultValues, type SettingValues } from '../core/settings/setting.ts'
import type { KeptCertificate } from '../core/tls/renewal.ts'
import type {
  BindableClusters,
  CallBounds,
  Outside,
  ReadClient,
  ReadClusters,
  Reads,
  RequestNote,
} from '../kube/client-types.ts'
import { readOnlyClusters } from '../kube/clusters/read-only.ts'
import { assemblyMilliseconds, sharingReads } from '../kube/shared-reads.ts'
import type { Artifacts } from '../outside/artifacts.ts'
import { type Span, spanned } from '../trace/trace.ts'
import { renderKey } from './component/rendering/render-key.ts'
import { learntOnce, type ProcessMemory, processMemory } from './process-memory.ts'
import type { Renderer } from './renderer/renderer.ts'

export type ProcessContext = {
  /** The local cluster, with the objects that functions are called for, and the remote clusters of serverless.yml. */
  readonly clusters: BindableClusters
  /** The program's namespace, with its own Secrets. */
  readonly home: string
  /** The values of the settings that a function declares, and the result of its `configure`. Default: the defaults of the settings. */
  readonly settingsOf: (definition: Declaring) => SettingValues
  /** Allowed hosts of components' kubeconfigs, by function. Default: the function's own option. */
  readonly kubeConfigHosts: Readonly<Record<string, readonly string[]>>
  /** Functions whose templates may use kubeconfigs for lookups, even if the component has an identity of its own. */
  readonly kubeConfigLookups: readonly string[]
  /** A cache between calls. After a loss of the cache, values are read again. */
  readonly memory: ProcessMemory
  readonly artifacts?: Artifacts
  readonly renderer?: Renderer
  /** The key for random values in templates. The process creates the Secret of the key if necessary; calls only read the Secret. */
  readonly renderKey: () => Promise<Buffer>
}

export const processContext = (given: Pick<ProcessContext, 'clusters'> & Partial<ProcessContext>): ProcessContext => {
  const { clusters, home = 'espalier-system' } = given
  return {
    home,
    settingsOf: ({ settings = {} }) => defaultValues(settings),
    kubeConfigHosts: {},
    kubeConfigLookups: [],
    memory: processMemory(clusters.clientOptions),
    renderKey: learntOnce(async () => renderKey(await clusters.of('local'), home)),
    ...given,
  }
}

/** One call of a function. Times are monotonic. */
export type CallContext = ProcessContext & {
  /** No pass and no step starts after this time. The status is still written. */
  readonly lastPassAt: number
  /** No request starts after this time. */
  readonly lastRequestAt: number
  readonly signal: AbortSignal
  readonly traceparent?: string
  /** Records a child span of the call. Absent if the call is not traced. */
  readonly noteSpan?: ((span: Span) => void) | undefined
  /** Whether the call is only periodic: the previous call settled, and no event arrived since then. */
  readonly isQuiet?: boolean
  /** Measures the time of waiting for registries and remote clusters. */
  readonly outside?: Outside
  readonly now: () => Date
  readonly log: Log
  readonly measure?: (measurements: readonly Measurement[]) => void
  readonly pictured?: ((picture: readonly PictureStep[]) => void) | undefined
  /** Receives the certificates of the object for display. Absent if they are not displayed. */
  readonly certified?: ((certificates: readonly KeptCertificate[]) => void) | undefined
}

/** The context of `gather`, `keys` and reviews: read-only clients within the bounds of the call. */
export type GatherContext<Settings = SettingValues> = Pick<ProcessContext, 'memory'> & {
  /** The values of the settings that the function declares, and the result of its `configure`. */
  readonly settings: Settings
  /** Reads from the local cluster. */
  readonly reads: Reads
  readonly clusters: ReadClusters
}

export const gatherContext = async (
  { clusters, settingsOf, memory }: ProcessContext,
  definition: Declaring,
  bounds: CallBounds,
): Promise<GatherContext> => {
  const bound = readOnlyClusters(clusters.bound(bounds))
  return { reads: await bound.of('local'), clusters: bound, settings: settingsOf(definition), memory }
}

/** Calls at the same time share their reads from the local cluster. */
export const withSharedReads = <Context extends Pick<GatherContext, 'reads' | 'memory'>>(
  context: Context,
): Context => ({
  ...context,
  reads: sharingReads(context.reads, {
    reads: context.memory.reads,
    place: 'local',
    waitMilliseconds: assemblyMilliseconds.local,
  }),
})

/** A running call, with read-only clients within its bounds. */
export type BegunCall<Settings = SettingValues> = Omit<CallContext, 'clusters'> &
  GatherContext<Settings> & {
    readonly local: ReadClient
    /** For clients that are created during the call. */
    readonly bounds: CallBounds
    /** Sets `now` to the current time, so that gather, decide and report of a pass use the same time. */
    beginPass(): void
  }

export const begunCall = async (
  call: CallContext,
  definition: Declaring,
  count?: CallBounds['onRequest'],
): Promise<BegunCall> => {
  const { signal, lastRequestAt, traceparent, outside, noteSpan } = call
  const onRequest: CallBounds['onRequest'] = noteSpan
    ? request => {
        count?.(request)
        noteSpan(requestSpan(request))
      }
    : count
  const bounds = { signal, lastRequestAt, traceparent, onRequest, outside }
  const context = await gatherContext(call, definition, bounds)
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

/** The child span of a request. The name is, for example, `apply deployments`. */
const requestSpan = ({ verb, method, path, code, began }: RequestNote): Span => {
  const [urlPath = ''] = path.split('?')
  return {
    name: `${verb} ${resourcePattern.exec(urlPath)?.groups?.resource ?? urlPath}`,
    kind: 'client',
    began,
    ended: performance.now(),
    attributes: { 'http.request.method': method, 'url.path': urlPath, 'http.response.status_code': code },
    fault: /^[123]/.test(code) ? undefined : code,
  }
}

/** `deployments` in `/apis/apps/v1/namespaces/shop/deployments/web/status`. */
const resourcePattern = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?(?<resource>[^/]+)/

const tracedRenderer = (renderer: Renderer, note: (span: Span) => void): Renderer => ({
  render: (work, turn) => spanned(renderer.render(work, turn), { name: 'render', kind: 'internal', note }),
})
