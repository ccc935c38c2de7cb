// Settings that host and relay share.

import { type FunctionSetting, settingsTable } from '../../core/settings/setting.ts'
import { bearerSecret, oneOfShape, optional, textShape, url } from '../../core/settings/shapes.ts'
import { logLevels } from '../telemetry/log.ts'

export const programSettings = settingsTable({
  landscape: {
    sentence:
      'The file that names the functions; when empty serverless.yml, or what it said when the program was built',
    shape: optional(textShape('a path')),
  },
  kubeconfig: {
    sentence: 'The kubeconfig that leads to the cluster; the service account of the Pod when empty',
    env: 'KUBECONFIG',
    shape: optional(textShape('a path')),
  },
  apiServer: {
    sentence: 'Where the API server is, for a program that runs in the cluster',
    shape: url,
    default: 'https://kubernetes.default.svc',
  },
  serviceAccount: {
    sentence: 'The directory with the token and the authority of the Pod, for a program that runs in the cluster',
    shape: textShape('a path'),
    default: '/var/run/secrets/kubernetes.io/serviceaccount',
  },
  callerAudience: {
    sentence: 'The audience a token must be made for',
    shape: textShape('an audience'),
    default: 'espalier',
  },
  tracesEndpoint: {
    sentence:
      'The collector that gets traces by OTLP over HTTP, without the path /v1/traces; nothing is traced when empty',
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    flag: 'traces-endpoint',
    shape: optional(url),
  },
  logLevel: {
    sentence: 'The least important lines that are logged',
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
