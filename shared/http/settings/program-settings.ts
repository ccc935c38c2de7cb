// Settings that host and relay share.
import { logLevels } from '../telemetry/log.ts'
import type { Setting } from './config.ts'
import { bearerSecret, oneOfShape, optional, textShape, url } from './shapes.ts'

export const programSettings = {
  landscape: {
    sentence:
      'The file that names the functions; when empty serverless.yml, or what it said when the program was built',
    env: 'ESPALIER_LANDSCAPE',
    flag: 'landscape',
    shape: optional(textShape('a path')),
    default: '',
  },
  kubeconfig: {
    sentence: 'The kubeconfig that leads to the cluster; the service account of the Pod when empty',
    env: 'KUBECONFIG',
    flag: 'kubeconfig',
    shape: optional(textShape('a path')),
    default: '',
  },
  apiServer: {
    sentence: 'Where the API server is, for a program that runs in the cluster',
    env: 'ESPALIER_API_SERVER',
    flag: 'api-server',
    shape: url,
    default: 'https://kubernetes.default.svc',
  },
  serviceAccount: {
    sentence: 'The directory with the token and the authority of the Pod, for a program that runs in the cluster',
    env: 'ESPALIER_SERVICE_ACCOUNT',
    flag: 'service-account',
    shape: textShape('a path'),
    default: '/var/run/secrets/kubernetes.io/serviceaccount',
  },
  callerAudience: {
    sentence: 'The audience a token must be made for',
    env: 'ESPALIER_CALLER_AUDIENCE',
    flag: 'caller-audience',
    shape: textShape('an audience'),
    default: 'espalier',
  },
  logLevel: {
    sentence: 'The least important lines that are logged',
    env: 'ESPALIER_LOG_LEVEL',
    flag: 'log-level',
    shape: oneOfShape(...logLevels),
    default: 'info',
  },
} as const satisfies Record<string, Setting>

/** Each program also has a setting of its own for how callers prove who they are. */
export const callerSecret = {
  sentence: 'The shared secret, for --caller-proof secret',
  env: 'ESPALIER_CALLER_SECRET',
  shape: optional(bearerSecret),
  default: '',
  isSecret: true,
} as const satisfies Setting
