// Settings of the host for purge.
import { defaultInstallation, type PurgeSettings } from '../../api/installation.ts'
import type { Setting, SettingsOf } from './config.ts'
import { listShape, oneOfShape, seconds } from './shapes.ts'

const { purge } = defaultInstallation.kyma

export const purgeSettings = {
  kymaPurgeGraceSeconds: {
    sentence: 'How long the deletion of a Kyma may take before finalizers of what its modules left are removed',
    env: 'ESPALIER_KYMA_PURGE_GRACE_SECONDS',
    shape: seconds(0, 86_400),
    default: String(purge.graceSeconds),
  },
  kymaPurgeScope: {
    sentence: 'Whether only kinds that modules brought are purged, or all custom kinds of the runtime',
    env: 'ESPALIER_KYMA_PURGE_SCOPE',
    shape: oneOfShape('modules', 'all'),
    default: purge.scope,
  },
  kymaPurgeSkip: {
    sentence: 'Kinds that are never purged',
    env: 'ESPALIER_KYMA_PURGE_SKIP',
    shape: listShape('kinds such as telemetries.example.com or *.example.com'),
    default: purge.skip.join(),
  },
} as const satisfies Record<string, Setting>

export const purgeSettingsOf = (settings: SettingsOf<typeof purgeSettings>): PurgeSettings => ({
  graceSeconds: settings.kymaPurgeGraceSeconds,
  scope: settings.kymaPurgeScope,
  skip: settings.kymaPurgeSkip,
})
