// Finds missing Secrets and ConfigMaps that containers need for their environment. Such a container does not start.
import type { KubeObject } from '../../../core/objects/object.ts'
import type { Store } from '../../storage/store.ts'
import { fieldsAt, type JsonMap, mapsAt, textAt } from '../../value.ts'

export type ConfigFaults = ReadonlyMap<string, string>

type Source = { readonly collection: string; readonly kind: string; readonly ref: JsonMap | undefined }

const sources = (holder: unknown, [secret, configMap]: readonly [string, string]): Source[] => [
  { collection: 'secrets', kind: 'Secret', ref: fieldsAt(holder, secret) },
  { collection: 'configmaps', kind: 'ConfigMap', ref: fieldsAt(holder, configMap) },
]

export const configFaults = (store: Store, pod: KubeObject): ConfigFaults => {
  const containers = ['initContainers', 'containers'].flatMap(field => mapsAt(pod, 'spec', field))
  const namespace = pod.metadata.namespace ?? ''
  return new Map(
    containers.flatMap(container => {
      const fault = sourcesIn(container)
        .flatMap(source => faultOf(store, namespace, source) ?? [])
        .at(0)
      return fault === undefined ? [] : [[textAt(container, 'name'), fault] as const]
    }),
  )
}

const sourcesIn = (container: JsonMap): Source[] => [
  ...mapsAt(container, 'envFrom').flatMap(each => sources(each, ['secretRef', 'configMapRef'])),
  ...mapsAt(container, 'env').flatMap(each => sources(each.valueFrom, ['secretKeyRef', 'configMapKeyRef'])),
]

const faultOf = (store: Store, namespace: string, { collection, kind, ref }: Source): string | undefined => {
  if (!ref || ref.optional === true) return undefined
  const name = textAt(ref, 'name')
  const found = store.get(collection, `${namespace}/${name}`)?.object
  if (!found) return `${kind.toLowerCase()} ${JSON.stringify(name)} not found`
  const key = textAt(ref, 'key')
  const holds = ['data', 'binaryData'].some(field => Object.hasOwn(fieldsAt(found, field) ?? {}, key))
  return key === '' || holds ? undefined : `couldn't find key ${key} in ${kind} ${namespace}/${name}`
}
