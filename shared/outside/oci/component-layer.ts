// Pulls the component descriptor of a module as it lies in a registry: the tag leads to a manifest, its config names the layer that holds
// the descriptor. What is in that layer is for the caller to read.
import { mapOrEmpty } from '../../core/json/json.ts'
import { ArtifactError } from '../artifact-error.ts'
import { withName } from './artifact-name.ts'
import { type Blob, type BlobParts, blob, sessionFor } from './blob.ts'
import { jsonIn } from './json-text.ts'
import { acceptedTypes } from './manifest.ts'

export type ComponentVersion = {
  /** `registry.example.com/modules` */
  readonly registry: string
  readonly component: string
  readonly version: string
} & Pick<Blob, 'dockerConfig' | 'signal'>

const manifestBytesMost = 4 * 2 ** 20

/** The layer with the descriptor. Throws ArtifactError, whose message names the component's version. */
export const componentLayer = (asked: ComponentVersion, parts: BlobParts): Promise<Uint8Array> => {
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
