// Which objects are called for an event of a runtime: its Kyma, or the Manifests that contain the changed object. Whatever the event contains, only
// the Kyma of the runtime's certificate and the Manifests of that Kyma are called.
import type { RuntimeEvent } from '../../shared/api/kyma/runtime-event.ts'
import { kymaKind } from '../../shared/api/kyma.ts'
import { isMap, mapOrEmpty, shownText } from '../../shared/core/json/json.ts'
import { groupOf, type Key, keyOf } from '../../shared/core/objects/object.ts'
import type { HoldingManifest, Manifest } from '../../shared/kyma/kinds.ts'
import type { World } from './world.ts'

type Concerned = { readonly function: 'kyma' | 'manifest'; readonly keys: readonly Key[] }

/** If no Manifest contains the object, the Kyma is called, because the object may belong to the Kyma, such as its catalogue. */
export const decide = ({ event, kyma, manifests }: World): readonly Concerned[] => {
  const holding = event.fullSync ? manifests : manifests.filter(manifest => holds(manifest, event))
  return [
    ...(event.fullSync || holding.length === 0 ? [{ function: 'kyma' as const, keys: [keyOf(kyma)] }] : []),
    ...(holding.length > 0 ? [{ function: 'manifest' as const, keys: holding.map(keyOf) }] : []),
  ]
}

/** Whether the event is for the Kyma itself. */
export const isAboutKyma = ({ watchedGvk: { group, kind }, fullSync }: RuntimeEvent): boolean =>
  !fullSync && group === groupOf(kymaKind.apiVersion) && kind === kymaKind.kind

type Named = { readonly group: string; readonly kind: string; readonly name: string; readonly namespace: string }

/** The cached part of a Manifest. Thousands of complete Manifests with default objects of 100 KiB would need too much memory. */
export const namesAlone = ({ apiVersion, kind, metadata, spec, status }: Manifest): HoldingManifest => ({
  apiVersion,
  kind,
  metadata: { namespace: metadata.namespace, name: metadata.name },
  objects: [...(status?.synced ?? []), ...defaultResource(spec.resource)].map(textOf),
})

/** For example, `apps Deployment web shop`. */
const textOf = ({ group, kind, name, namespace }: Named): string => `${group} ${kind} ${name} ${namespace}`

/**
 * Whether the Manifest lists the object as installed, in any version, or as its default object. An event about a cluster-scoped object has no
 * namespace, but a Manifest may have a namespace for its default object.
 */
export const holds = ({ objects }: HoldingManifest, { watched, watchedGvk }: RuntimeEvent): boolean => {
  const text = textOf({ ...watchedGvk, name: watched.Name, namespace: watched.Namespace })
  return objects.some(object => (watched.Namespace === '' ? object.startsWith(text) : object === text))
}

const defaultResource = (resource: unknown): readonly Named[] => {
  if (!isMap(resource)) return []
  const { name = '', namespace = '' } = mapOrEmpty(resource.metadata)
  return [
    {
      group: groupOf(shownText(resource.apiVersion)),
      kind: shownText(resource.kind),
      name: shownText(name),
      namespace: shownText(namespace),
    },
  ]
}

/** undefined: the body is not an event. Unknown fields are ignored. */
export const eventIn = (body: unknown): RuntimeEvent | undefined => {
  const { watched, watchedGvk, fullSync } = mapOrEmpty(body)
  const [place, type] = [mapOrEmpty(watched), mapOrEmpty(watchedGvk)]
  const texts = [place.Namespace ?? '', place.Name, type.group ?? '', type.version ?? '', type.kind]
  if (!texts.every(text => typeof text === 'string') || !place.Name || !type.kind) return undefined
  const [Namespace = '', Name = '', group = '', version = '', kind = ''] = texts
  return { watched: { Namespace, Name }, watchedGvk: { group, version, kind }, ...(fullSync === true && { fullSync }) }
}
