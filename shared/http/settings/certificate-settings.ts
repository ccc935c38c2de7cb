// Settings of the host for the certificates of runtimes and of their listener.
import { defaultInstallation, type KymaInstallation } from '../../api/installation.ts'
import type { Setting, SettingsOf } from './config.ts'
import { durationBetween, listShape, namespacedName, oneOfShape } from './shapes.ts'

const usual = defaultInstallation.kyma
const times = usual.certificateTimes

const timeSetting = (env: string, sentence: string, seconds: number) =>
  ({
    sentence,
    env: `ESPALIER_KYMA_${env}`,
    shape: durationBetween('1h', '87600h'),
    default: `${seconds / 3_600}h`,
  }) as const satisfies Setting

export const certificateSettings = {
  kymaCertificates: {
    sentence:
      'Who makes the certificates of runtimes and of their listener: an operator, ourselves, or (auto) who is installed',
    env: 'ESPALIER_KYMA_CERTIFICATES',
    shape: oneOfShape('auto', 'cert-manager', 'gardener', 'builtin'),
    default: usual.certificates,
  },
  kymaCertificateNames: {
    sentence: 'Further DNS names in the certificates of runtimes',
    env: 'ESPALIER_KYMA_CERTIFICATE_NAMES',
    shape: listShape('DNS names'),
  },
  kymaCertificateDuration: timeSetting(
    'CERTIFICATE_DURATION',
    'How long the certificate of a runtime lives',
    times.duration,
  ),
  kymaCertificateRenewBefore: timeSetting(
    'CERTIFICATE_RENEW_BEFORE',
    'How long before its end it is renewed; half of its life at most',
    times.renewBefore,
  ),
  kymaCertificateRenewBuffer: timeSetting(
    'CERTIFICATE_RENEW_BUFFER',
    'How long after that time a metric says that it was not renewed',
    times.renewBuffer,
  ),
  kymaCertificateIssuer: {
    sentence: 'The issuer that an operator is to use; that of cert-manager is always in istio-system',
    env: 'ESPALIER_KYMA_CERTIFICATE_ISSUER',
    shape: namespacedName,
    default: `${usual.certificateIssuer.namespace}/${usual.certificateIssuer.name}`,
  },
  kymaGatewayGrace: timeSetting(
    'GATEWAY_GRACE',
    'How long the listener shows its old certificate after a new authority came',
    times.gatewayGrace,
  ),
  kymaGatewayExpiryWindow: timeSetting(
    'GATEWAY_EXPIRY_WINDOW',
    'How long before its end a metric says that the certificate of the listener is close to it',
    times.gatewayExpiryWindow,
  ),
} as const satisfies Record<string, Setting>

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
