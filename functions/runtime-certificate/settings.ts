// Settings of runtime-certificate.
import { type SettingsOf, settingsTable } from '../../shared/core/settings/setting.ts'
import { listShape, namespacedName } from '../../shared/core/settings/shapes.ts'
import { lifetimeSetting, sharedSettings } from '../../shared/kyma/settings.ts'

export const runtimeCertificateSettings = {
  certificates: sharedSettings.certificates,
  ...settingsTable(
    {
      certificateNames: {
        sentence: 'Further DNS names in the certificates of runtimes',
        shape: listShape('DNS names'),
      },
      certificateDuration: lifetimeSetting('How long the certificate of a runtime lives', '1440h'),
      certificateRenewBefore: lifetimeSetting(
        'How long before its end it is renewed; half of its life at most',
        '720h',
      ),
      certificateRenewBuffer: lifetimeSetting(
        'How long after that time, or after a new authority, a metric says that it was not renewed',
        '24h',
      ),
      certificateIssuer: {
        sentence: 'The issuer that an operator is to use; that of cert-manager is always in istio-system',
        shape: namespacedName,
        default: 'istio-system/klm-watcher-selfsigned',
      },
    },
    'kyma',
  ),
}

export type RuntimeCertificateSettings = SettingsOf<typeof runtimeCertificateSettings>
