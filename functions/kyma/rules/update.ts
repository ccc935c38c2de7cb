// Whether a module that is installed may go on to another version now.
import { checks } from '../../../shared/core/checks.ts'
import type { ModuleStatus } from '../../../shared/kyma/kinds.ts'
import type { ModuleFault } from '../../../shared/kyma/module-faults.ts'
import { versionFault } from '../../../shared/kyma/versions.ts'
import type { DefinedModule } from './defined-module.ts'

type ModuleUpdate = {
  readonly module: DefinedModule
  readonly channel: string
  /** The entry of the module as it stands in the status. */
  readonly status: ModuleStatus
}

/** Why the installed version stays; undefined: the module follows. */
export const updateFault = checks<[ModuleUpdate], ModuleFault>(skew)

function skew({ module, channel, status }: ModuleUpdate): ModuleFault | undefined {
  if (status.template === undefined || status.version === undefined) return undefined
  const fault = versionFault(status.version, module.descriptor.version)
  if (fault === undefined) return undefined
  const notAllowed = 'module template update not allowed'
  if (fault.is === 'downgrade')
    return {
      is: 'downgrade',
      text: `${notAllowed}: ignore channel skew (from ${status.channel ?? ''} to ${channel}), as a higher version (${status.version}) of the module was previously installed`,
    }
  const side = fault.side === 'installed' ? 'the status' : 'the descriptor'
  return { is: 'noVersion', text: `${notAllowed}: could not handle channel skew as ${side} contains invalid version` }
}
