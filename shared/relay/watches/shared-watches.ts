// The watches of one cluster. Functions with the same kind and selectors share a watch.
import type { WatchFilter } from '../../api/serverless.ts'
import type { ClusterName } from '../../core/objects/object.ts'
import type { Client } from '../../kube/client-types.ts'
import type { Interruption } from './interruptions.ts'
import type { Subscription } from './subscription.ts'
import { startWatch, type Watch, type WatchedKind, type WatchSurroundings } from './watch.ts'

type ClusterWatches = {
  readonly watches: readonly Watch[]
  stop(): Promise<void>
}

type ClusterOptions = {
  cluster: ClusterName
  client: Client
  subscriptions: readonly Subscription[]
  /** Limit of remembered objects per watch. */
  objectsMost(): number
  state?(watched: WatchedKind, interruption: Interruption | undefined): void
}

export const startWatches = (options: ClusterOptions, surroundings: WatchSurroundings): ClusterWatches => {
  const { cluster, client, state, objectsMost } = options
  const watches = groups(options.subscriptions).map(subscriptions => {
    const watched = watchedBy(subscriptions[0])
    return startWatch({
      ...surroundings,
      client,
      cluster,
      watched,
      filters: filtersOf(subscriptions),
      memory: { concerns: () => true, objectsMost },
      changed: change => {
        for (const subscription of subscriptions) subscription.notice(change)
      },
      state: interruption => state?.(watched, interruption),
    })
  })
  return { watches, stop: async () => void (await Promise.all(watches.map(watch => watch.stop()))) }
}

type Group = readonly [Subscription, ...Subscription[]]

const groups = (subscriptions: readonly Subscription[]): Group[] => {
  const byWatched = new Map<string, [Subscription, ...Subscription[]]>()
  for (const subscription of subscriptions) {
    const id = JSON.stringify(Object.values(watchedBy(subscription)))
    const group = byWatched.get(id)
    if (group) group.push(subscription)
    else byWatched.set(id, [subscription])
  }
  return [...byWatched.values()]
}

/** The settings that select objects, in a fixed order, so that `groups` can compare them as text. */
const watchedBy = ({ settings }: Subscription): WatchedKind => ({
  apiVersion: settings.apiVersion,
  kind: settings.kind,
  namespace: settings.namespace,
  labelSelector: settings.labelSelector,
  fieldSelector: settings.fieldSelector,
  metadataOnly: settings.metadataOnly ?? false,
})

const filtersOf = (subscriptions: Group): WatchFilter[] => [
  ...new Set(subscriptions.flatMap(({ settings }) => settings.on)),
]
