// Changes the Pods of the workloads that a module's images run in.
import { isMap, type JsonMap, mapOrEmpty } from '../../../shared/core/json/json.ts'
import { groupOf, type KubeObject } from '../../../shared/core/objects/object.ts'

/** The spec of the Pods of a Deployment or StatefulSet; undefined: it is none. */
export const podOf = ({ apiVersion, kind, spec }: KubeObject): JsonMap | undefined =>
  groupOf(apiVersion) === 'apps' && (kind === 'Deployment' || kind === 'StatefulSet')
    ? mapOrEmpty(mapOrEmpty(mapOrEmpty(spec).template).spec)
    : undefined

/** The same object where it is no Deployment or StatefulSet. */
export const withPod = (object: KubeObject, change: (pod: JsonMap) => JsonMap): KubeObject => {
  const pod = podOf(object)
  if (!pod) return object
  const spec = mapOrEmpty(object.spec)
  return { ...object, spec: { ...spec, template: { ...mapOrEmpty(spec.template), spec: change(pod) } } }
}

/** The Pods with each of their containers changed, those that run first included. */
export const withContainers = (pod: JsonMap, change: (container: JsonMap) => JsonMap): JsonMap => {
  const changed = (list: unknown) => (Array.isArray(list) ? list.map(one => (isMap(one) ? change(one) : one)) : list)
  const lists = (['containers', 'initContainers'] as const)
    .filter(field => pod[field] !== undefined)
    .map(field => [field, changed(pod[field])])
  return { ...pod, ...Object.fromEntries(lists) }
}
