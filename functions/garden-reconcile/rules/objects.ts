// Objects that were read from one cluster, found by kind and name.
//
//   findObject(world.runtime, { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'garden', name: 'etcd-druid' })
//   objectsOf(world.runtime, { apiVersion: 'v1', kind: 'Secret' })
import { type GroupVersionKind, type KubeObject, type ObjectRef, refOf } from '../../../shared/core/objects/object.ts'

/** Objects by `kindText`. A kind that the API server does not serve is absent. */
export type Objects = ReadonlyMap<string, readonly KubeObject[]>

/** For example, `apps/v1 Deployment`. */
export const kindText = ({ apiVersion, kind }: GroupVersionKind): string => `${apiVersion} ${kind}`

export const objectsOf = (objects: Objects, kind: GroupVersionKind): readonly KubeObject[] =>
  objects.get(kindText(kind)) ?? []

export const servesKind = (objects: Objects, kind: GroupVersionKind): boolean => objects.has(kindText(kind))

/** A ref with namespace '' names a cluster-scoped object. */
export const findObject = (objects: Objects, ref: ObjectRef): KubeObject | undefined =>
  objectsOf(objects, ref).find(object => isAt(object, ref))

const isAt = (object: KubeObject, ref: ObjectRef): boolean => {
  const { namespace, name } = refOf(object)
  return name === ref.name && namespace === ref.namespace
}
