// Settings of kyma.
import { type SettingsOf, settingsTable } from '../../shared/core/settings/setting.ts'
import { listShape, positiveQuantity, seconds, textShape } from '../../shared/core/settings/shapes.ts'
import { requeueSettings, sharedSettings } from '../../shared/kyma/settings.ts'

export const kymaSettings = {
  ...sharedSettings,
  ...settingsTable(
    {
      restrictedModules: {
        sentence: 'Modules for the Kymas alone that their ModuleReleaseMeta selects',
        shape: listShape('names of modules'),
      },
      windowPolicyFile: {
        sentence: 'The file with the maintenance windows of runtimes, read whenever an update with downtime is due',
        shape: textShape('a path'),
        default: '/etc/maintenance-policy/policy.json',
      },
      windowRestSeconds: {
        sentence: 'No update with downtime begins in a maintenance window in which no more time is left than this',
        shape: seconds(0, 86_400),
        default: '1200',
      },
      rollOutSeconds: {
        sentence: 'Over how long an update of a module is spread, each Kyma at its own second of it',
        shape: seconds(0, 86_400),
        default: '0',
      },
      ...requeueSettings('Kyma'),
      agentCpu: {
        sentence: 'How much CPU the agent may take',
        shape: positiveQuantity,
        default: '100m',
      },
      agentMemory: {
        sentence: 'How much memory the agent may take',
        shape: positiveQuantity,
        default: '200Mi',
      },
    },
    'kyma',
  ),
}

export type KymaSettings = SettingsOf<typeof kymaSettings>
