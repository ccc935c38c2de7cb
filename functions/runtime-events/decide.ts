// Whom an event of a runtime concerns: its Kyma, or the Manifests that hold the object. Only what belongs to the Kyma of the runtime's
// certificate is ever named, whatever the event says.
import type { RuntimeEvent } from '../../shared/api/kyma/runtime-event.ts'
import { kymaKind } from '../../shared/api/kyma.ts'
import { isMap, mapOrEmpty, shownText } from '../../shared/core/json/json.ts'
import { groupOf, type Key, keyOf } from '../../shared/core/objects/object.ts'
import type { HoldingManifest, Manifest } from '../../shared/kyma/kinds.ts'
import type { World } from './world.ts'

type Concerned = { readonly function: 'kyma' | 'manifest'; readonly keys: readonly Key[] }

/** An object that no Manifest holds may be the Kyma's own, such as its catalogue. */
export const decide = ({ event, kyma, manifests }: World): readonly Concerned[] => {
  const holding = event.fullSync ? manifests : manifests.filter(manifest => holds(manifest, event))
  return [
    ...(event.fullSync || holding.length === 0 ? [{ function: 'kyma' as const, keys: [keyOf(kyma)] }] : []),
    ...(holding.length > 0 ? [{ function: 'manifest' as const, keys: holding.map(keyOf) }] : []),
  ]
}

/** Whether only the Kyma itself can be concerned. */
export const isAboutKyma = ({ watchedGvk: { group, kind }, fullSync }: RuntimeEvent): boolean =>
  !fullSync && group === groupOf(kymaKind.apiVersion) && kind === kymaKind.kind

type Named = { readonly group: string; readonly kind: string; readonly name: string; readonly namespace: string }

/** A Manifest as it is remembered: thousands of them, with default objects of 100 KiB each, would be all memory there is. */
export const namesAlone = ({ apiVersion, kind, metadata, spec, status }: Manifest): HoldingManifest => ({
  apiVersion,
  kind,
  metadata: { namespace: metadata.namespace, name: metadata.name },
  objects: [...(status?.synced ?? []), ...defaultResource(spec.resource)].map(textOf),
})

/** Such as `apps Deployment web shop`. */
const textOf = ({ group, kind, name, namespace }: Named): string => `${group} ${kind} ${name} ${namespace}`

/**
 * The Manifest says that it has installed the object, in any version, or is to create it. What is cluster-scoped has no namespace, though a
 * Manifest may name one for its default resource.
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

/** The event in a body; undefined when it is none. Fields that are unknown here count for nothing. */
export const eventIn = (body: unknown): RuntimeEvent | undefined => {
  const { watched, watchedGvk, fullSync } = mapOrEmpty(body)
  const [place, type] = [mapOrEmpty(watched), mapOrEmpty(watchedGvk)]
  const texts = [place.Namespace ?? '', place.Name, type.group ?? '', type.version ?? '', type.kind]
  if (!texts.every(text => typeof text === 'string') || !place.Name || !type.kind) return undefined
  const [Namespace = '', Name = '', group = '', version = '', kind = ''] = texts
  return { watched: { Namespace, Name }, watchedGvk: { group, version, kind }, ...(fullSync === true && { fullSync }) }
}
