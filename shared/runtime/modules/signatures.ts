// What the signatures of descriptors are judged by: Secrets with keys, and the digests of layers as they lie in the registry.
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type { KymaInstallation } from '../../api/installation.ts'
import { kymaNames } from '../../api/kyma/names.ts'
import { BoundedCache } from '../../core/bounded-cache.ts'
import type { KubeObject } from '../../core/object.ts'
import { attempted, type Reading } from '../../core/reading.ts'
import type { Reads } from '../../kube/client-types.ts'
import type { ModuleDescriptor } from '../../kyma/descriptor.ts'
import { type SignedLayer, signedLayers } from '../../kyma/layer-digests.ts'
import { signatureFault } from '../../kyma/signature.ts'
import { type ModuleVersion, type SignatureEvidence, signatureOf } from '../../kyma/signed-module.ts'
import type { RegistryCall } from './registry-call.ts'

type NamedModule = { readonly name: string; readonly module: ModuleVersion }
type Chosen = { readonly settings: KymaInstallation }
type From = { readonly reads: Pick<Reads, 'list'>; readonly call: RegistryCall }

/** Nothing is read for modules that need no signature, and no layer of one whose signature does not fit. */
export const signatures = async (
  modules: readonly NamedModule[],
  world: Chosen,
  from: From,
): Promise<SignatureEvidence> => {
  const signed = modules.flatMap(({ name: module, module: { template, descriptor } }) => {
    const name = signatureOf(template, world)
    return name === undefined ? [] : { name, module, descriptor }
  })
  const names = [...new Set(signed.map(({ name }) => name))]
  const signatureSecrets = new Map(
    await Promise.all(names.map(async name => [name, await secretsFor(name, from.reads)] as const)),
  )
  const verified = signed.filter(({ name, module, descriptor }) => {
    const secrets = signatureSecrets.get(name) ?? []
    return signatureFault(descriptor.document, { name, module, secrets }) === undefined
  })
  const layers = verified.flatMap(({ descriptor }) => layersOf(descriptor, world))
  const digests = await Promise.all(layers.map(layer => digestsOf(layer, from.call)))
  return { signatureSecrets, layerDigests: new Map(digests) }
}

const secretsFor = (name: string, reads: Pick<Reads, 'list'>): Promise<KubeObject[]> => {
  const labelSelector = `${kymaNames.labels.signature}=${name}`
  return reads.list({ apiVersion: 'v1', kind: 'Secret', namespace: kymaNames.namespaces.controlPlane, labelSelector })
}

type PulledLayer = SignedLayer & { readonly repository: string }

const layersOf = (descriptor: ModuleDescriptor, { settings }: Chosen): PulledLayer[] => {
  const layers = signedLayers(descriptor)
  const repository = `${settings.modules.registry ?? ''}/component-descriptors/${descriptor.repository ?? ''}`
  return 'read' in layers ? layers.read.map(layer => ({ ...layer, repository })) : []
}

/** What a digest names never changes, so what was made of it never does. */
const known = new BoundedCache<string, readonly string[]>(1_000)

const digestsOf = async ({ ref, hash, repository }: PulledLayer, call: RegistryCall) => {
  const key = `${ref} ${hash}`
  const kept = known.get(key)
  const digests: Reading<readonly string[]> = kept
    ? { read: kept }
    : await pulledDigests({ ref, hash, repository }, call)
  if ('read' in digests) known.set(key, digests.read)
  return [key, digests] as const
}

type Pulling = Pick<PulledLayer, 'ref' | 'hash' | 'repository'>

const pulledDigests = async (
  { ref, hash, repository }: Pulling,
  call: RegistryCall,
): Promise<Reading<readonly string[]>> => {
  const blob = await call.blob({ repository, digest: ref })
  if ('failed' in blob) return blob
  const unpacked = gunzippedIf(blob.read)
  return { read: [blob.read, ...unpacked].map(bytes => createHash(hash).update(bytes).digest('hex')) }
}

const unpackedBytesMost = 128 * 2 ** 20

/** None where the layer is not packed, or cannot be unpacked. */
const gunzippedIf = (layer: Uint8Array): Uint8Array[] => {
  if (layer[0] !== 0x1f || layer[1] !== 0x8b) return []
  const unpacked = attempted(() => gunzipSync(layer, { maxOutputLength: unpackedBytesMost }))
  return 'read' in unpacked ? [unpacked.read] : []
}
