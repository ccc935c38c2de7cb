// Which watches the inventories and references of a function's objects ask for: they begin with the first object that
// needs them and end with the last. dependents-watch.ts is one such watch.
import { type ClusterName, type Key, keyText } from '../../core/object.ts'
import type { Client } from '../../kube/client-types.ts'
import { KubeConfigClusters } from '../remote-clusters/kubeconfig-clusters.ts'
import type { Change } from '../watches/seen-objects.ts'
import type { WatchSurroundings } from '../watches/watch.ts'
import { type NeededOptions, NeededWatch } from './dependents-watch.ts'
import { clusterOf, type Need, needsOf } from './needs.ts'

export type InventoryOptions = Omit<NeededOptions, 'homeOf'>

export class Inventory {
  readonly #options: NeededOptions
  readonly #surroundings: WatchSurroundings
  readonly #watches = new Map<string, NeededWatch>()
  /** Owner → the watches it needs. */
  readonly #needs = new Map<string, ReadonlySet<string>>()
  /** Owner → the cluster of its items; our own where names lead to them goes without saying. */
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

  /** How many watches there are. */
  get size(): number {
    return this.#watches.size
  }

  /** A change of one of the function's own objects. */
  notice({ type, ref, object }: Change): void {
    const { settings } = this.#options
    const there = type === 'DELETED' ? undefined : object
    const owner = keyText(ref)
    const home = there && clusterOf(there, settings)
    if (home === undefined || (home === 'local' && settings.ownerLabel === undefined)) this.#homes.delete(owner)
    else this.#homes.set(owner, home)
    this.#settle(owner, there ? needsOf(there, settings) : [])
  }

  /** The cluster of the items of one of the function's own objects, so far as it is known. */
  homeOf(key: Key): ClusterName | undefined {
    return this.#homes.get(keyText(key))
  }

  /** Why its owner does not learn of changes of some of its items. */
  unseenBecause(key: Key): string | undefined {
    const watches = [...(this.#needs.get(keyText(key)) ?? [])].map(id => this.#watches.get(id))
    return watches.map(watch => watch?.unseenBecause).find(because => because !== undefined)
  }

  /** The cluster can be reached now. */
  clusterBegan(cluster: ClusterName, client: Client): void {
    this.#clients.set(cluster, client)
    for (const watch of this.#in(cluster)) watch.begin(client)
  }

  /** It cannot any more, or not by this client. */
  async clusterEnded(cluster: ClusterName): Promise<void> {
    this.#clients.delete(cluster)
    await Promise.all(this.#in(cluster).map(watch => watch.end()))
  }

  async stop(): Promise<void> {
    await this.#kubeConfigs.stop()
    await Promise.all([...this.#watches.values()].map(watch => watch.end()))
  }

  #in(cluster: ClusterName): NeededWatch[] {
    return [...this.#watches.values()].filter(({ needed }) => needed.cluster === cluster)
  }

  #settle(owner: string, needs: readonly Need[]): void {
    const after = grouped(needs)
    // First, so that a cluster which is still needed, for another kind, is not left in between.
    for (const [id, group] of after) this.#need(id, owner, group)
    for (const id of this.#needs.get(owner) ?? []) if (!after.has(id)) this.#release(id, owner)
    if (after.size === 0) this.#needs.delete(owner)
    else this.#needs.set(owner, new Set(after.keys()))
  }

  #need(id: string, owner: string, group: Group): void {
    const known = this.#watches.get(id)
    const watch = known ?? new NeededWatch(group.needed, this.#options, this.#surroundings)
    watch.need(owner, group)
    if (known) return
    this.#watches.set(id, watch)
    this.#kubeConfigs.need(group.needed.cluster)
    const client = this.#clients.get(group.needed.cluster)
    if (client) watch.begin(client)
  }

  #release(id: string, owner: string): void {
    const watch = this.#watches.get(id)
    watch?.release(owner)
    if (!watch || watch.isNeeded) return
    this.#watches.delete(id)
    void watch.end()
    if (this.#in(watch.needed.cluster).length === 0) void this.#kubeConfigs.release(watch.needed.cluster)
  }
}

type Group = { needed: NeededWatch['needed']; items: number; names: Set<string> }

/** One watch per kind, or per kind and namespace where dependents are found by name: one per name would be thousands. */
const grouped = (needs: readonly Need[]): Map<string, Group> => {
  const groups = new Map<string, Group>()
  for (const { cluster, apiVersion, kind, item } of needs) {
    const id = [cluster, apiVersion, kind, item?.namespace ?? ''].join(' ')
    const needed = { cluster, apiVersion, kind, ...(item?.namespace ? { namespace: item.namespace } : {}) }
    const group = groups.get(id) ?? { needed, items: 0, names: new Set() }
    group.items++
    if (item) group.names.add(item.name)
    groups.set(id, group)
  }
  return groups
}
