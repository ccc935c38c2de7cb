// Whether a module has its required signature. The ModuleTemplate, or a setting, names the signature.
import { kymaNames } from '../../api/kyma/names.ts'
import type { Reading } from '../../core/decisions/reading.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { ModuleTemplate } from '../kinds.ts'
import type { RegistrySettings } from '../settings.ts'
import type { ModuleDescriptor } from './descriptor.ts'
import { signedLayerFault, signedLayers } from './layer-digests.ts'
import type { ModuleFault } from './module-faults.ts'
import { signatureFault } from './signature.ts'

export type ModuleVersion = { readonly template: ModuleTemplate; readonly descriptor: ModuleDescriptor }

type Settings = Pick<RegistrySettings, 'signature'>

export type SignatureEvidence = {
  /** Secrets with keys for the signatures of modules, by the name of the signature. */
  readonly signatureSecrets: ReadonlyMap<string, readonly KubeObject[]>
  /** Digests of the layers of signed modules, by `<digest> <hash>`: of the stored bytes and of the unpacked bytes. */
  readonly layerDigests: ReadonlyMap<string, Reading<readonly string[]>>
}

/** The name of the required signature. undefined: no signature is required. */
export const signatureOf = ({ metadata }: ModuleTemplate, { settings }: { settings: Settings }): string | undefined =>
  metadata.labels?.[kymaNames.labels.signature] || settings.signature

/** Why the module is not installed. undefined: the module is signed, or needs no signature. */
export const unsigned = (
  module: string,
  { template, descriptor }: ModuleVersion,
  world: SignatureEvidence & { readonly settings: Settings },
): ModuleFault | undefined => {
  const name = signatureOf(template, world)
  if (name === undefined) return undefined
  const secrets = world.signatureSecrets.get(name) ?? []
  const why = signatureFault(descriptor.document, { name, module, secrets }) ?? layersFault(descriptor, world)
  return why === undefined ? undefined : { is: 'unresolved', text: `could not verify signature: ${why}` }
}

const layersFault = (descriptor: ModuleDescriptor, { layerDigests }: SignatureEvidence): string | undefined => {
  const layers = signedLayers(descriptor)
  if ('failed' in layers) return layers.failed
  const unread = { failed: 'a layer could not be read' }
  return layers.read
    .map(layer => signedLayerFault(layer, layerDigests.get(`${layer.ref} ${layer.hash}`) ?? unread))
    .find(fault => fault !== undefined)
}
