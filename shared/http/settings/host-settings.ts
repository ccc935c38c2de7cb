// The host's own settings. Functions declare theirs beside their definitions.

import { type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { address, listShape, oneOfShape, optional, seconds, textShape } from '../../core/settings/shapes.ts'
import { artifactSettings } from './artifact-settings.ts'
import { callbackSettings } from './callback-settings.ts'
import { listenerSettings } from './listener-settings.ts'
import { callerSecret, programSettings } from './program-settings.ts'
import { renderSettings } from './renderer-settings.ts'

export const hostSettings = settingsTable({
  ...programSettings,
  functions: {
    sentence: 'Functions that this host serves; empty: all. Set it to divide the functions among several hosts',
    shape: listShape('names of functions'),
  },
  listen: {
    sentence: 'Address on which the host serves functions, probes and metrics',
    shape: address,
    default: ':8443',
  },
  probesListen: {
    sentence: 'Address on which the host serves probes and metrics without TLS; empty: none',
    shape: optional(address),
    default: ':8080',
  },
  webhooksListen: {
    sentence: 'Address on which the host serves admission webhooks; used only if a function has webhooks',
    shape: address,
    default: ':9443',
  },
  console: {
    sentence:
      'Address on which the host serves the console, a read-only web page for users with a token; empty: none. The host needs the rights to create TokenReviews and SubjectAccessReviews, as system:auth-delegator grants them',
    shape: optional(address),
  },
  tls: {
    sentence: 'Source of the serving certificate: a Secret that this host maintains, or files',
    shape: oneOfShape('secret', 'files', 'off'),
    default: 'secret',
  },
  tlsDirectory: {
    sentence: 'Directory with tls.crt and tls.key, for --tls files',
    shape: textShape('a path'),
    default: '/var/run/espalier/tls',
  },
  tlsReloadSeconds: {
    sentence:
      'Time between two checks whether the serving certificate changed. Lower it if a renewed certificate must be used sooner',
    shape: seconds(0.05, 3_600),
    default: '15',
  },
  functionsTls: {
    sentence:
      'Whether functions and the console are served over TLS with the serving certificate. Turn it on if you do not trust the network between relay and host',
    shape: oneOfShape('on', 'off'),
    default: 'off',
  },
  webhookClientAuthorities: {
    sentence:
      'File with the certificate authorities of the client certificate that the API server uses for webhooks; empty: no client certificate is required',
    env: 'ESPALIER_WEBHOOK_CLIENT_CA',
    shape: optional(textShape('a path')),
  },
  webhookClientNames: {
    sentence:
      'Common names that the client certificate of the API server may have; empty: every name. Used only with --webhook-client-ca',
    shape: listShape('common names'),
  },
  callerProof: {
    sentence:
      'How callers of functions authenticate: tokens verified with the keys of the API server, tokens verified by the API server itself (review, for which the host needs the right to create TokenReviews, as system:auth-delegator grants it), or one shared secret',
    shape: oneOfShape('keys', 'review', 'secret'),
    default: 'keys',
  },
  callers: {
    sentence: 'User names that may call functions; empty: the service account of the relay',
    shape: listShape('user names such as system:serviceaccount:espalier-system:relay'),
  },
  callerSecret,
  ...callbackSettings,
  ...listenerSettings,
  drainSeconds: {
    sentence:
      'Time after SIGTERM in which new calls are still accepted. Raise it if clients learn later that this host stops',
    shape: seconds(0, 300),
    default: '5',
  },
  graceSeconds: {
    sentence:
      'Time after the drain time in which running calls may finish; then the host aborts them. Raise it together with terminationGracePeriodSeconds of the Pod',
    shape: seconds(1, 900),
    default: '25',
  },
  ...artifactSettings,
  ...renderSettings,
})

export type HostSettings = SettingsOf<typeof hostSettings>
