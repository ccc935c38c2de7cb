// Settings of gateway-certificate.
import { type SettingsOf, settingsTable } from '../../shared/core/settings/setting.ts'
import { lifetimeSetting, sharedSettings } from '../../shared/kyma/settings.ts'

const { certificates, watcher, agentImage, eventAddress } = sharedSettings

export const gatewayCertificateSettings = {
  ...{ certificates, watcher, agentImage, eventAddress },
  ...settingsTable(
    {
      gatewayGrace: lifetimeSetting(
        'Time for which the listener keeps its old certificate after the certificate authority changed',
        '96h',
      ),
      gatewayExpiryWindow: lifetimeSetting(
        'Time before the expiry of the certificate of the listener at which a metric reports that the certificate expires soon',
        '336h',
      ),
    },
    'kyma',
  ),
}

export type GatewayCertificateSettings = SettingsOf<typeof gatewayCertificateSettings>
