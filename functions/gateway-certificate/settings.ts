// Settings of gateway-certificate.
import { type SettingsOf, settingsTable } from '../../shared/core/settings/setting.ts'
import { lifetimeSetting, sharedSettings } from '../../shared/kyma/settings.ts'

const { certificates, watcher, agentImage, eventAddress } = sharedSettings

export const gatewayCertificateSettings = {
  ...{ certificates, watcher, agentImage, eventAddress },
  ...settingsTable(
    {
      gatewayGrace: lifetimeSetting(
        'How long the listener shows its old certificate after a new authority came',
        '96h',
      ),
      gatewayExpiryWindow: lifetimeSetting(
        'How long before its end a metric says that the certificate of the listener is close to it',
        '336h',
      ),
    },
    'kyma',
  ),
}

export type GatewayCertificateSettings = SettingsOf<typeof gatewayCertificateSettings>
