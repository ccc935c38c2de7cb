// Fetches the files of Components that are not in the API server: from registries, or from a folder of this host.
import { type ChartFolder, folderBelow } from './chart-folder.ts'
import { type RegistryHosts, registryRules } from './oci/hosts.ts'
import { type Pull, type Pulled, pull } from './oci/pull.ts'
import { pulledLayers } from './oci/pulled-layers.ts'

/** Both reject with ArtifactError, whose message names the artifact. */
export type Artifacts = {
  pull(pull: Pull): Promise<Pulled>
  /** All files of a folder below the chart root. */
  folder(path: string): Promise<ChartFolder>
}

type ArtifactSettings = {
  readonly registries: RegistryHosts
  /** Absent: this host has no charts of its own. */
  readonly chartRoot?: string
}

const rememberedBytes = 32 * 2 ** 20

export const artifacts = ({ registries, chartRoot }: ArtifactSettings): Artifacts => {
  const parts = { rules: registryRules(registries), plain: registries.plain, remembered: pulledLayers(rememberedBytes) }
  return {
    pull: asked => pull(asked, parts),
    folder: path => folderBelow(chartRoot, path),
  }
}
