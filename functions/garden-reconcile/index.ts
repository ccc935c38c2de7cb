// garden-reconcile: brings a Garden up, rotates its credentials and takes it down.
import { gardenKind } from '../../shared/api/garden.ts'
import type { CallScope, ReconcileFunction } from '../../shared/runtime/definition.ts'
import { fullSnapshots } from '../../shared/runtime/full-snapshots.ts'
import { decide, type GardenPlan } from './decide.ts'
import { gardensConcerned } from './gather/gardens-concerned.ts'
import { withVirtualGarden } from './gather/virtual-garden.ts'
import { gather } from './gather.ts'
import { report } from './report.ts'
import type { World } from './world.ts'

export const gardenReconcile: ReconcileFunction<World, CallScope, GardenPlan> = {
  does: 'reconcile',
  name: 'garden-reconcile',
  kind: gardenKind,
  begin: call => ({
    clusters: withVirtualGarden({ ...call, settings: call.installation.garden }),
    runHook: fullSnapshots({ ...call, dialAt: call.installation.garden.backupSidecarAddress }),
  }),
  gather,
  decide,
  report,
  keys: gardensConcerned,
}
