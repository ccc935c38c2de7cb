// mandatory-modules-install: keeps a Manifest of each mandatory module for every Kyma.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { kymaKind } from '../../shared/api/kyma.ts'
import type { RegistrySettings } from '../../shared/kyma/settings.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { type RegistryCall, registryCall } from '../../shared/runtime/modules/registry-call.ts'
import { decide } from './decide.ts'
import { gather, kymasToCall, seenMandatoryModules } from './gather.ts'
import { mandatoryModulesSettings } from './settings.ts'
import type { World } from './world.ts'

export const mandatoryModulesInstall: ReconcileFunction<World, RegistrySettings, RegistryCall> = {
  does: 'reconcile',
  name: 'mandatory-modules-install',
  kind: kymaKind,
  fieldManager: kymaNames.fieldManagers.controlPlane,
  settings: mandatoryModulesSettings,
  seen: seenMandatoryModules,
  begin: registryCall,
  gather,
  decide,
  keys: kymasToCall,
}
