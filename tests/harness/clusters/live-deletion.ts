// Notes what is deleted in a cluster, of any kind, in order.
import type { GroupVersionKind, KubeObject } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'

/** Watches from now on. The returned function ends the watches and returns names, such as `Deployment etcd-druid`. */
export const deletionsSeen = async (
  client: Client,
  kinds: readonly GroupVersionKind[],
): Promise<() => Promise<string[]>> => {
  const ending = new AbortController()
  const seen: KubeObject[] = []
  const follow = async (kind: GroupVersionKind, resourceVersion: string): Promise<void> => {
    for await (const { type, object } of client.watch({ ...kind, resourceVersion, signal: ending.signal }))
      if (type === 'DELETED') seen.push(object)
  }
  const begun = async (kind: GroupVersionKind) => {
    for await (const { resourceVersion } of client.pages(kind)) return { ends: follow(kind, resourceVersion) }
    return undefined
  }
  const follows = await Promise.all(kinds.map(begun))
  return async () => {
    ending.abort()
    await Promise.all(follows.map(follow => follow?.ends))
    return seen.toSorted((one, other) => revision(one) - revision(other)).map(nameOf)
  }
}

const revision = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion)
const nameOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`
