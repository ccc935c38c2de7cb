// Our CustomResourceDefinitions that other programs use. A deleted Garden leaves them in the cluster, with the components that serve them.
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { type GroupVersionKind, isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { listIfServed } from '../../../shared/kube/reading.ts'
import { objectsOf } from '../rules/objects.ts'
import { isOurs } from '../rules/ownership.ts'
import type { World } from '../world.ts'

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
