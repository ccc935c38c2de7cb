// Fetches files of Components from registries, or from a folder of this host.
import { mapOrEmpty } from '../core/json/json.ts'
import { BoundedCache } from '../core/memory/bounded-cache.ts'
import { ArtifactError } from './artifact-error.ts'
import { type ChartFolder, folderBelow } from './chart-folder.ts'
import { type RegistryHosts, registryRules } from './oci/hosts.ts'
import { acceptedTypes, jsonIn } from './oci/manifest.ts'
import {
  type Blob,
  type BlobParts,
  blob,
  blobsOnDisk,
  noBlobsOnDisk,
  type Pull,
  type Pulled,
  type PulledLayers,
  pull,
  sessionFor,
} from './oci/pull.ts'
import { withName } from './oci/reference.ts'

/** All methods reject with an ArtifactError, whose message contains the artifact. */
export type Artifacts = {
  pull(pull: Pull): Promise<Pulled>
  /** A blob by digest, cached on disk. */
  blob(blob: Blob): Promise<Uint8Array>
  componentLayer(asked: ComponentVersion): Promise<Uint8Array>
  /** The files of a folder below the chart root. */
  folder(path: string): Promise<ChartFolder>
}

type ArtifactSettings = {
  readonly registries: RegistryHosts
  /** Absent: this host has no charts. */
  readonly chartRoot?: string
  /** Cache folder for blobs. Absent: no cache. */
  readonly blobFolder?: string
}

const rememberedBytes = 32 * 2 ** 20

export const artifacts = ({ registries, chartRoot, blobFolder }: ArtifactSettings): Artifacts => {
  const registry = { rules: registryRules(registries), plain: registries.plain }
  const remembered = pulledLayers(rememberedBytes)
  const onDisk = blobFolder === undefined ? noBlobsOnDisk : blobsOnDisk(blobFolder)
  return {
    pull: asked => pull(asked, { ...registry, remembered }),
    blob: asked => blob(asked, { ...registry, onDisk }),
    componentLayer: asked => componentLayer(asked, { ...registry, onDisk }),
    folder: path => folderBelow(chartRoot, path),
  }
}

/** Caches pulled layers in memory, so that an unchanged chart is not pulled again in each call. */
const pulledLayers = (bytesMost: number): PulledLayers =>
  new BoundedCache<string, Pulled>(bytesMost, ({ content }) => content.length)

// Pulls the component descriptor of a module. The tag leads to a manifest, and the config of the manifest names the layer with the
// descriptor. The caller reads the layer.
type ComponentVersion = {
  /** For example `registry.example.com/modules`. */
  readonly registry: string
  readonly component: string
  readonly version: string
} & Pick<Blob, 'dockerConfig' | 'signal'>

const manifestBytesMost = 4 * 2 ** 20

const componentLayer = (asked: ComponentVersion, parts: BlobParts): Promise<Uint8Array> => {
  const repository = `${asked.registry}/component-descriptors/${asked.component}`
  // Tags cannot contain a plus sign.
  const tag = asked.version.replace('+', '.build-')
  return withName({ repository, tag }, async () => {
    const where = { repository, dockerConfig: asked.dockerConfig, signal: asked.signal }
    const { config } = mapOrEmpty(jsonIn(await manifestAt({ ...where, tag }, parts)))
    const configBlob = await blob({ ...where, digest: String(mapOrEmpty(config).digest) }, parts)
    const { componentDescriptorLayer } = mapOrEmpty(jsonIn(configBlob))
    const { digest } = mapOrEmpty(componentDescriptorLayer)
    if (digest === undefined)
      throw new ArtifactError('mediaType', 'it is not a component: its config refers to no descriptor')
    return blob({ ...where, digest: String(digest) }, parts)
  })
}

type Tagged = Omit<Blob, 'digest'> & { readonly tag: string }

const manifestAt = async ({ tag, ...asked }: Tagged, parts: BlobParts): Promise<Uint8Array> => {
  const registry = await sessionFor(asked, parts)
  const [path, accept, bytesMost] = [`manifests/${tag}`, acceptedTypes, manifestBytesMost]
  return (await registry.ask({ method: 'GET', path, accept, bytesMost })).body
}
