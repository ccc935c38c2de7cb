// The settings of the runtime watcher, under the names that its Deployment in a runtime sets.
import type { Setting, SettingsOf } from './config.ts'
import { programSettings } from './program-settings.ts'
import { hostAndPort, someOfShape, textShape, whole } from './shapes.ts'

const port = whole('port', 0, 65_535)

export const runtimeWatcherSettings = {
  kubeconfig: programSettings.kubeconfig,
  apiServer: programSettings.apiServer,
  serviceAccount: programSettings.serviceAccount,
  logLevel: programSettings.logLevel,
  webhookPort: {
    sentence: 'Where the API server asks for reviews',
    env: 'WEBHOOK_PORT',
    flag: 'webhook-port',
    shape: port,
    default: '8443',
  },
  metricsPort: {
    sentence: 'Where probes and scrapers are answered without TLS',
    env: 'METRICS_PORT',
    flag: 'metrics-port',
    shape: port,
    default: '2112',
  },
  authorities: {
    sentence: "The file with the authorities of the control plane's certificate",
    env: 'CA_CERT',
    flag: 'ca-cert',
    shape: textShape('a path'),
    default: '/tls/ca.crt',
  },
  certificate: {
    sentence: 'The file with the certificate shown to the API server and to the control plane',
    env: 'TLS_CERT',
    flag: 'tls-cert',
    shape: textShape('a path'),
    default: '/tls/tls.crt',
  },
  key: {
    sentence: 'The file with the key of that certificate',
    env: 'TLS_KEY',
    flag: 'tls-key',
    shape: textShape('a path'),
    default: '/tls/tls.key',
  },
  controlPlane: {
    sentence: 'Where the control plane takes events',
    env: 'KCP_ADDR',
    flag: 'kcp-addr',
    shape: hostAndPort,
  },
  contract: {
    sentence: 'The version of the path of events',
    env: 'KCP_CONTRACT',
    flag: 'kcp-contract',
    shape: textShape('a path segment such as v2'),
    default: 'v2',
  },
  sources: {
    sentence: 'What events come from; admission counts only where no watch sees the change',
    env: 'EVENT_SOURCES',
    flag: 'event-sources',
    shape: someOfShape('watch', 'admission'),
    default: 'watch,admission',
  },
} as const satisfies Record<string, Setting>

export type RuntimeWatcherSettings = SettingsOf<typeof runtimeWatcherSettings>
