// The objects in one layer of a module: a YAML file, or the first file of a tar archive, gzipped or not. Layers come from registries, so
// unpack.ts limits their size and checks archives.
import type { KubeObject } from '../core/objects/object.ts'
import { type At, RenderError } from './generator.ts'
import { objectsIn } from './helm/objects/documents.ts'
import { type ArchiveLimits, filesInTar, gunzipped } from './unpack.ts'

export const layerTypes = ['oci-ref', 'oci-dir'] as const
export type LayerType = (typeof layerTypes)[number]

const limits: ArchiveLimits = { bytes: 128 * 2 ** 20, entries: 10_000 }

export const layerObjects = (layer: Uint8Array, type: LayerType, at?: At): readonly KubeObject[] => {
  const { path, content } = files[type](isGzipped(layer) ? gunzipped(layer, limits) : layer)
  at?.(path)
  const objects = objectsIn(textOf(content), path)
  if (objects.length === 0) throw new RenderError(`${path} contains no objects`)
  return objects
}

type File = { readonly path: string; readonly content: Uint8Array }

const files: Readonly<Record<LayerType, (unpacked: Uint8Array) => File>> = {
  'oci-ref': content => ({ path: 'the layer', content }),
  'oci-dir': archive => {
    for (const { name, content } of filesInTar(archive, limits)) if (!isOfFinder(name)) return { path: name, content }
    throw new RenderError('the archive contains no file')
  },
}

/** Whether macOS added the file: macOS adds a file `._NAME` beside each file NAME. */
const isOfFinder = (path: string): boolean => path.split('/').at(-1)?.startsWith('._') ?? false

const isGzipped = (layer: Uint8Array): boolean => layer[0] === 0x1f && layer[1] === 0x8b

const textOf = (content: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    throw new RenderError('the layer is not UTF-8 text')
  }
}
