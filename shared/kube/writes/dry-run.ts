// A client whose writes are dry runs: the API server defaults, validates and calls webhooks, and stores nothing.
import type { Client } from '../client-types.ts'

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
