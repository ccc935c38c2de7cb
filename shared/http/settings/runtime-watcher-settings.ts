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
    sentence: 'Where the API server asks for reviews',
    env: 'WEBHOOK_PORT',
    shape: port,
    default: '8443',
  },
  metricsPort: {
    sentence: 'Where probes and scrapers are answered without TLS',
    env: 'METRICS_PORT',
    shape: port,
    default: '2112',
  },
  authorities: {
    sentence: "The file with the authorities of the control plane's certificate",
    env: 'CA_CERT',
    shape: textShape('a path'),
    default: '/tls/ca.crt',
  },
  certificate: {
    sentence: 'The file with the certificate shown to the API server and to the control plane',
    env: 'TLS_CERT',
    shape: textShape('a path'),
    default: '/tls/tls.crt',
  },
  key: {
    sentence: 'The file with the key of that certificate',
    env: 'TLS_KEY',
    shape: textShape('a path'),
    default: '/tls/tls.key',
  },
  controlPlane: {
    sentence: 'Where the control plane takes events',
    env: 'KCP_ADDR',
    shape: hostAndPort,
  },
  contract: {
    sentence: 'The version of the path of events',
    env: 'KCP_CONTRACT',
    shape: textShape('a path segment such as v2'),
    default: 'v2',
  },
  sources: {
    sentence: 'What events come from; admission counts only where no watch sees the change',
    env: 'EVENT_SOURCES',
    shape: someOfShape('watch', 'admission'),
    default: 'watch,admission',
  },
})

export type RuntimeWatcherSettings = SettingsOf<typeof runtimeWatcherSettings>
