// Pulls the component descriptor of a module as it lies in a registry: the tag leads to a manifest, its config names the layer that holds
// the descriptor. What is in that layer is for the caller to read.
import { mapOrEmpty } from '../../core/json.ts'
import { ArtifactError } from '../artifact-error.ts'
import { withName } from './artifact-name.ts'
import { type BlobParts, blob, repositoryFor } from './blob.ts'
import { credentialsFor } from './credentials.ts'
import { jsonIn } from './json-text.ts'
import { acceptedTypes } from './manifest.ts'
import { registrySession } from './session.ts'

export type ComponentVersion = {
  /** `registry.example.com/modules` */
  readonly registry: string
  readonly component: string
  readonly version: string
  /** The text of a dockerconfigjson Secret. */
  readonly dockerConfig?: string
  readonly signal?: AbortSignal
}

const pullSeconds = 30
const manifestBytesMost = 4 * 2 ** 20

/** The layer with the descriptor. Throws ArtifactError, whose message names the component's version. */
export const componentLayer = (asked: ComponentVersion, parts: BlobParts): Promise<Uint8Array> => {
  const repository = `${asked.registry}/component-descriptors/${asked.component}`
  // A tag holds no plus sign.
  const tag = asked.version.replace('+', '.build-')
  return withName({ repository, tag }, async () => {
    const { dockerConfig, signal } = asked
    const { config } = mapOrEmpty(jsonIn(await manifestAt({ repository, tag }, asked, parts)))
    const of = { repository, dockerConfig, signal }
    const configBlob = await blob({ ...of, digest: String(mapOrEmpty(config).digest) }, parts)
    const { componentDescriptorLayer } = mapOrEmpty(jsonIn(configBlob))
    const { digest } = mapOrEmpty(componentDescriptorLayer)
    if (digest === undefined) throw new ArtifactError('mediaType', 'it is no component: its config names no descriptor')
    return blob({ ...of, digest: String(digest) }, parts)
  })
}

type Tagged = { readonly repository: string; readonly tag: string }

const manifestAt = async (
  { repository, tag }: Tagged,
  { dockerConfig, signal }: ComponentVersion,
  { rules, plain }: BlobParts,
): Promise<Uint8Array> => {
  const found = repositoryFor(repository, plain)
  const signals = [AbortSignal.timeout(pullSeconds * 1000), ...(signal ? [signal] : [])]
  const registry = registrySession({
    ...{ repository: found, credentials: credentialsFor(found, dockerConfig), rules },
    signal: AbortSignal.any(signals),
  })
  const asking = {
    method: 'GET',
    path: `manifests/${tag}`,
    accept: acceptedTypes,
    bytesMost: manifestBytesMost,
  } as const
  return (await registry.ask(asking)).body
}
