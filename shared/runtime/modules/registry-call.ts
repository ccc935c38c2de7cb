// What calls of functions that install modules can ask registries for. What a version or a digest names is kept for a while, since thousands of Kymas have the same
// modules; losing it costs a request.
import { BoundedCache } from '../../core/bounded-cache.ts'
import { errorText } from '../../core/error-text.ts'
import type { Reading } from '../../core/reading.ts'
import type { BegunCall } from '../context.ts'
import type { CallScope } from '../definition.ts'

type Artifacts = NonNullable<BegunCall['artifacts']>
type ComponentVersion = Parameters<Artifacts['componentLayer']>[0]
type Blob = Parameters<Artifacts['blob']>[0]

export type RegistryCall = CallScope & {
  /** The layer with the descriptor of a component's version. */
  componentLayer(asked: ComponentVersion): Promise<Reading<Uint8Array>>
  blob(asked: Blob): Promise<Reading<Uint8Array>>
}

const keptMilliseconds = 60_000
const keptBytesMost = 4 * 2 ** 20

type Kept = { readonly layer: Uint8Array; readonly until: number }
const layers = new BoundedCache<string, Kept>(keptBytesMost, ({ layer }) => layer.length)

export const registryCall = ({ artifacts, signal }: BegunCall): RegistryCall => {
  const tried = async (pull: (from: Artifacts) => Promise<Uint8Array>): Promise<Reading<Uint8Array>> => {
    if (!artifacts) return { failed: 'this host pulls no artifacts' }
    try {
      return { read: await pull(artifacts) }
    } catch (error) {
      return { failed: errorText(error) }
    }
  }
  return {
    componentLayer: async asked => {
      const key = [asked.registry, asked.component, asked.version].join(' ')
      const kept = layers.get(key)
      if (kept && kept.until > performance.now()) return { read: kept.layer }
      const pulled = await tried(from => from.componentLayer({ ...asked, signal }))
      if ('read' in pulled) layers.set(key, { layer: pulled.read, until: performance.now() + keptMilliseconds })
      return pulled
    },
    blob: asked => tried(from => from.blob({ ...asked, signal })),
  }
}
