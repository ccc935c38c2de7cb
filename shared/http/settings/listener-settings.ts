// Limits for unauthenticated callers of a listener, for host and relay.

import { type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { seconds, whole } from '../../core/settings/shapes.ts'
import { type ListenerLimits, usualLimits } from '../../listener/server.ts'

const mebibyte = 2 ** 20

export const listenerSettings = settingsTable({
  connections: {
    sentence:
      'How many connections a listener holds at once; beyond that the caller with most of them loses the one that was idle longest',
    shape: whole('connections', 16, 65_536),
    default: String(usualLimits.connections),
  },
  bodyMebibytes: {
    sentence:
      'How much memory the bodies of a listener take at once until they are answered, and answers that are not fetched beside the largest; beyond that the slowest of the caller with most is answered 503 or broken off',
    shape: whole('MiB', 32, 16_384),
    default: String(usualLimits.bodyBytes / mebibyte),
  },
  arrivalSeconds: {
    sentence: 'How long a TLS handshake may take, and a request until all of it is there',
    shape: seconds(0.1, 300),
    default: String(usualLimits.arrivalSeconds),
  },
})

export const listenerLimits = (settings: SettingsOf<typeof listenerSettings>): ListenerLimits => ({
  connections: settings.connections,
  bodyBytes: settings.bodyMebibytes * mebibyte,
  arrivalSeconds: settings.arrivalSeconds,
})
