// Reads instances of a type that others own. They block the deletion of a CRD, an APIService or an operator.
import { isManaged, typeOf } from '../../../component/declared/managed-types.ts'
import { itemKey } from '../../../component/inventory/item.ts'
import { type InstancesWanted, isGenerated } from '../../../component/removed/deletion-blockers.ts'
import type { Instances } from '../../../component/world.ts'
import { type KubeObject, keyOf, keyText } from '../../../core/objects/object.ts'
import type { Client, ListQuery } from '../../../kube/client-types.ts'
import { type ServedKind, servedKinds } from '../../../kube/discovery/served-kinds.ts'
import { ApiError, isNotFound, isNotServed } from '../../../kube/errors.ts'

/** So many are named. All are counted only if there are more. */
const namedMost = 10

const none: Instances = { first: [], count: 0 }

export const foreignInstances = async (client: Client, wanted: InstancesWanted): Promise<Instances> => {
  const { group } = wanted.type
  const served = await servedKinds(client, group.includes('*') ? undefined : group)
  const found = await Promise.all(kindsMeant(served, wanted).map(kind => ofKind(client, kind, wanted)))
  return found.reduce(
    (all, { first, count }) => ({ first: [...all.first, ...first].slice(0, namedMost), count: all.count + count }),
    none,
  )
}

/** Each kind once, in the version that the API server prefers for this kind. */
const kindsMeant = (served: readonly ServedKind[], { type }: InstancesWanted): ServedKind[] => {
  const meant = served.filter(kind => kind.isListable && isManaged([type], typeOf(kind)))
  const byKind = Map.groupBy(meant, ({ group, kind }) => `${kind}.${group}`)
  return [...byKind.values()].flatMap(([first]) => first ?? [])
}

const ofKind = async (
  client: Client,
  { apiVersion, group, kind }: ServedKind,
  { labelSelector, except, ourLabel }: InstancesWanted,
): Promise<Instances> => {
  const query = { apiVersion, kind, labelSelector, metadataOnly: true }
  const isOfOthers = (object: KubeObject) => {
    const { namespace = '', name } = object.metadata
    return !except.has(itemKey({ group, kind, namespace, name })) && !isGenerated(object, ourLabel)
  }
  try {
    const others = await firstOf(client, query, isOfOthers)
    const count = others.length > namedMost ? await countOf(client, query, isOfOthers) : others.length
    return { first: others.slice(0, namedMost).map(object => keyText(keyOf(object))), count }
  } catch (error) {
    // Discovery names the kind, but it cannot be listed, because its CRD is being deleted: it has no instances.
    if (isNotServed(error) || isNotFound(error) || isMethodMissing(error)) return none
    throw error
  }
}

/** One more than are named tells that there are more. */
const firstOf = async (
  client: Client,
  query: ListQuery,
  counts: (object: KubeObject) => boolean,
): Promise<KubeObject[]> => {
  const found: KubeObject[] = []
  for await (const { objects } of client.pages(query)) {
    found.push(...objects.filter(counts))
    if (found.length > namedMost) break
  }
  return found
}

const countOf = async (client: Client, query: ListQuery, counts: (object: KubeObject) => boolean): Promise<number> => {
  let count = 0
  await client.list({
    ...query,
    keep: object => {
      if (counts(object)) count++
      return undefined
    },
  })
  return count
}

const isMethodMissing = (error: unknown): boolean => error instanceof ApiError && error.code === 405
