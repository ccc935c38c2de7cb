// Whether an installed module may be updated to another version now.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { checks } from '../../../shared/core/decisions/checks.ts'
import { whenRead } from '../../../shared/core/decisions/reading.ts'
import { evenFraction } from '../../../shared/core/digest.ts'
import type { Kyma, ModuleStatus } from '../../../shared/kyma/kinds.ts'
import type { ModuleFault } from '../../../shared/kyma/modules/look-up.ts'
import type { World } from '../world.ts'
import { type DefinedModule, versionFault } from './listed-modules.ts'
import { type RuntimeTraits, type WindowPolicy, windowVerdict } from './windows.ts'

type ModuleUpdate = {
  readonly module: DefinedModule
  readonly channel: string
  readonly status: ModuleStatus
}

/** Why the installed version stays. undefined: the module may be updated. */
export const updateFault = checks<[ModuleUpdate, World, Date], ModuleFault>(skew, beforeItsTurn, windowClosed)

/** Whether the installed version differs from the channel's version. Other changes are not an update. */
export const isUpdate = ({ status, module }: Pick<ModuleUpdate, 'status' | 'module'>): boolean =>
  status.template !== undefined && status.version !== undefined && status.version !== module.descriptor.version

/** The owner of the runtime or of the control plane wants updates without maintenance windows. */
export const skipsWindows = ({ kyma, wanted }: Pick<World, 'kyma' | 'wanted'>): boolean =>
  (kyma.spec.skipMaintenanceWindows ?? false) || (wanted.skipMaintenanceWindows ?? false)

const notAllowed = 'module template update not allowed'

function skew(update: ModuleUpdate): ModuleFault | undefined {
  const { module, channel, status } = update
  const fault = isUpdate(update) ? versionFault(status.version ?? '', module.descriptor.version) : undefined
  if (fault?.is === 'downgrade') {
    const channels = `from ${status.channel ?? ''} to ${channel}`
    const why = `as a higher version (${status.version}) of the module was previously installed`
    return { is: 'downgrade', text: `${notAllowed}: ignore channel skew (${channels}), ${why}` }
  }
  if (fault === undefined) return undefined
  const side = fault.side === 'installed' ? 'the status' : 'the descriptor'
  return { is: 'noVersion', text: `${notAllowed}: could not handle channel skew as ${side} contains invalid version` }
}

/** Each Kyma has a fixed time in the roll-out, as evenly distributed as uids, which is the same after a restart. */
function beforeItsTurn(
  update: ModuleUpdate,
  { kyma, settings, releasedAt }: World,
  now: Date,
): ModuleFault | undefined {
  const { rollOutSeconds } = settings
  const released = releasedAt.get(update.module.template.metadata.name)
  if (!isUpdate(update) || released === undefined) return undefined
  const endsAt = new Date(released.getTime() + evenFraction(kyma.metadata.uid ?? '') * rollOutSeconds * 1_000)
  return endsAt > now ? { is: 'notYet', text: 'waiting for its turn to update module version', endsAt } : undefined
}

function windowClosed(update: ModuleUpdate, world: World, now: Date): ModuleFault | undefined {
  if (!update.module.template.spec.requiresDowntime || !isUpdate(update) || skipsWindows(world)) return undefined
  return whenRead(world.windows, policy => closedFault(policy, world, now), unknownWindow)
}

const closedFault = (policy: WindowPolicy, { kyma, settings }: World, now: Date): ModuleFault | undefined => {
  const { windowRestSeconds: restSeconds } = settings
  const verdict = windowVerdict(policy, traitsOf(kyma), { now, restSeconds })
  const text = 'waiting for next maintenance window to update module version'
  return verdict.isOpen ? undefined : { is: 'windowClosed', text, ...(verdict.next && { endsAt: verdict.next }) }
}

const unknownWindow = (why: string): ModuleFault => ({
  is: 'unresolved',
  text: `failed to determine if maintenance window is active: ${why}`,
})

const traitsOf = ({ metadata: { labels: own = {} } }: Kyma): RuntimeTraits => {
  const { labels } = kymaNames
  return {
    globalAccountID: own[labels.globalAccountId],
    plan: own[labels.brokerPlanName],
    region: own[labels.region],
    platformRegion: own[labels.platformRegion],
  }
}
