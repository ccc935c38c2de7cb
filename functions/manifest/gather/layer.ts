// Reads the objects of the layer that a Manifest names, and the definitions of a module that already exist in its cluster.
import { mapOrEmpty, mapsIn, shownText } from '../../../shared/core/json/json.ts'
import {
  type GroupVersionKind,
  groupOf,
  type KubeObject,
  keyOf,
  keyText,
  refOf,
} from '../../../shared/core/objects/object.ts'
import { errorText } from '../../../shared/core/text/error-text.ts'
import type { ReadClient } from '../../../shared/kube/client-types.ts'
import { isNotFound, isNotServed, isTrouble } from '../../../shared/kube/errors.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { type LayerType, layerTypes } from '../../../shared/render/documents.ts'
import { retriableIn } from '../../../shared/runtime/component/definition/retriable.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { NoRegistryCredentials, registryCredentials } from '../../../shared/runtime/modules/registry-call.ts'
import { RendererBusy } from '../../../shared/runtime/renderer/renderer.ts'
import { defaultObject, isDefaultObject } from '../desired/module-objects.ts'
import type { Layers } from '../io/layers.ts'
import { layerFault, unknownLayerType } from '../reasons.ts'
import { definitionsFault, isNamed, isOfModules, newDefinitions, objectsFault } from '../rules/layer-objects.ts'
import { layerDigest } from '../rules/lifecycle.ts'
import type { ManifestSettings } from '../settings.ts'
import type { Fault } from '../world.ts'

type LayerRead = { readonly objects: readonly KubeObject[] } | { readonly fault: Fault }

type LayerReading = {
  readonly manifest: Manifest
  readonly context: GatherContext<ManifestSettings>
  readonly client: ReadClient
  readonly layers: Layers
}

/** Rejects if the layer is not the cause: an API server has a fault, or the renderers are busy. */
export const readLayer = async (reading: LayerReading): Promise<LayerRead> => {
  const layer = await pulled(reading)
  if ('fault' in layer) return layer
  const definitions = newDefinitions(layer.objects, reading.manifest).filter(isNamed)
  const fault = await foundDefinitionFault(definitions, reading)
  return fault ? { fault } : layer
}

const pulled = async ({ manifest, context, layers }: LayerReading): Promise<LayerRead> => {
  const { repo, name, type } = manifest.spec.install.source
  if (!isLayerType(type)) return { fault: { text: unknownLayerType(type), needs: 'time', isOfLayer: true } }
  const repository = `${shownText(repo)}/component-descriptors/${shownText(name)}`
  const dockerConfig = registryCredentials(manifest.metadata.namespace ?? '', context)
  try {
    const objects = await layers.objects({ repository, digest: layerDigest(manifest), type }, dockerConfig)
    const own = defaultObject(manifest)
    const fault = objectsFault(own ? [...objects, own] : objects)
    return fault === undefined ? { objects } : { fault: { text: layerFault(fault), needs: 'time', isOfLayer: true } }
  } catch (error) {
    if (error instanceof NoRegistryCredentials) return { fault: { text: error.message, needs: 'time' } }
    const isOutside = retriableIn(error) !== undefined
    if (error instanceof RendererBusy || isTrouble(error)) throw error
    return { fault: { text: layerFault(errorText(error)), needs: isOutside ? 'outside' : 'time', isOfLayer: true } }
  }
}

const isLayerType = (type: unknown): type is LayerType => layerTypes.some(known => known === type)

type Looking = {
  readonly manifest: Manifest
  readonly client: ReadClient
}

/** Why no object of the module is applied: one of these definitions already exists and belongs to another program or user. */
export const foundDefinitionFault = async (
  definitions: readonly KubeObject[],
  looking: Looking,
): Promise<Fault | undefined> => {
  const found = await Promise.all(
    definitions.map(async definition => {
      const live = await looking.client.get({ ...refOf(definition), namespace: '' }, { withManagedFields: true })
      return live && { live, objects: await objectsOf(live, looking) }
    }),
  )
  const fault = definitionsFault(found.filter(one => one !== undefined))
  return fault === undefined ? undefined : { text: layerFault(fault), needs: 'time', isOfLayer: true }
}

/** Reads only the first page, because the message names only these objects. */
const objectsOf = async (definition: KubeObject, { manifest, client }: Looking): Promise<string[]> => {
  const kind = servedKind(definition)
  if (kind === undefined || isOfModules(definition)) return []
  try {
    for await (const { objects } of client.pages({ ...kind, metadataOnly: true, pageSize: namedMost }))
      return objects.filter(object => !isDefault(object, manifest)).map(object => keyText(keyOf(object)))
  } catch (error) {
    // The definition was created a moment ago, or is being deleted.
    if (!isNotServed(error) && !isNotFound(error)) throw error
  }
  return []
}

const namedMost = 10

const isDefault = ({ apiVersion, kind, metadata: { namespace = '', name } }: KubeObject, manifest: Manifest): boolean =>
  isDefaultObject({ group: groupOf(apiVersion), kind, namespace, name }, manifest)

const servedKind = ({ spec }: KubeObject): GroupVersionKind | undefined => {
  const { group, names, versions } = mapOrEmpty(spec)
  const served = mapsIn(versions).find(version => version.served === true)
  return served && { apiVersion: `${group}/${served.name}`, kind: String(mapOrEmpty(names).kind) }
}
