// The modules of a Kyma as far as they are defined: what else is to be read depends on them.
import type { ModuleStatus } from '../../../shared/kyma/kinds.ts'
import type { FoundModule } from '../../../shared/kyma/modules/look-up.ts'
import { type DefinedModule, definedModule, foundModule } from '../rules/defined-module.ts'
import { isUnmanaged, listedModules } from '../rules/listed-modules.ts'
import type { World } from '../world.ts'

export type KnownModule = { readonly name: string; readonly module: DefinedModule; readonly status?: ModuleStatus }

/** The ModuleTemplates of all modules that the Kyma may have, whether or not their descriptors are known. */
export const foundModules = (world: World): readonly FoundModule[] =>
  listedModules(world).flatMap(listed => {
    if (isUnmanaged(listed)) return []
    const looked = foundModule({ ...listed, controller: listed.entry?.controller }, world)
    return 'fault' in looked ? [] : [looked.found]
  })

/** Those that nobody wants any more too: their Manifests follow new versions until they are gone. */
export const definedModules = (world: World): readonly KnownModule[] =>
  listedModules(world).flatMap(listed => {
    if (isUnmanaged(listed)) return []
    const defined = definedModule({ ...listed, controller: listed.entry?.controller }, world)
    return 'fault' in defined ? [] : [{ name: listed.name, module: defined.defined, status: listed.status }]
  })
