// Caches values between calls, to save requests. ARCHITECTURE.md lists each value with its lifetime and the cost of a restart.
import { type Rates, rates } from '../core/bounds/rates.ts'
import { BoundedCache } from '../core/memory/bounded-cache.ts'
import type { KubeObject } from '../core/objects/object.ts'
import type { ClientOptions, ReadClient, ReadClusters, Reads } from '../kube/client-types.ts'
import { readOnly } from '../kube/clusters/read-only.ts'
import type { ClientCounts, Kubeconfig, KubeconfigClients } from '../kube/kubeconfigs/clients.ts'
import { assemblyMilliseconds, KeyedReads, SharedReads } from '../kube/shared-reads.ts'
import { type WrittenEvents, writtenEvents } from '../kube/writes/events.ts'
import type { HoldingManifest } from '../kyma/kinds.ts'
import type { ModuleCatalogue } from '../kyma/modules/look-up.ts'
import type { TargetCluster } from '../render/generator.ts'
import { type KeptManifests, keptManifests } from './component/rendering/kept-manifests.ts'
import type { KeptLookups } from './component/rendering/lookups.ts'
import { LoadingCache } from './loading-cache.ts'
import { type Marks, marks } from './marks.ts'

export type ProcessMemory = {
  /** Uid of the namespace kube-system, which exists as long as its cluster. */
  clusterUid(local: Pick<Reads, 'get'>): Promise<string>
  /** Returns the same client for the same kubeconfig. Rejects with AccessError for a refused kubeconfig. */
  remoteClient(kubeconfig: Kubeconfig): Promise<ReadClient>
  /** Counts of cached clients. */
  remoteClients(): Promise<ClientCounts>
  /** A new client, which the caller closes. Rejects like `remoteClient`. */
  passingClient(kubeconfig: Kubeconfig): Promise<PassingClient>
  /** Version and kinds of the cluster. Cached for at most a minute, because new kinds may be installed. */
  served(name: string, ask: () => Promise<TargetCluster>): Promise<TargetCluster>
  /** The cached value of `served`. */
  servedLately(name: string): TargetCluster | undefined
  /** The last attempt for an object, by uid. Objects whose last attempt had no effect are tried later. */
  readonly attempts: BoundedCache<string, string>
  readonly manifests: KeptManifests
  /** Lookups of earlier renderings, which are read before the next rendering. */
  readonly lookups: KeptLookups
  /** Data for the function runtime-events: the Kyma of each runtime, the Manifests of a runtime, and names of listeners. */
  readonly runtimes: {
    readonly kymas: LoadingCache<ReadonlyMap<string, KubeObject>>
    readonly manifests: LoadingCache<readonly HoldingManifest[]>
    readonly listeners: LoadingCache<true>
  }
  readonly marks: Marks
  readonly modules: KeptModules
  /** Reads of objects that several calls make at the same time. */
  readonly reads: KeyedReads
  /** Limits recorded Events per object, because the owner of a runtime can cause any number of Events of its Kyma. */
  readonly eventRates: Rates
  readonly writtenEvents: WrittenEvents
}

export type PassingClient = { readonly client: ReadClient; close(): Promise<void> }

/** `options`: for clients of remote clusters. */
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
    reads: new KeyedReads(),
    eventRates: rates(eventRate, () => performance.now()),
    writtenEvents: writtenEvents(),
  }
}

/** client-go has a similar limit: 25 Events, and then one per five minutes. */
const eventRate = { perSecond: 0.1, burst: 100 }

const attemptsMost = 10_000

const lookupCharactersMost = 2 ** 20

const objectCharactersMost = 2 ** 24

/** The characters in names of objects, plus a constant for each Manifest. */
const charactersOf = (manifests: readonly HoldingManifest[]): number =>
  manifests.flatMap(({ objects }) => objects).reduce((sum, text) => sum + text.length, 1_000 + manifests.length * 500)

/** Loaded on demand, because the module is large, and most processes never need it. */
const newClients = async (options: ClientOptions | undefined): Promise<KubeconfigClients> => {
  const { kubeconfigClients } = await import('../kube/kubeconfigs/clients.ts')
  return kubeconfigClients(options)
}

const servedMilliseconds = 60_000

/** Limits memory: each kubeconfig counts as a cluster, and a hostile cluster may return a megabyte. */
const clustersMost = 100

/** Caches a value that never changes. Concurrent callers share one request. After a failure, the next caller asks again. */
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

/** Whether a client is for the cluster we run in, even with another address. */
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

// Caches for the registry of modules, because thousands of Kymas use the same modules. Descriptors last a minute, because tags may move.
// Digests never expire, because their content never changes.

type KeptModules = {
  /** Descriptor layers of component versions. */
  readonly descriptorLayers: LoadingCache<Uint8Array>
  readonly layerDigests: Pick<BoundedCache<string, readonly string[]>, 'get' | 'set'>
  readonly catalogue: SharedReads<ModuleCatalogue>
}

const descriptors = { milliseconds: 60_000, most: 4 * 2 ** 20, sizeOf: (layer: Uint8Array) => layer.length }

const digestsMost = 1_000

const keptModules = (): KeptModules => ({
  descriptorLayers: new LoadingCache(descriptors),
  layerDigests: new BoundedCache(digestsMost),
  catalogue: new SharedReads(assemblyMilliseconds.local),
})
