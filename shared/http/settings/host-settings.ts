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
    sentence: 'The functions to serve; all when empty',
    shape: listShape('names of functions'),
  },
  listen: {
    sentence: 'Where functions are served, and what probes, scrapers and people ask',
    shape: address,
    default: ':8443',
  },
  probesListen: {
    sentence: 'Where probes, scrapers and people are answered without TLS; nowhere when empty',
    shape: optional(address),
    default: ':8080',
  },
  webhooksListen: {
    sentence: 'Where admission webhooks are served, and nothing else; used when a function has any',
    shape: address,
    default: ':9443',
  },
  console: {
    sentence:
      'Where the console is served, a read-only page for people with a token; nowhere when empty. The host needs the rights to create TokenReviews and SubjectAccessReviews, as system:auth-delegator grants them',
    shape: optional(address),
  },
  tls: {
    sentence: 'Where the serving certificate comes from: a Secret this host keeps itself, or files',
    shape: oneOfShape('secret', 'files', 'off'),
    default: 'secret',
  },
  tlsDirectory: {
    sentence: 'The directory with tls.crt and tls.key, for --tls files',
    shape: textShape('a path'),
    default: '/var/run/espalier/tls',
  },
  tlsReloadSeconds: {
    sentence: 'How often the serving certificate is looked at for a new one',
    shape: seconds(0.05, 3_600),
    default: '15',
  },
  functionsTls: {
    sentence: 'Whether functions and the console are served over TLS with the same certificate',
    shape: oneOfShape('on', 'off'),
    default: 'off',
  },
  webhookClientAuthorities: {
    sentence:
      'A file with the authorities of the certificate the API server shows at webhooks; not asked for when empty',
    env: 'ESPALIER_WEBHOOK_CLIENT_CA',
    shape: optional(textShape('a path')),
  },
  webhookClientNames: {
    sentence: 'Common names accepted in that certificate; every name when empty',
    shape: listShape('common names'),
  },
  callerProof: {
    sentence:
      'How callers of functions prove who they are: tokens checked against the keys of the API server, by the API server itself (review, for which the host needs the right to create TokenReviews, as system:auth-delegator grants it), or one shared secret',
    shape: oneOfShape('keys', 'review', 'secret'),
    default: 'keys',
  },
  callers: {
    sentence: 'Who may call functions; the service account of the relay when empty',
    shape: listShape('user names such as system:serviceaccount:espalier-system:relay'),
  },
  callerSecret,
  ...callbackSettings,
  ...listenerSettings,
  drainSeconds: {
    sentence: 'How long calls are still taken after SIGTERM, while others learn that this host ends',
    shape: seconds(0, 300),
    default: '5',
  },
  graceSeconds: {
    sentence: 'How long calls in flight may take after that; what then still runs is broken off',
    shape: seconds(1, 900),
    default: '25',
  },
  ...artifactSettings,
  ...renderSettings,
})

export type HostSettings = SettingsOf<typeof hostSettings>
