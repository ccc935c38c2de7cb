// manifest: keeps the objects of a module in a runtime equal to the module's layer.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { manifestKind } from '../../shared/api/kyma.ts'
import { laterSteps } from '../../shared/component/plan.ts'
import { withSharedReads } from '../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide, type ManifestPlan } from './decide.ts'
import { requestsInFlight } from './gather/dependents.ts'
import { manifestsConcerned } from './gather/manifests-concerned.ts'
import { gather, type ManifestCall, manifestCall } from './gather.ts'
import { manifestMetrics, report } from './report.ts'
import { type ManifestSettings, manifestSettings } from './settings.ts'
import type { World } from './world.ts'

export const manifest: ReconcileFunction<World, ManifestSettings, ManifestCall, ManifestPlan> = {
  does: 'reconcile',
  name: 'manifest',
  kind: manifestKind,
  keepsState: true,
  fieldManager: kymaNames.fieldManagers.moduleObjects,
  requestsInFlight,
  settings: manifestSettings,
  metrics: manifestMetrics,
  begin: manifestCall,
  gather,
  passScope: (_world, { marking: { markInOrder } }) => ({ markInOrder }),
  decide,
  report,
  later: ({ found }, { dependents }) =>
    dependents && 'dependents' in found ? laterSteps(dependents, found.dependents.on) : [],
  keys: (object, context) => manifestsConcerned(object, withSharedReads(context)),
}
