// Gardens as people apply them: kubectl, an API server with the CRD and our webhooks, and a host that answers over HTTPS.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { stringify } from 'yaml'
import { gardenAdmission } from '../../../functions/garden-admission/index.ts'
import { webhookCertificate } from '../../../functions/webhook-certificate/index.ts'
import { gardenKind } from '../../../shared/api/garden.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { webhookConfigurations } from '../../../shared/deploy/manifests/manifests.ts'
import { settingsFrom } from '../../../shared/http/settings/config.ts'
import { hostSettings } from '../../../shared/http/settings/host-settings.ts'
import { startHost } from '../../../shared/http/start-host.ts'
import { hostLog } from '../../../shared/http/telemetry/log.ts'
import { hostMetrics } from '../../../shared/http/telemetry/metrics.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { parseKubeconfig } from '../../../shared/kube/kubeconfigs/kubeconfig.ts'
import { processContext } from '../../../shared/runtime/context.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { deniedBy } from '../../harness/clusters/test-definitions.ts'
import { lasting } from '../../harness/component/orchards.ts'
import { contains, lacks, matches } from '../../harness/matches.ts'
import { oracles } from '../../harness/oracles.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { eventually, usualSeconds } from '../../harness/until.ts'
import { type Garden, garden, gardenWith, sample } from '../../make/garden/garden.ts'
import { auditPolicy, authentication, authorizers, webhookKubeconfig } from '../../make/garden/server-contents.ts'
import { mountedConfigMap, mountedSecret } from '../../make/garden/virtual-garden.ts'

const project = join(import.meta.dirname, '..', '..', '..')
/** There may be one Garden in a system, so this story has a cluster that no other story has Gardens in. */
const cluster = await anyCluster(t, { remote: true })
const access = parseKubeconfig(cluster.kubeconfig, { allowedHosts: ['127.0.0.1', 'localhost'] })
if ('refused' in access) throw new Error(access.refused.sentence)
const client = createClient(access.access)
t.teardown(client.close)
const all = clusters({ local: client })
const people = { fieldManager: 'people' }

const home = testFolder(t)
writeFileSync(join(home, 'config'), cluster.kubeconfig, { mode: 0o600 })
const { kubectl: program } = await oracles()

/** What kubectl prints, its exit code at the end when that is not 0. */
const kubectl = (...args: string[]): Promise<string> =>
  new Promise(resolve => {
    const env = { HOME: home, KUBECONFIG: join(home, 'config') }
    execFile(program, args, { cwd: project, env, timeout: usualSeconds * 1000 }, (error, stdout, stderr) =>
      resolve(`${stderr}${stdout}${error ? `exit ${error.code}\n` : ''}`),
    )
  })

const applied = (object: KubeObject): Promise<string> => {
  writeFileSync(join(home, 'garden.yaml'), stringify(object))
  return kubectl('apply', '-f', join(home, 'garden.yaml'))
}

const stored = async (): Promise<Garden> => {
  const found = await client.get({ ...gardenKind, namespace: '', name: 'garden' })
  if (!found) throw new Error('there is no Garden')
  return found as Garden
}

const removed = async (): Promise<void> => {
  await kubectl('annotate', 'garden', 'garden', 'confirmation.gardener.cloud/deletion=true', '--overwrite')
  await kubectl('delete', 'garden', 'garden')
}

const own = readLandscape(join(project, 'serverless.yml'))
const landscape = { ...own, provider: { ...own.provider, namespace: cluster.namespace } }

/** A host as the program starts it, and the configurations of serverless.yml with the way to it. */
const served = async (): Promise<void> => {
  const environment = {
    ESPALIER_LISTEN: '127.0.0.1:0',
    ESPALIER_WEBHOOKS_LISTEN: '127.0.0.1:0',
    ESPALIER_PROBES_LISTEN: '',
    ESPALIER_DRAIN_SECONDS: '0',
  }
  const reading = settingsFrom(hostSettings, { program: 'host', flags: [], environment })
  if (reading.is !== 'settings') throw new Error(JSON.stringify(reading))
  const host = await startHost({
    settings: reading.settings,
    landscape,
    functions: [gardenAdmission, webhookCertificate],
    local: client,
    clusters: all,
    metrics: hostMetrics(),
    log: hostLog('silent'),
    version: '0.0.0',
  })
  t.teardown(() => host.stop())
  const port = host.addresses.webhooks?.port
  for (const configuration of webhookConfigurations(landscape)) {
    const webhooks = (configuration.webhooks as { clientConfig: { service: { path: string } } }[]).map(webhook => ({
      ...webhook,
      clientConfig: { url: `https://127.0.0.1:${port}${webhook.clientConfig.service.path}` },
    }))
    await client.apply({ ...configuration, webhooks }, { ...people, force: true })
    const { apiVersion, kind, metadata } = configuration
    t.teardown(() => client.delete({ apiVersion, kind, namespace: '', name: metadata.name }, {}))
  }
  const key = { namespace: '', name: cluster.namespace }
  await reconcile(webhookCertificate, key, {
    ...lasting(120),
    ...processContext({ clusters: all }),
    now: () => new Date(),
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const isGood = await host.certificate?.look()
  // Both webhooks are asked then: without the other one the schema refuses older spellings.
  const bad = gardenWith({ 'spec.virtualCluster.kubernetes.version': 'none' })
  await deniedBy(client, 'garden-validation.operator.gardener.cloud', older(bad))
  t.ok(isGood, 'the certificate is good for where the webhooks are')
}

const older = (start = garden()): KubeObject =>
  gardenWith(
    {
      'spec.virtualCluster.dns': { domain: 'virtual.garden.example.com' },
      'spec.runtimeCluster.ingress': { controller: { kind: 'nginx' }, domain: 'ingress.runtime.garden.example.com' },
      'spec.runtimeCluster.networking': { nodes: '10.0.0.0/16', pods: '10.1.0.0/16', services: '10.2.0.0/16' },
      'spec.virtualCluster.networking.services': '100.64.0.0/13',
    },
    start,
  )

await kubectl('apply', '-f', 'manifests/crds/operator.gardener.cloud_gardens.yaml')
await cluster.api.served('/apis/operator.gardener.cloud/v1alpha1/gardens')
await served()
await kubectl('create', 'namespace', 'garden')
t.teardown(() => kubectl('delete', 'namespace', 'garden', '--wait=false'))

/** The ConfigMaps that the full sample names. */
const named = [
  mountedConfigMap('audit-policy', { policy: auditPolicy }),
  mountedConfigMap('gardener-audit-policy', { policy: auditPolicy }),
  mountedConfigMap('authentication-configuration', { 'config.yaml': authentication() }),
  mountedConfigMap('authorization-configuration', { 'config.yaml': authorizers('webhook') }),
]

t.test('GA-332 a Garden that names a ConfigMap which is not there is refused', async t => {
  // Several are not there: the API server asks all webhooks at once and tells the first denial.
  matches(
    t,
    await kubectl('apply', '-f', 'manifests/samples/garden-full.yaml'),
    /^Error from server: error when creating "manifests\/samples\/garden-full\.yaml": admission webhook "[a-z-]+\.operator\.gardener\.cloud" denied the request: referenced ConfigMap garden\/(?<name>[a-z-]+) does not exist: configmaps "\k<name>" not found$/m,
  )
  for (const object of named) matches(t, await applied(object), /created$/m)
})

t.test('GA-54 GA-53 today’s full sample applies, every field is kept, each idle one is told once', async t => {
  const printed = await kubectl('apply', '-f', 'manifests/samples/garden-full.yaml')
  matches(t, printed, /^garden\.operator\.gardener\.cloud\/garden created$/m)
  const warnings = printed.split('\n').filter(line => line.startsWith('Warning: '))
  t.ok(warnings.includes('Warning: spec.dns is accepted and stored, but has no effect'))
  t.equal(new Set(warnings).size, warnings.length)
  matches(t, (await stored()).spec, sample('garden-full').spec)
  matches(t, await kubectl('apply', '-f', 'manifests/samples/garden-full.yaml'), /garden unchanged$/m)
  t.equal((await stored()).metadata.generation, 1)
})

t.test('GA-324 GA-333 GA-334 GA-335 contents with which no API server would start are refused', async t => {
  const refused = async (object: KubeObject, webhook: string, fault: RegExp) => {
    const printed = await applied(object)
    matches(t, printed, fault)
    contains(t, printed, `admission webhook "${webhook}.operator.gardener.cloud" denied the request: `)
  }
  const policy = '{ apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{ level: Foo }] }'
  for (const name of ['audit-policy', 'gardener-audit-policy'])
    await refused(
      mountedConfigMap(name, { policy }),
      'audit-policies',
      /denied the request: provided invalid audit policy: \[rules\[0\]\.level: Unsupported value: "Foo": supported values: "None", "Metadata", "Request", "RequestResponse"\]$/m,
    )
  await refused(
    mountedConfigMap('authentication-configuration', { 'config.yaml': authentication('http://issuer.example.com') }),
    'authentication-configuration',
    /provided invalid authentication configuration: \[jwt\[0\]\.issuer\.url: .* URL scheme must be https\]$/m,
  )
  await refused(
    mountedConfigMap('authorization-configuration', { 'config.yaml': authorizers('other') }),
    'authorization-configuration',
    /must provide kubeconfig secret name reference for webhook authorizer "other" in garden garden$/m,
  )
  matches(t, await applied(mountedSecret('audit-kubeconfig', { kubeconfig: webhookKubeconfig })), /created$/m)
  await refused(
    mountedSecret('audit-kubeconfig', { kubeconfig: 'kind: Config' }),
    'kubeconfig-secrets',
    /data\.kubeconfig: Invalid value: "<omitted>": secret contains invalid kubeconfig: context was not found/,
  )
  const bad = gardenWith(
    { 'spec.virtualCluster.kubernetes.kubeAPIServer.auditConfig.auditPolicy.configMapRef.name': 'bad' },
    await stored(),
  )
  await applied(mountedConfigMap('bad', { policy }))
  await refused(bad, 'audit-policies', /validation failed for ConfigMap bad: provided invalid audit policy: /)
  matches(t, await applied(mountedConfigMap('audit-policy', { policy: `${auditPolicy}# more\n` })), /configured$/m)
})

t.test('GA-336 other changes in namespace garden are asked of no webhook, also while none answers', async t => {
  const [first] = named
  if (!first) throw new TypeError('no ConfigMap')
  const configurations = await client.list({
    ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
  })
  const own = configurations.find(({ metadata }) => metadata.name === 'gardener-operator')
  if (!own) throw new TypeError('no webhooks')
  const webhooks = own.webhooks as { clientConfig: { url: string } }[]
  const patched = (all: readonly unknown[]) =>
    client.apply({ ...identity(own), webhooks: all }, { ...people, force: true })
  const nobody = webhooks.map(webhook => ({
    ...webhook,
    clientConfig: { ...webhook.clientConfig, url: webhook.clientConfig.url.replace(/:\d+\//, ':1/') },
  }))
  await patched(nobody)
  t.teardown(() => patched(webhooks))
  await eventually('nobody answers', async () =>
    /failed calling webhook/.test(await applied(mountedConfigMap('audit-policy', { policy: 'a' }))),
  )
  const patch = (kind: string, name: string, merged: object) =>
    kubectl('patch', kind, name, '-n', 'garden', '--type=merge', '-p', JSON.stringify(merged))
  const protectedBy = (finalizers: readonly string[]) => ({ metadata: { finalizers } })
  for (const [kind, name] of [
    ['configmap', 'audit-policy'],
    ['configmap', 'authentication-configuration'],
    ['secret', 'audit-kubeconfig'],
  ] as const) {
    matches(t, await patch(kind, name, protectedBy(['gardener.cloud/reference-protection'])), /patched$/m)
    matches(t, await patch(kind, name, protectedBy([])), /patched$/m)
    matches(t, await patch(kind, name, { data: { other: 'YQ==' } }), /patched$/m)
  }
  matches(t, await applied(mountedConfigMap('of-others', { data: 'a' })), /created$/m)
  matches(t, await applied(mountedConfigMap('of-others', { data: 'b' })), /configured$/m)
  matches(t, await applied(mountedConfigMap('new', { policy: 'a' })), /created$/m)
  matches(t, await kubectl('delete', 'configmap', 'new', 'of-others', '-n', 'garden'), /deleted/)
  const elsewhere = { ...mountedConfigMap('a', { policy: 'a' }) }
  const inDefault = (policy: string) => ({
    ...elsewhere,
    ...{ metadata: { name: 'a', namespace: 'default' }, data: { policy } },
  })
  matches(t, await applied(inDefault('a')), /created$/m)
  matches(t, await applied(inDefault('b')), /configured$/m)
  await kubectl('delete', 'configmap', 'a', '-n', 'default')
})

const identity = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({
  ...{ apiVersion, kind, metadata: { name: metadata.name, labels: metadata.labels } },
})

t.test('GA-07 a second Garden is refused as Kubernetes itself refuses', async t => {
  const second = await applied(garden({ metadata: { name: 'second' } }))
  matches(
    t,
    second,
    /^Error from server \(BadRequest\): error when creating ".*": admission webhook "garden-validation\.operator\.gardener\.cloud" denied the request: there can be only one operator\.gardener\.cloud\/v1alpha1\.Garden resource in the system at a time$/m,
  )
})

t.test('GA-10 GA-46 GA-48 several faults of a change are printed together, as Kubernetes prints its own', async t => {
  const change = {
    spec: { virtualCluster: { kubernetes: { version: '1.34.1' }, networking: { services: ['100.72.0.0/13'] } } },
  }
  t.equal(
    await kubectl('patch', 'garden', 'garden', '--type=merge', '-p', JSON.stringify(change)),
    [
      'The Garden "garden" is invalid: ',
      '* spec.virtualCluster.kubernetes.version: Forbidden: kubernetes version downgrade is not supported',
      '* spec.virtualCluster.networking.services[0]: Invalid value: "100.72.0.0/13": field is immutable',
      'exit 1',
      '',
    ].join('\n'),
  )
  t.equal((await stored()).metadata.generation, 1, 'nothing was changed')
})

t.test('GA-12 GA-13 operations are asked for by annotation', async t => {
  const asking = (operation: string) =>
    kubectl('annotate', 'garden', 'garden', '--overwrite', `gardener.cloud/operation=${operation}`)
  matches(t, await asking('rotate-everything'), /Unsupported value: "rotate-everything": supported values: "reconcile"/)
  matches(t, await asking('rotate-ca-complete'), /cannot complete CA rotation if .* is not 'Prepared'/)
  matches(t, await asking(' reconcile ;rotate-ca-start;'), /^garden\.operator\.gardener\.cloud\/garden annotated$/m)
})

t.test('GA-09 a Garden is deleted only when that is confirmed', async t => {
  matches(
    t,
    await kubectl('delete', 'garden', 'garden'),
    /^Error from server \(Forbidden\): .*must have a "confirmation\.gardener\.cloud\/deletion" annotation to delete$/m,
  )
  await removed()
  contains(t, await kubectl('get', 'garden'), 'No resources found')
})

t.test('GA-50 GA-51 GA-52 older spellings are stored as today’s, and applying them again changes nothing', async t => {
  matches(t, await applied(older()), /garden created$/m)
  const first = await stored()
  matches(t, first.spec, garden().spec)
  lacks(t, JSON.stringify(first.spec), /"domain":/)
  matches(t, first.spec, {
    runtimeCluster: { networking: { nodes: ['10.0.0.0/16'], ipFamilies: ['IPv4'] } },
    virtualCluster: {
      kubernetes: {
        kubeAPIServer: { eventTTL: '1h', requests: { maxMutatingInflight: 200, maxNonMutatingInflight: 400 } },
        kubeControllerManager: { certificateSigningDuration: '48h' },
      },
      gardener: { gardenerAPIServer: { encryptionConfig: { provider: { type: 'aescbc' } } } },
    },
  })
  await applied(older())
  const second = await stored()
  t.strictSame(second.spec, first.spec)
  t.equal(second.metadata.generation, first.metadata.generation)
  const beside = { spec: { virtualCluster: { dns: { domain: 'other.example.com' } } } }
  matches(
    t,
    await kubectl('patch', 'garden', 'garden', '--type=merge', '-p', JSON.stringify(beside)),
    /spec\.virtualCluster\.dns\.domain: Invalid value: "other\.example\.com"/,
  )
  await removed()
})

t.test('GA-05 a dry run is judged and stores nothing', async t => {
  matches(
    t,
    await kubectl('create', '--dry-run=server', '-f', 'manifests/samples/garden.yaml'),
    /created \(server dry run\)/,
  )
  contains(t, await kubectl('get', 'garden'), 'No resources found')
})

t.test('GA-11 GA-14 a Garden in deletion starts nothing new, and is let go', async t => {
  const held = garden({ metadata: { finalizers: ['example.com/held'] } })
  matches(t, await applied(held), /created$/m)
  await kubectl('annotate', 'garden', 'garden', 'confirmation.gardener.cloud/deletion=true')
  await kubectl('delete', 'garden', 'garden', '--wait=false')
  matches(
    t,
    await kubectl('annotate', 'garden', 'garden', 'gardener.cloud/operation=rotate-ca-start'),
    /cannot start CA rotation if garden has deletion timestamp/,
  )
  const rest = { metadata: { finalizers: null } }
  matches(t, await kubectl('patch', 'garden', 'garden', '--type=merge', '-p', JSON.stringify(rest)), /patched$/m)
  contains(t, await kubectl('get', 'garden'), 'No resources found')
})
