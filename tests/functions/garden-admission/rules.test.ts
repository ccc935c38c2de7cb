// Every rule of the table about a Garden's fields: what is written, what is said of it. A case is a sentence, the fields that
// differ from the smallest Garden, and the causes; an update also has fields of the Garden before.
import t from 'tap'
import type { ReviewedGarden } from '../../../functions/garden-admission/rules/rule.ts'
import { gardenRules, metadataRules } from '../../../functions/garden-admission/rules/rules.ts'
import { schemaRules } from '../../../functions/garden-admission/rules/themes/schema.ts'
import { errorsOf, ruleTree } from '../../../functions/garden-admission/rules/walk.ts'
import { shapeFault } from '../../../shared/api/garden/shape.ts'
import { matches } from '../../harness/matches.ts'
import { type Garden, gardenWith } from '../../make/garden/garden.ts'
import { faultyGardens, required, unusualGardens } from '../../make/garden/garden-rules.ts'
import { eventRateLimit, pluginConfigurations, webhooks } from '../../make/garden/plugin-configurations.ts'
import { causesOf, smallest, verdictOn } from './reviews.ts'

type Fields = Record<string, unknown>
/** Causes without their message: a refusal of these and no others. */
type Case = [sentence: string, fields: Fields, causes: string[]]
type Update = [sentence: string, before: Fields, after: Fields, causes: string[]]

const net = 'spec.runtimeCluster.networking'
const v = 'spec.virtualCluster'
const ka = `${v}.kubernetes.kubeAPIServer`
const kcm = `${v}.kubernetes.kubeControllerManager`
const ga = `${v}.gardener`

const withFields = (fields: Fields): Garden =>
  Object.entries(fields).reduce((made, [path, value]) => gardenWith({ [full(path)]: value }, made), smallest())
const full = (path: string): string =>
  path
    .replace(/^net\b/, net)
    .replace(/^ka\b/, ka)
    .replace(/^kcm\b/, kcm)
    .replace(/^ga\b/, ga)
    .replace(/^v\b/, v)

/** Type and path: `Invalid net.nodes[0]`. */
const short = (cause: string): string => {
  const [head = ''] = cause.split(': ')
  return [
    [net, 'net'],
    [ka, 'ka'],
    [kcm, 'kcm'],
    [ga, 'ga'],
    [v, 'v'],
  ].reduce((text, [path = '', name = '']) => text.replace(`${path.slice('spec.'.length)}`, name), head)
}

/** Every Garden of the tables below. */
const judged: ReviewedGarden[] = []

const proves = (id: string, cases: readonly Case[]): void => {
  judged.push(...cases.map(([, fields]) => ({ garden: withFields(fields) })))
  t.test(id, async t => {
    for (const [sentence, fields, causes] of cases)
      t.strictSame((await causesOf(withFields(fields))).map(short), causes, sentence)
  })
}

const provesUpdates = (id: string, cases: readonly Update[]): void => {
  judged.push(...cases.map(([, before, after]) => ({ garden: withFields(after), before: withFields(before) })))
  t.test(id, async t => {
    for (const [sentence, before, after, causes] of cases)
      t.strictSame((await causesOf(withFields(after), withFields(before))).map(short), causes, sentence)
  })
}

t.test('the smallest Garden is valid, and stays so when it is updated', async t => {
  t.strictSame(await causesOf(smallest()), [])
  t.strictSame(await causesOf(smallest(), smallest()), [])
})

proves('GA-18 networks that cannot be read; then overlaps are not judged', [
  ['a node network', { 'net.nodes': ['10.9.0.0'] }, ['Invalid net.nodes[0]']],
  ['the second Pod network', { 'net.pods': ['10.1.0.0/16', '10.3.0.0/33'] }, ['Invalid net.pods[1]']],
  ['a Service network', { 'net.services': ['10.2.0.0/16/8'] }, ['Invalid net.services[0]']],
  [
    'a blocked network',
    { 'net.blockCIDRs': ['fe80::/129', '::/0', '010.0.0.0/8'] },
    ['Invalid net.blockCIDRs[0]', 'Invalid net.blockCIDRs[2]'],
  ],
  ['overlapping Pods beside one that cannot be read', { 'net.pods': ['10.2.0.0/16', 'x'] }, ['Invalid net.pods[1]']],
])

proves('GA-19 networks of the runtime cluster that overlap', [
  ['nodes and Pods', { 'net.nodes': ['10.1.0.0/24'] }, ['Invalid net.nodes[0]']],
  [
    'nodes and Services',
    { 'net.nodes': ['10.9.0.0/16', '10.0.0.0/14'], 'net.pods': ['10.128.0.0/16'] },
    ['Invalid net.nodes[1]'],
  ],
  [
    'nodes with both: one error each',
    { 'net.nodes': ['10.0.0.0/8'] },
    ['Invalid net.nodes[0]', 'Invalid net.nodes[0]'],
  ],
  ['Pods and Services', { 'net.pods': ['10.96.0.0/11'], 'net.services': ['10.100.0.0/16'] }, ['Invalid net.pods[0]']],
  [
    'Pods and two Service networks: one error each',
    { 'net.pods': ['10.96.0.0/11'], 'net.services': ['10.100.0.0/16', '10.101.0.0/16'] },
    ['Invalid net.pods[0]', 'Invalid net.pods[0]'],
  ],
  [
    'the same network twice in one list',
    { 'net.nodes': ['10.1.0.0/24', '10.1.0.0/24'] },
    ['Invalid net.nodes[0]', 'Invalid net.nodes[1]'],
  ],
  [
    'IPv6',
    { 'net.nodes': ['2001:db8::/32'], 'net.pods': ['10.1.0.0/16', '2001:db8:1::/48'] },
    ['Invalid net.nodes[0]'],
  ],
  ['neighbours', { 'net.nodes': ['10.0.0.0/16', '10.3.0.0/16'] }, []],
  ['blocked networks may overlap', { 'net.blockCIDRs': ['10.1.0.0/24'] }, []],
])

proves('GA-183 IPv4 networks in the spelling of IPv6', [
  ['nodes and Pods', { 'net.nodes': ['::ffff:10.1.4.0/120'] }, ['Invalid net.nodes[0]']],
  ['in hexadecimal', { 'net.pods': ['::ffff:a02:0/112'] }, ['Invalid net.pods[0]']],
  [
    'all of IPv4',
    { 'net.nodes': ['::ffff:0:0/96'] },
    ['Invalid v.networking.services[0]', 'Invalid net.nodes[0]', 'Invalid net.nodes[0]'],
  ],
  ['virtual Services', { 'v.networking.services': ['::ffff:10.1.0.0/112'] }, ['Invalid v.networking.services[0]']],
  ['apart', { 'net.nodes': ['::ffff:10.9.0.0/112', '::fffe:10.1.0.0/112'] }, []],
])

proves('GA-20 Service networks of the virtual garden', [
  ['one that cannot be read', { 'v.networking.services': ['100.64.0.0'] }, ['Invalid v.networking.services[0]']],
  ['overlaps Pods', { 'v.networking.services': ['10.1.0.0/24'] }, ['Invalid v.networking.services[0]']],
  ['overlaps Services', { 'v.networking.services': ['10.2.0.0/24'] }, ['Invalid v.networking.services[0]']],
  [
    'overlaps nodes',
    { 'v.networking.services': ['10.9.0.0/24'], 'net.nodes': ['10.9.0.0/16'] },
    ['Invalid v.networking.services[0]'],
  ],
  [
    'one error for each overlap',
    { 'v.networking.services': ['10.0.0.0/8'] },
    ['Invalid v.networking.services[0]', 'Invalid v.networking.services[0]'],
  ],
])

proves('GA-21 GA-366 families', [
  [
    'three Service networks',
    { 'v.networking.services': ['100.64.0.0/16', '100.65.0.0/16', '2001:db8::/108'] },
    ['Forbidden v.networking.services'],
  ],
  [
    'two of one family',
    { 'v.networking.services': ['100.64.0.0/16', '100.65.0.0/16'] },
    ['Forbidden v.networking.services'],
  ],
  ['one of each', { 'v.networking.services': ['100.64.0.0/16', '2001:db8::/108'] }, []],
  ['IPv6 alone', { 'v.networking.services': ['2001:db8::/108'] }, []],
  ['an unknown family', { 'net.ipFamilies': ['IPv4', 'IPv5'] }, ['NotSupported net.ipFamilies[1]']],
  ['a family twice', { 'net.ipFamilies': ['IPv4', 'IPv4'] }, ['Duplicate net.ipFamilies[1]']],
  ['both', { 'net.ipFamilies': ['IPv6', 'IPv4'] }, []],
])

const domains = (...names: string[]) => names.map(name => ({ name }))

proves('GA-22 GA-160 domains', [
  ['no DNS name', { 'v.dns.domains': domains('Example.com') }, ['Invalid v.dns.domains[0].name']],
  [
    'an underscore',
    { 'spec.runtimeCluster.ingress.domains': domains('a_b.example.com') },
    ['Invalid runtimeCluster.ingress.domains[0].name'],
  ],
  ['too long', { 'v.dns.domains': domains(`${'a.'.repeat(126)}ab`) }, ['Invalid v.dns.domains[0].name']],
  ['as long as may be', { 'v.dns.domains': domains(`${'a.'.repeat(121)}ab`) }, []],
  [
    'twice',
    { 'v.dns.domains': domains('a.example.com', 'b.example.com', 'a.example.com') },
    ['Duplicate v.dns.domains[2].name'],
  ],
  ['none', { 'v.dns': {} }, ['Required v.dns.domains']],
])

proves('GA-52 an older domain that is not today’s first', [
  ['of the virtual garden', { 'v.dns.domain': 'other.example.com' }, ['Invalid v.dns.domain']],
  [
    'of the ingress',
    { 'spec.runtimeCluster.ingress.domain': 'other.example.com' },
    ['Invalid runtimeCluster.ingress.domain'],
  ],
])

const provider = { name: 'p', type: 'local', secretRef: { name: 's' } }
const ingressOf = (...providers: (string | undefined)[]) => ({
  'spec.runtimeCluster.ingress.domains': [{ name: 'i.example.com', provider: providers[0] }],
  'v.dns.domains': [{ name: 'd.example.com', provider: providers[1] }],
})

proves('GA-23 providers of domains', [
  [
    'none given though there are some',
    { 'spec.dns': { providers: [provider] }, ...ingressOf(undefined, 'p') },
    ['Required runtimeCluster.ingress.domains[0].provider'],
  ],
  [
    'an unknown one',
    { 'spec.dns': { providers: [provider] }, ...ingressOf('p', 'q') },
    ['Invalid v.dns.domains[0].provider'],
  ],
  ['known ones', { 'spec.dns': { providers: [provider] }, ...ingressOf('p', 'p') }, []],
])

const resource = { name: 'r', resourceRef: { apiVersion: 'v1', kind: 'Secret', name: 's' } }

const resources = (...list: object[]): Fields => ({ 'spec.resources': list })
const refers = (resourceRef: object): Fields => resources({ name: 'r', resourceRef })

proves('GA-178 further resources', [
  ['a Secret and a ConfigMap', resources(resource, { ...resource, name: 'other' }), []],
  ['a ConfigMap', refers({ apiVersion: 'v1', kind: 'ConfigMap', name: 'c' }), []],
  ['no name', resources({ ...resource, name: '' }), ['Required resources[0].name']],
  [
    'a reference of nothing but empty texts',
    refers({ apiVersion: '', kind: '', name: '' }),
    [
      'Required resources[0].resourceRef.apiVersion',
      'Required resources[0].resourceRef.kind',
      'Required resources[0].resourceRef.name',
    ],
  ],
  [
    'a reference without apiVersion',
    refers({ kind: 'Secret', name: 's' }),
    ['Required resources[0].resourceRef.apiVersion'],
  ],
  [
    'an apiVersion that cannot be parsed',
    refers({ apiVersion: 'a/b/c', kind: 'Secret', name: 's' }),
    ['Invalid resources[0].resourceRef.apiVersion'],
  ],
  ['another kind', refers({ apiVersion: 'v1', kind: 'Pod', name: 'p' }), ['NotSupported resources[0].resourceRef']],
  [
    'a Secret of another group',
    refers({ apiVersion: 'example.com/v1', kind: 'Secret', name: 's' }),
    ['NotSupported resources[0].resourceRef'],
  ],
])

proves('GA-24 names that are there already', [
  [
    'a DNS provider',
    { 'spec.dns': { providers: [provider, provider] }, ...ingressOf('p', 'p') },
    ['Duplicate dns.providers[1].name'],
  ],
  [
    'an extension',
    { 'spec.extensions': [{ type: 'a' }, { type: 'b' }, { type: 'a' }] },
    ['Duplicate extensions[2].type'],
  ],
  ['a resource', { 'spec.resources': [resource, resource] }, ['Duplicate resources[1].name']],
])

const pluginTwice = (name: string) => [{ name, disabled: true }, { name: 'DeletionConfirmation' }, { name }]
const named = (authorizerName: string) => ({ authorizerName, secretName: 's' })
const authorizers = (...names: string[]): Fields => ({
  'ka.structuredAuthorization': { configMapName: 'c', kubeconfigs: names.map(named) },
})
const long = (length: number): string => `${'abcdefghi.'.repeat(30).slice(0, length - 1)}x`

proves('GA-188 what a file or a host is called after', [
  [
    'a plugin of kube-apiserver that is on and off',
    { 'ka.admissionPlugins': [{ name: 'LimitRanger', disabled: true }, { name: 'LimitRanger' }] },
    ['Duplicate ka.admissionPlugins[1].name'],
  ],
  [
    'a plugin of gardener-apiserver',
    { 'ga.gardenerAPIServer.admissionPlugins': pluginTwice('ShootDNS') },
    ['Duplicate ga.gardenerAPIServer.admissionPlugins[2].name'],
  ],
  [
    'authorizers that differ by case alone',
    authorizers('one', 'two', 'One'),
    ['Duplicate ka.structuredAuthorization.kubeconfigs[2].authorizerName'],
  ],
  ...['', '../one', 'a b', 'ü', 'a'.repeat(238)].map(
    (name): Case => [
      `an authorizer ${JSON.stringify(name)}`,
      authorizers(name),
      ['Invalid ka.structuredAuthorization.kubeconfigs[0].authorizerName'],
    ],
  ),
  ['the longest authorizer', authorizers('a'.repeat(237)), []],
  ['a domain whose hosts are too long', { 'v.dns.domains': [{ name: long(245) }] }, ['Invalid v.dns.domains[0].name']],
  ['the longest domain', { 'v.dns.domains': [{ name: long(244) }] }, []],
  [
    'an ingress domain whose hosts are too long',
    { 'spec.runtimeCluster.ingress.domains': [{ name: long(239) }] },
    ['Invalid runtimeCluster.ingress.domains[0].name'],
  ],
  ['the longest ingress domain', { 'spec.runtimeCluster.ingress.domains': [{ name: long(238) }] }, []],
  [
    'a part between dots of 64 characters',
    { 'v.dns.domains': [{ name: `a.${'b'.repeat(64)}` }] },
    ['Invalid v.dns.domains[0].name'],
  ],
  ['of 63', { 'v.dns.domains': [{ name: `a.${'b'.repeat(63)}` }] }, []],
])

const settings = 'spec.runtimeCluster.settings'

proves('GA-25 topology-aware routing', [
  [
    'one zone and no high availability',
    { [`${settings}.topologyAwareRouting.enabled`]: true, 'spec.runtimeCluster.provider.zones': ['a'] },
    [
      'Forbidden runtimeCluster.settings.topologyAwareRouting.enabled',
      'Forbidden runtimeCluster.settings.topologyAwareRouting.enabled',
    ],
  ],
  [
    'one zone',
    { [`${settings}.topologyAwareRouting.enabled`]: true, 'v.controlPlane.highAvailability': {} },
    ['Forbidden runtimeCluster.settings.topologyAwareRouting.enabled'],
  ],
  [
    'no high availability',
    { [`${settings}.topologyAwareRouting.enabled`]: true, 'spec.runtimeCluster.provider.zones': ['a', 'b'] },
    ['Forbidden runtimeCluster.settings.topologyAwareRouting.enabled'],
  ],
  ['off', { [`${settings}.topologyAwareRouting.enabled`]: false }, []],
])

proves('GA-26 settings', [
  [
    'an unknown traffic policy',
    { [`${settings}.loadBalancerServices.externalTrafficPolicy`]: 'Nearby' },
    ['NotSupported runtimeCluster.settings.loadBalancerServices.externalTrafficPolicy'],
  ],
  [
    'an unknown gate of the autoscaler',
    { [`${settings}.verticalPodAutoscaler.featureGates`]: { InPlace: true, Nope: false } },
    ['Invalid runtimeCluster.settings.verticalPodAutoscaler.featureGates.Nope'],
  ],
  [
    'more than cpu and memory',
    { [`${settings}.verticalPodAutoscaler.maxAllowed`]: { cpu: 1, storage: '1Gi' } },
    ['NotSupported runtimeCluster.settings.verticalPodAutoscaler.maxAllowed.storage'],
  ],
])

proves('GA-27 the least an autoscaler may recommend', [
  ['nothing', { 'v.etcd.main.autoscaling.minAllowed': {} }, ['Required v.etcd.main.autoscaling.minAllowed']],
  [
    'more than cpu and memory',
    { 'ka.autoscaling.minAllowed': { storage: '1Gi' } },
    ['NotSupported ka.autoscaling.minAllowed.storage'],
  ],
  [
    'main etcd',
    { 'v.etcd.main.autoscaling.minAllowed': { memory: '299M' } },
    ['Invalid v.etcd.main.autoscaling.minAllowed.memory'],
  ],
  ['main etcd at the floor', { 'v.etcd.main.autoscaling.minAllowed': { memory: '300M', cpu: '1m' } }, []],
  [
    'events etcd',
    { 'v.etcd.events.autoscaling.minAllowed': { memory: '57Mi' } },
    ['Invalid v.etcd.events.autoscaling.minAllowed.memory'],
  ],
  ['events etcd above the floor', { 'v.etcd.events.autoscaling.minAllowed': { memory: '58Mi' } }, []],
  [
    'kube-apiserver',
    { 'ka.autoscaling.minAllowed': { cpu: '19m', memory: 199_999_999 } },
    ['Invalid ka.autoscaling.minAllowed.cpu', 'Invalid ka.autoscaling.minAllowed.memory'],
  ],
  ['kube-apiserver at the floor', { 'ka.autoscaling.minAllowed': { cpu: '20m', memory: '2e8' } }, []],
])

proves('GA-179 amounts below nothing', [
  [
    'of the Vertical Pod Autoscaler',
    { [`${settings}.verticalPodAutoscaler.maxAllowed`]: { cpu: '-1m', memory: -1 } },
    [
      'Invalid runtimeCluster.settings.verticalPodAutoscaler.maxAllowed.cpu',
      'Invalid runtimeCluster.settings.verticalPodAutoscaler.maxAllowed.memory',
    ],
  ],
  ['nothing at all', { [`${settings}.verticalPodAutoscaler.maxAllowed`]: { cpu: 0, memory: '-0' } }, []],
  ...['main', 'events'].map(
    (etcd): Case => [
      `of the ${etcd} etcd, where it has no floor`,
      { [`v.etcd.${etcd}.autoscaling.minAllowed`]: { cpu: '-100m' } },
      [`Invalid v.etcd.${etcd}.autoscaling.minAllowed.cpu`],
    ],
  ),
  [
    'of kube-apiserver: under its floors too',
    { 'ka.autoscaling.minAllowed': { cpu: '-1', memory: '-1Gi' } },
    ['cpu', 'memory', 'cpu', 'memory'].map(name => `Invalid ka.autoscaling.minAllowed.${name}`),
  ],
])

t.test('GA-179 in the words of Kubernetes', async t => {
  const causes = await causesOf(withFields({ [`${settings}.verticalPodAutoscaler.maxAllowed`]: { cpu: '-1m' } }))
  t.strictSame(causes, [
    'Invalid runtimeCluster.settings.verticalPodAutoscaler.maxAllowed.cpu: Invalid value: "-1m": must be greater than or equal to 0',
  ])
})

const version = 'v.kubernetes.version'

proves('GA-28 Kubernetes versions', [
  ['before the first', { [version]: '1.31.9' }, ['NotSupported v.kubernetes.version']],
  ['after the last', { [version]: '1.37.0' }, ['NotSupported v.kubernetes.version']],
  ['no version', { [version]: 'latest' }, ['NotSupported v.kubernetes.version']],
  ...['1.32.0', 'v1.33.1', '1.34.3', '1.35.2', '1.36.3'].map((known): Case => [known, { [version]: known }, []]),
])

proves('GA-180 a version without patch number', [
  ...['1.34', 'v1.34', '1.36', '1.34-rc.1', '1.34+build'].map((known): Case => [known, { [version]: known }, []]),
  ...['1.31', '1.37', '1', '1.34.', '1.34.x', '.34', '1.34.0.0'].map(
    (other): Case => [other, { [version]: other }, ['NotSupported v.kubernetes.version']],
  ),
  [
    'is held to what its minor version knows',
    { [version]: '1.35', 'ka.enableAnonymousAuthentication': true },
    ['Forbidden ka.enableAnonymousAuthentication'],
  ],
])

t.test('GA-180 every version that the refusal of another one lists is allowed', async t => {
  const [cause = ''] = await causesOf(withFields({ [version]: '1.0.0' }))
  const listed = [...(cause.split('supported values: ')[1] ?? '').matchAll(/"([^"]+)"/g)].map(([, text = '']) => text)
  t.equal(listed.length, 5)
  for (const text of listed) t.strictSame(await causesOf(withFields({ [version]: text })), [], text)
})

const apis = (runtimeConfig: Record<string, boolean>): Fields => ({ 'ka.runtimeConfig': runtimeConfig })

proves('GA-176 APIs that kube-apiserver is told to serve or not', [
  ...['foo/v1', 'api/beta2', 'foo', 'apps/v9', 'apps', 'batch/v2alpha1', 'v2', '/v1', 'apps/v1/nope', 'V1'].flatMap(
    (key): Case[] =>
      [true, false].map(isOn => [`${key}=${isOn}`, apis({ [key]: isOn }), [`Invalid ka.runtimeConfig[${key}]`]]),
  ),
  ...['a/b/c/d', '', '/', 'apps/', 'apps/v1/', 'apps/v1,batch/v1', 'apps/v1=true', 'apps /v1', 'apps/v1"'].map(
    (key): Case => [`the form of ${key}`, apis({ [key]: true }), [`Invalid ka.runtimeConfig[${key}]`]],
  ),
  [
    'a version that comes later',
    { ...apis({ 'resource.k8s.io/v1': true }), [version]: '1.33.0' },
    ['Invalid ka.runtimeConfig[resource.k8s.io/v1]'],
  ],
  [
    'a version that is gone',
    { ...apis({ 'storage.k8s.io/v1alpha1': true }), [version]: '1.35.0' },
    ['Invalid ka.runtimeConfig[storage.k8s.io/v1alpha1]'],
  ],
  [
    'each in its time',
    { ...apis({ 'resource.k8s.io/v1': true, 'storage.k8s.io/v1alpha1': true }), [version]: '1.34.0' },
    [],
  ],
  [
    'the core group, a group, a resource, whole stages',
    apis({
      v1: true,
      'v1/pods': true,
      'apps/v1': false,
      'batch/v1/cronjobs': false,
      'api/all': true,
      'api/beta': false,
    }),
    [],
  ],
  ...[
    'v1',
    'v1/pods',
    'rbac.authorization.k8s.io/v1',
    'rbac.authorization.k8s.io/v1/roles',
    'networking.k8s.io/v1',
    'discovery.k8s.io/v1',
    'discovery.k8s.io/v1/endpointslices',
    'events.k8s.io/v1',
    'apiextensions.k8s.io/v1',
    'apiregistration.k8s.io/v1',
    'authentication.k8s.io/v1',
    'authorization.k8s.io/v1/subjectaccessreviews',
    'api/all',
    'api/ga',
  ].map((key): Case => [`${key} turned off`, apis({ [key]: false }), [`Forbidden ka.runtimeConfig[${key}]`]]),
])

const plugins = (...list: object[]): Fields => ({ 'ka.admissionPlugins': list })
const podSecurity = {
  apiVersion: 'pod-security.admission.config.k8s.io/v1',
  kind: 'PodSecurityConfiguration',
  defaults: { enforce: 'baseline' },
  exemptions: { namespaces: ['kube-system'] },
}

proves('GA-29 admission plugins of kube-apiserver', [
  ['no name', plugins({ name: '' }), ['Required ka.admissionPlugins[0].name']],
  ['unknown', plugins({ name: 'LimitRanger' }, { name: 'Nope' }), ['Invalid ka.admissionPlugins[1].name']],
  [
    'not in this version',
    { ...plugins({ name: 'PodTopologyLabels' }), [version]: '1.32.0' },
    ['Forbidden ka.admissionPlugins[0].name'],
  ],
  ['in this version', { ...plugins({ name: 'PodTopologyLabels' }), [version]: '1.33.0' }, []],
  ...[
    'MutatingAdmissionWebhook',
    'NamespaceLifecycle',
    'NodeRestriction',
    'PodSecurity',
    'Priority',
    'StorageObjectInUseProtection',
    'ValidatingAdmissionWebhook',
  ].map((name): Case => [`${name} disabled`, plugins({ name, disabled: true }), ['Forbidden ka.admissionPlugins[0]']]),
  ['one that nobody needs disabled', plugins({ name: 'LimitRanger', disabled: true }), []],
  [
    'configuration where none is',
    plugins({ name: 'LimitRanger', config: {} }),
    ['Forbidden ka.admissionPlugins[0].config'],
  ],
  [
    'a kubeconfig where none is',
    plugins({ name: 'PodNodeSelector', config: {}, kubeconfigSecretName: 's' }),
    ['Forbidden ka.admissionPlugins[0].kubeconfigSecretName'],
  ],
  ['a kubeconfig for a webhook', plugins({ name: 'ImagePolicyWebhook', config: {}, kubeconfigSecretName: 's' }), []],
  ['Pod Security', plugins({ name: 'PodSecurity', config: podSecurity }), []],
  [
    'Pod Security of another kind',
    plugins({ name: 'PodSecurity', config: { ...podSecurity, kind: 'Other' } }),
    ['Invalid ka.admissionPlugins[0].config'],
  ],
  [
    'Pod Security of another group',
    plugins({ name: 'PodSecurity', config: { ...podSecurity, apiVersion: 'v1' } }),
    ['Invalid ka.admissionPlugins[0].config'],
  ],
  [
    'Pod Security that cannot be decoded',
    plugins({ name: 'PodSecurity', config: { ...podSecurity, exemptions: { namespaces: 'x' } } }),
    ['Invalid ka.admissionPlugins[0].config'],
  ],
])

const podSecurityWith = (change: object): Fields =>
  plugins({ name: 'PodSecurity', config: { ...podSecurity, ...change } })

proves('GA-29 what kube-apiserver would not begin with as Pod Security', [
  ...(
    [
      ['a field that there is not', { default: {} }],
      ['a mode that there is not', { defaults: { enforced: 'baseline' } }],
      ['a level that there is not', { defaults: { audit: 'strict' } }],
      ['a version that is none', { defaults: { 'warn-version': '1.34' } }],
      ['a version with a zero in front', { defaults: { 'enforce-version': 'v1.034' } }],
      ['a version as number', { defaults: { 'audit-version': 1 } }],
      ['exemptions by what there is not', { exemptions: { groups: ['a'] } }],
      ['a namespace that can be none', { exemptions: { namespaces: ['Kube_System'] } }],
      ['a runtime class that can be none', { exemptions: { runtimeClasses: ['-'] } }],
      ['a user without name', { exemptions: { usernames: [''] } }],
      ['a user twice', { exemptions: { usernames: ['a', 'a'] } }],
    ] as const
  ).map(([sentence, change]): Case => [sentence, podSecurityWith(change), ['Invalid ka.admissionPlugins[0].config']]),
  [
    'all that there is',
    podSecurityWith({
      defaults: {
        enforce: 'privileged',
        'enforce-version': 'latest',
        audit: 'baseline',
        'audit-version': 'v1.34',
        warn: 'restricted',
        'warn-version': 'v1.0',
      },
      exemptions: { usernames: ['system:admin'], namespaces: ['kube-system', 'a'], runtimeClasses: ['kata.v2'] },
    }),
    [],
  ],
  ['nothing in particular', podSecurityWith({ defaults: { enforce: '' }, exemptions: { usernames: [] } }), []],
])

proves('GA-356 a configuration with which kube-apiserver does not start is refused', [
  ...pluginConfigurations.map(([name, config, isFit]): Case => {
    const asks = ['ImagePolicyWebhook', 'MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'].includes(name)
    const plugin = { name, config, ...(asks && { kubeconfigSecretName: 's' }) }
    return [
      `${name} ${JSON.stringify(config)}`,
      plugins(plugin),
      isFit ? [] : ['Invalid ka.admissionPlugins[0].config'],
    ]
  }),
  ['one that is off', plugins({ name: 'EventRateLimit', config: { a: 1 }, disabled: true }), []],
  ['limits that are missing', plugins({ name: 'EventRateLimit' }), ['Required ka.admissionPlugins[0].config']],
  [
    'a webhook for images without kubeconfig',
    plugins({ name: 'ImagePolicyWebhook', config: { imagePolicy: {} } }),
    ['Required ka.admissionPlugins[0].kubeconfigSecretName'],
  ],
  [
    'webhooks without kubeconfig before 1.36',
    { ...plugins({ name: 'MutatingAdmissionWebhook', config: webhooks }), [version]: '1.35.0' },
    ['Required ka.admissionPlugins[0].kubeconfigSecretName'],
  ],
  [
    'webhooks without kubeconfig from 1.36 on',
    { ...plugins({ name: 'MutatingAdmissionWebhook', config: webhooks }), [version]: '1.36.0' },
    [],
  ],
  ...(['1.35.0', '1.36.0'] as const).map((minor): Case => {
    const former = { apiVersion: 'apiserver.config.k8s.io/v1alpha1', kind: 'WebhookAdmission' }
    const plugin = { name: 'ValidatingAdmissionWebhook', config: former, kubeconfigSecretName: 's' }
    const causes = minor === '1.36.0' ? ['Invalid ka.admissionPlugins[0].config'] : []
    return [`a former kind in ${minor}`, { ...plugins(plugin), [version]: minor }, causes]
  }),
])

const gardenerConfiguration = (name: string, rest: object): Fields => ({
  'ga.gardenerAPIServer.admissionPlugins': [
    {
      name,
      config: { apiVersion: `${name.toLowerCase()}.admission.gardener.cloud/v1alpha1`, kind: 'Configuration', ...rest },
    },
  ],
})

proves('GA-356 a configuration with which gardener-apiserver does not start is refused', [
  ...(
    [
      ['ShootTolerationRestriction', { defaults: [{ key: 'a' }, { key: 'b', value: 'c' }], whitelist: [] }, true],
      ['ShootTolerationRestriction', { defaults: [{ key: 'a' }, { key: 'a', value: 'c' }] }, false],
      ['ShootTolerationRestriction', { whitelist: [{ value: 'c' }] }, false],
      ['ShootTolerationRestriction', { whitelist: [{ key: 'a', value: 'b c' }] }, false],
      ['ShootDNSRewriting', { commonSuffixes: ['.a.b', 'gardener.cloud'] }, true],
      ['ShootDNSRewriting', { commonSuffixes: ['.com'] }, false],
      ['ShootDNSRewriting', { commonSuffixes: ['.a.b', 'a.b'] }, false],
      ['ShootDNSRewriting', { commonSuffixes: ['a_.b'] }, false],
      ['ShootResourceReservation', { useGKEFormula: true, selector: { matchLabels: { a: 'b' } } }, true],
      ['ShootResourceReservation', { useGKEFormula: 'yes' }, false],
      ['ShootResourceReservation', { apiVersion: 'v1' }, false],
    ] as const
  ).map(
    ([name, config, isFit]): Case => [
      `${name} ${JSON.stringify(config)}`,
      gardenerConfiguration(name, config),
      isFit ? [] : ['Invalid ga.gardenerAPIServer.admissionPlugins[0].config'],
    ],
  ),
  [
    'webhooks without kubeconfig',
    {
      [version]: '1.35.0',
      'ga.gardenerAPIServer.admissionPlugins': [{ name: 'MutatingAdmissionWebhook', config: webhooks }],
    },
    [],
  ],
])

const reservation = (selector: object, errors: string[]): Case => [
  JSON.stringify(selector),
  gardenerConfiguration('ShootResourceReservation', { selector }),
  errors,
]

const expressions = (...matchExpressions: readonly object[]) => ({ matchExpressions })
const refusedConfig = ['Invalid ga.gardenerAPIServer.admissionPlugins[0].config']

proves('GA-359 a selector of ShootResourceReservation that selects nothing that there can be is refused', [
  reservation({}, []),
  reservation({ matchLabels: { 'a.b/c': 'd', e: '' } }, []),
  reservation({ matchLabels: { 'a b': 'd' } }, refusedConfig),
  reservation({ matchLabels: { a: 'b c' } }, refusedConfig),
  reservation(expressions({ key: 'a', operator: 'In', values: ['b'] }, { key: 'a', operator: 'DoesNotExist' }), []),
  reservation(expressions({ key: 'a', operator: 'In' }), refusedConfig),
  reservation(expressions({ key: 'a', operator: 'Exists', values: ['b'] }), refusedConfig),
  reservation(expressions({ key: 'a', operator: 'Is', values: ['b'] }), refusedConfig),
  reservation(expressions({ key: 'a', operator: 'toString' }), refusedConfig),
  reservation(expressions({ key: '', operator: 'Exists' }), refusedConfig),
  reservation(expressions({ key: 'a', operator: 'NotIn', values: ['b', 'c!'] }), refusedConfig),
])

t.test('GA-356 the message says which field is wrong, and why', async t => {
  const [cause = ''] = await causesOf(
    withFields(
      plugins({ name: 'EventRateLimit', config: { ...eventRateLimit, limits: [{ type: 'User', burst: 1 }] } }),
    ),
  )
  matches(
    t,
    cause,
    /: provided invalid configuration of EventRateLimit: \[limits\[0\]\.qps: Invalid value: 0: must be positive\]$/,
  )
})

for (const [server, path] of [
  ['ka', 'ka'],
  ['gardenerAPIServer', 'ga.gardenerAPIServer'],
] as const) {
  proves(`GA-30 numbers and cache sizes of ${server}`, [
    ['a negative cache size', { [`${path}.watchCacheSizes.default`]: -1 }, [`Invalid ${path}.watchCacheSizes.default`]],
    [
      'a negative size of one',
      { [`${path}.watchCacheSizes.resources`]: [{ resource: 'secrets', size: -1 }] },
      [`Invalid ${path}.watchCacheSizes.resources[0].size`],
    ],
    [
      'verbosity',
      { [`${path}.logging`]: { verbosity: -1, httpAccessVerbosity: -2 } },
      [`Invalid ${path}.logging.verbosity`, `Invalid ${path}.logging.httpAccessVerbosity`],
    ],
    [
      'requests',
      { [`${path}.requests`]: { maxMutatingInflight: -1, maxNonMutatingInflight: -1 } },
      [`Invalid ${path}.requests.maxMutatingInflight`, `Invalid ${path}.requests.maxNonMutatingInflight`],
    ],
    [
      'too many requests',
      { [`${path}.requests`]: { maxMutatingInflight: 2501, maxNonMutatingInflight: 5001 } },
      [`Invalid ${path}.requests.maxMutatingInflight`, `Invalid ${path}.requests.maxNonMutatingInflight`],
    ],
    ['as many as may be', { [`${path}.requests`]: { maxMutatingInflight: 2500, maxNonMutatingInflight: 5000 } }, []],
    [
      'a resource without name',
      { [`${path}.watchCacheSizes.resources`]: [{ resource: '', size: 1 }] },
      [`Required ${path}.watchCacheSizes.resources[0].resource`],
    ],
    [
      'upper case',
      { [`${path}.watchCacheSizes.resources`]: [{ apiGroup: 'Apps', resource: 'Deployments', size: 1 }] },
      [
        `Invalid ${path}.watchCacheSizes.resources[0].resource`,
        `Invalid ${path}.watchCacheSizes.resources[0].apiGroup`,
      ],
    ],
  ])
}

for (const path of ['ka', 'ga.gardenerAPIServer']) {
  const sizes = `${path}.watchCacheSizes.resources`
  const cached = (fields: object): Fields => ({ [sizes]: [{ resource: 'secrets', size: 1, ...fields }] })
  proves(`GA-177 cache sizes of ${path} that the flag cannot carry`, [
    ...[',', ' ', '#', '"', '\t', '\n', '\u0000'].flatMap((sign): Case[] => [
      [`resource, ${JSON.stringify(sign)}`, cached({ resource: `a${sign}b` }), [`Invalid ${sizes}[0].resource`]],
      [`apiGroup, ${JSON.stringify(sign)}`, cached({ apiGroup: `a${sign}b` }), [`Invalid ${sizes}[0].apiGroup`]],
    ]),
    ['a dot would end the resource', cached({ resource: 'a.b' }), [`Invalid ${sizes}[0].resource`]],
    ['dots are what groups have', cached({ resource: 'leases', apiGroup: 'coordination.k8s.io' }), []],
    ['the core group', cached({ apiGroup: '' }), []],
  ])
}

const stored = (fields: object): Fields => ({
  'ka.resourcesToStoreInETCDEvents': [{ group: 'apps', resource: 'deployments', ...fields }],
})

proves('GA-177 other lists that a flag cannot carry', [
  ...[',', ' ', '#', '"', '/', '\n'].flatMap((sign): Case[] =>
    ['group', 'resource'].map(field => [
      `${field}, ${JSON.stringify(sign)}`,
      stored({ [field]: `a${sign}b` }),
      [`Invalid ka.resourcesToStoreInETCDEvents[0].${field}`],
    ]),
  ),
  ['a group with dots', stored({ group: 'networking.k8s.io' }), []],
  ...[',', ' ', ':', '\n'].map(
    (sign): Case => [
      `pattern, ${JSON.stringify(sign)}`,
      { 'ka.sni': { secretName: 's', domainPatterns: ['*.a.example.com', `b${sign}c`] } },
      ['Invalid ka.sni.domainPatterns[1]'],
    ],
  ),
  ...['"', '\n', '\r'].map(
    (sign): Case => [
      `audience, ${JSON.stringify(sign)}`,
      { 'ka.apiAudiences': [`a${sign}b`] },
      ['Invalid ka.apiAudiences[0]'],
    ],
  ),
  ['an audience that is a URL with a blank', { 'ka.apiAudiences': ['https://a.example.com/b c#d'] }, []],
])

proves('GA-30 tolerations', [
  [
    'negative',
    { 'ka.defaultNotReadyTolerationSeconds': -1, 'ka.defaultUnreachableTolerationSeconds': -1 },
    ['Invalid ka.defaultNotReadyTolerationSeconds', 'Invalid ka.defaultUnreachableTolerationSeconds'],
  ],
])

proves('GA-31 fields that end with Kubernetes 1.35', [
  [
    'the default cache size',
    { 'ka.watchCacheSizes.default': 100, [version]: '1.35.0' },
    ['Forbidden ka.watchCacheSizes.default'],
  ],
  [
    'the default cache size of Gardener’s API server',
    { 'ga.gardenerAPIServer.watchCacheSizes.default': 100, [version]: '1.35.0' },
    ['Forbidden ga.gardenerAPIServer.watchCacheSizes.default'],
  ],
  [
    'anonymous authentication, off as well',
    { 'ka.enableAnonymousAuthentication': false, [version]: '1.36.0' },
    ['Forbidden ka.enableAnonymousAuthentication'],
  ],
  ['before', { 'ka.watchCacheSizes.default': 100, 'ka.enableAnonymousAuthentication': true, [version]: '1.34.9' }, []],
])

const expiration = 'ka.serviceAccountConfig.maxTokenExpiration'

proves('GA-32 times and TLS', [
  ['a negative expiration', { [expiration]: '-1h' }, [`Invalid ${expiration}`]],
  ['no duration', { [expiration]: '30d' }, [`Invalid ${expiration}`]],
  ['too short', { [expiration]: '719h59m' }, [`Forbidden ${expiration}`]],
  ['too long', { [expiration]: '2160h1s' }, [`Forbidden ${expiration}`]],
  ['at the ends', { [expiration]: '720h' }, []],
  ['none, which is no limit', { [expiration]: '0s' }, []],
  ['events for a negative time', { 'ka.eventTTL': '-1s' }, ['Invalid ka.eventTTL']],
  ['events for too long', { 'ka.eventTTL': '24h1s' }, ['Invalid ka.eventTTL']],
  ['events for a day', { 'ka.eventTTL': '24h' }, []],
  ['an unknown TLS version', { 'ka.tlsMinVersion': 'VersionSSL30' }, ['NotSupported ka.tlsMinVersion']],
])

const accounts = 'ka.serviceAccountConfig'

proves('GA-33 issuers', [
  ...[
    'http://a.example.com',
    'a.example.com',
    'https://a.example.com/#f',
    'https://a.example.com?q=1',
    'https://u:p@a.example.com',
    'https://',
  ].map((issuer): Case => [issuer, { [`${accounts}.issuer`]: issuer }, [`Invalid ${accounts}.issuer`]]),
  [
    'an accepted one',
    { [`${accounts}.acceptedIssuers`]: ['https://a.example.com', 'x'] },
    [`Invalid ${accounts}.acceptedIssuers[1]`],
  ],
  [
    'the issuer again',
    { [`${accounts}.issuer`]: 'https://a.example.com', [`${accounts}.acceptedIssuers`]: ['https://a.example.com'] },
    [`Invalid ${accounts}.acceptedIssuers[0]`],
  ],
  [
    'twice',
    { [`${accounts}.acceptedIssuers`]: ['https://a.example.com', 'https://a.example.com'] },
    [`Duplicate ${accounts}.acceptedIssuers[1]`],
  ],
  [
    'good ones',
    {
      [`${accounts}.issuer`]: 'https://a.example.com/path',
      [`${accounts}.acceptedIssuers`]: ['https://b.example.com'],
    },
    [],
  ],
])

const issuers = (text: string): Fields => ({
  [`${accounts}.issuer`]: text,
  [`${accounts}.acceptedIssuers`]: [`${text}/`],
  'ka.oidcConfig': { clientID: 'c', issuerURL: text },
})
const allIssuers = ['serviceAccountConfig.issuer', 'serviceAccountConfig.acceptedIssuers[0]', 'oidcConfig.issuerURL']

proves('GA-183 issuers that no URL parser takes', [
  ...[
    'https://[::1',
    'https://a.example.com/%zz',
    'https://a.example.com/%',
    'https://a.example.com:x',
    'https://a^b',
  ].map((text): Case => [text, issuers(text), allIssuers.map(field => `Invalid ka.${field}`)]),
  ...['https://[::1]', 'https://a.example.com:8443/a%20b', 'https://grün.example.com'].map(
    (text): Case => [text, issuers(text), []],
  ),
])

proves('GA-183 TLS versions that are not safe any more', [
  ...['VersionTLS10', 'VersionTLS11'].map(
    (old): Case => [old, { 'ka.tlsMinVersion': old }, ['NotSupported ka.tlsMinVersion']],
  ),
  ...['VersionTLS12', 'VersionTLS13'].map((good): Case => [good, { 'ka.tlsMinVersion': good }, []]),
])

const gateOff = (gate: string): Fields => ({ 'ka.featureGates': { [gate]: false }, [version]: '1.32.0' })

proves('GA-183 structured configurations while their gate is off', [
  [
    'authentication',
    {
      ...gateOff('StructuredAuthenticationConfiguration'),
      'ka.structuredAuthentication': { configMapName: 'c' },
    },
    ['Forbidden ka.structuredAuthentication'],
  ],
  [
    'authorization',
    {
      'ka.featureGates': { StructuredAuthorizationConfiguration: false },
      [version]: '1.32.0',
      'ka.structuredAuthorization': { configMapName: 'c', kubeconfigs: [{ authorizerName: 'a', secretName: 's' }] },
    },
    ['Forbidden ka.featureGates.StructuredAuthorizationConfiguration', 'Forbidden ka.structuredAuthorization'],
  ],
  ['the gate off and nothing configured', gateOff('StructuredAuthenticationConfiguration'), []],
])

for (const server of ['ka', 'kcm']) {
  const gate = (name: string, value: boolean) => ({ [`${server}.featureGates`]: { [name]: value } })
  proves(`GA-34 feature gates of ${server}`, [
    ['unknown', gate('Nope', true), [`Invalid ${server}.featureGates.Nope`]],
    [
      'not yet in this version',
      { ...gate('AllowParsingUserUIDFromCertAuth', true), [version]: '1.32.0' },
      [`Forbidden ${server}.featureGates.AllowParsingUserUIDFromCertAuth`],
    ],
    [
      'not any more in this version',
      { ...gate('AppArmor', true), [version]: '1.33.0' },
      [`Forbidden ${server}.featureGates.AppArmor`],
    ],
    [
      'locked',
      { ...gate('APIServerTracing', false), [version]: '1.34.0' },
      [`Forbidden ${server}.featureGates.APIServerTracing`],
    ],
    ['not locked yet', { ...gate('APIServerTracing', false), [version]: '1.33.0' }, []],
    ['set to what it is locked to', { ...gate('APIServerTracing', true), [version]: '1.34.0' }, []],
    ['a whole stage', gate('AllAlpha', true), []],
  ])
}

proves('GA-35 audiences', [
  ['a comma', { 'ka.apiAudiences': ['a', 'b,c'] }, ['Invalid ka.apiAudiences[1]']],
  ['twice', { 'ka.apiAudiences': ['a', 'a'] }, ['Duplicate ka.apiAudiences[1]']],
])

const oidc = (fields: object): Fields => ({
  'ka.oidcConfig': { clientID: 'c', issuerURL: 'https://a.example.com', ...fields },
})

proves('GA-36 OpenID Connect', [
  ['good', oidc({ signingAlgs: ['RS256', 'ES512'], usernameClaim: 'sub', requiredClaims: { hd: 'x' } }), []],
  ['no client', { 'ka.oidcConfig': { issuerURL: 'https://a.example.com' } }, ['Invalid ka.oidcConfig.clientID']],
  ['no issuer', { 'ka.oidcConfig': { clientID: 'c' } }, ['Invalid ka.oidcConfig.issuerURL']],
  ['no https', oidc({ issuerURL: 'http://a.example.com' }), ['Invalid ka.oidcConfig.issuerURL']],
  ['no certificate', oidc({ caBundle: '-----BEGIN CERTIFICATE-----' }), ['Invalid ka.oidcConfig.caBundle']],
  [
    'a damaged certificate',
    oidc({ caBundle: '-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----\n' }),
    ['Invalid ka.oidcConfig.caBundle'],
  ],
  ['an unknown algorithm', oidc({ signingAlgs: ['RS256', 'HS256'] }), ['Invalid ka.oidcConfig.signingAlgs[1]']],
  [
    'empty claims',
    oidc({ usernameClaim: '', groupsClaim: '', requiredClaims: { hd: '' } }),
    [
      'Invalid ka.oidcConfig.usernameClaim',
      'Invalid ka.oidcConfig.groupsClaim',
      'Invalid ka.oidcConfig.requiredClaims.hd',
    ],
  ],
  [
    'beside structured authentication',
    { ...oidc({}), 'ka.structuredAuthentication': { configMapName: 'c' } },
    ['Forbidden ka.oidcConfig'],
  ],
])

proves('GA-37 names of ConfigMaps and kubeconfigs', [
  [
    'structured authentication',
    { 'ka.structuredAuthentication': { configMapName: '' } },
    ['Forbidden ka.structuredAuthentication.configMapName'],
  ],
  [
    'structured authorization',
    { 'ka.structuredAuthorization': { configMapName: '', kubeconfigs: [] } },
    ['Forbidden ka.structuredAuthorization.configMapName', 'Required ka.structuredAuthorization.kubeconfigs'],
  ],
  [
    'structured authorization that says nothing of kubeconfigs',
    { 'ka.structuredAuthorization': { configMapName: 'a' } },
    ['Required ka.structuredAuthorization.kubeconfigs'],
  ],
  [
    'audit policies',
    {
      'ka.auditConfig.auditPolicy.configMapRef': {},
      'ga.gardenerAPIServer.auditConfig.auditPolicy.configMapRef': { name: '' },
    },
    [
      'Required ka.auditConfig.auditPolicy.configMapRef.name',
      'Required ga.gardenerAPIServer.auditConfig.auditPolicy.configMapRef.name',
    ],
  ],
])

const audited = (name: string, namespace?: string): Fields => ({
  'ka.auditConfig.auditPolicy.configMapRef': { name, ...(namespace !== undefined && { namespace }) },
  'ga.gardenerAPIServer.auditConfig.auditPolicy.configMapRef': { name, ...(namespace !== undefined && { namespace }) },
})

proves('GA-183 audit policies in what can be no ConfigMap', [
  ...['Policy', 'a_b', '-a', 'a b', 'a'.repeat(254)].map(
    (name): Case => [
      name,
      audited(name),
      [
        'Invalid ka.auditConfig.auditPolicy.configMapRef.name',
        'Invalid ga.gardenerAPIServer.auditConfig.auditPolicy.configMapRef.name',
      ],
    ],
  ),
  ['a good one', audited('audit-policy.v1'), []],
])

proves('GA-327 audit policies in what can be no namespace', [
  ...['Garden', 'a.b', '-a', 'a'.repeat(64)].map(
    (namespace): Case => [
      namespace,
      audited('policy', namespace),
      [
        'Invalid ka.auditConfig.auditPolicy.configMapRef.namespace',
        'Invalid ga.gardenerAPIServer.auditConfig.auditPolicy.configMapRef.namespace',
      ],
    ],
  ),
  ['none', audited('policy', ''), []],
  ['a good one', audited('policy', 'garden'), []],
])

const patterns = (...list: string[]) => ({ 'ka.sni.domainPatterns': list })

proves('GA-38 server names', [
  [
    'the name of the API server',
    patterns('a.example.com', 'api.virtual.garden.example.com'),
    ['Forbidden ka.sni.domainPatterns[1]'],
  ],
  ['a star for its first label', patterns('*.virtual.garden.example.com'), ['Forbidden ka.sni.domainPatterns[0]']],
  ['a star further in', patterns('api.*.garden.example.com'), ['Forbidden ka.sni.domainPatterns[0]']],
  ['a star stands for one label', patterns('*.garden.example.com', '*.example.com', '*'), []],
])

const gardenerEncryption = 'ga.gardenerAPIServer.encryptionConfig'
const aescbc = { provider: { type: 'aescbc' } }

proves('GA-39 encryption', [
  [
    'an unknown type',
    { 'ka.encryptionConfig.provider.type': 'rot13', [`${gardenerEncryption}.provider.type`]: 'rot13' },
    ['NotSupported ka.encryptionConfig.provider.type', `NotSupported ${gardenerEncryption}.provider.type`],
  ],
  [
    'one server unlike the other',
    { [`${gardenerEncryption}.provider.type`]: 'secretbox' },
    [`Invalid ${gardenerEncryption}.provider.type`],
  ],
  [
    'upper case and a wildcard',
    { 'ka.encryptionConfig.resources': ['ConfigMaps', '*.apps'] },
    ['Invalid ka.encryptionConfig.resources[0]', 'Invalid ka.encryptionConfig.resources[1]'],
  ],
  [
    'twice',
    { 'ka.encryptionConfig.resources': ['configmaps', 'configmaps.'] },
    ['Duplicate ka.encryptionConfig.resources[1]'],
  ],
  [
    'always encrypted',
    { 'ka.encryptionConfig.resources': ['secrets'] },
    ['Forbidden ka.encryptionConfig.resources[0]'],
  ],
  [
    'not Gardener’s',
    { [gardenerEncryption]: { ...aescbc, resources: ['configmaps', 'shoots.core.gardener.cloud'] } },
    [`Invalid ${gardenerEncryption}.resources[0]`],
  ],
  [
    'always encrypted by Gardener',
    { [gardenerEncryption]: { ...aescbc, resources: ['shootstates.core.gardener.cloud'] } },
    [`Forbidden ${gardenerEncryption}.resources[0]`],
  ],
])

proves('GA-326 what no API server can encrypt', [
  ...[
    'events.events.k8s.io',
    'ingresses.extensions',
    'apiserveripinfo',
    'serviceipallocations.',
    'servicenodeportallocations',
  ].map(
    (resource): Case => [
      resource,
      { 'ka.encryptionConfig.resources': ['configmaps', resource] },
      ['Invalid ka.encryptionConfig.resources[1]'],
    ],
  ),
  [
    'names that only look like these',
    {
      'ka.encryptionConfig.resources': [
        'events',
        'events.xevents.k8s.io',
        'a.extensions.example.com',
        'apiserveripinfo.example.com',
      ],
    },
    [],
  ],
])

const inRotation = { 'status.credentials.rotation.etcdEncryptionKey': { phase: 'Prepared' } }
const secretbox = { provider: { type: 'secretbox' }, resources: ['configmaps'] }

provesUpdates('GA-329 encryption that changes while it is changed', [
  ...[inRotation, { 'status.credentials.encryptionAtRest.resources': ['pods'] }].map(
    (status): Update => [
      JSON.stringify(status),
      status,
      {
        ...status,
        'ka.encryptionConfig': secretbox,
        [gardenerEncryption]: { provider: secretbox.provider, resources: ['shoots.core.gardener.cloud'] },
      },
      [],
    ],
  ),
])

proves('GA-330 what fields without effect hold', [
  [
    'fields about nodes',
    {
      'kcm.nodeCIDRMaskSize': 24,
      'kcm.nodeCIDRMaskSizeIPv6': 64,
      'kcm.nodeMonitorGracePeriod': '40s',
      'kcm.podEvictionTimeout': '2m',
      'kcm.horizontalPodAutoscaler': { syncPeriod: '10s' },
    },
    [],
  ],
  ['a dashboard without a way to log in', { 'ga.gardenerDashboard': { enableTokenLogin: false } }, []],
  ['an extension that nobody registered', { 'spec.extensions': [{ type: 'unheard-of' }] }, []],
])

proves('GA-371 where keys are published', [
  [
    'a discovery server',
    { 'ga.gardenerDiscoveryServer': { domain: { name: 'A_b' }, tlsSecretName: 'a' } },
    ['Invalid ga.gardenerDiscoveryServer.domain.name'],
  ],
  ['the usual one', { 'ga.gardenerDiscoveryServer': {} }, []],
])

proves('GA-331 more or less than the Go operator looks at', [
  ['a blocked network', { 'net.blockCIDRs': ['10.0.0.0'] }, ['Invalid net.blockCIDRs[0]']],
  ['a star further in', patterns('api.*.garden.example.com'), ['Forbidden ka.sni.domainPatterns[0]']],
  [
    'a gate of older autoscalers',
    { 'spec.runtimeCluster.settings.verticalPodAutoscaler': { featureGates: { InPlaceOrRecreate: true } } },
    [],
  ],
])

proves('GA-40 feature gates of Gardener', [
  ...['gardenerAPIServer', 'gardenerControllerManager', 'gardenerScheduler'].map(
    (component): Case => [
      component,
      { [`ga.${component}.featureGates`]: { Nope: true, InPlaceNodeUpdates: true, BackupEntryForGarden: true } },
      [`Forbidden ga.${component}.featureGates.Nope`],
    ],
  ),
  [
    'locked',
    { 'ga.gardenerAPIServer.featureGates': { BackupEntryForGarden: false } },
    ['Forbidden ga.gardenerAPIServer.featureGates.BackupEntryForGarden'],
  ],
])

t.test('GA-40 in the words of the Go operator', async t => {
  const causes = await causesOf(withFields({ 'ga.gardenerScheduler.featureGates': { Nope: true } }))
  matches(t, causes, [/Forbidden: not supported by Gardener$/])
})

const gardenerPlugins = 'ga.gardenerAPIServer.admissionPlugins'
const quotas = 'ga.gardenerControllerManager.defaultProjectQuotas'
const kubeconfigs = 'ga.gardenerAPIServer.shootAdminKubeconfigMaxExpiration'
const selecting = (projectSelector: object) => ({ [quotas]: [{ config: {}, projectSelector }] })

proves('GA-41 components of Gardener', [
  ['a plugin without name', { [gardenerPlugins]: [{ name: '' }] }, [`Required ${gardenerPlugins}[0].name`]],
  [
    'an unknown plugin',
    { [gardenerPlugins]: [{ name: 'Bastion' }, { name: 'PodSecurity' }] },
    [`NotSupported ${gardenerPlugins}[1].name`],
  ],
  ['too short', { [kubeconfigs]: '59m' }, [`Invalid ${kubeconfigs}`]],
  ['too long', { [kubeconfigs]: '4294967297s' }, [`Invalid ${kubeconfigs}`]],
  ['as long as may be', { [kubeconfigs]: '4294967296s' }, []],
  ['no duration', { [kubeconfigs]: 'a day' }, [`Invalid ${kubeconfigs}`]],
  [
    'a label that is none',
    selecting({ matchLabels: { 'a b': 'c' } }),
    [`Invalid ${quotas}[0].projectSelector.matchLabels`],
  ],
  [
    'a key and an operator',
    selecting({ matchExpressions: [{ key: '-', operator: 'Near', values: ['a'] }] }),
    [
      `Invalid ${quotas}[0].projectSelector.matchExpressions[0].key`,
      `Invalid ${quotas}[0].projectSelector.matchExpressions[0].operator`,
    ],
  ],
  [
    'no values, needless values',
    selecting({
      matchExpressions: [
        { key: 'a', operator: 'In' },
        { key: 'a', operator: 'Exists', values: ['b'] },
      ],
    }),
    [
      `Invalid ${quotas}[0].projectSelector.matchExpressions[0].values`,
      `Invalid ${quotas}[0].projectSelector.matchExpressions[1].values`,
    ],
  ],
  [
    'a good one',
    selecting({
      matchLabels: { 'example.com/tier': 'a' },
      matchExpressions: [{ key: 'b', operator: 'NotIn', values: ['c'] }],
    }),
    [],
  ],
])

const labels = (text: string): Fields => selecting({ matchLabels: { [text]: 'a' } })

proves('GA-183 selectors of what can be no label', [
  ...['a..b/c', 'A/b', 'a/', '/a', 'a/b/c', '-', 'a'.repeat(64), `${'a'.repeat(254)}/b`].map(
    (key): Case => [`key ${key}`, labels(key), [`Invalid ${quotas}[0].projectSelector.matchLabels`]],
  ),
  ...['a b', '-a', 'a/b', 'ä', 'a'.repeat(64)].flatMap((value): Case[] => [
    [`value ${value}`, selecting({ matchLabels: { a: value } }), [`Invalid ${quotas}[0].projectSelector.matchLabels`]],
    [
      `value ${value} of an expression`,
      selecting({ matchExpressions: [{ key: 'a', operator: 'In', values: ['b', value] }] }),
      [`Invalid ${quotas}[0].projectSelector.matchExpressions[0].values[1]`],
    ],
  ]),
  ['good ones', selecting({ matchLabels: { 'a.b-c/D_e.f': '', x: 'Y' } }), []],
])

const admission = 'ga.gardenerAdmissionController.resourceAdmissionConfiguration'
const limit = { apiGroups: ['a'], apiVersions: ['v1'], resources: ['b'], size: '1k' }
const limits = (...list: object[]) => ({ [admission]: { limits: list } })
const person = { kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' }
const account = { kind: 'ServiceAccount', name: 's', namespace: 'n' }
const subjects = (...unrestrictedSubjects: object[]) => ({ [admission]: { limits: [limit], unrestrictedSubjects } })

proves('GA-42 the mode of resource admission', [
  [
    'neither block nor log',
    { [admission]: { limits: [limit], operationMode: 'warn' } },
    [`NotSupported ${admission}.mode`],
  ],
  ['block', { [admission]: { limits: [limit], operationMode: 'block' } }, []],
])

proves('GA-43 subjects without limits', [
  ['good ones', subjects(person, account, { ...person, kind: 'Group' }), []],
  [
    'an unknown kind',
    subjects({ ...person, kind: 'Robot' }),
    [`NotSupported ${admission}.unrestrictedSubjects[0].kind`],
  ],
  ['no name', subjects({ ...person, name: '' }), [`Invalid ${admission}.unrestrictedSubjects[0].name`]],
  [
    'an account without namespace',
    subjects({ ...account, namespace: '' }),
    [`Invalid ${admission}.unrestrictedSubjects[0].namespace`],
  ],
  [
    'an account with a group',
    subjects({ ...account, apiGroup: 'x' }),
    [`Invalid ${admission}.unrestrictedSubjects[0].apiGroup`],
  ],
  [
    'a user with a namespace',
    subjects(person, { ...person, namespace: 'n' }),
    [`Invalid ${admission}.unrestrictedSubjects[1].namespace`],
  ],
  [
    'a group of another group',
    subjects({ ...person, kind: 'Group', apiGroup: 'x' }),
    [`NotSupported ${admission}.unrestrictedSubjects[0].apiGroup`],
  ],
])

proves('GA-44 limits', [
  [
    'nothing at all',
    limits({ resources: [] }),
    [
      `Invalid ${admission}.limits[0].resources`,
      `Invalid ${admission}.limits[0].apiGroups`,
      `Invalid ${admission}.limits[0].versions`,
      `Invalid ${admission}.limits[0]`,
    ],
  ],
  [
    'empty names',
    limits(limit, { ...limit, resources: ['b', ''], apiVersions: [''] }),
    [`Invalid ${admission}.limits[1].resources[1]`, `Invalid ${admission}.limits[1].versions[0]`],
  ],
  ['the core group is the empty name', limits({ ...limit, apiGroups: [''] }), []],
  ['neither size nor count', limits({ ...limit, size: undefined }), [`Invalid ${admission}.limits[0]`]],
  [
    'negative',
    limits({ ...limit, size: '-1k', count: -1 }),
    [`Invalid ${admission}.limits[0].size`, `Invalid ${admission}.limits[0].count`],
  ],
])

provesUpdates('GA-45 first domains', [
  ['of the virtual garden', {}, { 'v.dns.domains': domains('other.example.com') }, ['Invalid v.dns.domains[0].name']],
  [
    'of the ingress',
    {},
    { 'spec.runtimeCluster.ingress.domains': domains('other.example.com') },
    ['Invalid runtimeCluster.ingress.domains[0]'],
  ],
  [
    'of the ingress taken away, after which any other could come',
    {},
    { 'spec.runtimeCluster.ingress.domains': undefined },
    ['Invalid runtimeCluster.ingress.domains[0]'],
  ],
  [
    'of the ingress given later',
    { 'spec.runtimeCluster.ingress.domains': undefined },
    { 'spec.runtimeCluster.ingress.domains': domains('other.example.com') },
    [],
  ],
  [
    'none of the ingress, before and after',
    { 'spec.runtimeCluster.ingress.domains': undefined },
    { 'spec.runtimeCluster.ingress.domains': undefined },
    [],
  ],
  [
    'later ones are free',
    { 'v.dns.domains': domains('a.example.com', 'b.example.com') },
    { 'v.dns.domains': domains('a.example.com', 'c.example.com') },
    [],
  ],
  [
    'and may go',
    { 'v.dns.domains': domains('a.example.com', 'b.example.com') },
    { 'v.dns.domains': domains('a.example.com') },
    [],
  ],
])

const four = ['10.16.0.0/16', '10.17.0.0/16']

provesUpdates('GA-46 networks only grow', [
  ...['net.nodes', 'net.pods', 'net.services'].flatMap((list): Update[] => [
    [`${list} shorter`, { [list]: four }, { [list]: four.slice(0, 1) }, [`Forbidden ${list}`]],
    [`${list} changed`, { [list]: four }, { [list]: [four[0], '10.18.0.0/16'] }, [`Invalid ${list}[1]`]],
    [`${list} longer`, { [list]: four.slice(0, 1) }, { [list]: four }, []],
  ]),
  ['nodes gone', { 'net.nodes': four }, {}, ['Forbidden net.nodes']],
  [
    'virtual services shorter',
    { 'v.networking.services': ['100.64.0.0/16', '2001:db8::/108'] },
    { 'v.networking.services': ['100.64.0.0/16'] },
    ['Forbidden v.networking.services'],
  ],
  [
    'virtual services changed',
    { 'v.networking.services': ['100.64.0.0/16'] },
    { 'v.networking.services': ['100.65.0.0/16'] },
    ['Invalid v.networking.services[0]'],
  ],
  ['blocked networks are free', { 'net.blockCIDRs': four }, { 'net.blockCIDRs': [] }, []],
])

t.test('GA-46 a list that shrinks is refused by its name', async t => {
  for (const list of ['nodes', 'pods', 'services'])
    t.strictSame(
      await causesOf(withFields({ [`net.${list}`]: four.slice(0, 1) }), withFields({ [`net.${list}`]: four })),
      [`Forbidden runtimeCluster.networking.${list}: Forbidden: ${list} cannot be removed`],
    )
  const virtual = ['100.64.0.0/16', '2001:db8::/108']
  const services = (count: number) => withFields({ 'v.networking.services': virtual.slice(0, count) })
  t.strictSame(await causesOf(services(1), services(2)), [
    'Forbidden virtualCluster.networking.services: Forbidden: services cannot be removed',
  ])
})

provesUpdates('GA-47 high availability', [
  [
    'gone',
    { 'v.controlPlane.highAvailability': {} },
    { 'v.controlPlane': {} },
    ['Invalid v.controlPlane.highAvailability'],
  ],
  ['gone with its parent', { 'v.controlPlane.highAvailability': {} }, {}, ['Invalid v.controlPlane.highAvailability']],
  ['added', {}, { 'v.controlPlane.highAvailability': {} }, []],
])

t.test('GA-47 in the words of Kubernetes', async t => {
  const causes = await causesOf(smallest(), withFields({ 'v.controlPlane.highAvailability': {} }))
  matches(t, causes, [/: field is immutable$/])
})

provesUpdates('GA-48 changes of the Kubernetes version', [
  ['down', { [version]: '1.34.3' }, { [version]: '1.34.1' }, ['Forbidden v.kubernetes.version']],
  ['down a minor', { [version]: '1.34.3' }, { [version]: '1.33.9' }, ['Forbidden v.kubernetes.version']],
  ['over one', { [version]: '1.33.9' }, { [version]: '1.35.0' }, ['Forbidden v.kubernetes.version']],
  ['up one', { [version]: 'v1.35.2' }, { [version]: '1.36.0' }, []],
  ['down to a pre-release', { [version]: '1.34.0' }, { [version]: '1.34.0-rc.1' }, ['Forbidden v.kubernetes.version']],
  [
    'down a pre-release',
    { [version]: '1.34.0-rc.10' },
    { [version]: '1.34.0-rc.9' },
    ['Forbidden v.kubernetes.version'],
  ],
  ['up from a pre-release', { [version]: '1.34.0-rc.1' }, { [version]: '1.34.0' }, []],
  ['up a pre-release', { [version]: '1.34.0-rc.9' }, { [version]: '1.34.0-rc.10' }, []],
  ['another build', { [version]: '1.34.0+b' }, { [version]: '1.34.0+a' }, []],
])

t.test('GA-48 a way back and a way too far are told apart', async t => {
  const changed = (from: string, to: string) => causesOf(withFields({ [version]: to }), withFields({ [version]: from }))
  const field = 'Forbidden virtualCluster.kubernetes.version: Forbidden'
  t.strictSame(await changed('1.34.3', '1.34.1'), [`${field}: kubernetes version downgrade is not supported`])
  t.strictSame(await changed('1.33.9', '1.35.0'), [`${field}: kubernetes version upgrade cannot skip a minor version`])
})

const backup = { provider: 'local', bucketName: 'b', secretRef: { name: 's' } }

proves('GA-161 a bucket', [
  ['named', { 'v.etcd.main.backup': backup }, []],
  [
    'named by an empty text',
    { 'v.etcd.main.backup': { ...backup, bucketName: '' } },
    ['Invalid v.etcd.main.backup.bucketName'],
  ],
])

provesUpdates('GA-49 GA-161 GA-371 backups and the discovery server', [
  ['the backup removed', { 'v.etcd.main.backup': backup }, {}, ['Forbidden v.etcd.main.backup']],
  [
    'the bucket changed',
    { 'v.etcd.main.backup': backup },
    { 'v.etcd.main.backup': { ...backup, bucketName: 'c' } },
    ['Invalid v.etcd.main.backup.bucketName'],
  ],
  [
    'the bucket added',
    { 'v.etcd.main.backup': { ...backup, bucketName: undefined } },
    { 'v.etcd.main.backup': backup },
    [],
  ],
  [
    'the bucket removed again',
    { 'v.etcd.main.backup': backup },
    { 'v.etcd.main.backup': { ...backup, bucketName: undefined } },
    ['Forbidden v.etcd.main.backup.bucketName'],
  ],
  [
    'the bucket named by an empty text',
    { 'v.etcd.main.backup': { ...backup, bucketName: undefined } },
    { 'v.etcd.main.backup': { ...backup, bucketName: '' } },
    ['Invalid v.etcd.main.backup.bucketName'],
  ],
  [
    'one that was stored empty stays',
    { 'v.etcd.main.backup': { ...backup, bucketName: '' } },
    { 'v.etcd.main.backup': { ...backup, bucketName: '' } },
    [],
  ],
  [
    'one that was stored empty may go, for a name to come',
    { 'v.etcd.main.backup': { ...backup, bucketName: '' } },
    { 'v.etcd.main.backup': { ...backup, bucketName: undefined } },
    [],
  ],
  ['the discovery server removed', { 'ga.gardenerDiscoveryServer': {} }, {}, ['Forbidden ga.gardenerDiscoveryServer']],
  ['the discovery server added', {}, { 'ga.gardenerDiscoveryServer': {} }, []],
  [
    'its domain changed',
    { 'ga.gardenerDiscoveryServer': { domain: { name: 'a.example.com' } } },
    { 'ga.gardenerDiscoveryServer': { domain: { name: 'b.example.com' } } },
    ['Invalid ga.gardenerDiscoveryServer.domain'],
  ],
  [
    'its domain given, other than the usual one',
    { 'ga.gardenerDiscoveryServer': {} },
    { 'ga.gardenerDiscoveryServer': { domain: { name: 'b.example.com' } } },
    ['Invalid ga.gardenerDiscoveryServer.domain'],
  ],
])

t.test('GA-10 what the schema says of single values is told with the rest', async t => {
  const ofShape = new Set(required.map(field => `${field} is required`))
  for (const { name, field, garden } of faultyGardens()) {
    if (ofShape.has(name)) continue
    if (!shapeFault(garden)) judged.push({ garden })
    const causes = await causesOf(garden)
    t.ok(
      causes.some(cause => cause.includes(` ${field.replace('spec.', '')}: `)),
      name,
    )
  }
  const bySchema = ruleTree(schemaRules)
  for (const { name, garden } of unusualGardens()) t.strictSame(errorsOf(bySchema, { garden }, 10), [], name)
})

t.test('every rule of the table about the spec has a case that it refuses', async t => {
  for (const [i, rule] of gardenRules.entries()) {
    if (metadataRules.includes(rule)) continue
    const tree = ruleTree([rule])
    t.ok(
      judged.some(subject => errorsOf(tree, subject, 1).length > 0),
      `rule ${i}, at ${rule.at[0]}`,
    )
  }
})

t.test('GA-184 what a rule about one field refuses may stand unchanged, what others refuse may not', async t => {
  for (const [i, rule] of gardenRules.entries()) {
    const tree = ruleTree([rule])
    for (const { garden } of judged) {
      const told = errorsOf(tree, { garden }, 10)
      if (told.length === 0) continue
      const standing = errorsOf(tree, { garden, before: garden }, 10)
      if (rule.isOfOneField) t.strictSame(standing, [], `rule ${i}, at ${rule.at[0]}`)
      else t.strictSame(standing, told, `rule ${i}, at ${rule.at[0]}`)
    }
  }
})

t.test('GA-10 ten violations are ten causes of one refusal', async t => {
  const many = withFields({
    'net.ipFamilies': ['IPv5'],
    'v.networking.services': ['100.64.0.0/16', '100.65.0.0/16'],
    'v.dns.domains': domains('A'),
    [version]: '1.34.3',
    'ka.eventTTL': '25h',
    'ka.tlsMinVersion': 'x',
    'ka.admissionPlugins': [{ name: 'Nope' }, { name: 'PodSecurity', disabled: true }],
    'ka.apiAudiences': ['a', 'a'],
    'ka.featureGates': { Nope: true },
    'ga.gardenerScheduler.featureGates': { Nope: true },
  })
  const verdict = await verdictOn(many)
  if (verdict.allowed) return t.fail('allowed')
  t.equal(verdict.causes?.length, 10)
  matches(t, verdict, { code: 422, reason: 'Invalid' })
  matches(t, verdict.message, /^Garden\.operator\.gardener\.cloud "garden" is invalid: \[/)
  for (const { field, message } of verdict.causes ?? []) t.ok(verdict.message.includes(`${field}: ${message}`), field)
})

t.test('GA-10 the words are those of Kubernetes', async t => {
  const messages: [string, Fields, string][] = [
    ['Required', { 'v.dns': {} }, 'Required virtualCluster.dns.domains: Required value: at least one domain is needed'],
    [
      'Invalid, a text',
      { 'net.nodes': ['a"b'] },
      'Invalid runtimeCluster.networking.nodes[0]: Invalid value: "a\\"b": must be an IP network in CIDR notation, such as 10.1.0.0/16',
    ],
    [
      'Invalid, a number',
      { 'ka.requests.maxMutatingInflight': -5 },
      'Invalid virtualCluster.kubernetes.kubeAPIServer.requests.maxMutatingInflight: Invalid value: -5: must not be negative',
    ],
    [
      'Duplicate',
      { 'ka.apiAudiences': ['a', 'a'] },
      'Duplicate virtualCluster.kubernetes.kubeAPIServer.apiAudiences[1]: Duplicate value: "a"',
    ],
    [
      'NotSupported',
      { 'net.ipFamilies': ['IPv5'] },
      'NotSupported runtimeCluster.networking.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
    ],
    [
      'Forbidden',
      { 'ka.admissionPlugins': [{ name: 'PodSecurity', disabled: true }] },
      'Forbidden virtualCluster.kubernetes.kubeAPIServer.admissionPlugins[0]: Forbidden: PodSecurity cannot be disabled',
    ],
  ]
  for (const [sentence, fields, cause] of messages) t.strictSame(await causesOf(withFields(fields)), [cause], sentence)
})

t.test('GA-10 values are quoted as Go quotes them, and cut when they are long', async t => {
  const values: [value: string, quoted: string][] = [
    ['a\u0001\u000b\n\\"', '"a\\x01\\v\\n\\\\\\""'],
    ['\u007f\u009b\u2028', '"\\x7f\\u009b\\u2028"'],
    ['grün', '"grün"'],
  ]
  for (const [value, quoted] of values) {
    const [cause = ''] = await causesOf(withFields({ 'net.nodes': [value] }))
    t.ok(cause.includes(`: Invalid value: ${quoted}: must be`), cause)
  }
  const [long = ''] = await causesOf(withFields({ 'net.nodes': ['x'.repeat(10_000)] }))
  t.ok(long.length < 1_000 && long.includes('x…'), long)
})
