// Reads the objects of the layer that a Manifest names.
import { shownText } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { errorText } from '../../../shared/core/text/error-text.ts'
import type { ReadClient } from '../../../shared/kube/client-types.ts'
import { isTrouble } from '../../../shared/kube/errors.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { type LayerType, layerTypes } from '../../../shared/render/documents.ts'
import { retriableIn } from '../../../shared/runtime/component/definition/retriable.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { NoRegistryCredentials, registryCredentials } from '../../../shared/runtime/modules/registry-call.ts'
import { RendererBusy } from '../../../shared/runtime/renderer/renderer.ts'
import { defaultObject } from '../desired/module-objects.ts'
import type { Layers } from '../io/layers.ts'
import { layerFault, unknownLayerType } from '../reasons.ts'
import { newDefinitions } from '../rules/definitions-of-others.ts'
import { isNamed, objectsFault } from '../rules/layer-objects.ts'
import { layerDigest } from '../rules/lifecycle.ts'
import type { ManifestSettings } from '../settings.ts'
import type { Fault } from '../world.ts'
import { foundDefinitionFault } from './found-definitions.ts'

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
