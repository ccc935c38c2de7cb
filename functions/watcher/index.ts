// watcher: routes events of runtimes through Istio's Gateways to the listener, as each Watcher requires.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { watcherKind } from '../../shared/api/kyma.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide, report } from './decide.ts'
import { allWatchers, gather } from './gather.ts'
import { type WatcherSettings, watcherSettings } from './settings.ts'
import type { World } from './world.ts'

export const watcher: ReconcileFunction<World, WatcherSettings> = {
  does: 'reconcile',
  name: 'watcher',
  kind: watcherKind,
  keepsState: true,
  fieldManager: kymaNames.fieldManagers.controlPlane,
  settings: watcherSettings,
  gather,
  decide,
  report,
  keys: allWatchers,
}
