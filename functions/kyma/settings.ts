// Settings of kyma.
import { type SettingsOf, settingsTable } from '../../shared/core/settings/setting.ts'
import { listShape, positiveQuantity, seconds, textShape } from '../../shared/core/settings/shapes.ts'
import { requeueSettings, sharedSettings } from '../../shared/kyma/settings.ts'

export const kymaSettings = {
  ...sharedSettings,
  ...settingsTable(
    {
      restrictedModules: {
        sentence: 'Modules that a Kyma may use only if the ModuleReleaseMeta of the module selects the Kyma',
        shape: listShape('names of modules'),
      },
      windowPolicyFile: {
        sentence: 'File with the maintenance windows of runtimes, read for every update with downtime',
        shape: textShape('a path'),
        default: '/etc/maintenance-policy/policy.json',
      },
      windowRestSeconds: {
        sentence:
          'Time that a maintenance window must still last when an update with downtime starts. Raise it if updates take longer',
        shape: seconds(0, 86_400),
        default: '1200',
      },
      rollOutSeconds: {
        sentence:
          'Time over which the update of a module is spread across Kymas; 0: at once. Raise it to notice a faulty version before all Kymas have it',
        shape: seconds(0, 86_400),
        default: '0',
      },
      ...requeueSettings('Kyma'),
      agentCpu: { sentence: 'CPU limit of the agent in a runtime', shape: positiveQuantity, default: '100m' },
      agentMemory: { sentence: 'Memory limit of the agent in a runtime', shape: positiveQuantity, default: '200Mi' },
    },
    'kyma',
  ),
}

export type KymaSettings = SettingsOf<typeof kymaSettings>
