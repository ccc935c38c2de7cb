// Settings of watcher.
import { type SettingsOf, settingsTable } from '../../shared/core/settings/setting.ts'
import { namespaceName, oneOfShape } from '../../shared/core/settings/shapes.ts'
import { requeueSetting } from '../../shared/kyma/settings.ts'

export const watcherSettings = settingsTable(
  {
    requeue: requeueSetting('WATCHER_REQUEUE', 'a Watcher', '60s'),
    eventIngress: {
      sentence: 'How events of runtimes get in: through Istio, without it, or (auto) through it where it is installed',
      shape: oneOfShape('auto', 'istio', 'native'),
      default: 'auto',
    },
    gatewayNamespace: {
      sentence: 'The namespace of the Gateways that Watchers may select',
      shape: namespaceName,
      default: 'kcp-system',
    },
  },
  'kyma',
)

export type WatcherSettings = SettingsOf<typeof watcherSettings>
