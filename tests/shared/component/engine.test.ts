// The engine as a whole in simulated worlds: what each pass writes, and where it comes to rest.
import t from 'tap'
import { objectKey } from '../../../shared/component/item.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import {
  becomesAvailable,
  becomesReady,
  component,
  edit,
  errorsOf,
  establish,
  establishes,
  goesAway,
  ownedBy,
  SimulatedComponent,
  second,
  shop,
  stepsOf,
} from '../../harness/component/simulated-component.ts'
import { matches } from '../../harness/matches.ts'
import { SimulatedWorld } from '../../harness/simulated/simulated-world.ts'
import {
  configMap,
  gadget,
  gadgetDefinition,
  namespaceManifest,
  owner,
  P,
  question,
  sample,
  sampleService,
  settings,
} from '../../make/component/dependents.ts'

t.test('CO-33 CO-97 keys are saved before anything is created; then one write each, and rest', async t => {
  const subject = component({ manifests: Array.from({ length: 20 }, (_, n) => configMap(`map-${n}`)) })
  const first = subject.pass()
  t.strictSame(first.plan.steps, [])
  t.strictSame(first.standing.next, { is: 'again' })
  t.equal(subject.question.items.length, 20)
  const second = subject.pass()
  t.equal(second.plan.steps.length, 20)
  t.equal(second.standing.ready, true, 'the answers to the writes count as reads')
  t.equal(first.reads + second.reads, 20 + 1, 'a GET each, and one namespace')
  const third = subject.pass()
  t.strictSame(third.plan.steps, [])
  t.equal(third.reads, 1)
  t.strictSame(third.standing.items, second.standing.items, 'nothing to save')
})

t.test('CO-55 more objects than a status can name are refused before anything is saved or written', async t => {
  const names = (count: number, name: string) => Array.from({ length: count }, (_, n) => configMap(`${name}-${n}`))
  const subject = component({ manifests: names(5_000, 'map') })
  const pass = subject.pass()
  t.strictSame([pass.plan.steps, subject.question.items, pass.standing.ready], [[], [], false])
  matches(t, errorsOf(pass), [/^5000 objects, including those .* do not fit into the status: split the component$/])
  const fits = component({ manifests: names(2_000, 'map') })
  fits.pass()
  t.equal(fits.question.items.length, 2_000, 'what fits is saved')
  const other = component({ manifests: names(2_000, 'other'), items: fits.question.items })
  matches(t, errorsOf(other.pass()), [/^4000 objects, /], 'what is still to be deleted counts')
})

t.test('CO-39 what is written carries owner and digest; what a manifest claims of them is stripped', async t => {
  const claims = configMap('a', {
    kept: { 'owner-id': 'me', digest: 'mine' },
    labels: { [`${P}/owner-id`]: 'me', app: 'x' },
  })
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    data: { a: 'MQ==', b: 'MQ==' },
    stringData: { b: 'two' },
  }
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'r', namespace: 'shop' },
  }
  const subject = component({ manifests: [claims, secret, role] })
  subject.settle()
  t.strictSame(subject.live(claims)?.metadata.labels, { app: 'x', [`${P}/owner-id`]: owner.hash })
  const { [`${P}/owner-id`]: id, [`${P}/digest`]: digest } = subject.live(claims)?.metadata.annotations ?? {}
  t.equal(id, owner.id)
  t.equal(digest, subject.item(claims)?.digest)
  const stored = subject.cluster.objects.find(({ kind }) => kind === 'Secret')
  t.strictSame(
    [stored?.metadata.namespace, stored?.data, stored?.stringData],
    ['shop', { a: 'MQ==', b: 'dHdv' }, undefined],
  )
  t.equal(subject.cluster.objects.find(({ kind }) => kind === 'ClusterRole')?.metadata.namespace, undefined)
})

t.test('CO-40 absent namespaces are made bare and forgotten, or missed', async t => {
  const subject = component({ manifests: [configMap('a'), configMap('b', { namespace: 'other' })] })
  subject.pass()
  const { plan } = subject.pass()
  t.strictSame(stepsOf({ plan }), ['create Namespace other', 'create ConfigMap a', 'create ConfigMap b'])
  t.ok((plan.steps[0]?.order ?? 0) < (plan.steps[1]?.order ?? 0), 'before all others')
  t.strictSame(
    subject.cluster.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'other' })?.metadata.labels,
    undefined,
  )
  t.equal(subject.question.items.length, 2)
  subject.change({ goal: 'delete', manifests: [] })
  subject.settle()
  t.strictSame(
    subject.cluster.objects.map(({ kind }) => kind),
    ['Namespace', 'Namespace'],
  )

  const settings = { ...question().settings, createMissingNamespaces: false }
  const strict = component({ settings, manifests: [configMap('b', { namespace: 'other' })] })
  matches(t, errorsOf(strict.settle()), [/namespace other, which does not exist/])
  t.strictSame(
    strict.cluster.objects.map(({ kind }) => kind),
    ['Namespace'],
  )
})

t.test('CO-41 what exists already is adopted or refused, before anything is written', async t => {
  const theirs = configMap('theirs')
  const cases: [policy: string, exists: KubeObject, refused: RegExp | undefined][] = [
    ['never', theirs, /ConfigMap shop\/theirs already exists and has no owner/],
    ['never', ownedBy(theirs, owner.hash), undefined],
    ['if-unowned', theirs, undefined],
    ['if-unowned', ownedBy(theirs, 'other'), /ConfigMap shop\/theirs is owned by elsewhere\/x\/y/],
    ['always', theirs, undefined],
    ['always', ownedBy(theirs, 'other'), undefined],
  ]
  for (const [policy, exists, refused] of cases) {
    const wanted = configMap('theirs', { kept: { 'adoption-policy': policy } })
    const subject = component({ manifests: [configMap('new'), wanted] }, [shop, exists])
    const before = subject.cluster.objects
    const pass = subject.settle()
    t.equal(pass.standing.ready, refused === undefined, policy)
    t.equal(subject.live(wanted)?.metadata.labels?.[`${P}/owner-id`] === owner.hash, refused === undefined, policy)
    if (!refused) continue
    matches(t, errorsOf(pass), [refused])
    t.strictSame(subject.cluster.objects, before, 'nothing was written')
    t.strictSame(subject.question.items, [], 'the inventory is unchanged')
  }
})

t.test('CO-42 an item with another owner is not written until it is released or gone', async t => {
  const map = configMap('a', { kept: { 'adoption-policy': 'always' } })
  const subject = component({ manifests: [map, configMap('b')] })
  subject.settle()
  edit(subject, map, live => ({ ...live, ...ownedBy({ ...live, data: { key: 'theirs' } }, 'other') }))
  subject.waits(60)
  subject.change({ manifests: [{ ...map, data: { key: 'new' } }, configMap('b', { data: { key: 'new' } })] })
  const pass = subject.settle()
  matches(t, errorsOf(pass), [/ConfigMap shop\/a is owned by elsewhere\/x\/y/])
  t.strictSame(subject.live(map)?.data, { key: 'theirs' })
  t.strictSame(subject.live(configMap('b'))?.data, { key: 'new' }, 'the others are written')
  edit(subject, map, live => ({ ...live, metadata: { ...live.metadata, labels: {} } }))
  subject.settle()
  t.strictSame(subject.live(map)?.data, { key: 'new' })
})

t.test('CO-42 two components that may always adopt do not flap', async t => {
  const map = configMap('a', { kept: { 'adoption-policy': 'always' } })
  const cluster = new SimulatedWorld([shop])
  const first = new SimulatedComponent(question({ manifests: [map] }), cluster)
  const rival = { id: 'elsewhere/x/y', hash: 'rival' }
  const second = new SimulatedComponent(question({ manifests: [map], owner: rival }), cluster)
  first.settle()
  second.settle()
  const uid = cluster.objects.find(({ kind }) => kind === 'ConfigMap')?.metadata.resourceVersion
  for (let pass = 0; pass < 5; pass++) {
    first.waits(60)
    second.waits(60)
    matches(t, errorsOf(first.settle()), [/owned by elsewhere/])
    t.equal(second.settle().standing.ready, true)
  }
  t.equal(cluster.objects.find(({ kind }) => kind === 'ConfigMap')?.metadata.resourceVersion, uid)
})

t.test('KY-211 what another component declares and owns is judged as it stands, and not taken from it', async t => {
  const definition = gadgetDefinition()
  const cluster = new SimulatedWorld([shop])
  const always = settings({ adoptionPolicy: 'Always' })
  const first = new SimulatedComponent(question({ manifests: [definition], settings: always }), cluster)
  first.settle()
  const second = new SimulatedComponent(
    question({
      manifests: [definition, configMap('b')],
      settings: always,
      owner: { id: 'c/shop/other', hash: 'other' },
      shared: new Map([[objectKey(definition), [owner]]]),
    }),
    cluster,
  )
  const before = second.live(definition)
  matches(t, second.settle().standing, { ready: false, unready: [{ ref: { kind: 'CustomResourceDefinition' } }] })
  t.strictSame(second.live(definition), before)
  establish(second, definition)
  t.equal(second.settle().standing.ready, true)
  t.ok(second.live(configMap('b')), 'what comes after it')
  second.change({ manifests: [{ ...definition, metadata: { ...definition.metadata, labels: { new: 'x' } } }] })
  second.settle()
  t.equal(second.live(definition)?.metadata.labels?.new, undefined, 'nor is a change written')
  edit(second, definition, live => ownedBy(live, 'forged'))
  second.change({ items: [] })
  second.settle()
  t.equal(second.live(definition)?.metadata.labels?.new, 'x', 'who declares it counts, not who is named on it')
})

t.test('CO-43 an unowned object with update-policy recreate is deleted by uid and created as ours', async t => {
  const theirs = configMap('a', { data: { key: 'theirs' } })
  const subject = component({ manifests: [configMap('a', { kept: { 'update-policy': 'recreate' } })] }, [shop, theirs])
  const uid = subject.live(theirs)?.metadata.uid
  const done: string[] = []
  subject.settle({ afterEach: pass => done.push(...stepsOf(pass)) })
  t.strictSame(done, ['delete ConfigMap a', 'create ConfigMap a'])
  t.not(subject.live(theirs)?.metadata.uid, uid)
  t.strictSame(subject.live(theirs)?.data, { key: 'value' })
})

t.test('CO-44 a wave begins when the one before is ready', async t => {
  const early = gadget('early', { kept: { 'apply-order': '-5' } })
  const [slow, late] = [gadget('slow'), configMap('late', { kept: { 'apply-order': '7' } })]
  const subject = component({ manifests: [late, slow, gadgetDefinition({ kept: { 'apply-order': '-6' } }), early] })
  establishes(subject)
  subject.settle()
  t.ok(subject.live(early))
  t.notOk(subject.live(slow))
  becomesReady(subject, early)
  subject.settle()
  t.ok(subject.live(slow))
  t.notOk(subject.live(late))
  edit(subject, slow, live => ({
    ...live,
    status: { conditions: [{ type: 'Stalled', status: 'True', message: 'broken' }] },
  }))
  const failed = subject.settle()
  matches(t, failed.standing.failed, [{ ref: { name: 'slow' }, message: 'broken' }])
  t.notOk(subject.live(late), 'a failure holds later waves')
  t.ok(subject.live(early), 'and undoes nothing')
  becomesReady(subject, slow)
  t.equal(subject.settle().standing.ready, true)
  t.ok(subject.live(late))
})

t.test('CO-45 in one wave: regular objects, then APIServices, then instances of what both bring', async t => {
  const crd = gadgetDefinition()
  const extra = { apiVersion: 'extra.io/v1', kind: 'Extra', metadata: { name: 'e', namespace: 'shop' } }
  const settings = { ...question().settings, additionalManagedTypes: [{ group: '*.io', kind: 'Extra' }] }
  const additional = { ...settings, additionalManagedTypes: [{ group: 'extra.io', kind: '*' }] }
  for (const each of [additional, { ...settings, additionalManagedTypes: [{ group: '*', kind: 'Extra' }] }]) {
    const subject = component({
      settings: each,
      manifests: [gadget('g'), sample('s'), extra, sampleService(), crd, configMap('operator')],
    })
    t.strictSame(stepsOf(second(subject)), [
      'create CustomResourceDefinition gadgets.example.io',
      'create ConfigMap operator',
    ])
    establish(subject, crd)
    t.strictSame(stepsOf(subject.pass()), ['create APIService v1.metrics.io'])
    t.strictSame(stepsOf(subject.pass()), [], 'it is not available yet')
    becomesAvailable(subject)
    t.strictSame(stepsOf(subject.pass()).sort(), ['create Extra e', 'create Gadget g', 'create Sample s'])
  }
})

t.test('CO-45 an APIService whose server is away: what is not of its types is kept as it is declared', async t => {
  const bare = sample('s', { namespace: '' })
  const subject = component({ manifests: [sampleService(), bare, configMap('operator')] })
  subject.settle()
  becomesAvailable(subject)
  t.equal(subject.settle().standing.ready, true)
  const before = subject.item(sample('s'))
  goesAway(subject)
  subject.change({ manifests: [sampleService(), bare, configMap('operator', { data: { key: 'mended' } })] })
  subject.waits(60)
  matches(t, subject.settle().standing.unready, [{ ref: { kind: 'APIService' }, message: /Available/ }])
  t.strictSame(subject.live(configMap('operator'))?.data, { key: 'mended' })
  t.ok(before)
  t.strictSame(subject.item(sample('s')), before, 'it keeps its place, though nobody can say where its kind lies')
})

t.test('CO-46 the kinds of a wave are sent by apply priority', async t => {
  const of = (apiVersion: string, kind: string) => ({ apiVersion, kind, metadata: { name: 'x', namespace: 'shop' } })
  const manifests = [
    of('apps/v1', 'Deployment'),
    of('v1', 'Secret'),
    of('rbac.authorization.k8s.io/v1', 'Role'),
    of('rbac.authorization.k8s.io/v1', 'RoleBinding'),
    of('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'),
    namespaceManifest('x'),
    of('scheduling.k8s.io/v1', 'PriorityClass'),
    of('v1', 'Service'),
  ]
  const { plan } = second(component({ manifests }))
  const sent = Map.groupBy(plan.steps, ({ order }) => order)
  t.strictSame(
    [...sent].map(([order, steps]) => [order, steps.map(step => 'object' in step && step.object.kind).sort()]),
    [
      [-4, ['Namespace']],
      [-3, ['ValidatingWebhookConfiguration']],
      [-2, ['PriorityClass', 'Role']],
      [-1, ['RoleBinding', 'Secret']],
      [0, ['Deployment', 'Service']],
    ],
  )
})
