// The inputs of a module, even if the module may not be installed now: its ModuleTemplate and descriptor, or a fault.
import { checks } from '../../../shared/core/decisions/checks.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import { type ModuleDescriptor, moduleDescriptor, namesComponent } from '../../../shared/kyma/modules/descriptor.ts'
import {
  type FoundModule,
  type LookUp,
  lookUp,
  type ModuleFault,
  type WantedModule,
} from '../../../shared/kyma/modules/look-up.ts'
import type { World } from '../world.ts'
import { visibilityFault } from './visible-modules.ts'

export type DefinedModule = FoundModule & { readonly descriptor: ModuleDescriptor }

type Defined = { readonly defined: DefinedModule } | { readonly fault: ModuleFault }

/** The part of the world that is already known when these functions run. Their results determine further reads. */
type Defining = Pick<World, 'kyma' | 'settings' | 'catalogue' | 'pulled'>

export const definedModule = (module: WantedModule, world: Defining): Defined => {
  const looked = foundModule(module, world)
  return 'fault' in looked ? looked : withDescriptor(looked.found, world)
}

export const foundModule = (module: WantedModule, world: Defining): LookUp => {
  const fault = channelFault(module)
  if (fault) return { fault }
  const looked = lookUp(module, world.catalogue)
  const hidden = 'found' in looked ? notAllowed(looked.found, module, world) : undefined
  return hidden ? { fault: hidden } : looked
}

const channelFault = checks<[WantedModule], ModuleFault>(
  ({ name, channel }) =>
    channel === 'none' && {
      is: 'wrong',
      text: `invalid configuration in Kyma spec.modules for module ${name}: Channel "none" is not allowed`,
    },
)

const notAllowed = (found: FoundModule, { name }: WantedModule, { kyma, settings }: Defining) => {
  const { restrictedModules } = settings
  const why = visibilityFault(found, { kyma, module: name, restrictedModules })
  return why === undefined ? undefined : ({ is: 'notAllowed', text: why } as const)
}

const withDescriptor = (found: FoundModule, { pulled }: Defining): Defined => {
  const { metadata, spec } = found.template
  const document = namesComponent(spec.descriptor) ? { read: spec.descriptor } : pulled.get(metadata.name)
  if (document === undefined) return unresolved(nothingToPull(found))
  if ('failed' in document) return { fault: { is: 'outside', text: document.failed } }
  const descriptor = moduleDescriptor(mapOrEmpty(document.read))
  return 'failed' in descriptor ? unresolved(descriptor.failed) : { defined: { ...found, descriptor: descriptor.read } }
}

const nothingToPull = ({ template, meta }: FoundModule): string => {
  const missing = `ModuleTemplate ${template.metadata.name} contains no component descriptor`
  return meta
    ? `${missing}, and ModuleReleaseMeta ${meta.metadata.name} has no spec.ocmComponentName from which to pull it`
    : `${missing}, and no ModuleReleaseMeta names a component from which to pull it`
}

const unresolved = (text: string): Defined => ({ fault: { is: 'unresolved', text } })
