// Host settings for modules of Kymas: registry, restrictions, update times.
import { defaultInstallation, type ModuleInstallation } from '../../api/installation.ts'
import { type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { listShape, optional, seconds, textShape } from '../../core/settings/shapes.ts'

const { modules: usual } = defaultInstallation.kyma

export const moduleSettings = settingsTable({
  kymaRegistry: {
    sentence: 'The registry that holds the descriptors and layers of modules',
    shape: optional(textShape('host:port, with a path if the modules lie below one')),
  },
  kymaRegistrySecret: {
    sentence: 'The Secret in kcp-system with the credentials of that registry (dockerconfigjson)',
    shape: optional(textShape('the name of a Secret')),
  },
  kymaRestrictedModules: {
    sentence: 'Modules for the Kymas alone that their ModuleReleaseMeta selects',
    shape: listShape('names of modules'),
    default: usual.restricted.join(),
  },
  kymaWindowPolicyFile: {
    sentence: 'The file with the maintenance windows of runtimes, read whenever an update with downtime is due',
    shape: textShape('a path'),
    default: usual.windowPolicyFile,
  },
  kymaWindowRestSeconds: {
    sentence: 'No update with downtime begins in a maintenance window in which no more time is left than this',
    shape: seconds(0, 86_400),
    default: String(usual.windowRestSeconds),
  },
  kymaRollOutSeconds: {
    sentence: 'Over how long an update of a module is spread, each Kyma at its own second of it',
    shape: seconds(0, 86_400),
    default: String(usual.rollOutSeconds),
  },
  kymaSignature: {
    sentence: 'The signature that descriptors of modules must carry whose ModuleTemplate names none',
    shape: optional(textShape('the name of a signature')),
  },
})

export const moduleInstallationOf = (settings: SettingsOf<typeof moduleSettings>): ModuleInstallation => ({
  restricted: settings.kymaRestrictedModules,
  windowPolicyFile: settings.kymaWindowPolicyFile,
  windowRestSeconds: settings.kymaWindowRestSeconds,
  rollOutSeconds: settings.kymaRollOutSeconds,
  ...(settings.kymaRegistry !== undefined && { registry: settings.kymaRegistry }),
  ...(settings.kymaRegistrySecret !== undefined && { registrySecret: settings.kymaRegistrySecret }),
  ...(settings.kymaSignature !== undefined && { signature: settings.kymaSignature }),
})
