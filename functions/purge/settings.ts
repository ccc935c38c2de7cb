// Settings of purge.
import { type SettingsOf, settingsTable } from '../../shared/core/settings/setting.ts'
import { listShape, oneOfShape, seconds } from '../../shared/core/settings/shapes.ts'

export const purgeSettings = settingsTable(
  {
    graceSeconds: {
      sentence:
        'Time after which the deletion of a Kyma removes the finalizers of objects that its modules left behind',
      shape: seconds(0, 86_400),
      default: '300',
    },
    scope: {
      sentence:
        'Kinds that are purged: only kinds that modules installed, all custom kinds of the runtime, or none; with none, Kymas get no finalizer of purge',
      shape: oneOfShape('modules', 'all', 'none'),
      default: 'modules',
    },
    skip: {
      sentence: 'Kinds that are never purged',
      shape: listShape('kinds such as telemetries.example.com or *.example.com'),
    },
  },
  'kyma-purge',
)

export type PurgeSettings = SettingsOf<typeof purgeSettings>
