// What goes in a cluster, in the order in which it went, whatever its kind.
import type { GroupVersionKind, KubeObject } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'

/** Watches from now on; what it gives back ends the watches and tells names, such as `Deployment etcd-druid`. */
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
