// Limits for unauthenticated callers of a listener, for host and relay.

import { type SettingsOf, settingsTable } from '../../core/settings/setting.ts'
import { seconds, whole } from '../../core/settings/shapes.ts'
import { type ListenerLimits, usualLimits } from '../../listener/server.ts'

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
