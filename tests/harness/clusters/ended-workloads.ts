// Ends all workloads of a cluster that a test has for itself, so that the next test finds none.
import { type GroupVersionKind, refOf } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { eventually } from '../until.ts'

/** Owners first, because their controllers would create replacements. */
const kinds: readonly GroupVersionKind[] = [
  ...['Deployment', 'DaemonSet', 'StatefulSet', 'ReplicaSet'].map(kind => ({ apiVersion: 'apps/v1', kind })),
  { apiVersion: 'v1', kind: 'Pod' },
]

/** Repeats until there are none, because a controller may create one more while its owner is deleted. */
export const endWorkloads = (client: Client): Promise<void> =>
  eventually('there are no workloads', async () => {
    let found = 0
    for (const kind of kinds) found += await deleteAll(client, kind)
    return found === 0
  })

/** Returns how many there were. */
const deleteAll = async (client: Client, kind: GroupVersionKind): Promise<number> => {
  const objects = await client.list(kind)
  await Promise.all(objects.map(object => client.delete(refOf(object), {})))
  return objects.length
}
