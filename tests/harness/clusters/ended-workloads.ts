// The workloads of a cluster of a test's own come to an end, so that the next test finds none.
import { type GroupVersionKind, refOf } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { eventually } from '../until.ts'

/** Whoever makes others goes first. */
const kinds: readonly GroupVersionKind[] = [
  ...['Deployment', 'DaemonSet', 'StatefulSet', 'ReplicaSet'].map(kind => ({ apiVersion: 'apps/v1', kind })),
  { apiVersion: 'v1', kind: 'Pod' },
]

/** Resolves when there are none: a controller may have made one more while its owner went. */
export const endWorkloads = (client: Client): Promise<void> =>
  eventually('there are no workloads', async () => {
    let found = 0
    for (const kind of kinds) found += await deleteAll(client, kind)
    return found === 0
  })

/** How many there were. */
const deleteAll = async (client: Client, kind: GroupVersionKind): Promise<number> => {
  const objects = await client.list(kind)
  await Promise.all(objects.map(object => client.delete(refOf(object), {})))
  return objects.length
}
