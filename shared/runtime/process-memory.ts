// What a process remembers between calls because asking again would cost requests: the uid of its cluster, clients of remote
// clusters, what a cluster serves, what was rendered, what a registry said of modules, what was in order. A process that has lost it asks
// again and comes to the same answers.
import { type Rates, rates } from '../core/bounds/rates.ts'
import { BoundedCache } from '../core/memory/bounded-cache.ts'
import type { KubeObject } from '../core/objects/object.ts'
import type { Client, ClientOptions, Clusters, Reads } from '../kube/client-types.ts'
import type { Kubeconfig, KubeconfigClients } from '../kube/kubeconfigs/clients.ts'
import type { HoldingManifest } from '../kyma/kinds.ts'
import type { TargetCluster } from '../render/generator.ts'
import { type KeptManifests, keptManifests } from './component/rendering/kept-manifests.ts'
import type { KeptLookups } from './component/rendering/rounds.ts'
import { type Marks, marks } from './marks.ts'
import { type KeptModules, keptModules } from './modules/kept-modules.ts'
import { Recently } from './recently.ts'

export type ProcessMemory = {
  /** Uid of the namespace kube-system, which lives as long as its cluster. */
  clusterUid(local: Client): Promise<string>
  /** The same client for the same kubeconfig. Rejects with an AccessError when the kubeconfig is refused. */
  remoteClient(kubeconfig: Kubeconfig): Promise<Client>
  renderKey(read: () => Promise<Buffer>): Promise<Buffer>
  /** What the cluster of this name serves. Kept for a minute: kinds may have been installed since. */
  served(name: string, ask: () => Promise<TargetCluster>): Promise<TargetCluster>
  /** The same from memory; undefined when the cluster would have to be asked. */
  servedLately(name: string): TargetCluster | undefined
  /** What was tried last for an object, by its uid: where it had no effect, other objects come first. */
  readonly attempts: BoundedCache<string, string>
  readonly manifests: KeptManifests
  /** What templates looked up last time, so that it can be read before they are rendered. */
  readonly lookups: KeptLookups
  /** What runtime-events looked up lately: the Kyma of each runtime, the Manifests of a runtime, and the names that somebody listens to. */
  readonly runtimes: {
    readonly kymas: Recently<ReadonlyMap<string, KubeObject>>
    readonly manifests: Recently<readonly HoldingManifest[]>
    readonly listeners: Recently<true>
  }
  /** Objects that were in order. */
  readonly marks: Marks
  readonly modules: KeptModules
  /** How many Events about an object are recorded: a runtime's owner may have its Kyma say something else every moment. */
  readonly eventRates: Rates
}

/** `options`: how clients of remote clusters are made. */
export const processMemory = (options?: ClientOptions): ProcessMemory => {
  const clusterUid = learntOnce<string>()
  const clients = learntOnce<KubeconfigClients>()
  return {
    clusterUid: local => clusterUid(() => clusterUidOf(local)),
    remoteClient: async kubeconfig => (await clients(() => newClients(options)))(kubeconfig),
    renderKey: learntOnce<Buffer>(),
    ...servedKindsKept(),
    attempts: new BoundedCache(attemptsMost),
    manifests: keptManifests(),
    lookups: new BoundedCache(lookupCharactersMost, lookups => JSON.stringify(lookups).length),
    runtimes: {
      kymas: new Recently(),
      manifests: new Recently({ most: objectCharactersMost, sizeOf: charactersOf }),
      listeners: new Recently(),
    },
    marks: marks(),
    modules: keptModules(),
    eventRates: rates(eventRate, () => performance.now()),
  }
}

/** As client-go bounds them, which allows for 25 and one in five minutes. */
const eventRate = { perSecond: 0.1, burst: 100 }

const attemptsMost = 10_000
const lookupCharactersMost = 2 ** 20
const objectCharactersMost = 2 ** 24

/** Of the names of objects, and some for each Manifest. */
const charactersOf = (manifests: readonly HoldingManifest[]): number =>
  manifests.flatMap(({ objects }) => objects).reduce((sum, text) => sum + text.length, 1_000 + manifests.length * 500)

/** Reading kubeconfigs takes a large module, and most processes never see one. */
const newClients = async (options: ClientOptions | undefined): Promise<KubeconfigClients> => {
  const { kubeconfigClients } = await import('../kube/kubeconfigs/clients.ts')
  return kubeconfigClients(options)
}

const freshMilliseconds = 60_000
/** Each kubeconfig text is a cluster of its own here, and what a hostile one says it serves may be a megabyte. */
const clustersMost = 100

type Serving = { readonly until: number; readonly answer: Promise<TargetCluster>; known?: TargetCluster }

const servedKindsKept = (): Pick<ProcessMemory, 'served' | 'servedLately'> => {
  const serving = new BoundedCache<string, Serving>(clustersMost)
  const fresh = (name: string): Serving | undefined => {
    const kept = serving.get(name)
    return kept && kept.until > performance.now() ? kept : undefined
  }
  const ask = (name: string, asked: Promise<TargetCluster>): Promise<TargetCluster> => {
    const kept: Serving = { until: performance.now() + freshMilliseconds, answer: asked }
    serving.set(name, kept)
    asked.then(
      known => {
        kept.known = known
      },
      () => serving.delete(name),
    )
    return asked
  }
  return {
    served: (name, asking) => fresh(name)?.answer ?? ask(name, asking()),
    servedLately: name => fresh(name)?.known,
  }
}

/** What never changes. Calls that begin at once share one question; whoever comes after a failure asks again. */
const learntOnce = <Answer>() => {
  let answer: Promise<Answer> | undefined
  return (ask: () => Promise<Answer>): Promise<Answer> => {
    answer ??= ask().catch(error => {
      answer = undefined
      throw error
    })
    return answer
  }
}

/** Whether a client leads to the cluster that we run in, whatever its address. */
export const isOwnCluster = async (
  client: Reads,
  { clusters, memory }: { readonly clusters: Clusters; readonly memory: ProcessMemory },
): Promise<boolean> => {
  const own = async () => memory.clusterUid(await clusters.of('local'))
  const [there, here] = await Promise.all([clusterUidOf(client), own()])
  return there === here
}

/** The uid of a cluster's namespace kube-system. */
export const clusterUidOf = async (cluster: Pick<Reads, 'get'>): Promise<string> => {
  const { uid } =
    (await cluster.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'kube-system' }))?.metadata ?? {}
  if (uid === undefined) throw new Error('the cluster has no namespace kube-system')
  return uid
}
