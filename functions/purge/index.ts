// purge: when the deletion of a Kyma takes longer than the grace period, removes the finalizers of the remaining objects of its modules.
import { kymaKind } from '../../shared/api/kyma.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide } from './decide.ts'
import { gather } from './gather.ts'
import { purgeMetrics, report } from './report.ts'
import { type PurgeSettings, purgeSettings } from './settings.ts'
import type { World } from './world.ts'

/** gather needs the time, because before the end of the grace period nothing is read. */
type Shared = { readonly now: () => Date }

export const purge: ReconcileFunction<World, PurgeSettings, Shared> = {
  does: 'reconcile',
  name: 'purge',
  kind: kymaKind,
  settings: purgeSettings,
  begin: ({ now }) => ({ now }),
  metrics: purgeMetrics,
  gather,
  decide,
  report,
}
