// Starts and stops watches (dependents-watch.ts) for inventories and references of a function's objects. A watch starts with the first
// object that needs its kind, and stops with the last.
import { keptOrMade } from '../../core/memory/remembered.ts'
import { type ClusterName, type Key, keyText } from '../../core/objects/object.ts'
import type { Client } from '../../kube/client-types.ts'
import { KubeConfigClusters } from '../remote-clusters/kubeconfig-clusters.ts'
import type { ObjectChange } from '../watches/seen-objects.ts'
import type { WatchSurroundings } from '../watches/watch.ts'
import { DependentsWatch, type DependentsWatchOptions } from './dependents-watch.ts'
import { clusterOf, type Need, needsOf } from './needs.ts'

type InventoryOptions = Omit<DependentsWatchOptions, 'homeOf'>

export class Inventory {
  readonly #options: DependentsWatchOptions
  readonly #surroundings: WatchSurroundings
  readonly #watches = new Map<string, DependentsWatch>()
  readonly #needs = new Map<string, ReadonlySet<string>>()
  /** The cluster of each owner's dependents. Owners of local dependents that are watched by name have no entry. */
  readonly #homes = new Map<string, ClusterName>()
  readonly #clients = new Map<ClusterName, Client>()
  readonly #kubeConfigs: KubeConfigClusters

  constructor(options: InventoryOptions, surroundings: WatchSurroundings) {
    this.#options = { ...options, homeOf: owner => this.#homes.get(owner) }
    this.#surroundings = surroundings
    const { local, clientOptions, settings } = options
    const began = (cluster: ClusterName, client: Client) => this.clusterBegan(cluster, client)
    const ended = (cluster: ClusterName) => this.clusterEnded(cluster)
    const hosts = settings.kubeConfigHosts ?? []
    this.#kubeConfigs = new KubeConfigClusters({ local, hosts, clientOptions, began, ended }, surroundings)
  }

  get size(): number {
    return this.#watches.size
  }

  /** Call for each change of the function's own objects. */
  notice({ type, ref, object }: ObjectChange): void {
    const { settings } = this.#options
    const there = type === 'DELETED' ? undefined : object
    const owner = keyText(ref)
    const home = there && clusterOf(there, settings)
    if (home === undefined || (home === 'local' && settings.ownerLabel === undefined)) this.#homes.delete(owner)
    else this.#homes.set(owner, home)
    this.#settle(owner, there ? needsOf(there, settings) : [])
  }

  homeOf(key: Key): ClusterName | undefined {
    return this.#homes.get(keyText(key))
  }

  /** Call when a cluster becomes reachable: starts its watches. */
  clusterBegan(cluster: ClusterName, client: Client): void {
    this.#clients.set(cluster, client)
    for (const watch of this.#in(cluster)) watch.begin(client)
  }

  /** Resolves when each watch of the cluster has listed or failed. */
  async tried(cluster: ClusterName): Promise<void> {
    await Promise.all(this.#in(cluster).map(({ tried }) => tried))
  }

  /** Call when a cluster is unreachable, or its client has changed: ends its watches. */
  async clusterEnded(cluster: ClusterName): Promise<void> {
    this.#clients.delete(cluster)
    await Promise.all(this.#in(cluster).map(watch => watch.end()))
  }

  async stop(): Promise<void> {
    await this.#kubeConfigs.stop()
    await Promise.all([...this.#watches.values()].map(watch => watch.end()))
  }

  #in(cluster: ClusterName): DependentsWatch[] {
    return [...this.#watches.values()].filter(({ watched }) => watched.cluster === cluster)
  }

  #settle(owner: string, needs: readonly Need[]): void {
    const after = grouped(needs, this.#options.settings.ownerLabel === undefined)
    // Adds before removing, so that a cluster stays connected if it is now needed for another kind.
    for (const [id, group] of after) this.#need(id, owner, group)
    for (const id of this.#needs.get(owner) ?? []) if (!after.has(id)) this.#release(id, owner)
    if (after.size === 0) this.#needs.delete(owner)
    else this.#needs.set(owner, new Set(after.keys()))
  }

  #need(id: string, owner: string, group: Group): void {
    const known = this.#watches.get(id)
    const watch = known ?? new DependentsWatch(group.watched, this.#options, this.#surroundings)
    watch.need(owner, group.items)
    if (known) return
    this.#watches.set(id, watch)
    this.#kubeConfigs.need(group.watched.cluster)
    const client = this.#clients.get(group.watched.cluster)
    if (client) watch.begin(client)
  }

  #release(id: string, owner: string): void {
    const watch = this.#watches.get(id)
    watch?.release(owner)
    if (!watch || watch.isNeeded) return
    this.#watches.delete(id)
    void watch.end()
    if (this.#in(watch.watched.cluster).length === 0) void this.#kubeConfigs.release(watch.watched.cluster)
  }
}

type Group = { watched: DependentsWatch['watched']; items: Set<string> }

/** One watch per kind, or per kind and namespace if dependents are found by name. A watch per name would need thousands of watches. */
const grouped = (needs: readonly Need[], isByName: boolean): Map<string, Group> => {
  const groups = new Map<string, Group>()
  for (const { cluster, apiVersion, kind, item } of needs) {
    const namespace = isByName ? item.namespace : ''
    const id = [cluster, apiVersion, kind, namespace].join(' ')
    const watched = { cluster, apiVersion, kind, ...(namespace && { namespace }) }
    const { items } = keptOrMade(groups, id, () => ({ watched, items: new Set<string>() }))
    items.add(keyText(item))
  }
  return groups
}
