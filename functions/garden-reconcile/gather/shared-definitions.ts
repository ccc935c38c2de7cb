// Which of our CustomResourceDefinitions others use: a Garden that goes leaves them, and what serves them, to those.
import { mapOrEmpty, mapsIn } from '../../../shared/core/json.ts'
import { type GroupVersionKind, isDeleting, type KubeObject } from '../../../shared/core/object.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { listIfServed } from '../../../shared/kube/reading.ts'
import { switchedOffDefinitions } from '../desired/runtime/crds.ts'
import { objectsOf } from '../rules/objects.ts'
import { isOurs } from '../rules/ownership.ts'
import type { World } from '../world.ts'

const definitionKind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const

/** Ours that are about to go: with a Garden in deletion all of them. */
export const leavingDefinitions = (world: World): readonly KubeObject[] => {
  const ours = objectsOf(world.runtime, definitionKind).filter(isOurs)
  const names = switchedOffDefinitions(world)
  return isDeleting(world.garden) ? ours : ours.filter(({ metadata }) => names.includes(metadata.name))
}

/** By name. Only metadata of their objects is read, and of those nothing is kept but that they are there. */
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

/** In the version in which it is stored. */
const kindOf = ({ spec }: KubeObject): GroupVersionKind => {
  const { group, names, versions } = mapOrEmpty(spec)
  const version = mapsIn(versions).find(({ storage }) => storage === true)?.name
  return { apiVersion: `${String(group)}/${String(version)}`, kind: String(mapOrEmpty(names).kind) }
}
