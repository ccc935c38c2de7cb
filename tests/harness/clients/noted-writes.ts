// Clusters that note what is written to them, in the order of the requests.
import type { ObjectRef } from '../../../shared/core/objects/object.ts'
import type { BindableClusters, Client } from '../../../shared/kube/client-types.ts'
import { altered } from './altered-client.ts'

export type NotedWrites = { readonly clusters: BindableClusters; readonly writes: string[] }

/** Each write is `verb Kind name`. */
export const notedWrites = (real: BindableClusters): NotedWrites => {
  const writes: string[] = []
  const note = (verb: string, kind: string, name: string) => writes.push(`${verb} ${kind} ${name}`)
  const noting = (client: Client): Client =>
    altered(client, inner => ({
      create: (object, options) => {
        note('create', object.kind, object.metadata.name)
        return inner.create(object, options)
      },
      apply: (object, options) => {
        note('apply', object.kind, object.metadata.name)
        return inner.apply(object, options)
      },
      delete: (ref: ObjectRef, options) => {
        note('delete', ref.kind, ref.name)
        return inner.delete(ref, options)
      },
    }))
  const clusters: BindableClusters = {
    of: async name => noting(await real.of(name)),
    bound: call => {
      const bound = real.bound(call)
      return { of: async name => noting(await bound.of(name)) }
    },
  }
  return { clusters, writes }
}
