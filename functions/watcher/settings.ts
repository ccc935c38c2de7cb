// Settings of watcher.
import { type SettingsOf, settingsTable } from '../../shared/core/settings/setting.ts'
import { namespaceName, oneOfShape } from '../../shared/core/settings/shapes.ts'
import { requeueSetting } from '../../shared/kyma/settings.ts'

export const watcherSettings = settingsTable(
  {
    requeue: requeueSetting('WATCHER_REQUEUE', 'a Watcher', '60s'),
    eventIngress: {
      sentence:
        'How events of runtimes reach the control plane: through Istio, without Istio, or (auto) through Istio if it is installed',
      shape: oneOfShape('auto', 'istio', 'native'),
      default: 'auto',
    },
    gatewayNamespace: {
      sentence: 'Namespace of the Gateways that Watchers may select',
      shape: namespaceName,
      default: 'kcp-system',
    },
  },
  'kyma',
)

export type WatcherSettings = SettingsOf<typeof watcherSettings>
