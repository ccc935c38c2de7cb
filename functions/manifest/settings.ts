// Settings of manifest.
import type { SettingsOf } from '../../shared/core/settings/setting.ts'
import { requeueSettings, sharedSettings } from '../../shared/kyma/settings.ts'

const { pullSecret, registrySecret } = sharedSettings

export const manifestSettings = { ...requeueSettings('Manifest'), pullSecret, registrySecret }

export type ManifestSettings = SettingsOf<typeof manifestSettings>
