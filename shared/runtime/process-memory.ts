// Values that a process remembers between calls, to save requests. ARCHITECTURE.md lists each value with how long
// it lasts and what a restart costs.
import { type Rates, rates } from '../core/bounds/rates.ts'
import { BoundedCache } from '../core/memory/bounded-cache.ts'
import type { KubeObject } from '../core/objects/object.ts'
import type { ClientOptions, ReadClient, ReadClusters, Reads } from '../kube/client-types.ts'
import { readOnly } from '../kube/clusters/read-only.ts'
import type { ClientCounts, Kubeconfig, KubeconfigClients } from '../kube/kubeconfigs/clients.ts'
import type { HoldingManifest } from '../kyma/kinds.ts'
import type { ModuleCatalogue } from '../kyma/modules/look-up.ts'
import type { TargetCluster } from '../render/generator.ts'
import { type KeptManifests, keptManifests } from './component/rendering/kept-manifests.ts'
import type { KeptLookups } from './component/rendering/rounds.ts'
import { LoadingCache, SharedReads } from './loading-cache.ts'
import { type Marks, marks } from './marks.ts'

export type ProcessMemory = {
  /** Uid of the namespace kube-system, which lives as long as its cluster. */
  clusterUid(local: Pick<Reads, 'get'>): Promise<string>
  /** The same client for the same kubeconfig. Rejects with an AccessError when the kubeconfig is refused. */
  remoteClient(kubeconfig: Kubeconfig): Promise<ReadClient>
  /** Of `remoteClient`. */
  remoteClients(): Promise<ClientCounts>
  /** One that the caller closes, and nobody else uses. Rejects like `remoteClient`. */
  passingClient(kubeconfig: Kubeconfig): Promise<PassingClient>
  /** What the cluster of this name serves. Kept for a minute at most: kinds may have been installed since. */
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
    readonly kymas: LoadingCache<ReadonlyMap<string, KubeObject>>
    readonly manifests: LoadingCache<readonly HoldingManifest[]>
    readonly listeners: LoadingCache<true>
  }
  readonly marks: Marks
  readonly modules: KeptModules
  /** How many Events about an object are recorded: a runtime's owner may have its Kyma say something else every moment. */
  readonly eventRates: Rates
}

export type PassingClient = { readonly client: ReadClient; close(): Promise<void> }

/** `options`: how clients of remote clusters are made. */
export const processMemory = (options?: ClientOptions): ProcessMemory => {
  let areLoaded = false
  const clients = learntOnce(() => {
    areLoaded = true
    return newClients(options)
  })
  const served = new LoadingCache<TargetCluster>({ milliseconds: servedMilliseconds, most: clustersMost })
  return {
    clusterUid: learntOnce(clusterUidOf),
    remoteClient: async kubeconfig => readOnly(await (await clients())(kubeconfig)),
    remoteClients: async () => (areLoaded ? (await clients()).counts() : { created: 0, active: 0 }),
    passingClient: async kubeconfig => {
      const { passingClient } = await import('../kube/kubeconfigs/clients.ts')
      const client = passingClient(kubeconfig, options)
      return { client: readOnly(client), close: client.close }
    },
    served: (name, ask) => served.get(name, ask),
    servedLately: name => served.peek(name),
    attempts: new BoundedCache(attemptsMost),
    manifests: keptManifests(),
    lookups: new BoundedCache(lookupCharactersMost, lookups => JSON.stringify(lookups).length),
    runtimes: {
      kymas: new LoadingCache(),
      manifests: new LoadingCache({ most: objectCharactersMost, sizeOf: charactersOf }),
      listeners: new LoadingCache(),
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

const servedMilliseconds = 60_000
/** Each kubeconfig text is a cluster of its own here, and what a hostile one says it serves may be a megabyte. */
const clustersMost = 100

/** Asks for what never changes. Callers that come at once share one question; a caller after a failure asks again. */
export const learntOnce = <Answer, Asked extends unknown[]>(ask: (...asked: Asked) => Promise<Answer>) => {
  let answer: Promise<Answer> | undefined
  return (...asked: Asked): Promise<Answer> => {
    answer ??= ask(...asked).catch(error => {
      answer = undefined
      throw error
    })
    return answer
  }
}

/** Whether a client leads to the cluster that we run in, whatever its address. */
export const isOwnCluster = async (
  client: Reads,
  { clusters, memory }: { readonly clusters: ReadClusters; readonly memory: ProcessMemory },
): Promise<boolean> => {
  const own = async () => memory.clusterUid(await clusters.of('local'))
  const [there, here] = await Promise.all([clusterUidOf(client), own()])
  return there === here
}

export const clusterUidOf = async (cluster: Pick<Reads, 'get'>): Promise<string> => {
  const { uid } =
    (await cluster.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'kube-system' }))?.metadata ?? {}
  if (uid === undefined) throw new Error('the cluster has no namespace kube-system')
  return uid
}

// What a process remembers of the registry of modules, since thousands of Kymas have the same ones: descriptors for a minute, as their tags
// may move; digests for good, as what a digest names never changes.

type KeptModules = {
  /** Layers with the descriptor of a component's version. */
  readonly descriptorLayers: LoadingCache<Uint8Array>
  readonly layerDigests: Pick<BoundedCache<string, readonly string[]>, 'get' | 'set'>
  /** Shared while it is being read. */
  readonly catalogue: SharedReads<ModuleCatalogue>
  /** The definitions that runtimes get, shared likewise. */
  readonly definitions: SharedReads<readonly KubeObject[]>
}

const descriptors = { milliseconds: 60_000, most: 4 * 2 ** 20, sizeOf: (layer: Uint8Array) => layer.length }
const digestsMost = 1_000

const keptModules = (): KeptModules => ({
  descriptorLayers: new LoadingCache(descriptors),
  layerDigests: new BoundedCache(digestsMost),
  catalogue: new SharedReads(),
  definitions: new SharedReads(),
})
