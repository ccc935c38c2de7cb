// Host settings for certificates of runtimes and of their listener.
import { defaultInstallation, type KymaInstallation } from '../../api/installation.ts'
import { type DeclaredSetting, type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { durationBetween, listShape, namespacedName, oneOfShape } from '../../core/settings/shapes.ts'

const usual = defaultInstallation.kyma
const times = usual.certificateTimes

const timeSetting = (sentence: string, seconds: number) =>
  ({
    sentence,
    shape: durationBetween('1h', '87600h'),
    default: `${seconds / 3_600}h`,
  }) as const satisfies DeclaredSetting

export const certificateSettings = settingsTable({
  kymaCertificates: {
    sentence:
      'Who makes the certificates of runtimes and of their listener: an operator, ourselves, or (auto) who is installed',
    shape: oneOfShape('auto', 'cert-manager', 'gardener', 'builtin'),
    default: usual.certificates,
  },
  kymaCertificateNames: {
    sentence: 'Further DNS names in the certificates of runtimes',
    shape: listShape('DNS names'),
  },
  kymaCertificateDuration: timeSetting('How long the certificate of a runtime lives', times.duration),
  kymaCertificateRenewBefore: timeSetting(
    'How long before its end it is renewed; half of its life at most',
    times.renewBefore,
  ),
  kymaCertificateRenewBuffer: timeSetting(
    'How long after that time, or after a new authority, a metric says that it was not renewed',
    times.renewBuffer,
  ),
  kymaCertificateIssuer: {
    sentence: 'The issuer that an operator is to use; that of cert-manager is always in istio-system',
    shape: namespacedName,
    default: `${usual.certificateIssuer.namespace}/${usual.certificateIssuer.name}`,
  },
  kymaGatewayGrace: timeSetting(
    'How long the listener shows its old certificate after a new authority came',
    times.gatewayGrace,
  ),
  kymaGatewayExpiryWindow: timeSetting(
    'How long before its end a metric says that the certificate of the listener is close to it',
    times.gatewayExpiryWindow,
  ),
})

type CertificateInstallation = Pick<
  KymaInstallation,
  'certificates' | 'certificateNames' | 'certificateTimes' | 'certificateIssuer'
>

export const certificateInstallationOf = (
  settings: SettingsOf<typeof certificateSettings>,
): CertificateInstallation => ({
  certificates: settings.kymaCertificates,
  certificateNames: settings.kymaCertificateNames,
  certificateIssuer: settings.kymaCertificateIssuer,
  certificateTimes: {
    duration: settings.kymaCertificateDuration,
    renewBefore: Math.min(settings.kymaCertificateRenewBefore, settings.kymaCertificateDuration / 2),
    renewBuffer: settings.kymaCertificateRenewBuffer,
    gatewayGrace: settings.kymaGatewayGrace,
    gatewayExpiryWindow: settings.kymaGatewayExpiryWindow,
  },
})
