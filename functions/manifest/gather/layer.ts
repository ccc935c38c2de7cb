// Reads the objects of the layer that a Manifest names.
import { errorText } from '../../../shared/core/error-text.ts'
import { isMap } from '../../../shared/core/json.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import { isTrouble } from '../../../shared/kube/errors.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { type LayerType, layerTypes } from '../../../shared/render/layer.ts'
import { retriableIn } from '../../../shared/runtime/component/definition/retriable.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import type { Layers } from '../../../shared/runtime/layers.ts'
import { RendererBusy } from '../../../shared/runtime/renderer/renderer.ts'
import { layerFault, noCredentials, unknownLayerType } from '../reasons.ts'
import type { Fault } from '../world.ts'

type LayerRead = { readonly objects: readonly KubeObject[] } | { readonly fault: Fault }

type LayerReading = {
  readonly manifest: Manifest
  readonly context: GatherContext
  readonly layers: Layers
}

export const layerDigest = ({ spec }: Manifest): string => String(spec.install.source.ref ?? '')

/** Rejects only where the fault is not the Manifest's to tell: the local API server is in trouble, or renderers are busy. */
export const readLayer = async ({ manifest, context, layers }: LayerReading): Promise<LayerRead> => {
  const { repo, name, type } = manifest.spec.install.source
  if (!isLayerType(type)) return { fault: { text: unknownLayerType(type), needs: 'time', isOfLayer: true } }
  const repository = `${repo}/component-descriptors/${name}`
  const dockerConfig = () => credentials(manifest, context)
  try {
    return { objects: await layers.objects({ repository, digest: layerDigest(manifest), type }, dockerConfig) }
  } catch (error) {
    if (error instanceof NoCredentials) return { fault: { text: error.message, needs: 'time' } }
    const isOutside = retriableIn(error) !== undefined
    if (error instanceof RendererBusy || isTrouble(error)) throw error
    return { fault: { text: layerFault(errorText(error)), needs: isOutside ? 'outside' : 'time', isOfLayer: true } }
  }
}

const isLayerType = (type: unknown): type is LayerType => layerTypes.some(known => known === type)

/** The Secret that the installation names does not exist, or holds no credentials. */
class NoCredentials extends Error {
  override readonly name = 'NoCredentials'
}

/** Read only when a layer is pulled. */
const credentials = async ({ metadata }: Manifest, { reads, installation }: GatherContext) => {
  const { registrySecret: name } = installation.kyma.modules
  if (name === undefined) return undefined
  const { namespace = '' } = metadata
  const secret = await reads.get({ apiVersion: 'v1', kind: 'Secret', namespace, name })
  const text = isMap(secret?.data) ? secret.data['.dockerconfigjson'] : undefined
  if (typeof text !== 'string') throw new NoCredentials(noCredentials(`${namespace}/${name}`))
  return Buffer.from(text, 'base64').toString()
}
