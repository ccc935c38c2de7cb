// Makes clients without writes for `gather`, `keys`, reviews, and plans that are only shown. `writable` returns the original client; only
// code that performs steps may import it (tests/house.test.ts).
import { remembered } from '../../core/memory/remembered.ts'
import type { Client, Clusters, ReadClient, ReadClusters } from '../client-types.ts'

const writers = new WeakMap<ReadClient, Client>()

/** Returns the same object each time, because caches compare clients by identity. */
export const readOnly = remembered((client: Client): ReadClient => {
  const reader = withoutWrites(client)
  writers.set(reader, client)
  return reader
})

const withoutWrites = (client: Client): ReadClient => ({
  get: (ref, options) => client.get(ref, options),
  list: query => client.list(query),
  pages: query => client.pages(query),
  names: query => client.names(query),
  scopeOf: kind => client.scopeOf(kind),
  raw: ({ path, accept }) => client.raw({ method: 'GET', path, accept }),
  bound: call => readOnly(client.bound(call)),
  namespace: client.namespace,
  reachedBy: client.reachedBy,
})

export const readOnlyClusters = (clusters: Clusters): ReadClusters => ({
  of: async name => readOnly(await clusters.of(name)),
})

export const writable = (reader: ReadClient): Client => {
  const client = writers.get(reader)
  if (!client) throw new TypeError('this client is read-only')
  return client
}

export const writableClusters = (clusters: ReadClusters): Clusters => ({
  of: async name => writable(await clusters.of(name)),
})

/** The API server defaults, validates and calls webhooks, and stores nothing. */
export const dryRun = (client: Client): Client => ({
  ...client,
  create: (object, options) => client.create(object, { ...options, dryRun: true }),
  apply: (object, options) => client.apply(object, { ...options, dryRun: true }),
  replace: (object, options) => client.replace(object, { ...options, dryRun: true }),
  patch: (ref, patch, options) => client.patch(ref, patch, { ...options, dryRun: true }),
  delete: (ref, options) => client.delete(ref, { ...options, dryRun: true }),
  raw: ({ path, accept }) => client.raw({ method: 'GET', path, accept }),
  bound: call => dryRun(client.bound(call)),
})
