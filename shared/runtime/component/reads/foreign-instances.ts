// Reads instances of other owners, which block the deletion of a CRD, an APIService or an operator.
import { isManaged, typeOf } from '../../../component/declared/kinds.ts'
import { itemKey } from '../../../component/item.ts'
import { type InstancesWanted, isGenerated } from '../../../component/removed/deletion-blockers.ts'
import type { Instances } from '../../../component/world.ts'
import { isDeleting, type KubeObject, keyOf, keyText } from '../../../core/objects/object.ts'
import type { ReadClient } from '../../../kube/client-types.ts'
import { ApiError, isNotFound, isNotServed } from '../../../kube/errors.ts'
import { type ServedKind, servedKinds } from '../../../kube/served-kinds.ts'

const namedMost = 10

const none: Instances = { first: [], count: 0 }

export const foreignInstances = async (client: ReadClient, wanted: InstancesWanted): Promise<Instances> => {
  const { group } = wanted.type
  const served = await servedKinds(client, group.includes('*') ? undefined : group)
  const found = await Promise.all(kindsMeant(served, wanted).map(kind => ofKind(client, kind, wanted)))
  return found.reduce(
    (all, { first, count }) => ({ first: [...all.first, ...first].slice(0, namedMost), count: all.count + count }),
    none,
  )
}

/** Each kind once, in the version that the API server prefers. */
const kindsMeant = (served: readonly ServedKind[], { type }: InstancesWanted): ServedKind[] => {
  const meant = served.filter(kind => kind.isListable && isManaged([type], typeOf(kind)))
  const byKind = Map.groupBy(meant, ({ group, kind }) => `${kind}.${group}`)
  return [...byKind.values()].flatMap(([first]) => first ?? [])
}

const ofKind = async (
  client: ReadClient,
  { apiVersion, group, kind }: ServedKind,
  { labelSelector, except, ourLabel }: InstancesWanted,
): Promise<Instances> => {
  const isOfOthers = (object: KubeObject) => {
    const { namespace = '', name } = object.metadata
    return !except.has(itemKey({ group, kind, namespace, name })) && !isGenerated(object, ourLabel)
  }
  // A map by key, because a list restarts when its continue token expires.
  const others = new Map<string, string>()
  try {
    await client.list({
      apiVersion,
      kind,
      labelSelector,
      metadataOnly: true,
      keep: object => {
        const text = keyText(keyOf(object))
        if (isOfOthers(object)) others.set(text, isDeleting(object) ? `${text} (is being deleted)` : text)
        return undefined
      },
    })
    return { first: [...others.values()].slice(0, namedMost), count: others.size }
  } catch (error) {
    // The kind is in discovery but cannot be listed, because its CRD is being deleted. So the kind has no instances.
    if (isNotServed(error) || isNotFound(error) || isMethodMissing(error)) return none
    throw error
  }
}

const isMethodMissing = (error: unknown): boolean => error instanceof ApiError && error.code === 405
