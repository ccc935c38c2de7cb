// Host settings for purge.
import { defaultInstallation, type PurgeSettings } from '../../api/installation.ts'
import { type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { listShape, oneOfShape, seconds } from '../../core/settings/shapes.ts'

const { purge } = defaultInstallation.kyma

export const purgeSettings = settingsTable({
  kymaPurgeGraceSeconds: {
    sentence: 'How long the deletion of a Kyma may take before finalizers of what its modules left are removed',
    shape: seconds(0, 86_400),
    default: String(purge.graceSeconds),
  },
  kymaPurgeScope: {
    sentence:
      'Whether only kinds that modules brought are purged, all custom kinds of the runtime, or none, so that no Kyma needs a finalizer for it',
    shape: oneOfShape('modules', 'all', 'none'),
    default: purge.scope,
  },
  kymaPurgeSkip: {
    sentence: 'Kinds that are never purged',
    shape: listShape('kinds such as telemetries.example.com or *.example.com'),
    default: purge.skip.join(),
  },
})

export const purgeSettingsOf = (settings: SettingsOf<typeof purgeSettings>): PurgeSettings => ({
  graceSeconds: settings.kymaPurgeGraceSeconds,
  scope: settings.kymaPurgeScope,
  skip: settings.kymaPurgeSkip,
})
