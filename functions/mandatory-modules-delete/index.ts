// mandatory-modules-delete: removes deleted mandatory modules from all runtimes, and reports faults of ModuleTemplates and
// ModuleReleaseMetas. It is called for the whole namespace of the control plane, because a ModuleReleaseMeta may concern several
// ModuleTemplates, and objects of both kinds may have the same name.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide, report } from './decide.ts'
import { gather } from './gather.ts'
import type { World } from './world.ts'

export const mandatoryModulesDelete: ReconcileFunction<World> = {
  does: 'reconcile',
  name: 'mandatory-modules-delete',
  kind: { apiVersion: 'v1', kind: 'Namespace' },
  fieldManager: kymaNames.fieldManagers.controlPlane,
  gather,
  decide,
  report,
}
