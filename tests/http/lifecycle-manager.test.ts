// docs/lifecycle-manager.md names each argument of the Go operator, and arguments of ours that there are.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { gatewayCertificate } from '../../functions/gateway-certificate/index.ts'
import { kyma } from '../../functions/kyma/index.ts'
import { runtimeCertificate } from '../../functions/runtime-certificate/index.ts'
import { watcher } from '../../functions/watcher/index.ts'
import { flagOf, type SettingsTable } from '../../shared/core/settings/setting.ts'
import { settingsFrom } from '../../shared/http/settings/config.ts'
import { relaySettings } from '../../shared/http/settings/relay-settings.ts'
import { hostTable, settingsOfFunction } from '../harness/host-table.ts'
import { matches } from '../harness/matches.ts'

/** The arguments of lifecycle-manager, as its binary lists them, and three that its latest versions have dropped. */
const goArguments = `
  additional-dns-names cache-sync-timeout cert-management drop-crd-stored-version-map
  enable-webhooks failure-base-delay failure-max-delay health-probe-bind-address
  istio-gateway-cert-switch-before-expiration-time istio-gateway-name istio-gateway-namespace istio-gateway-secret-requeue-error-interval
  istio-gateway-secret-requeue-success-interval istio-gateway-server-cert-expiry-window istio-gateway-server-cert-switch-grace-period istio-namespace
  k8s-client-burst k8s-client-qps k8s-skr-client-burst k8s-skr-client-qps
  kyma-requeue-busy-interval kyma-requeue-error-interval kyma-requeue-success-interval kyma-requeue-warning-interval
  kyma-skr-listener-bind-address leader-elect legacy-strategy-for-istio-gateway-secret purge-finalizer-timeout skip-finalizer-purging-for leader-election-lease-duration leader-election-renew-deadline
  leader-election-retry-period listener-port-overwrite log-level mandatory-module-deletion-requeue-success-interval
  mandatory-module-requeue-success-interval manifest-requeue-busy-interval manifest-requeue-error-interval manifest-requeue-jitter-percentage
  manifest-requeue-jitter-probability manifest-requeue-success-interval manifest-requeue-warning-interval max-concurrent-kyma-reconciles
  max-concurrent-mandatory-modules-deletion-reconciles max-concurrent-mandatory-modules-reconciles max-concurrent-manifest-reconciles max-concurrent-watcher-reconciles
  metrics-bind-address metrics-cleanup-interval min-maintenance-window-size module-upgrade-rollout-max-delay
  modules-repository-subpath oci-registry-cred-secret oci-registry-host pprof
  pprof-bind-address pprof-server-timeout rate-limiter-burst rate-limiter-frequency
  restricted-default-modules self-signed-cert-duration self-signed-cert-issuer-name self-signed-cert-issuer-namespace
  self-signed-cert-key-size self-signed-cert-renew-before self-signed-cert-renew-buffer skr-image-pull-secret
  skr-watcher-image-name skr-watcher-image-registry skr-watcher-image-tag skr-webhook-cpu-limits
  skr-webhook-memory-limits sync-namespace watcher-requeue-success-interval
`
  .split(/\s+/)
  .filter(name => name !== '')

const page = readFileSync(join(import.meta.dirname, '../../docs/lifecycle-manager.md'), 'utf8')
const rows = page
  .split('\n')
  .filter(line => line.startsWith('| `'))
  .map(line => line.split('|').map(cell => cell.trim()))
const named = (text: string): string[] => [...text.matchAll(/`--([^`=]*)[^`]*`/g)].map(([, name = '']) => name)
const isExample = ([, first = '']: readonly string[]): boolean => first.includes('=')
const examples = rows.filter(isExample)
const table = rows
  .filter(row => !isExample(row))
  .map(cells => cells.map(cell => cell.replace(/^`([^`-][^`]*)`$/, '$1')))

const flagsOf = (settings: SettingsTable): (string | undefined)[] => Object.values(settings).map(flagOf)
const ours = { host: flagsOf(hostTable), relay: flagsOf(relaySettings) }

t.test('KY-323 each argument of the Go operator has one row, with its counterpart or why there is none', async t => {
  t.strictSame(table.map(([, argument]) => argument).sort(), goArguments.toSorted())
  for (const [, argument = '', counterpart = ''] of table) {
    t.ok(counterpart !== '', argument)
    const known = counterpart.includes('(relay)') ? ours.relay : [...ours.host, ...ours.relay]
    for (const name of named(counterpart)) t.ok(known.includes(name), `${argument}: --${name} is an argument of ours`)
  }
})

t.test('KY-323 the host starts with the arguments of the example, and not with those of the Go operator', async t => {
  const [theirs, translated] = [1, 2].map(column =>
    examples.flatMap(cells => [...(cells[column] ?? '').matchAll(/`([^`]*)`/g)].map(([, argument = '']) => argument)),
  ) as [string[], string[]]
  const environment = { ESPALIER_CALLERS: 'secret', ESPALIER_CALLER_SECRET: 'x'.repeat(32) }
  const read = (flags: readonly string[]) => settingsFrom(hostTable, { program: 'host', flags, environment })
  matches(t, read(translated), {
    is: 'settings',
    settings: {
      kymaRegistry: 'europe-docker.pkg.dev/kyma-project/prod',
      kymaRegistrySecret: 'registry-credentials',
      kymaCertificates: 'gardener',
      kymaRequeueReady: 300,
      kymaCertificateDuration: 5_184_000,
      kymaWindowRestSeconds: 1200,
      kymaPullSecret: 'pull',
      kymaRestrictedModules: ['keda'],
    },
  })
  for (const argument of theirs) {
    const [name = ''] = argument.split('=')
    t.ok(goArguments.includes(name), name)
    matches(t, read([`--${argument}`]), { is: 'faults', faults: [new RegExp(name)] })
  }
})

t.test('KY-335 the namespace of Gateways is a setting', async t => {
  const environment = { ESPALIER_CALLERS: 'secret', ESPALIER_CALLER_SECRET: 'x'.repeat(32) }
  const namespaceIn = async (...flags: string[]) => {
    const given = await settingsOfFunction(watcher, { flags, environment })
    return given.gatewayNamespace ?? given.is
  }
  t.equal(await namespaceIn(), 'kcp-system')
  t.equal(await namespaceIn('--kyma-gateway-namespace=mesh'), 'mesh')
  for (const other of ['', 'a/b', '..', 'A', 'x'.repeat(64)])
    t.equal(await namespaceIn(`--kyma-gateway-namespace=${other}`), 'faults', other)
})

t.test('KY-326 the settings of certificates and of the agent reach the functions, and say what fits', async t => {
  const environment = { ESPALIER_CALLERS: 'secret', ESPALIER_CALLER_SECRET: 'x'.repeat(32) }
  const read = (...flags: string[]) => settingsFrom(hostTable, { program: 'host', flags, environment })
  const valuesIn = async (...flags: string[]) => ({
    ...(await settingsOfFunction(kyma, { flags, environment })),
    ...(await settingsOfFunction(runtimeCertificate, { flags, environment })),
    ...(await settingsOfFunction(gatewayCertificate, { flags, environment })),
  })
  matches(t, await valuesIn(), {
    ...{ certificateDuration: 5_184_000, certificateRenewBefore: 2_592_000, certificateRenewBuffer: 86_400 },
    ...{ gatewayGrace: 345_600, gatewayExpiryWindow: 1_209_600, agentCpu: '100m', agentMemory: '200Mi' },
    certificateIssuer: { namespace: 'istio-system', name: 'klm-watcher-selfsigned' },
  })
  const chosen = [
    '--kyma-certificate-duration=100h',
    '--kyma-certificate-renew-before=40h',
    '--kyma-certificate-renew-buffer=2h',
    '--kyma-certificate-issuer=issuers/ours',
    '--kyma-gateway-grace=3h',
    '--kyma-gateway-expiry-window=4h',
    '--kyma-agent-cpu=1',
    '--kyma-agent-memory=1Gi',
  ]
  const hours = (count: number) => count * 3_600
  matches(t, await valuesIn(...chosen), {
    certificateDuration: hours(100),
    certificateRenewBefore: hours(40),
    certificateRenewBuffer: hours(2),
    gatewayGrace: hours(3),
    gatewayExpiryWindow: hours(4),
    certificateIssuer: { namespace: 'issuers', name: 'ours' },
    agentCpu: '1',
    agentMemory: '1Gi',
  })
  for (const flag of ['certificate-duration=30m', 'agent-cpu=much', 'agent-memory=0', 'certificate-issuer=ours'])
    matches(t, read(`--kyma-${flag}`), { is: 'faults', faults: [new RegExp(`--kyma-${flag.split('=')[0]} is`)] })
})
