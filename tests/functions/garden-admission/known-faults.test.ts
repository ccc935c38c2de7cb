// Gardens that are stored with something wrong in them: whoever edits something else is let through, whoever touches what is
// wrong is not. That this holds for every rule about one field is proved in rules.test.ts.
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { matches } from '../../harness/matches.ts'
import { type Garden, gardenWith } from '../../make/garden/garden.ts'
import { causesOf, filled, older, smallest, verdictOn } from './reviews.ts'

type Fields = Record<string, unknown>

const v = 'spec.virtualCluster'
const ka = `${v}.kubernetes.kubeAPIServer`
const ga = `${v}.gardener`
const version = `${v}.kubernetes.version`
const settings = 'spec.runtimeCluster.settings'

const changed = (fields: Fields, start: Garden = smallest()): Garden => gardenWith(fields, start)

/** Where the causes are, without `spec.`. */
const fieldsOf = (causes: readonly string[]): string[] => causes.map(cause => cause.split(': ')[0] ?? '')

/** Of a Garden that is stored with these fields, and then has those as well. */
const told = async (stored: Fields, change: Fields): Promise<string[]> => {
  const before = changed(stored)
  return fieldsOf(await causesOf(changed(change, before), before))
}

const another = { [`${ka}.logging.verbosity`]: 4 }

/** What is stored, another wrong value in its place, and what is said of that. */
const cases: Record<string, { stored: Fields; other: Fields; told: string[] }> = {
  'a duration': {
    stored: { [`${ka}.eventTTL`]: '25h' },
    other: { [`${ka}.eventTTL`]: '26h' },
    told: ['Invalid virtualCluster.kubernetes.kubeAPIServer.eventTTL'],
  },
  'an unknown feature gate': {
    stored: { [`${ka}.featureGates`]: { Nope: true } },
    other: { [`${ka}.featureGates`]: { Nope: false } },
    told: ['Invalid virtualCluster.kubernetes.kubeAPIServer.featureGates.Nope'],
  },
  'another key with the same value': {
    stored: { [`${ka}.featureGates`]: { Nope: true } },
    other: { [`${ka}.featureGates`]: { Never: true } },
    told: ['Invalid virtualCluster.kubernetes.kubeAPIServer.featureGates.Never'],
  },
  'an API that is none': {
    stored: { [`${ka}.runtimeConfig`]: { 'foo/v1': true } },
    other: { [`${ka}.runtimeConfig`]: { 'foo/v1': false } },
    told: ['Invalid virtualCluster.kubernetes.kubeAPIServer.runtimeConfig[foo/v1]'],
  },
  'a version that is not supported any more': {
    stored: { [version]: '1.31.1' },
    other: { [version]: '1.31.2' },
    told: ['NotSupported virtualCluster.kubernetes.version'],
  },
  'a configuration, whose refusal does not quote it': {
    stored: { [`${ka}.admissionPlugins`]: [{ name: 'LimitRanger', config: { a: 1 } }] },
    other: { [`${ka}.admissionPlugins`]: [{ name: 'LimitRanger', config: { a: 2 } }] },
    told: ['Forbidden virtualCluster.kubernetes.kubeAPIServer.admissionPlugins[0].config'],
  },
  'what the schema refuses': {
    stored: { [`${ga}.gardenerScheduler.strategy`]: 'Best' },
    other: { [`${ga}.gardenerScheduler.strategy`]: 'Better' },
    told: ['NotSupported virtualCluster.gardener.gardenerScheduler.strategy'],
  },
  'an amount': {
    stored: { [`${settings}.verticalPodAutoscaler.maxAllowed`]: { cpu: '-1', memory: 1 } },
    other: { [`${settings}.verticalPodAutoscaler.maxAllowed`]: { cpu: '-2', memory: 1 } },
    told: ['Invalid runtimeCluster.settings.verticalPodAutoscaler.maxAllowed.cpu'],
  },
  'a bucket without name': {
    stored: { [`${v}.etcd.main.backup`]: { provider: 'p', bucketName: '', secretRef: {} } },
    other: { [`${v}.etcd.main.backup`]: { provider: 'p', bucketName: 'b', secretRef: {} } },
    told: ['Invalid virtualCluster.etcd.main.backup.bucketName'],
  },
}

for (const [sentence, { stored, other, told: causes }] of Object.entries(cases))
  t.test(`GA-184 ${sentence} stood there before`, async t => {
    t.not((await causesOf(changed(stored))).length, 0, 'it could not be created')
    t.strictSame(await told(stored, another), [], 'another field is edited')
    t.strictSame(await told(stored, other), causes, 'it is changed itself')
    for (const cause of fieldsOf(await causesOf(changed(stored)))) t.ok((await told({}, stored)).includes(cause), cause)
    t.strictSame(
      await told(stored, { ...another, 'spec.virtualCluster.kubernetes.kubeAPIServer.tlsMinVersion': 'x' }),
      ['NotSupported virtualCluster.kubernetes.kubeAPIServer.tlsMinVersion'],
    )
  })

t.test('GA-184 a Garden that is only given a finalizer or an operation is let be', async t => {
  const before = changed({ [`${ka}.eventTTL`]: '25h', [version]: '1.31.1' })
  const annotations = { 'gardener.cloud/operation': 'reconcile' }
  matches(
    t,
    await verdictOn(changed({ 'metadata.finalizers': ['a/b'], 'metadata.annotations': annotations }, before), before),
    {
      allowed: true,
    },
  )
})

const audiences = (...list: string[]): Fields => ({ [`${ka}.apiAudiences`]: list })
const audience = (i: number) => `virtualCluster.kubernetes.kubeAPIServer.apiAudiences[${i}]`

t.test('GA-184 items of a list keep what is wrong with them wherever they move', async t => {
  const stored = audiences('a,b', 'c', 'd,e')
  t.strictSame(await told(stored, audiences('new', 'd,e', 'c', 'a,b')), [], 'behind others')
  t.strictSame(await told(stored, audiences('d,e')), [], 'when others go')
  t.strictSame(await told(stored, audiences('d,e', 'f,g')), [`Invalid ${audience(1)}`], 'not those that come')
  const twice = audiences('a,b', 'a,b')
  t.strictSame(
    await told(stored, twice),
    [`Duplicate ${audience(1)}`, `Invalid ${audience(1)}`],
    'each as often as it was there',
  )
  t.strictSame(await told(twice, audiences('c', ...(twice[`${ka}.apiAudiences`] as string[]))), [])
})

t.test('GA-184 items that are there twice may stay so, and others may come and go', async t => {
  const stored = audiences('a', 'a')
  t.strictSame(await told(stored, audiences('a', 'a', 'b')), [])
  t.strictSame(await told(stored, audiences('b', 'a', 'a')), [])
  t.strictSame(await told(stored, audiences('a', 'a', 'a')), [`Duplicate ${audience(2)}`])
  t.strictSame(await told(stored, audiences('a', 'b', 'b')), [`Duplicate ${audience(2)}`])
})

t.test('GA-184 items that are objects are as before when all their fields are, in whatever order', async t => {
  const limits = `${ga}.gardenerAdmissionController.resourceAdmissionConfiguration.limits`
  const good = { resources: ['a'], apiGroups: ['b'], apiVersions: ['v1'], size: 1 }
  const empty = { resources: ['a'], apiGroups: ['b'], apiVersions: ['v1'] }
  const stored = { [limits]: [empty, good] }
  const turned = { apiVersions: ['v1'], apiGroups: ['b'], resources: ['a'] }
  t.strictSame(await told(stored, { [limits]: [good, turned] }), [])
  t.strictSame(await told(stored, { [limits]: [good, { ...empty, resources: ['c'] }] }), [
    `Invalid ${limits.replace('spec.', '')}[1]`,
  ])
})

t.test('GA-184 what is filled in today was meant before, and an older spelling is what it is lifted to', async t => {
  const encryption = { [`${ka}.encryptionConfig.provider.type`]: 'rot13' }
  const before = gardenWith({ ...encryption, [`${ga}.gardenerAPIServer`]: undefined })
  t.strictSame(await causesOf(filled(changed(another, before)), before), [])
  const spelled = gardenWith(
    { [`${v}.networking.services`]: '2001:db8::/129', [`${v}.dns`]: { domain: 'Virtual.example.com' } },
    older() as Garden,
  ) as KubeObject
  t.strictSame(await causesOf(filled(changed(another, spelled as Garden)), spelled), [])
  t.strictSame(fieldsOf(await causesOf(filled(spelled))), [
    'Invalid virtualCluster.dns.domains[0].name',
    'Invalid virtualCluster.networking.services[0]',
  ])
})

t.test('GA-184 what another Kubernetes version makes wrong is a fault of its own', async t => {
  const gates = { [`${ka}.featureGates`]: { AppArmor: true, APIServerTracing: false }, [version]: '1.32.0' }
  t.strictSame(await told(gates, { [version]: '1.33.0' }), [
    'Forbidden virtualCluster.kubernetes.kubeAPIServer.featureGates.AppArmor',
  ])
  t.strictSame(await told({ ...gates, [version]: '1.33.0' }, { [version]: '1.34.0' }), [
    'Forbidden virtualCluster.kubernetes.kubeAPIServer.featureGates.AppArmor',
    'Forbidden virtualCluster.kubernetes.kubeAPIServer.featureGates.APIServerTracing',
  ])
  const apis = { [`${ka}.runtimeConfig`]: { 'foo/v1': true }, [version]: '1.33.0' }
  t.strictSame(await told(apis, { [version]: '1.33.1' }), [])
  t.strictSame(await told(apis, { [version]: '1.34.0' }), [
    'Invalid virtualCluster.kubernetes.kubeAPIServer.runtimeConfig[foo/v1]',
  ])
  t.strictSame(await told({ ...another, [version]: '1.31.1' }, { [version]: '1.32.0' }), [], 'the way out is open')
})

t.test('GA-184 how fields fit each other is judged as ever', async t => {
  const apart: Record<string, { stored: Fields; told: string[] }> = {
    'networks that overlap': {
      stored: { 'spec.runtimeCluster.networking.nodes': ['10.1.0.0/24'] },
      told: ['Invalid runtimeCluster.networking.nodes[0]'],
    },
    'encryption of one API server unlike the other': {
      stored: { [`${ga}.gardenerAPIServer.encryptionConfig.provider.type`]: 'secretbox' },
      told: ['Invalid virtualCluster.gardener.gardenerAPIServer.encryptionConfig.provider.type'],
    },
    'routing by zones of which there is one': {
      stored: { [`${settings}.topologyAwareRouting.enabled`]: true, [`${v}.controlPlane.highAvailability`]: {} },
      told: ['Forbidden runtimeCluster.settings.topologyAwareRouting.enabled'],
    },
  }
  for (const [sentence, { stored, told: causes }] of Object.entries(apart))
    t.strictSame(await told(stored, another), causes, sentence)
})

t.test('GA-184 GA-46 what is immutable is so where it is wrong too', async t => {
  const nodes = (...list: string[]): Fields => ({ 'spec.runtimeCluster.networking.nodes': list })
  t.strictSame(await told(nodes('x'), another), [])
  t.strictSame(await told(nodes('x', 'y'), nodes('y', 'x')), [
    'Invalid runtimeCluster.networking.nodes[0]',
    'Invalid runtimeCluster.networking.nodes[1]',
  ])
  t.strictSame(await told(nodes('x'), { 'spec.runtimeCluster.networking.nodes': undefined }), [
    'Forbidden runtimeCluster.networking.nodes',
  ])
  const domains = (name: string): Fields => ({ [`${v}.dns.domains`]: [{ name }] })
  t.strictSame(await told(domains('A.example.com'), another), [])
  t.strictSame(await told(domains('A.example.com'), domains('a.example.com')), [
    'Invalid virtualCluster.dns.domains[0].name',
  ])
})

t.test('GA-184 however much stood wrong before, what is new is told', async t => {
  const gates = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`Gate${i}`, true]))
  const before = { [`${ka}.featureGates`]: gates }
  t.strictSame(await told(before, { [`${ka}.featureGates`]: { ...gates, New: true } }), [
    'Invalid virtualCluster.kubernetes.kubeAPIServer.featureGates.New',
  ])
})

t.test(
  'GA-184 of what stood wrong ten thousand faults are let be, or one review would keep all others waiting',
  async t => {
    const gates = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`Gate${i}`, true]))
    t.strictSame(await told({ [`${ka}.featureGates`]: gates(10_000) }, another), [])
    t.equal((await told({ [`${ka}.featureGates`]: gates(10_003) }, another)).length, 3)
  },
)

t.test('GA-184 what is stored and has not the shape of a Garden excuses nothing', async t => {
  const wrong = changed({ [`${ka}.eventTTL`]: '25h' })
  const unshaped = changed({ 'spec.runtimeCluster.networking.pods': 1 }, wrong)
  t.strictSame(fieldsOf(await causesOf(wrong, unshaped)), ['Invalid virtualCluster.kubernetes.kubeAPIServer.eventTTL'])
})
