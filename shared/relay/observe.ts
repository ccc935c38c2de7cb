// Starts all watches of the relay, per cluster: the watches of serverless.yml, and the watches of kinds in inventories.
import type { RemoteSettings } from '../api/serverless.ts'
import { type ClusterName, type Key, keyText } from '../core/objects/object.ts'
import type { Client, Clusters } from '../kube/client-types.ts'
import type { Calls } from './calls/calls.ts'
import { Inventory } from './dependents/inventory.ts'
import type { Reconciler } from './reconcilers.ts'
import { BeginningClusters } from './remote-clusters/beginning-clusters.ts'
import type { ClusterReach } from './remote-clusters/remote-cluster.ts'
import { RemoteGroup } from './remote-clusters/remote-group.ts'
import { turnsToBegin } from './remote-clusters/turns-to-begin.ts'
import type { Interruption } from './watches/interruptions.ts'
import type { NamespacedKinds } from './watches/namespaced-kinds.ts'
import { startWatches } from './watches/shared-watches.ts'
import { createSubscription, type Subscription } from './watches/subscription.ts'
import type { Watch, WatchedKind, WatchSurroundings } from './watches/watch.ts'

export type Observation = {
  readonly local: readonly Watch[]
  homeOf(functionName: string, key: Key): string | undefined
  /** Whether this remote cluster is not listed yet. */
  isBeginning(home: string): boolean
  stop(): Promise<void>
}

type ObserveOptions = {
  reconcilers: readonly Reconciler[]
  remotes: Readonly<Record<string, RemoteSettings>>
  local: Client
  clusters: Clusters
  calls: Calls
  scopes: NamespacedKinds
  surroundings: WatchSurroundings
  pollSeconds: number
  reached(cluster: ClusterName, reach: ClusterReach): void
}

type Place = { cluster: ClusterName; client: Client; group?: string; owner?: Key }

/** Limit of remembered objects for watches of serverless.yml in a remote cluster. dependents-watch.ts limits the objects of inventories. */
const foreignObjectsMost = 20_000

const objectsMostIn = (cluster: ClusterName) => () =>
  cluster === 'local' ? Number.POSITIVE_INFINITY : foreignObjectsMost

type Observed = { reconciler: Reconciler; all: readonly Inventory[] }

export const startObserving = (options: ObserveOptions): Observation => {
  const inventories = options.reconcilers.map(reconciler => ({ reconciler, all: inventoriesOf(reconciler, options) }))
  const all = inventories.flatMap(one => one.all)
  const byName = new Map(inventories.map(one => [one.reconciler.name, one]))
  const { clock } = options.surroundings
  const watched = Object.entries(options.remotes).filter(([, { watched = true }]) => watched)
  const groups = watched.map(([name]) => name)
  const beginning = new BeginningClusters(clock, groups, () => options.calls.wake())
  const inTurn = turnsToBegin(clock)
  const begin = (remote: { name: ClusterName; group: string; owner: Key }, client: Client) =>
    inTurn(() => {
      beginning.hasTurn(remote.name)
      const begun = beginRemote({ ...remote, cluster: remote.name, client }, { options, inventories })
      void begun.tried.then(() => beginning.ends(remote.name))
      return begun
    })
  const reached = (cluster: ClusterName, reach: ClusterReach): void => {
    beginning.ends(cluster)
    options.reached(cluster, reach)
  }
  const begins = (cluster: ClusterName) => beginning.begins(cluster)
  const remotes = watched.map(
    ([name, settings]) =>
      new RemoteGroup({ name, settings }, { ...options, begin, begins, reached }, options.surroundings),
  )
  const local = { cluster: 'local', client: options.local, objectsMost: objectsMostIn('local') }
  const subscriptions = [
    // Inventories come first, so that homeOf knows the cluster of an object's dependents before the same change queues its key.
    ...inventories.flatMap(one => one.all.flatMap(inventory => ownChanges(one.reconciler, inventory))),
    ...inventories.flatMap(observed => subscriptionsIn(local, observed, options)),
    ...remotes.map(({ subscription }) => subscription),
  ]
  for (const inventory of all) inventory.clusterBegan('local', options.local)
  const state = (watched: WatchedKind, interruption: Interruption | undefined) =>
    learnScopes(watched, interruption, options)
  const here = startWatches({ ...local, subscriptions, state }, options.surroundings)
  void Promise.all(here.watches.map(({ tried }) => tried)).then(() => beginning.localListed())
  return {
    local: here.watches,
    homeOf: (name, key) =>
      homeIn(byName.get(name)?.all, key) ??
      homeOfOwner(byName.get(name)?.reconciler, key, options) ??
      homeOfNamespace(key, options),
    isBeginning: home => beginning.has(home),
    stop: async () => {
      beginning.stop()
      // Stop local watches first, so that no more access Secrets are noticed.
      await here.stop()
      await Promise.all(remotes.map(group => group.stop()))
      await Promise.all(all.map(inventory => inventory.stop()))
    },
  }
}

/** A kind that was not served at the start counts as namespaced. When the watch of the kind works, the scope is requested again. */
const learnScopes = (
  watched: WatchedKind,
  interruption: Interruption | undefined,
  { reconcilers, scopes, surroundings }: ObserveOptions,
) => {
  if (interruption) return
  for (const reconciler of reconcilers.filter(({ own }) => own.some(({ kind }) => kind === watched.kind)))
    scopes
      .learn(reconciler)
      .catch(error => surroundings.log.warn({ function: reconciler.name, err: error }, 'scope unknown'))
}

/** The remote cluster of the key's dependents; undefined when all are local. */
const homeIn = (inventories: readonly Inventory[] | undefined, key: Key): ClusterName | undefined =>
  firstOf(inventories, inventory => {
    const home = inventory.homeOf(key)
    return home === 'local' ? undefined : home
  })

const firstOf = <T>(inventories: readonly Inventory[] = [], answer: (inventory: Inventory) => T | undefined) =>
  inventories.map(answer).find(one => one !== undefined)

/** For functions that watch remote clusters: the cluster with the key's name, in the group with its access Secrets in the key's namespace. */
const homeOfOwner = (reconciler: Reconciler | undefined, key: Key, { remotes }: ObserveOptions) => {
  const groups = reconciler?.watches.flatMap(({ cluster }) => cluster ?? []) ?? []
  const group = groups.find(name => remotes[name]?.namespace === key.namespace)
  return group && `${group}/${key.name}`
}

/** undefined for namespaces with access Secrets, because these namespaces belong to the platform. */
const homeOfNamespace = ({ namespace }: Key, { remotes }: ObserveOptions) =>
  namespace === '' || Object.values(remotes).some(remote => remote.namespace === namespace)
    ? undefined
    : `namespace ${namespace}`

const subscriptionsIn = (
  place: Place,
  { reconciler, all }: Observed,
  { calls, scopes, surroundings: { clock } }: ObserveOptions,
): Subscription[] =>
  reconciler.watches
    .map((settings, index) => ({ settings, name: `${place.cluster} ${index}` }))
    .filter(({ settings }) => settings.cluster === place.group)
    .map(({ settings, name }) =>
      createSubscription({
        name,
        settings,
        cluster: place.cluster,
        client: place.client,
        clusterOwner: place.owner,
        concerns: key => isConcern(place, all, key),
        objectsMost: objectsMostIn(place.cluster),
        target: () => scopes.targetOf(reconciler),
        enqueue: (key, trigger) => calls.call(reconciler.name, key, trigger),
        ask: question => calls.ask(reconciler.name, question),
        now: () => clock.monotonic(),
      }),
    )

/** Local objects may lead to any key. Objects of a remote cluster only lead to its owner and to objects with dependents there. */
const isConcern = ({ cluster, owner }: Place, inventories: readonly Inventory[], key: Key): boolean =>
  cluster === 'local' || homeIn(inventories, key) === cluster || (owner !== undefined && isSame(owner, key))

const isSame = (one: Key, other: Key): boolean => keyText(one) === keyText(other)

const inventoriesOf = (
  reconciler: Reconciler,
  { calls, scopes, local, clusters, pollSeconds, surroundings }: ObserveOptions,
): Inventory[] =>
  reconciler.inventories.map(
    settings =>
      new Inventory(
        {
          functionName: reconciler.name,
          settings,
          target: () => scopes.targetOf(reconciler),
          enqueue: (key, trigger) => calls.call(reconciler.name, key, trigger),
          local,
          clientOptions: clusters.clientOptions,
          pollSeconds,
        },
        surroundings,
      ),
  )

/** Watches the function's own objects with all content and all changes, because these objects contain the inventories. */
const ownChanges = ({ own }: Reconciler, inventory: Inventory): Subscription[] =>
  own.map(settings => ({
    settings: { ...settings, metadataOnly: false, on: ['any'] },
    notice: change => inventory.notice(change),
  }))

/** Resolves when all watches of a cluster have listed or failed. The lists of the first watches show which dependents are watched. */
const allTried = async (cluster: ClusterName, watches: readonly Watch[], inventories: readonly Inventory[]) => {
  await Promise.all(watches.map(({ tried }) => tried))
  await Promise.all(inventories.map(inventory => inventory.tried(cluster)))
}

type RemoteParts = { options: ObserveOptions; inventories: readonly Observed[] }

const beginRemote = (place: Place, { options, inventories }: RemoteParts) => {
  const { cluster, client } = place
  const subscriptions = inventories.flatMap(observed => subscriptionsIn(place, observed, options))
  const all = inventories.flatMap(observed => observed.all)
  const troubled = new Set<WatchedKind>()
  const state = (watched: WatchedKind, interruption: Interruption | undefined): void => {
    // A kind that is not installed yet does not make the cluster `down`.
    if (interruption && interruption.cause !== 'notServed') troubled.add(watched)
    else troubled.delete(watched)
    options.reached(cluster, troubled.size === 0 ? 'up' : 'down')
  }
  const objectsMost = objectsMostIn(cluster)
  const watches = startWatches({ cluster, client, subscriptions, objectsMost, state }, options.surroundings)
  for (const inventory of all) inventory.clusterBegan(cluster, client)
  options.reached(cluster, 'up')
  return {
    tried: allTried(cluster, watches.watches, all),
    end: async () => {
      await Promise.all([watches.stop(), ...all.map(inventory => inventory.clusterEnded(cluster))])
    },
  }
}
