// kyma: installs the modules that a Kyma lists, in the versions of their release channels.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { kymaKind } from '../../shared/api/kyma.ts'
import { requeueMetric } from '../../shared/kyma/next-call.ts'
import { withSharedReads } from '../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide } from './decide.ts'
import { leftBehind } from './gather/agent.ts'
import { kymasConcerned } from './gather/kymas-concerned.ts'
import { gather, type KymaCall, kymaCall, seenKymas, seenWindows } from './gather.ts'
import { report } from './report.ts'
import { type KymaSettings, kymaSettings } from './settings.ts'
import type { World } from './world.ts'

export const kyma: ReconcileFunction<World, KymaSettings, KymaCall> = {
  does: 'reconcile',
  name: 'kyma',
  kind: kymaKind,
  keepsState: true,
  fieldManager: kymaNames.fieldManagers.controlPlane,
  settings: kymaSettings,
  seen: seenWindows,
  seenOfEach: seenKymas,
  metrics: [requeueMetric],
  begin: kymaCall,
  gather,
  passScope: (_world, { marking: { markInOrder } }) => ({ markInOrder }),
  decide,
  report,
  leftBehind,
  keys: (object, context, change) => kymasConcerned(object, withSharedReads(context), change),
}
