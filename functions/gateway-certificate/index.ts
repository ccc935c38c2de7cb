// gateway-certificate: maintains the certificate of the listener for runtimes, and the CAs that the listener trusts. It is called for the namespace
// of the Secrets, because the Secrets may not exist yet.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { kept } from '../../shared/core/tls/renewal.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { decide } from './decide.ts'
import { gather } from './gather.ts'
import { gatewayMetrics, report } from './report.ts'
import { type GatewayCertificateSettings, gatewayCertificateSettings } from './settings.ts'
import type { World } from './world.ts'

export const gatewayCertificate: ReconcileFunction<World, GatewayCertificateSettings> = {
  does: 'reconcile',
  name: 'gateway-certificate',
  kind: { apiVersion: 'v1', kind: 'Namespace' },
  fieldManager: kymaNames.fieldManagers.controlPlane,
  settings: gatewayCertificateSettings,
  gather,
  decide,
  metrics: gatewayMetrics,
  report,
  certificates: ({ root, gateway }) => [
    ...kept('The certificate authority of Kyma runtimes', root.authorities[0]),
    ...kept('The certificate of the listener for Kyma runtimes', gateway.serving),
  ],
}
