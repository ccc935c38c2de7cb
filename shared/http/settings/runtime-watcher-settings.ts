// The runtime watcher's settings, with the names that its Deployment in a runtime uses.
import { type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { hostAndPort, someOfShape, textShape, whole } from '../../core/settings/shapes.ts'
import { programSettings } from './program-settings.ts'

const port = whole('port', 0, 65_535)

export const runtimeWatcherSettings = settingsTable({
  kubeconfig: programSettings.kubeconfig,
  apiServer: programSettings.apiServer,
  serviceAccount: programSettings.serviceAccount,
  logLevel: programSettings.logLevel,
  webhookPort: {
    sentence: 'Port on which the agent serves its admission webhook',
    env: 'WEBHOOK_PORT',
    shape: port,
    default: '8443',
  },
  metricsPort: {
    sentence: 'Port on which the agent serves probes and metrics without TLS',
    env: 'METRICS_PORT',
    shape: port,
    default: '2112',
  },
  authorities: {
    sentence: 'File with the certificate authorities of the control plane',
    env: 'CA_CERT',
    shape: textShape('a path'),
    default: '/tls/ca.crt',
  },
  certificate: {
    sentence: 'File with the certificate that the agent uses for the API server and the control plane',
    env: 'TLS_CERT',
    shape: textShape('a path'),
    default: '/tls/tls.crt',
  },
  key: {
    sentence: 'File with the private key of the certificate in --tls-cert',
    env: 'TLS_KEY',
    shape: textShape('a path'),
    default: '/tls/tls.key',
  },
  controlPlane: {
    sentence: 'Address at which the control plane accepts events',
    env: 'KCP_ADDR',
    shape: hostAndPort,
  },
  contract: {
    sentence: 'Version in the URL path of events',
    env: 'KCP_CONTRACT',
    shape: textShape('a path segment such as v2'),
    default: 'v2',
  },
  sources: {
    sentence: 'Sources of events; admission is used only for changes that no watch sees',
    env: 'EVENT_SOURCES',
    shape: someOfShape('watch', 'admission'),
    default: 'watch,admission',
  },
})

export type RuntimeWatcherSettings = SettingsOf<typeof runtimeWatcherSettings>
