// The desired state of a module: a Manifest; or none, because of a fault or because the Kyma does not manage the module.
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { moduleNameOf } from '../../../shared/kyma/labels.ts'
import { manifestOf } from '../../../shared/kyma/manifest-content.ts'
import type { ModuleFault } from '../../../shared/kyma/modules/module-faults.ts'
import { unsigned } from '../../../shared/kyma/modules/signed-module.ts'
import type { World } from '../world.ts'
import { type DefinedModule, definedModule } from './defined-module.ts'
import { isEntryOf, isUnmanaged, type ListedModule, ownManifests } from './listed-modules.ts'
import { updateFault } from './update.ts'

export type Resolution =
  | { readonly is: 'resolved'; readonly module: DefinedModule; readonly desired: Manifest }
  | { readonly is: 'fault'; readonly fault: ModuleFault }
  /** The Kyma leaves it alone from now on. */
  | { readonly is: 'unmanaged' }

/** `others`: Manifests whose names are in use. */
type Naming = World & { readonly others: readonly Manifest[] }

export const resolutionOf = (module: ListedModule, world: Naming, now: Date): Resolution => {
  if (isUnmanaged(module)) return { is: 'unmanaged' }
  const { name, entry, status, channel } = module
  const defined = definedModule({ ...module, controller: entry?.controller }, world)
  if ('fault' in defined) return { is: 'fault', fault: defined.fault }
  const fault =
    (status &&
      isReplacedBy(defined.defined, module, world) &&
      updateFault({ module: defined.defined, channel, status }, world, now)) ||
    unsigned(name, defined.defined, world)
  if (fault) return { is: 'fault', fault }
  const { customResourcePolicy = 'CreateAndDelete' } = entry ?? {}
  const { kyma, others, settings } = world
  const into = { kyma, others, channel, registry: settings.modules.registry }
  const desired = manifestOf({ module: name, ...defined.defined, customResourcePolicy, ...into })
  return 'failed' in desired
    ? { is: 'fault', fault: { is: 'unresolved', text: desired.failed } }
    : { is: 'resolved', module: defined.defined, desired: desired.read }
}

/**
 * Something is installed, and in another version. Where no Manifest is left the module begins anew, and a Manifest that was just made anew
 * has the version already, whatever the entry says.
 */
const isReplacedBy = ({ descriptor }: DefinedModule, { name, status }: ListedModule, world: World): boolean => {
  const installed = ownManifests(world).filter(
    manifest => moduleNameOf(manifest) === name || isEntryOf(status, manifest.metadata.name),
  )
  return installed.length > 0 && !installed.some(({ spec }) => spec.version === descriptor.version)
}
