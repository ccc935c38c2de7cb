// The arguments of lifecycle-manager and of the operator of the Kyma Istio module.
import { gatewayCertificateSettings } from '../../../../functions/gateway-certificate/settings.ts'
import { istioSettings } from '../../../../functions/istio/settings.ts'
import { kymaSettings } from '../../../../functions/kyma/settings.ts'
import { manifestSettings } from '../../../../functions/manifest/settings.ts'
import { purgeSettings } from '../../../../functions/purge/settings.ts'
import { runtimeCertificateSettings } from '../../../../functions/runtime-certificate/settings.ts'
import { watcherSettings } from '../../../../functions/watcher/settings.ts'
import { hostSettings } from '../../../http/settings/host-settings.ts'
import { relaySettings } from '../../../http/settings/relay-settings.ts'
import {
  asSeconds,
  byHand,
  type Counterpart,
  clientBudget,
  commonArguments,
  type GoArguments,
  inSeconds,
  level,
  listens,
  logLines,
  none,
  profiler,
} from './counterpart.ts'

const withoutScheme = (text: string): string => text.replace(/^https?:\/\//, '').replace(/\/+$/, '')

const registry = (_: string, given: GoArguments): string | undefined => {
  const host = given.get('oci-registry-host')
  const path = given.get('modules-repository-subpath')
  return host && [withoutScheme(host), ...(path ? [path] : [])].join('/')
}

const issuer = (_: string, given: GoArguments): string =>
  `${given.get('self-signed-cert-issuer-namespace') ?? 'istio-system'}/${given.get('self-signed-cert-issuer-name') ?? 'klm-watcher-selfsigned'}`

const certificates: Readonly<Record<string, string>> = {
  'cert-manager.io/v1': 'cert-manager',
  'cert.gardener.cloud/v1alpha1': 'gardener',
}

const klogLevel = (text: string): string => {
  const level = Number(text)
  return Number.isNaN(level) ? text : level <= 0 ? 'warn' : level === 1 ? 'info' : 'debug'
}

const eventAddress = 'the address that lifecycle-manager reads from the Gateway; `host:port`'
const agentImage = 'the full image; use the image of Espalier, because its agent is another program'
const growing = 'the longest of the growing pauses; default 30s'

const concurrency = (argument: string, name: string): Counterpart => ({
  argument: `max-concurrent-${argument}-reconciles`,
  none: `\`concurrency\` of \`${name}\` in serverless.yml`,
})

export const lifecycleManager: readonly Counterpart[] = [
  ...commonArguments,
  { argument: 'additional-dns-names', setting: runtimeCertificateSettings.certificateNames },
  {
    argument: 'cert-management',
    setting: kymaSettings.certificates,
    value: text => certificates[text] ?? text,
    differs:
      '`cert-manager.io/v1` becomes `cert-manager`, `cert.gardener.cloud/v1alpha1` becomes `gardener`; without the argument, the host detects the operator',
  },
  { argument: 'istio-gateway-name', setting: kymaSettings.eventAddress, value: byHand, differs: eventAddress },
  { argument: 'istio-gateway-namespace', setting: watcherSettings.gatewayNamespace },
  {
    argument: 'listener-port-overwrite',
    setting: kymaSettings.eventAddress,
    value: byHand,
    differs: `its port: ${eventAddress}`,
  },
  { argument: 'istio-gateway-server-cert-expiry-window', setting: gatewayCertificateSettings.gatewayExpiryWindow },
  { argument: 'istio-gateway-server-cert-switch-grace-period', setting: gatewayCertificateSettings.gatewayGrace },
  { argument: 'kyma-requeue-busy-interval', setting: kymaSettings.requeueBusy },
  { argument: 'kyma-requeue-error-interval', setting: kymaSettings.requeueError, differs: growing },
  { argument: 'kyma-requeue-success-interval', setting: kymaSettings.requeueReady },
  { argument: 'kyma-requeue-warning-interval', setting: kymaSettings.requeueWarning },
  ...none(listens('callbacks-listen'), 'kyma-skr-listener-bind-address'),
  {
    argument: 'leader-election-lease-duration',
    relaySetting: relaySettings.leaseSeconds,
    value: inSeconds(60),
    differs: 'seconds without a unit, 60 at most',
  },
  level('log-level', klogLevel, 'a word: `0` becomes `warn`, `1` becomes `info`, `2` and more become `debug`'),
  { argument: 'manifest-requeue-busy-interval', setting: manifestSettings.requeueBusy },
  { argument: 'manifest-requeue-error-interval', setting: manifestSettings.requeueError, differs: growing },
  { argument: 'manifest-requeue-success-interval', setting: manifestSettings.requeueReady },
  { argument: 'manifest-requeue-warning-interval', setting: manifestSettings.requeueWarning },
  asSeconds('min-maintenance-window-size', kymaSettings.windowRestSeconds),
  asSeconds('module-upgrade-rollout-max-delay', kymaSettings.rollOutSeconds, 'seconds without a unit; default 0'),
  {
    argument: 'oci-registry-host',
    setting: kymaSettings.registry,
    value: registry,
    differs: 'without the scheme; the path follows after a slash',
  },
  {
    argument: 'oci-registry-host',
    setting: hostSettings.plainRegistries,
    value: withoutScheme,
    when: text => text.startsWith('http://'),
    differs: 'also set this flag for `http://`, with a port',
  },
  {
    argument: 'modules-repository-subpath',
    setting: kymaSettings.registry,
    value: registry,
    differs: 'after the host and a slash',
  },
  {
    argument: 'oci-registry-cred-secret',
    setting: kymaSettings.registrySecret,
    differs: 'lifecycle-manager reads the host from the Secret; Espalier also needs `--kyma-registry`',
  },
  asSeconds('purge-finalizer-timeout', purgeSettings.graceSeconds, 'up to 1.20; seconds without a unit'),
  { argument: 'skip-finalizer-purging-for', setting: purgeSettings.skip, differs: 'up to 1.20' },
  { argument: 'restricted-default-modules', setting: kymaSettings.restrictedModules },
  { argument: 'self-signed-cert-duration', setting: runtimeCertificateSettings.certificateDuration },
  {
    argument: 'self-signed-cert-issuer-name',
    setting: runtimeCertificateSettings.certificateIssuer,
    value: issuer,
    differs: '`NAMESPACE/NAME`, such as `istio-system/klm-watcher-selfsigned`',
  },
  {
    argument: 'self-signed-cert-issuer-namespace',
    setting: runtimeCertificateSettings.certificateIssuer,
    value: issuer,
    differs: 'the namespace counts for cert-management of Gardener only, as in lifecycle-manager',
  },
  {
    argument: 'self-signed-cert-renew-before',
    setting: runtimeCertificateSettings.certificateRenewBefore,
    differs: 'at most half of the duration',
  },
  { argument: 'self-signed-cert-renew-buffer', setting: runtimeCertificateSettings.certificateRenewBuffer },
  { argument: 'skr-image-pull-secret', setting: kymaSettings.pullSecret },
  { argument: 'skr-watcher-image-name', setting: kymaSettings.agentImage, value: byHand, differs: agentImage },
  { argument: 'skr-watcher-image-registry', setting: kymaSettings.agentImage, value: byHand, differs: agentImage },
  { argument: 'skr-watcher-image-tag', setting: kymaSettings.agentImage, value: byHand, differs: agentImage },
  { argument: 'skr-webhook-cpu-limits', setting: kymaSettings.agentCpu },
  { argument: 'skr-webhook-memory-limits', setting: kymaSettings.agentMemory },
  { argument: 'watcher-requeue-success-interval', setting: watcherSettings.requeue },
  ...none('functions have no cache that must be filled before they start', 'cache-sync-timeout'),
  ...none('nothing is removed from `status.storedVersions` of definitions', 'drop-crd-stored-version-map'),
  {
    argument: 'enable-webhooks',
    isSwitch: true,
    none: 'the definitions serve one version, so there is no conversion webhook',
  },
  ...none(
    'deprecated and without effect in lifecycle-manager; `--kyma-gateway-grace` decides when the certificate is switched',
    'istio-gateway-cert-switch-before-expiration-time',
  ),
  ...none(
    'the relay watches the Secret',
    'istio-gateway-secret-requeue-error-interval',
    'istio-gateway-secret-requeue-success-interval',
  ),
  ...none(
    "roles and watches in serverless.yml name `istio-system`. lifecycle-manager ignores the argument and keeps the listener's Secret there, too",
    'istio-namespace',
  ),
  ...none(clientBudget, 'k8s-client-burst', 'k8s-client-qps', 'k8s-skr-client-burst', 'k8s-skr-client-qps'),
  ...none(
    'a Lease is renewed several times within `--lease-seconds`',
    'leader-election-renew-deadline',
    'leader-election-retry-period',
  ),
  ...none('fixed at 60 s; the relay watches what changes', 'mandatory-module-deletion-requeue-success-interval'),
  ...none('fixed at 30 s; the relay watches what changes', 'mandatory-module-requeue-success-interval'),
  {
    argument: 'legacy-strategy-for-istio-gateway-secret',
    isSwitch: true,
    none: 'up to 1.16; the listener trusts every authority that has not expired',
  },
  ...none(
    'the relay spreads calls by itself',
    'manifest-requeue-jitter-percentage',
    'manifest-requeue-jitter-probability',
  ),
  concurrency('kyma', 'kyma'),
  concurrency('mandatory-modules-deletion', 'mandatory-modules-delete'),
  concurrency('mandatory-modules', 'mandatory-modules-install'),
  concurrency('manifest', 'manifest'),
  concurrency('watcher', 'watcher'),
  ...none('metrics of Kymas are read at each scrape, so a deleted Kyma leaves no metric', 'metrics-cleanup-interval'),
  { argument: 'pprof', isSwitch: true, none: profiler },
  ...none(profiler, 'pprof-bind-address', 'pprof-server-timeout'),
  ...none('fixed: RSA with 4096 bits from an operator, ECDSA P-256 without one', 'self-signed-cert-key-size'),
  ...none(
    '`kyma-system`: lifecycle-manager ignores the argument for the copy of a Kyma; a Kyma can set `spec.remote.namespace`',
    'sync-namespace',
  ),
]

const zapLevel = (text: string): string => (/^\d+$/.test(text) ? 'debug' : text === 'panic' ? 'error' : text)

export const istioModule: readonly Counterpart[] = [
  ...commonArguments,
  { argument: 'reconciliation-interval', setting: istioSettings.reconcileSeconds },
  level('zap-log-level', zapLevel, '`panic` becomes `error`, numbers become `debug`'),
  { argument: 'zap-devel', isSwitch: true, none: logLines },
  ...none(logLines, 'zap-encoder'),
  ...none('errors are logged with the place where they happened', 'zap-stacktrace-level'),
  ...none('the log always has times of ISO 8601', 'zap-time-encoding'),
]
