// The relay's settings. Its watches and calls are in serverless.yml.

import { type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { address, listShape, oneOfShape, optional, seconds, textShape, whole } from '../../core/settings/shapes.ts'
import { listenerSettings } from './listener-settings.ts'
import { callerSecret, programSettings } from './program-settings.ts'

export const relaySettings = settingsTable({
  ...programSettings,
  ...listenerSettings,
  listen: {
    sentence: 'Where keys are taken, and probes and metrics served',
    shape: address,
    default: ':8080',
  },
  host: {
    sentence: 'Where functions are called; {function} stands for the name of the function',
    shape: textShape('a URL such as http://{function}.espalier-system.svc:8080'),
    default: 'http://host.espalier-system.svc:8080',
  },
  routes: {
    sentence: 'A directory with a file for each function that is called elsewhere, named after it and holding the URL',
    shape: optional(textShape('a path')),
  },
  hostAuthorities: {
    sentence: "A file with the authorities of the hosts' certificate; those the system trusts when empty",
    env: 'ESPALIER_HOST_CA',
    shape: optional(textShape('a path')),
  },
  hostTokenFile: {
    sentence: 'The file with the token shown to hosts, and to other relays',
    shape: textShape('a path'),
    default: '/var/run/secrets/espalier/token',
  },
  callerProof: {
    sentence:
      'How those who hand over keys prove who they are: tokens checked against the keys of the API server, by the API server itself (review, for which the relay needs the right to create TokenReviews, as system:auth-delegator grants it), or one shared secret, which is then shown to hosts as well',
    shape: oneOfShape('keys', 'review', 'secret'),
    default: 'keys',
  },
  callers: {
    sentence: 'Who may hand over keys; the service accounts of hosts, functions and relays when empty',
    shape: listShape('user names such as system:serviceaccount:espalier-system:host'),
  },
  callerSecret,
  shards: {
    sentence: 'Into how many parts relays cut the work to share it; the same for all; 1 for a relay that is alone',
    shape: whole('parts', 1, 256),
    default: '8',
  },
  leaseSeconds: {
    sentence: 'After how long without a sign of life a relay is taken for dead by the others; the same for all',
    shape: seconds(1, 60),
    default: '9',
  },
  address: {
    sentence: 'Where other relays reach this one; the first address of this machine when empty',
    shape: optional(textShape('a URL such as http://10.0.0.7:8080')),
  },
  graceSeconds: {
    sentence: 'How long after SIGTERM calls under way may take; what then still runs is ended',
    shape: seconds(0, 900),
    default: '20',
  },
})

export type RelaySettings = SettingsOf<typeof relaySettings>
