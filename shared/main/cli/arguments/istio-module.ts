// The arguments of the operator of the Kyma Istio module.
import { istioSettings } from '../../../../functions/istio/settings.ts'
import { hostSettings } from '../../../http/settings/host-settings.ts'
import { relaySettings } from '../../../http/settings/relay-settings.ts'
import { type Counterpart, commonArguments, logLines } from './counterpart.ts'

const logLevel = (text: string): string => (/^\d+$/.test(text) ? 'debug' : text === 'panic' ? 'error' : text)

export const istioModule: readonly Counterpart[] = [
  ...commonArguments,
  { argument: 'reconciliation-interval', setting: istioSettings.reconcileSeconds },
  {
    argument: 'zap-log-level',
    setting: hostSettings.logLevel,
    relaySetting: relaySettings.logLevel,
    value: logLevel,
    differs: '`panic` is `error`, numbers are `debug`',
  },
  { argument: 'zap-devel', isSwitch: true, none: logLines },
  { argument: 'zap-encoder', none: logLines },
  { argument: 'zap-stacktrace-level', none: 'errors are logged with the place where they happened' },
  { argument: 'zap-time-encoding', none: 'the log always has times of ISO 8601' },
]
