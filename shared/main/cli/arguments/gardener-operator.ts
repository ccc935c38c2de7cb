// The arguments of gardener-operator, and the fields of its `--config` file. A field that is a map or a list is given as JSON.
import { gardenCareSettings } from '../../../../functions/garden-care/settings.ts'
import { gardenNetworkPolicySettings } from '../../../../functions/garden-network-policy/settings.ts'
import { gardenFeatureGates, gardenReconcileSettings } from '../../../../functions/garden-reconcile/settings.ts'
import { isMap, isText, mapOrEmpty, mapsIn, parsedJson } from '../../../core/json/json.ts'
import { labelSelectorText } from '../../../core/objects/label-selector.ts'
import { durationSeconds } from '../../../core/time/duration.ts'
import { hostSettings } from '../../../http/settings/host-settings.ts'
import { relaySettings } from '../../../http/settings/relay-settings.ts'
import {
  asSeconds,
  byHand,
  type Counterpart,
  clientBudget,
  listens,
  logLines,
  none,
  profiler,
  sharedWork,
} from './counterpart.ts'

/** undefined: Espalier lacks a gate that is switched on. */
const gates = (text: string): string | undefined => {
  const on = Object.entries(mapOrEmpty(parsedJson(text))).flatMap(([name, isOn]) => (isOn === true ? [name] : []))
  return on.every(name => (gardenFeatureGates as readonly string[]).includes(name)) ? on.join(',') : undefined
}

const thresholds = (text: string): string =>
  mapsIn(parsedJson(text))
    .map(({ type, duration }) => `${type}=${durationSeconds(String(duration)) ?? duration}`)
    .join(',')

const words = (values: unknown): string => (Array.isArray(values) ? values.join(',') : '')

const operators: Readonly<Record<string, (key: unknown, values: unknown) => string>> = {
  In: (key, values) => `${key} in (${words(values)})`,
  NotIn: (key, values) => `${key} notin (${words(values)})`,
  Exists: key => `${key}`,
  DoesNotExist: key => `!${key}`,
}

const selectors = (text: string): string =>
  mapsIn(parsedJson(text))
    .map(({ matchLabels, matchExpressions }) =>
      [
        ...(isMap(matchLabels) ? [labelSelectorText(matchLabels)] : []),
        ...mapsIn(matchExpressions).map(({ key, operator, values }) =>
          isText(operator) ? (operators[operator]?.(key, values) ?? '') : '',
        ),
      ].join(','),
    )
    .join(';')

export const gardenerOperator: readonly Counterpart[] = [
  ...none('this table lists the fields of the file', 'config'),
  {
    argument: 'logLevel',
    setting: hostSettings.logLevel,
    relaySetting: relaySettings.logLevel,
  },
  {
    argument: 'featureGates',
    setting: gardenReconcileSettings.featureGates,
    value: gates,
    differs: `names of enabled feature gates; Espalier has only ${gardenFeatureGates.join()}`,
  },
  asSeconds('controllers.garden.syncPeriod', gardenReconcileSettings.syncSeconds),
  asSeconds('controllers.gardenCare.syncPeriod', gardenCareSettings.careSeconds),
  {
    argument: 'controllers.gardenCare.conditionThresholds',
    setting: gardenCareSettings.conditionThresholds,
    value: thresholds,
    differs: '`TYPE=SECONDS`, separated by commas',
  },
  {
    argument: 'controllers.networkPolicy.additionalNamespaceSelectors',
    setting: gardenNetworkPolicySettings.namespaceSelectors,
    value: selectors,
    differs: 'label selectors as for `kubectl -l`, separated by semicolons',
  },
  ...none(listens('probes-listen'), 'server.healthProbes', 'server.metrics'),
  ...none(listens('webhooks-listen'), 'server.webhooks'),
  {
    argument: 'runtimeClientConnection.kubeconfig',
    setting: hostSettings.kubeconfig,
    value: byHand,
    differs: 'a path in the container of the host',
  },
  ...none(clientBudget, 'runtimeClientConnection', 'virtualClientConnection'),
  ...none(sharedWork, 'leaderElection'),
  ...none(logLines, 'logFormat'),
  ...none(profiler, 'debugging'),
  ...none('`concurrency` of `garden-reconcile` in serverless.yml', 'controllers.garden.concurrentSyncs'),
  ...none('`concurrency` of `garden-network-policy` in serverless.yml', 'controllers.networkPolicy.concurrentSyncs'),
  ...none('fixed: the arguments with which garden-reconcile deploys etcd-druid', 'controllers.garden.etcdConfig'),
  ...none('fixed: 60 s for both tolerations', 'nodeToleration'),
  ...none(
    'Espalier has no function for it',
    ...['gardenletDeployer', 'vpaEvictionRequirements', 'extension', 'extensionCare', 'extensionReference'].map(
      name => `controllers.${name}`,
    ),
    ...['extensionRequiredRuntime', 'extensionRequiredVirtual'].map(name => `controllers.${name}`),
  ),
]
