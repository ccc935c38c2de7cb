// Settings that host and relay share, with the limits for unauthenticated callers of a listener.
import { type FunctionSetting, type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { bearerSecret, oneOfShape, optional, seconds, textShape, url, whole } from '../../core/settings/shapes.ts'
import { type ListenerLimits, usualLimits } from '../../listener/server.ts'
import { logLevels } from '../telemetry/log.ts'

export const programSettings = settingsTable({
  landscape: {
    sentence: 'File that lists the functions; empty: serverless.yml, or its content at build time',
    shape: optional(textShape('a path')),
  },
  kubeconfig: {
    sentence: 'Kubeconfig of the cluster; empty: the service account of the Pod',
    env: 'KUBECONFIG',
    shape: optional(textShape('a path')),
  },
  apiServer: {
    sentence: 'Address of the API server, for a program that runs in the cluster',
    shape: url,
    default: 'https://kubernetes.default.svc',
  },
  serviceAccount: {
    sentence:
      'Directory with the token and the certificate authority of the Pod, for a program that runs in the cluster',
    shape: textShape('a path'),
    default: '/var/run/secrets/kubernetes.io/serviceaccount',
  },
  callerAudience: {
    sentence: 'Audience that the tokens of callers must have',
    shape: textShape('an audience'),
    default: 'espalier',
  },
  tracesEndpoint: {
    sentence: 'URL of the OTLP collector for traces over HTTP, without the path /v1/traces; empty: no traces',
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    flag: 'traces-endpoint',
    shape: optional(url),
  },
  logLevel: {
    sentence: 'Minimum level of log lines',
    shape: oneOfShape(...logLevels),
    default: 'info',
  },
})

/** Each program also has its own setting for how callers authenticate. */
export const callerSecret = {
  sentence: 'The shared secret, for --caller-proof secret',
  shape: optional(bearerSecret),
  isSecret: true,
} as const satisfies FunctionSetting

const mebibyte = 2 ** 20

export const listenerSettings = settingsTable({
  connections: {
    sentence:
      'Maximum number of connections of a listener; above it, the client with most connections loses the connection that was idle longest. Raise it if many clients keep connections open',
    shape: whole('connections', 16, 65_536),
    default: String(usualLimits.connections),
  },
  bodyMebibytes: {
    sentence:
      'Memory limit for all request bodies and unread responses of a listener; above it, the slowest request of the client with most memory gets HTTP 503 or is aborted. Raise it together with the memory limit of the Pod',
    shape: whole('MiB', 32, 16_384),
    default: String(usualLimits.bodyBytes / mebibyte),
  },
  arrivalSeconds: {
    sentence: 'Time limit for a TLS handshake, and for receiving a request. Raise it for slow networks',
    shape: seconds(0.1, 300),
    default: String(usualLimits.arrivalSeconds),
  },
})

export const listenerLimits = (settings: SettingsOf<typeof listenerSettings>): ListenerLimits => ({
  connections: settings.connections,
  bodyBytes: settings.bodyMebibytes * mebibyte,
  arrivalSeconds: settings.arrivalSeconds,
})
