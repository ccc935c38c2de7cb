// Reads data for checks of descriptor signatures: Secrets with keys, and digests of layers.
import { kymaNames } from '../../api/kyma/names.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { atOnce } from '../../kube/at-once.ts'
import type { Reads } from '../../kube/client-types.ts'
import type { ModuleDescriptor } from '../../kyma/modules/descriptor.ts'
import { type SignedLayer, signedLayers } from '../../kyma/modules/layer-digests.ts'
import { signatureFault } from '../../kyma/modules/signature.ts'
import { type ModuleVersion, type SignatureEvidence, signatureOf } from '../../kyma/modules/signed-module.ts'
import type { RegistrySettings } from '../../kyma/settings.ts'
import type { RegistryCall } from './registry-call.ts'

/** Limit, because each layer is in memory until it is hashed, and a descriptor may have hundreds of layers. */
const layersAtOnce = 2

type NamedModule = { readonly name: string; readonly module: ModuleVersion }
type Chosen = { readonly settings: RegistrySettings }
type From = { readonly reads: Pick<Reads, 'list'>; readonly call: RegistryCall }

/** Reads nothing for modules that need no signature. Reads no layers for modules with an invalid signature. */
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
  const asked = layers.map(({ ref, hash, repository }) => async () => {
    const found = await from.call.layerDigests({ repository, digest: ref, hash })
    return [`${ref} ${hash}`, found] as const
  })
  const digests = await atOnce(asked, layersAtOnce)
  return { signatureSecrets, layerDigests: new Map(digests) }
}

const secretsFor = (name: string, reads: Pick<Reads, 'list'>): Promise<KubeObject[]> => {
  const labelSelector = `${kymaNames.labels.signature}=${name}`
  return reads.list({ apiVersion: 'v1', kind: 'Secret', namespace: kymaNames.namespaces.controlPlane, labelSelector })
}

type PulledLayer = SignedLayer & { readonly repository: string }

const layersOf = (descriptor: ModuleDescriptor, { settings }: Chosen): PulledLayer[] => {
  const layers = signedLayers(descriptor)
  const repository = `${settings.registry ?? ''}/component-descriptors/${descriptor.repository ?? ''}`
  return 'read' in layers ? layers.read.map(layer => ({ ...layer, repository })) : []
}
