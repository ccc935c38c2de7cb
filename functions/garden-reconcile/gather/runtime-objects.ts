// Reads the rows of rules/objects.ts in the runtime cluster at once, except rows that must follow another row. If two rows read the same
// object, the more complete copy is kept.
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { labelSelectorText } from '../../../shared/core/objects/label-selector.ts'
import {
  type GroupVersionKind,
  isDeleting,
  type KubeObject,
  refOf,
  refText,
} from '../../../shared/core/objects/object.ts'
import type { ListQuery, Reads } from '../../../shared/kube/client-types.ts'
import { getIfServed, listIfServed } from '../../../shared/kube/reading.ts'
import { namespace, ownershipLabel } from '../desired/parts/names.ts'
import { type KindRow, kindRows, kindText, type Objects, objectsOf } from '../rules/objects.ts'
import { isOurs } from '../rules/ownership.ts'
import type { World } from '../world.ts'

/** Omits kinds that the API server does not serve. */
export const runtimeObjects = async (reads: Reads): Promise<Objects> => {
  const found = await allFound(reads)
  const byKind = new Map<string, readonly KubeObject[]>()
  for (const { id, objects } of found) if (objects) byKind.set(id, joined(byKind.get(id) ?? [], objects))
  return byKind
}

type Found = { readonly id: string; readonly objects: readonly KubeObject[] | undefined }

const foundOf = async (reads: Reads, row: KindRow): Promise<Found> => ({
  id: kindText(row),
  objects: await read(reads, row),
})

const allFound = (reads: Reads): Promise<Found[]> => {
  const [later, first] = [kindRows.filter(({ after }) => after), kindRows.filter(({ after }) => !after)]
  const begun = first.map(row => ({ row, found: foundOf(reads, row) }))
  const before = ({ after }: KindRow) => begun.find(({ row }) => after && kindText(row) === kindText(after))?.found
  return Promise.all([
    ...begun.map(({ found }) => found),
    ...later.map(async row => {
      await before(row)
      return foundOf(reads, row)
    }),
  ])
}

const read = async (reads: Reads, row: KindRow): Promise<readonly KubeObject[] | undefined> => {
  if (row.read !== 'one') return listIfServed(reads, queryOf(row))
  const { apiVersion, kind, name } = row
  const object = await getIfServed(reads, { apiVersion, kind, namespace: row.namespace, name })
  return object ? [object] : []
}

const ownershipSelector = labelSelectorText(ownershipLabel)

const queryOf = ({ apiVersion, kind, read }: Exclude<KindRow, { read: 'one' }>): ListQuery => {
  const queries = {
    ours: { labelSelector: ownershipSelector, withManagedFields: true },
    garden: { namespace, withManagedFields: true },
    elsewhere: {
      labelSelector: ownershipSelector,
      fieldSelector: `metadata.namespace!=${namespace}`,
      withManagedFields: true,
    },
    names: { metadataOnly: true },
  } as const
  return { apiVersion, kind, ...queries[read] }
}

/** If an object is in both lists, the copy with managedFields is kept. */
const joined = (some: readonly KubeObject[], others: readonly KubeObject[]): readonly KubeObject[] => {
  const byRef = new Map(some.map(object => [refText(refOf(object)), object]))
  for (const object of others) {
    const id = refText(refOf(object))
    if (!byRef.get(id)?.metadata.managedFields) byRef.set(id, object)
  }
  return [...byRef.values()]
}

const definitionKind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const

/** Our CustomResourceDefinitions that are deleted with the Garden. */
export const leavingDefinitions = (world: World): readonly KubeObject[] =>
  isDeleting(world.garden) ? objectsOf(world.runtime, definitionKind).filter(isOurs) : []

/** Names of the definitions with objects that are not ours. Reads only the metadata of objects. */
export const sharedDefinitions = async (
  reads: Reads,
  definitions: readonly KubeObject[],
): Promise<readonly string[]> => {
  const found = await Promise.all(
    definitions.map(async definition => ({ definition, objects: await foreignObjects(reads, kindOf(definition)) })),
  )
  return found.flatMap(({ definition, objects }) => (objects.length > 0 ? definition.metadata.name : []))
}

const foreignObjects = async (reads: Reads, kind: GroupVersionKind): Promise<readonly KubeObject[]> => {
  const keep = (object: KubeObject) => (isOurs(object) ? undefined : object)
  return (await listIfServed(reads, { ...kind, metadataOnly: true, keep })) ?? []
}

/** The kind that the definition defines, in the version in which its objects are stored. */
const kindOf = ({ spec }: KubeObject): GroupVersionKind => {
  const { group, names, versions } = mapOrEmpty(spec)
  const version = mapsIn(versions).find(({ storage }) => storage === true)?.name
  return { apiVersion: `${String(group)}/${String(version)}`, kind: String(mapOrEmpty(names).kind) }
}
