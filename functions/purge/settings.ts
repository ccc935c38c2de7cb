// Settings of purge.
import { type SettingsOf, settingsTable } from '../../shared/core/settings/setting.ts'
import { listShape, oneOfShape, seconds } from '../../shared/core/settings/shapes.ts'

export const purgeSettings = settingsTable(
  {
    graceSeconds: {
      sentence: 'How long the deletion of a Kyma may take before finalizers of what its modules left are removed',
      shape: seconds(0, 86_400),
      default: '300',
    },
    scope: {
      sentence:
        'Whether only kinds that modules brought are purged, all custom kinds of the runtime, or none, so that no Kyma needs a finalizer for it',
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
