// Fetches the files of Components that are not in the API server: from registries, or from a folder of this host.

import { mapOrEmpty } from '../core/json/json.ts'
import { BoundedCache } from '../core/memory/bounded-cache.ts'
import { ArtifactError } from './artifact-error.ts'
import { type ChartFolder, folderBelow } from './chart-folder.ts'
import { type Blob, type BlobParts, blob, sessionFor } from './oci/blob.ts'
import { blobsOnDisk, noBlobsOnDisk } from './oci/blobs-on-disk.ts'
import { type RegistryHosts, registryRules } from './oci/hosts.ts'
import { jsonIn } from './oci/json-text.ts'
import { acceptedTypes } from './oci/manifest.ts'
import { type Pull, type Pulled, type PulledLayers, pull } from './oci/pull.ts'
import { withName } from './oci/reference.ts'

/** All reject with ArtifactError, whose message names the artifact. */
export type Artifacts = {
  pull(pull: Pull): Promise<Pulled>
  /** A blob by its digest, kept on disk. */
  blob(blob: Blob): Promise<Uint8Array>
  componentLayer(asked: ComponentVersion): Promise<Uint8Array>
  /** All files of a folder below the chart root. */
  folder(path: string): Promise<ChartFolder>
}

type ArtifactSettings = {
  readonly registries: RegistryHosts
  /** Absent: this host has no charts of its own. */
  readonly chartRoot?: string
  /** Where blobs are kept; absent: nowhere. */
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

/** Keeps pulled layers in memory, so that a Component does not pull its unchanged chart at every call. */
const pulledLayers = (bytesMost: number): PulledLayers =>
  new BoundedCache<string, Pulled>(bytesMost, ({ content }) => content.length)

// Pulls the component descriptor of a module as it lies in a registry: the tag leads to a manifest, its config names the layer that holds
// the descriptor. What is in that layer is for the caller to read.
type ComponentVersion = {
  /** `registry.example.com/modules` */
  readonly registry: string
  readonly component: string
  readonly version: string
} & Pick<Blob, 'dockerConfig' | 'signal'>

const manifestBytesMost = 4 * 2 ** 20

/** The layer with the descriptor. Throws ArtifactError, whose message names the component's version. */
const componentLayer = (asked: ComponentVersion, parts: BlobParts): Promise<Uint8Array> => {
  const repository = `${asked.registry}/component-descriptors/${asked.component}`
  // A tag holds no plus sign.
  const tag = asked.version.replace('+', '.build-')
  return withName({ repository, tag }, async () => {
    const of = { repository, dockerConfig: asked.dockerConfig, signal: asked.signal }
    const { config } = mapOrEmpty(jsonIn(await manifestAt({ ...of, tag }, parts)))
    const configBlob = await blob({ ...of, digest: String(mapOrEmpty(config).digest) }, parts)
    const { componentDescriptorLayer } = mapOrEmpty(jsonIn(configBlob))
    const { digest } = mapOrEmpty(componentDescriptorLayer)
    if (digest === undefined) throw new ArtifactError('mediaType', 'it is no component: its config names no descriptor')
    return blob({ ...of, digest: String(digest) }, parts)
  })
}

type Tagged = Omit<Blob, 'digest'> & { readonly tag: string }

const manifestAt = async ({ tag, ...asked }: Tagged, parts: BlobParts): Promise<Uint8Array> => {
  const registry = await sessionFor(asked, parts)
  const [path, accept, bytesMost] = [`manifests/${tag}`, acceptedTypes, manifestBytesMost]
  return (await registry.ask({ method: 'GET', path, accept, bytesMost })).body
}
