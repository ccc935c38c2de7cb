// mandatory-modules-delete: takes mandatory modules out of all runtimes when somebody deletes them, and reports what is wrong with
// ModuleTemplates and ModuleReleaseMetas. It is called for the namespace of the control plane and sees to all of them at once: one
// ModuleReleaseMeta means several ModuleTemplates, and both may have the same name.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide } from './decide.ts'
import { gather } from './gather.ts'
import { report } from './report.ts'
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
