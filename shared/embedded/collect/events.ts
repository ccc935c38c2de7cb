// Deletes Events an hour after their last change, as kube-apiserver does.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Cluster } from '../cluster.ts'
import type { Store } from '../storage/store.ts'
import { textAt } from '../value.ts'

const keptMilliseconds = 3_600_000
const roundMilliseconds = 60_000

/** Checks once a minute. Returns a function that stops the checks. */
export const expireEvents = ({ store, chores }: Cluster): (() => void) => {
  const round = setInterval(() => chores.add('old events', () => dropOldEvents(store, Date.now())), roundMilliseconds)
  round.unref()
  return () => clearInterval(round)
}

export const dropOldEvents = (store: Store, now: number): void => {
  const old = store
    .now('events')
    .keys('')
    .filter(key => {
      const event = store.get('events', key)?.object
      return event !== undefined && changedAt(event) + keptMilliseconds < now
    })
  for (const key of old) store.remove('events', key)
}

const changedAt = ({ metadata }: KubeObject): number => {
  const changes = (metadata.managedFields ?? []).map(entry => textAt(entry, 'time'))
  return Math.max(...[metadata.creationTimestamp ?? '', ...changes].filter(Boolean).map(Date.parse))
}
