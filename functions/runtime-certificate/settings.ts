// Settings of runtime-certificate.
import { type SettingsOf, settingsTable } from '../../shared/core/settings/setting.ts'
import { listShape, namespacedName } from '../../shared/core/settings/shapes.ts'
import { lifetimeSetting, sharedSettings } from '../../shared/kyma/settings.ts'

export const runtimeCertificateSettings = {
  certificates: sharedSettings.certificates,
  ...settingsTable(
    {
      certificateNames: {
        sentence: 'Additional DNS names in the certificates of runtimes',
        shape: listShape('DNS names'),
      },
      certificateDuration: lifetimeSetting('Lifetime of the certificate of a runtime', '1440h'),
      certificateRenewBefore: lifetimeSetting(
        'Time before its expiry at which the certificate of a runtime is renewed; at most half of its lifetime',
        '720h',
      ),
      certificateRenewBuffer: lifetimeSetting(
        'Time after a due renewal, or after a new certificate authority, until a metric reports that the certificate of a runtime was not renewed',
        '24h',
      ),
      certificateIssuer: {
        sentence:
          'Issuer of the certificates of runtimes, unless --kyma-certificates is builtin; cert-manager uses only its name, in istio-system',
        shape: namespacedName,
        default: 'istio-system/klm-watcher-selfsigned',
      },
    },
    'kyma',
  ),
}

export type RuntimeCertificateSettings = SettingsOf<typeof runtimeCertificateSettings>
