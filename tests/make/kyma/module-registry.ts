// Descriptors of modules as they lie in a registry, and a call that may ask one.
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { RegistrySettings } from '../../../shared/kyma/settings.ts'
import { artifacts } from '../../../shared/outside/artifacts.ts'
import type { BegunCall } from '../../../shared/runtime/context.ts'
import { type RegistryCall, registryCall } from '../../../shared/runtime/modules/registry-call.ts'
import type { StandInRegistry } from '../../harness/registries/registry.ts'
import { type Artifact, digestOf, documentOf, mediaTypes, tar } from '../artifact.ts'

/** The layer that holds a component descriptor. */
export const descriptorTar = (document: JsonMap): Promise<Buffer> =>
  tar([{ name: 'component-descriptor.yaml', content: JSON.stringify(document) }])

/** A component and its layers, as the tools of OCM push them. */
export const componentArtifact = async (document: JsonMap, layers: readonly Buffer[]): Promise<Artifact> => {
  const packed = await descriptorTar(document)
  const [described, ...others] = [packed, ...layers].map(blob => ({
    mediaType: 'application/octet-stream',
    digest: digestOf(blob),
    size: blob.length,
  }))
  const config = Buffer.from(JSON.stringify({ componentDescriptorLayer: described }))
  const named = { mediaType: 'application/json', digest: digestOf(config), size: config.length }
  const manifest = { schemaVersion: 2, mediaType: mediaTypes.manifest, config: named, layers: [described, ...others] }
  return { manifest: documentOf(mediaTypes.manifest, manifest), blobs: [config, packed, ...layers] }
}

type Descriptor = { readonly repository: string; readonly tag: string; readonly packed: Buffer }

/** Puts the layer where a tag leads to it, as the tools of OCM do. */
export const pushDescriptor = (registry: StandInRegistry, { repository, tag, packed }: Descriptor): void => {
  const config = Buffer.from(
    JSON.stringify({ componentDescriptorLayer: { digest: registry.putBlob(repository, packed) } }),
  )
  const manifest = { config: { digest: registry.putBlob(repository, config) }, layers: [] }
  registry.put(repository, tag, { mediaType: mediaTypes.manifest, body: Buffer.from(JSON.stringify(manifest)) })
}

/** A call that may ask this registry, without TLS. */
export const callTo = (
  registry: StandInRegistry,
  { reads, settings, memory }: Pick<BegunCall<RegistrySettings>, 'reads' | 'settings' | 'memory'>,
): RegistryCall => {
  const hosts = { faultOf: () => undefined, lookupFor: () => undefined }
  const registries = { hosts, plain: [registry.host] }
  const { signal } = new AbortController()
  return registryCall({
    reads,
    settings,
    memory,
    signal,
    artifacts: artifacts({ registries }),
  } as BegunCall<RegistrySettings>)
}

/** A call of a host that pulls nothing. */
export const noRegistry: RegistryCall = {
  componentLayer: async () => ({ failed: 'this process is not configured to pull artifacts' }),
  layerDigests: async () => ({ failed: 'this process is not configured to pull artifacts' }),
}
