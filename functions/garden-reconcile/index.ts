// garden-reconcile: brings a Garden up, rotates its credentials and takes it down.
import { gardenKind } from '../../shared/api/garden.ts'
import { type Key, type KubeObject, keyOf } from '../../shared/core/objects/object.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import type { PassScope, ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide, type GardenPlan } from './decide.ts'
import { withVirtualGarden } from './gather/virtual-garden.ts'
import { gather } from './gather.ts'
import { fullSnapshots } from './io/full-snapshots.ts'
import { gardenImages } from './io/images.ts'
import { report } from './report.ts'
import { type GardenSettings, gardenReconcileSettings } from './settings.ts'
import type { World } from './world.ts'

const gardensConcerned = async (_changed: KubeObject, { reads }: Pick<GatherContext, 'reads'>): Promise<Key[]> =>
  (await reads.list({ ...gardenKind, metadataOnly: true })).map(keyOf)

/** `clusters` includes the virtual garden, for reads and steps. */
type GardenCall = Required<Pick<PassScope, 'clusters' | 'takeSnapshot'>>

export const gardenReconcile: ReconcileFunction<World, GardenSettings, GardenCall, GardenPlan> = {
  does: 'reconcile',
  name: 'garden-reconcile',
  kind: gardenKind,
  keepsState: true,
  settings: gardenReconcileSettings,
  configure: async ({ imageOverride }) => ({ images: await gardenImages(imageOverride) }),
  begin: call => ({
    clusters: withVirtualGarden(call),
    takeSnapshot: fullSnapshots({ ...call, dialAt: call.settings.backupSidecarAddress }),
  }),
  gather: (garden, context, { clusters }) => gather(garden, { ...context, clusters }),
  passScope: (_world, shared) => shared,
  decide,
  report,
  picture: ({ flow }) => flow?.picture,
  keys: gardensConcerned,
}
