// Settings that host and relay share.

import { type FunctionSetting, settingsTable } from '../../core/settings/setting.ts'
import { bearerSecret, oneOfShape, optional, textShape, url } from '../../core/settings/shapes.ts'
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
