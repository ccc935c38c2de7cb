// mandatory-modules-install: keeps a Manifest of each mandatory module for every Kyma.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { kymaKind } from '../../shared/api/kyma.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide } from './decide.ts'
import { gather, kymasToCall } from './gather.ts'
import type { World } from './world.ts'

export const mandatoryModulesInstall: ReconcileFunction<World> = {
  does: 'reconcile',
  name: 'mandatory-modules-install',
  kind: kymaKind,
  fieldManager: kymaNames.fieldManagers.controlPlane,
  gather,
  decide,
  keys: kymasToCall,
}
