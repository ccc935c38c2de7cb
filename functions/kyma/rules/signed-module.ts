// Whether a module is signed as it must be: its ModuleTemplate, or a setting, names the signature.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { signedLayerFault, signedLayers } from '../../../shared/kyma/layer-digests.ts'
import type { ModuleFault } from '../../../shared/kyma/module-faults.ts'
import { signatureFault } from '../../../shared/kyma/signature.ts'
import type { World } from '../world.ts'
import type { DefinedModule } from './defined-module.ts'

/** The name of the signature that the descriptor must carry; undefined: none. */
export const signatureOf = ({ metadata }: ModuleTemplate, { settings }: Pick<World, 'settings'>): string | undefined =>
  metadata.labels?.[kymaNames.labels.signature] || settings.modules.signature

/** Why the module is not installed; undefined: it is signed, or need not be. */
export const unsigned = (
  module: string,
  { template, descriptor }: DefinedModule,
  world: World,
): ModuleFault | undefined => {
  const name = signatureOf(template, world)
  if (name === undefined) return undefined
  const secrets = world.signatureSecrets.get(name) ?? []
  const why = signatureFault(descriptor.document, { name, module, secrets }) ?? layersFault(descriptor, world)
  return why === undefined ? undefined : { is: 'unresolved', text: `could not verify signature: ${why}` }
}

const layersFault = (descriptor: DefinedModule['descriptor'], { layerDigests }: World): string | undefined => {
  const layers = signedLayers(descriptor)
  if ('failed' in layers) return layers.failed
  const unread = { failed: 'a layer was not read' }
  return layers.read
    .map(layer => signedLayerFault(layer, layerDigests.get(`${layer.ref} ${layer.hash}`) ?? unread))
    .find(fault => fault !== undefined)
}
