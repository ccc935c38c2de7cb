// The objects in layers of modules. A layer is pulled by its digest and read in a renderer process, so that a malicious layer cannot harm
// other layers. The objects are kept in memory, because the same layer is installed in thousands of runtimes.
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Blob } from '../../../shared/outside/oci/pull.ts'
import type { LayerType } from '../../../shared/render/documents.ts'
import type { BegunCall } from '../../../shared/runtime/context.ts'
import type { RenderWork } from '../../../shared/runtime/renderer/renderer.ts'

/** The registry's credentials, requested only when a layer is pulled. */
type DockerConfig = () => Promise<string | undefined>

type Layer = Pick<Blob, 'repository' | 'digest'> & { readonly type: LayerType }

export type Layers = {
  /** Rejects with ArtifactError, RenderError, RendererBusy, or the error of `dockerConfig`. */
  objects(layer: Layer, dockerConfig: DockerConfig): Promise<readonly KubeObject[]>
}

type LayersCall = Pick<BegunCall, 'artifacts' | 'renderer' | 'memory' | 'signal'>

export const layersOf = (call: LayersCall): Layers => ({
  objects: async (layer, dockerConfig) => {
    const id = `layer ${layer.type} ${layer.digest}`
    const kept = call.memory.manifests.of(id, layer.digest, undefined)
    if (kept) return kept
    const manifests = await read({ ...layer, dockerConfig }, call)
    call.memory.manifests.keep(id, layer.digest, { manifests, cluster: undefined })
    return manifests
  },
})

type Pulling = Layer & { readonly dockerConfig: DockerConfig }

const read = async ({ type, dockerConfig, ...blob }: Pulling, call: LayersCall): Promise<readonly KubeObject[]> => {
  const { artifacts, renderer, signal } = call
  if (!artifacts || !renderer) throw new Error('this process is not configured to pull module layers')
  const content = await artifacts.blob({ ...blob, dockerConfig, signal })
  const called = `layer ${blob.digest}`
  const files = new Map([['layer', content]])
  const rendering = await renderer.render(
    { order: { recipe: { is: 'layer', type }, artifact: { key: called, called, packed: { files } } }, ...unused },
    { tenant: blob.repository, id: blob.digest, signal },
  )
  return 'objects' in rendering ? rendering.objects : []
}

/** A layer has no templates, so these values are not used. */
const unused: Pick<RenderWork, 'parameters' | 'context'> = {
  parameters: {},
  context: {
    namespace: '',
    name: '',
    reconcilerName: '',
    componentDigest: '',
    revision: 1,
    now: new Date(0),
    component: { apiVersion: '', kind: '', metadata: { name: '' } },
    cluster: { version: '', apiVersions: [] },
    found: new Map(),
    seed: { key: Buffer.alloc(0), uid: '', revision: 1 },
  },
}
