// The relay's settings. Its watches and calls are in serverless.yml.
import { type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { address, listShape, oneOfShape, optional, seconds, textShape, whole } from '../../core/settings/shapes.ts'
import { callerSecret, listenerSettings, programSettings } from './program-settings.ts'

export const relaySettings = settingsTable({
  ...programSettings,
  ...listenerSettings,
  listen: {
    sentence: 'Address on which the relay accepts keys and serves probes and metrics',
    shape: address,
    default: ':8080',
  },
  host: {
    sentence: 'URL of the host that serves the functions; {function} is replaced by the name of the function',
    shape: textShape('a URL such as http://{function}.espalier-system.svc:8080'),
    default: 'http://host.espalier-system.svc:8080',
  },
  routes: {
    sentence:
      'Directory with one file for each function that has another URL; the file has the name of the function and contains the URL',
    shape: optional(textShape('a path')),
  },
  hostAuthorities: {
    sentence: 'File with the certificate authorities of the hosts; empty: the authorities that the system trusts',
    env: 'ESPALIER_HOST_CA',
    shape: optional(textShape('a path')),
  },
  hostTokenFile: {
    sentence: 'File with the token that authenticates the relay at hosts and other relays',
    shape: textShape('a path'),
    default: '/var/run/secrets/espalier/token',
  },
  callerProof: {
    sentence:
      'How clients that send keys authenticate: tokens verified with the keys of the API server, tokens verified by the API server itself (review, for which the relay needs the right to create TokenReviews, as system:auth-delegator grants it), or one shared secret, which the relay then also sends to hosts',
    shape: oneOfShape('keys', 'review', 'secret'),
    default: 'keys',
  },
  callers: {
    sentence: 'User names that may send keys; empty: the service accounts of hosts, functions and relays',
    shape: listShape('user names such as system:serviceaccount:espalier-system:host'),
  },
  callerSecret,
  shards: {
    sentence:
      'Number of shards among which relays divide the work; the same for all relays. Use 1 for a single relay, otherwise more shards than relays',
    shape: whole('shards', 1, 256),
    default: '8',
  },
  leaseSeconds: {
    sentence:
      'Time without a renewed Lease after which the other relays take over the shards of a relay; the same for all relays. Lower it for a faster takeover, at the cost of more requests',
    shape: seconds(1, 60),
    default: '9',
  },
  address: {
    sentence: 'URL at which other relays reach this relay; empty: the first address of this machine',
    shape: optional(textShape('a URL such as http://10.0.0.7:8080')),
  },
  graceSeconds: {
    sentence:
      'Time after SIGTERM in which running calls may finish; then the relay aborts them. Raise it together with terminationGracePeriodSeconds of the Pod',
    shape: seconds(0, 900),
    default: '20',
  },
})

export type RelaySettings = SettingsOf<typeof relaySettings>
