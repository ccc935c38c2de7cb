// Sets of charts, such as Istio's charts, with one chart per folder. A set is a local folder or an artifact of a registry. Rendered objects
// are kept in memory, because most calls find no changes.
import { digestOf } from '../../../shared/component/declared/dependent.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { ArtifactError } from '../../../shared/outside/artifact-error.ts'
import { folderAt } from '../../../shared/outside/chart-folder.ts'
import { type Files, naming, ofArtifact, type TargetCluster } from '../../../shared/render/generator.ts'
import type { Order } from '../../../shared/render/order.ts'
import { unpackedAs } from '../../../shared/render/unpack.ts'
import {
  type RenderingTask,
  renderedObjects,
  targetCluster,
} from '../../../shared/runtime/component/rendering/rendering.ts'
import { localTarget } from '../../../shared/runtime/component/target-cluster.ts'
import type { BegunCall } from '../../../shared/runtime/context.ts'

export type ChartSet = {
  readonly source: string
  readonly files: Files
  readonly digest: string
}

type Chart = {
  readonly directory: string
  readonly release: string
  readonly namespace: string
  readonly values: JsonMap
  /** The object for which the chart is rendered. */
  readonly component: KubeObject
}

export type Charts = {
  /** `source`: a folder, `oci://repository:tag` or `oci://repository@digest`. Rejects with ArtifactError or RenderError. */
  set(source: string): Promise<ChartSet>
  /** Rejects with ArtifactError if the set lacks the chart, otherwise with RenderError or RendererBusy. */
  objects(chart: Chart, set: ChartSet): Promise<readonly KubeObject[]>
  cluster(): Promise<TargetCluster>
}

type ChartsCall = RenderingTask['call'] & Pick<BegunCall, 'artifacts' | 'signal' | 'now'>

/** `reconcilerName`: the prefix of annotations that replace Helm hooks. */
export const chartSets = (call: ChartsCall, reconcilerName: string): Charts => {
  const target = { name: localTarget, client: call.local, local: call.local }
  return {
    set: source => (source.startsWith('oci://') ? pulled(source, call) : folder(source)),
    cluster: () => targetCluster(target, call.memory),
    objects: async (chart, set) => {
      const { memory } = call
      const id = `chart ${set.digest} ${chart.directory} ${chart.release}`
      const digest = digestOf({ ...chart, component: chart.component.metadata.uid })
      const kept = memory.manifests.of(id, digest, memory.servedLately(target.name))
      if (kept) return kept
      const rendered = await renderedChart(chart, set, { call, target, reconcilerName })
      if (!rendered.hasLookedUp) memory.manifests.keep(id, digest, rendered)
      return rendered.manifests
    },
  }
}

const folder = async (path: string): Promise<ChartSet> => ({ source: path, ...(await folderAt(path)) })

const pulled = async (source: string, { artifacts, signal }: ChartsCall): Promise<ChartSet> => {
  const {
    repository = '',
    tag,
    digest,
  } = /^(?<repository>.+?)(@(?<digest>[^@/]+)|:(?<tag>[^:/@]+))$/.exec(source)?.groups ?? {}
  if (!artifacts) throw new ArtifactError('unavailable', 'this process is not configured to pull artifacts')
  const found = await artifacts.pull({ reference: { repository, tag, digest }, kind: 'files', signal })
  const files = naming(source, () => ofArtifact(() => unpackedAs('files', found.content)))
  return { source, files, digest: found.digest }
}

type Into = {
  readonly reconcilerName: string
  readonly call: ChartsCall
  readonly target: RenderingTask['target']
}

const renderedChart = async (chart: Chart, set: ChartSet, into: Into) => {
  const { component, namespace, release: name, values: parameters } = chart
  let cluster: TargetCluster | undefined
  let hasLookedUp = false
  const manifests = await renderedObjects(
    order(chart, set),
    { namespace, name, parameters },
    {
      call: into.call,
      target: into.target,
      elsewhere: { allowedHosts: [] },
      context: {
        reconcilerName: into.reconcilerName,
        component,
        componentDigest: '',
        revision: 1,
        now: new Date(component.metadata.creationTimestamp ?? into.call.now()),
      },
      noticed: (known, lookups) => {
        cluster = known
        hasLookedUp ||= lookups.size > 0
      },
    },
  )
  return { manifests, cluster, hasLookedUp }
}

const order = ({ directory }: Chart, { source, files, digest }: ChartSet): Order => {
  const own = filesBelow(files, directory)
  const called = `chart ${directory} of ${source}`
  if (!own.has('Chart.yaml')) throw new ArtifactError('notFound', `${source} has no chart ${directory}`)
  return { recipe: { is: 'chart' }, artifact: { key: `${digest} ${directory}`, called, packed: { files: own } } }
}

const filesBelow = (files: Files, directory: string): Files =>
  new Map(
    [...files]
      .filter(([path]) => path.startsWith(`${directory}/`))
      .map(([path, content]) => [path.slice(directory.length + 1), content]),
  )
