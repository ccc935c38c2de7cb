// Fetches the files of Components that are not in the API server: from registries, or from a folder of this host.
import { BoundedCache } from '../core/memory/bounded-cache.ts'
import { type ChartFolder, folderBelow } from './chart-folder.ts'
import { type Blob, blob } from './oci/blob.ts'
import { blobsOnDisk, noBlobsOnDisk } from './oci/blobs-on-disk.ts'
import { type ComponentVersion, componentLayer } from './oci/component-layer.ts'
import { type RegistryHosts, registryRules } from './oci/hosts.ts'
import { type Pull, type Pulled, type PulledLayers, pull } from './oci/pull.ts'

/** All reject with ArtifactError, whose message names the artifact. */
export type Artifacts = {
  pull(pull: Pull): Promise<Pulled>
  /** A blob by its digest, kept on disk. */
  blob(blob: Blob): Promise<Uint8Array>
  /** The layer that holds the descriptor of a component's version. */
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

/**
 * Keeps pulled layers in memory, up to a number of bytes, so that a Component does not pull its unchanged chart at
 * every call.
 */
const pulledLayers = (bytesMost: number): PulledLayers =>
  new BoundedCache<string, Pulled>(bytesMost, ({ content }) => content.length)
