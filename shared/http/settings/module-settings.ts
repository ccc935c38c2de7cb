// Settings of the host for the modules of Kymas: where they come from, who may have them, when they are updated.
import { defaultInstallation, type ModuleInstallation } from '../../api/installation.ts'
import type { Setting, SettingsOf } from './config.ts'
import { listShape, optional, seconds, textShape } from './shapes.ts'

const { modules: usual } = defaultInstallation.kyma

export const moduleSettings = {
  kymaRegistry: {
    sentence: 'The registry that holds the descriptors and layers of modules',
    env: 'ESPALIER_KYMA_REGISTRY',
    shape: optional(textShape('host:port, with a path if the modules lie below one')),
  },
  kymaRegistrySecret: {
    sentence: 'The Secret in kcp-system with the credentials of that registry (dockerconfigjson)',
    env: 'ESPALIER_KYMA_REGISTRY_SECRET',
    shape: optional(textShape('the name of a Secret')),
  },
  kymaRestrictedModules: {
    sentence: 'Modules for the Kymas alone that their ModuleReleaseMeta selects',
    env: 'ESPALIER_KYMA_RESTRICTED_MODULES',
    shape: listShape('names of modules'),
    default: usual.restricted.join(),
  },
  kymaWindowPolicyFile: {
    sentence: 'The file with the maintenance windows of runtimes, read whenever an update with downtime is due',
    env: 'ESPALIER_KYMA_WINDOW_POLICY_FILE',
    shape: textShape('a path'),
    default: usual.windowPolicyFile,
  },
  kymaWindowRestSeconds: {
    sentence: 'No update with downtime begins in a maintenance window in which no more time is left than this',
    env: 'ESPALIER_KYMA_WINDOW_REST_SECONDS',
    shape: seconds(0, 86_400),
    default: String(usual.windowRestSeconds),
  },
  kymaRollOutSeconds: {
    sentence: 'Over how long an update of a module is spread, each Kyma at its own second of it',
    env: 'ESPALIER_KYMA_ROLL_OUT_SECONDS',
    shape: seconds(0, 86_400),
    default: String(usual.rollOutSeconds),
  },
  kymaSignature: {
    sentence: 'The signature that descriptors of modules must carry whose ModuleTemplate names none',
    env: 'ESPALIER_KYMA_SIGNATURE',
    shape: optional(textShape('the name of a signature')),
  },
} as const satisfies Record<string, Setting>

export const moduleInstallationOf = (settings: SettingsOf<typeof moduleSettings>): ModuleInstallation => ({
  restricted: settings.kymaRestrictedModules,
  windowPolicyFile: settings.kymaWindowPolicyFile,
  windowRestSeconds: settings.kymaWindowRestSeconds,
  rollOutSeconds: settings.kymaRollOutSeconds,
  ...(settings.kymaRegistry !== undefined && { registry: settings.kymaRegistry }),
  ...(settings.kymaRegistrySecret !== undefined && { registrySecret: settings.kymaRegistrySecret }),
  ...(settings.kymaSignature !== undefined && { signature: settings.kymaSignature }),
})
