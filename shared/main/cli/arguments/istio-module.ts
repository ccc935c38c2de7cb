// The arguments of the operator of the Kyma Istio module.
import { istioSettings } from '../../../../functions/istio/settings.ts'
import { type Counterpart, commonArguments, level, logLines, none } from './counterpart.ts'

const logLevel = (text: string): string => (/^\d+$/.test(text) ? 'debug' : text === 'panic' ? 'error' : text)

export const istioModule: readonly Counterpart[] = [
  ...commonArguments,
  { argument: 'reconciliation-interval', setting: istioSettings.reconcileSeconds },
  level('zap-log-level', logLevel, '`panic` becomes `error`, numbers become `debug`'),
  { argument: 'zap-devel', isSwitch: true, none: logLines },
  ...none(logLines, 'zap-encoder'),
  ...none('errors are logged with the place where they happened', 'zap-stacktrace-level'),
  ...none('the log always has times of ISO 8601', 'zap-time-encoding'),
]
