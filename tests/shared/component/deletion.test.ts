// What is taken out of the cluster, in which order, and what holds it up.
import t from 'tap'
import { objectKey } from '../../../shared/component/item.ts'
import type { EngineInput } from '../../../shared/component/world.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import {
  becomesAvailable,
  becomesReady,
  component,
  edit,
  errorsOf,
  establishes,
  goesAway,
  hasConditions,
  ownedBy,
  type SimulatedComponent,
  shop,
  stepsOf,
} from '../../harness/component/simulated-component.ts'
import { matches } from '../../harness/matches.ts'
import {
  configMap,
  gadget,
  gadgetDefinition,
  type Kept,
  manifest,
  namespaceManifest,
  P,
  question,
  sample,
  sampleService,
} from '../../make/component/dependents.ts'

/** What was done in each pass until it came to rest, passes without steps left out. */
const passes = (subject: SimulatedComponent): string[][] => {
  const steps: string[][] = []
  subject.settle({ afterEach: pass => steps.push(stepsOf(pass)) })
  return steps.filter(pass => pass.length > 0)
}

const done = (subject: SimulatedComponent): string[] => passes(subject).flat()

/** Settled with these manifests; `gadgets` are made ready. */
const applied = (manifests: readonly KubeObject[], changes: Partial<EngineInput> = {}, cluster = [shop]) => {
  const subject = component({ manifests, ...changes }, cluster)
  establishes(subject)
  subject.settle()
  for (const object of manifests.filter(({ kind }) => kind === 'Gadget'))
    if (subject.live(object)) becomesReady(subject, object)
  t.equal(subject.settle().standing.ready, true)
  subject.waits(60)
  return subject
}

const goes = (subject: SimulatedComponent, changes: Partial<EngineInput> = {}): SimulatedComponent => {
  subject.change({ goal: 'delete', manifests: [], ...changes })
  return subject
}

const withFinalizers = (finalizers: string[]) => (live: KubeObject) => ({
  ...live,
  metadata: { ...live.metadata, finalizers },
})

const names = (subject: SimulatedComponent): string[] => subject.cluster.objects.map(({ metadata }) => metadata.name)

t.test('CO-53 redundant items go only when all others are ready, by their last policy', async t => {
  const old = configMap('old')
  const kept = configMap('kept', { kept: { 'delete-policy': 'orphan-on-apply' } })
  const subject = applied([old, kept, gadgetDefinition()])
  const next = gadget('next')
  subject.change({ manifests: [next, gadgetDefinition()] })
  const waiting = subject.settle()
  t.ok(subject.live(old))
  matches(t, waiting.standing, { ready: false, redundant: [{ ref: { name: 'kept' } }, { ref: { name: 'old' } }] })
  matches(t, subject.item(old), { digest: '', phase: 'ScheduledForDeletion', status: 'Terminating' })
  becomesReady(subject, next)
  t.strictSame(done(subject), ['delete ConfigMap old'])
  t.ok(subject.live(kept), 'left behind')
  t.strictSame(subject.question.items.map(({ name }) => name).sort(), ['gadgets.example.io', 'next'])
  t.equal(subject.pass().standing.ready, true)
})

t.test('CO-53 an item that is rendered again before it is gone is created anew', async t => {
  const old = configMap('old')
  const subject = applied([old])
  edit(subject, old, withFinalizers(['theirs/f']))
  subject.change({ manifests: [] })
  subject.settle()
  t.equal(subject.item(old)?.phase, 'Deleting')
  subject.change({ manifests: [old] })
  subject.settle()
  edit(subject, old, withFinalizers([]))
  t.strictSame(done(subject), ['create ConfigMap old'])
})

t.test('CO-109 an object that moves to another API group, which serves the same object, is not deleted', async t => {
  const former = manifest('extensions/v1beta1', 'Ingress', 'web', { spec: { host: 'a' } })
  const moved = { ...former, apiVersion: 'networking.k8s.io/v1' }
  const subject = component({ manifests: [former] })
  const { get } = subject.cluster
  subject.cluster.get = ref => {
    const object = get.call(subject.cluster, ref)
    return object && { ...object, apiVersion: ref.apiVersion }
  }
  subject.settle()
  const before = subject.live(former)
  subject.change({ manifests: [moved] })
  t.strictSame(done(subject), ['replace Ingress web'])
  t.equal(subject.live(moved)?.metadata.uid, before?.metadata.uid)
  t.strictSame(
    subject.question.items.map(({ group }) => group),
    ['networking.k8s.io'],
  )
  t.strictSame(done(goes(subject)), ['delete Ingress web'])
})

t.test('CO-64 each delete wave waits for the one before; nothing is left in the inventory', async t => {
  const map = (name: string, order: string) => configMap(name, { kept: { 'delete-order': order } })
  const [a, b, c] = [map('a', '-3'), map('b', '0'), map('c', '9')]
  const subject = goes(applied([c, b, a]))
  edit(subject, a, withFinalizers(['theirs/f']))
  const waiting = subject.settle()
  t.strictSame(names(subject), ['shop', 'c', 'b', 'a'])
  t.equal(subject.item(a)?.phase, 'Deleting')
  matches(t, waiting.standing, { ready: false, redundant: ['a', 'b', 'c'].map(name => ({ ref: { name } })) })
  edit(subject, a, withFinalizers([]))
  t.strictSame(passes(subject), [['delete ConfigMap b'], ['delete ConfigMap c']])
  t.strictSame([names(subject), subject.question.items], [['shop'], []])
  t.equal(subject.pass().standing.ready, true)
})

t.test('CO-64 deletion amid the first apply', async t => {
  const manifests = [configMap('a'), configMap('b'), configMap('c', { kept: { 'apply-order': '1' } })]
  for (let lived = 0; lived < 6; lived++)
    for (const losesStatus of [false, true]) {
      const subject = component({ manifests })
      for (let pass = 0; pass < lived; pass++) subject.pass()
      subject.pass({ losesStatus })
      goes(subject).settle()
      t.strictSame([names(subject), subject.question.items], [['shop'], []], `after ${lived} passes`)
    }
})

t.test('CO-65 a Namespace waits for what lies in it, whichever order that was declared with', async t => {
  const [early, late] = [{ 'delete-order': '0' }, { 'delete-order': '5' }]
  const space = (kept: Record<string, string>) => namespaceManifest('inner', { kept })
  const old = configMap('old', { namespace: 'inner', kept: late })
  const subject = applied([space(late), old, gadgetDefinition()])
  subject.change({ manifests: [space(early), gadget('slow'), gadgetDefinition()] })
  subject.settle()
  t.ok(subject.live(old), 'it waits until all other dependents are ready')
  const steps = done(goes(subject))
  t.ok(steps.indexOf('delete ConfigMap old') < steps.indexOf('delete Namespace inner'))
  t.strictSame([names(subject), subject.question.items], [['shop'], []])
})

t.test('RE-60 a component that renders itself does not adopt itself, and if it ever did, it can go', async t => {
  const cart = { ...manifest('core.example.io/v1', 'Component', 'cart'), spec: {} }
  const subject = component({ manifests: [cart, configMap('a')] }, [shop, cart])
  const uid = subject.live(cart)?.metadata.uid ?? ''
  subject.change({ self: { uid, namespace: 'shop' } })
  for (const adoptionPolicy of ['IfUnowned', 'Always'] as const) {
    subject.change({ settings: { ...subject.question.settings, adoptionPolicy } })
    t.strictSame(errorsOf(subject.settle()), ['Component shop/cart is the component itself'])
    t.notOk(subject.live(cart)?.metadata.labels)
  }
  const adopted = applied([cart], {}, [shop, cart])
  const own = adopted.live(cart)?.metadata.uid ?? ''
  edit(adopted, cart, withFinalizers([P]))
  adopted.cluster.delete(refOf(cart))
  t.strictSame(done(goes(adopted, { self: { uid: own, namespace: 'shop' } })), [])
  t.strictSame(adopted.question.items, [], 'it waits for nobody')
})

t.test('RE-61 a component that keeps the Namespace it lives in does not wait for it to be gone', async t => {
  const manifests = [shop, configMap('a'), namespaceManifest('other')]
  const subject = applied(manifests, { self: { uid: 'of-the-component', namespace: 'shop' } })
  edit(subject, shop, withFinalizers(['holds-what-is-in-it']))
  edit(subject, namespaceManifest('other'), withFinalizers(['somebody-else']))
  const steps = done(goes(subject))
  t.strictSame(steps, ['delete ConfigMap a', 'delete Namespace other', 'delete Namespace shop'])
  t.strictSame(
    subject.question.items.map(({ name }) => name),
    ['other'],
    'only for others',
  )
})

t.test('CO-66 redundant and to be left behind: it is so too when the component goes before its turn', async t => {
  const left = configMap('left', { kept: { 'delete-policy': 'orphan-on-apply' } })
  const subject = applied([left, gadgetDefinition()])
  subject.change({ manifests: [gadget('slow'), gadgetDefinition()] })
  subject.settle()
  matches(t, subject.item(left), { phase: 'ScheduledForDeletion' })
  goes(subject).settle()
  t.strictSame([names(subject), subject.question.items], [['shop', 'left'], []])
})

t.test('CO-65 instances go before the rest of their wave, a Namespace when nothing is in it', async t => {
  const manifests = [
    namespaceManifest('inner'),
    gadgetDefinition(),
    gadget('g'),
    configMap('operator'),
    configMap('m', { namespace: 'inner' }),
  ]
  const subject = goes(applied(manifests))
  edit(subject, configMap('m', { namespace: 'inner' }), withFinalizers(['theirs/f']))
  edit(subject, gadget('g'), withFinalizers(['operator/f']))
  t.strictSame(passes(subject), [['delete Gadget g']])
  edit(subject, gadget('g'), withFinalizers([]))
  t.strictSame(done(subject), [
    'delete CustomResourceDefinition gadgets.example.io',
    'delete ConfigMap m',
    'delete ConfigMap operator',
    'removeFinalizer CustomResourceDefinition gadgets.example.io',
  ])
  edit(subject, configMap('m', { namespace: 'inner' }), withFinalizers([]))
  t.strictSame(done(subject), ['delete Namespace inner'])
})

t.test('CO-65 CO-53 instances whose API server is away are not taken for gone', async t => {
  const other = sampleService({ spec: { group: 'more.io', version: 'v1' } })
  const manifests = [
    sampleService(),
    { ...other, metadata: { name: 'v1.more.io' } },
    sample('s'),
    configMap('operator'),
  ]
  for (const change of [{ goal: 'delete' as const }, {}]) {
    const subject = component({ manifests })
    subject.settle()
    for (const service of manifests.slice(0, 2)) becomesAvailable(subject, service)
    t.equal(subject.settle().standing.ready, true)
    subject.waits(60)
    goesAway(subject)
    subject.change({ manifests: [], ...change })
    matches(t, subject.settle().standing.redundant, [
      { ref: { kind: 'Sample', name: 's' }, message: /its API server is unavailable/ },
      { ref: { kind: 'APIService' }, message: 'waits for its turn' },
      { ref: { kind: 'APIService' }, message: 'waits for its turn' },
      { ref: { kind: 'ConfigMap' }, message: 'waits for its turn' },
    ])
    becomesAvailable(subject)
    subject.settle()
    t.strictSame(names(subject), ['shop'])
  }
})

t.test('CO-65 CO-53 instances of an API server that never came hold up nothing', async t => {
  for (const change of [{ goal: 'delete' as const }, {}]) {
    const subject = component({ manifests: [sampleService(), sample('s'), configMap('operator')] })
    t.equal(subject.settle().standing.ready, false)
    subject.change({ manifests: [], ...change })
    subject.settle()
    t.strictSame(names(subject), ['shop'])
  }
})

t.test(
  'CO-66 CO-67 a CRD that another component has taken over keeps the finalizer, which is that one’s now',
  async t => {
    const subject = applied([gadgetDefinition(), configMap('b')])
    edit(subject, gadgetDefinition(), live => {
      const theirs = ownedBy(live, 'other')
      return { ...theirs, metadata: { ...theirs.metadata, finalizers: live.metadata.finalizers } }
    })
    t.strictSame(done(goes(subject)), ['delete ConfigMap b'])
    t.strictSame(subject.live(gadgetDefinition())?.metadata.finalizers, [P])
  },
)

t.test('CO-66 each delete policy, redundant and at deletion', async t => {
  const cases: [policy: string, staysWhenRedundant: boolean, staysAtDeletion: boolean][] = [
    ['delete', false, false],
    ['orphan', true, true],
    ['orphan-on-apply', true, false],
    ['orphan-on-delete', false, true],
  ]
  for (const [policy, staysWhenRedundant, staysAtDeletion] of cases) {
    const kept: Kept = { 'delete-policy': policy }
    const manifests = [configMap('a', { kept }), gadgetDefinition({ kept })]
    const redundant = applied(manifests)
    redundant.change({ manifests: [] })
    redundant.settle()
    const gone = goes(applied(manifests))
    gone.settle()
    for (const [subject, stays] of [
      [redundant, staysWhenRedundant],
      [gone, staysAtDeletion],
    ] as const) {
      t.strictSame(names(subject).length, stays ? 3 : 1, policy)
      t.strictSame(subject.question.items, [], policy)
      if (stays) t.strictSame(subject.live(gadgetDefinition())?.metadata.finalizers, [], 'loses our finalizer')
    }
  }
})

t.test('CO-67 an item with a foreign owner, or recreated by somebody else, is released', async t => {
  for (const theirs of [(map: KubeObject) => ownedBy(map, 'other'), (map: KubeObject) => map]) {
    const map = configMap('a')
    const subject = applied([map, configMap('b')])
    subject.cluster.delete({ ...map, namespace: 'shop', name: 'a' })
    subject.cluster.put(theirs(map))
    goes(subject).settle()
    t.strictSame([names(subject), subject.question.items], [['shop', 'a'], []])
  }
})

t.test('CO-68 CO-69 foreign instances hold everything; the first ten and the count are named', async t => {
  const foreign = Array.from({ length: 14 }, (_, n) => gadget(`theirs-${String(n).padStart(2, '0')}`))
  const subject = applied([gadgetDefinition(), configMap('a')], {}, [shop, ...foreign])
  const blocked = goes(subject).settle()
  t.strictSame(stepsOf(blocked), [])
  matches(t, blocked.standing.blocked, [
    { ref: { name: 'gadgets.example.io' }, message: /^14 objects of others .*theirs-00, .*theirs-09 and 4 more$/ },
  ])
  t.ok(subject.live(configMap('a')), 'no dependent is touched')
  for (const object of foreign) subject.cluster.delete({ ...object, namespace: 'shop', name: object.metadata.name })
  subject.settle()
  t.strictSame(names(subject), ['shop'])
})

t.test('CO-68 CO-70 additional managed types block too, even where every item is an orphan', async t => {
  const extra = { apiVersion: 'x.extra.io/v1', kind: 'Extra', metadata: { name: 'e', namespace: 'shop' } }
  const settings = { ...question().settings, additionalManagedTypes: [{ group: '*.extra.io', kind: '*' }] }
  const kept: Kept = { 'delete-policy': 'orphan-on-delete' }
  const subject = goes(applied([gadgetDefinition({ kept })], { settings }, [shop, extra, gadget('theirs')]))
  const blocked = subject.settle()
  matches(t, blocked.standing.blocked, [{ ref: { kind: '*' }, message: /shop\/e/ }])
  t.equal(blocked.standing.blocked.length, 1, 'the instance of an orphaned CRD does not block')
  subject.cluster.delete({ ...extra, namespace: 'shop', name: 'e' })
  subject.settle()
  t.strictSame([subject.question.items, names(subject)], [[], ['shop', 'theirs', 'gadgets.example.io']])
})

t.test('CO-63 an instance appears after the DELETE of its CRD: kept until none is left', async t => {
  const crd = gadgetDefinition()
  const subject = goes(applied([crd]))
  subject.pass()
  const foreign = gadget('late')
  subject.cluster.put(foreign)
  const held = subject.settle()
  t.ok(subject.live(crd))
  matches(t, held.standing.blocked, [{ message: /shop\/late/ }])
  subject.cluster.delete({ ...foreign, namespace: 'shop', name: 'late' })
  t.strictSame(done(subject), ['removeFinalizer CustomResourceDefinition gadgets.example.io'])
})

t.test('CO-53 CO-68 a redundant CRD in use waits without holding up the others of its wave', async t => {
  const crd = gadgetDefinition()
  const subject = applied([crd, configMap('a')], {}, [shop, gadget('theirs')])
  subject.change({ manifests: [] })
  const held = subject.settle()
  t.strictSame(names(subject), ['shop', 'theirs', 'gadgets.example.io'])
  matches(t, held.standing, { ready: false, blocked: [{ message: /shop\/theirs/ }] })
})

t.test('CO-71 a foreign finalizer on the component: no dependent touched', async t => {
  const subject = goes(applied([configMap('a')]), { foreignFinalizers: ['theirs/f'] })
  matches(t, subject.settle().standing, { ready: false, blocked: [{ message: /theirs\/f/ }] })
  t.ok(subject.live(configMap('a')))
  subject.change({ foreignFinalizers: [] })
  subject.settle()
  t.strictSame(names(subject), ['shop'])
})

const hook = (name: string, when: string, content = {}) => gadget(name, { kept: { 'delete-hook': when, ...content } })
const hooked = [
  hook('first', 'pre-delete', { 'apply-order': '-1' }),
  hook('before', 'pre-delete'),
  hook('both', 'pre-delete,post-delete'),
  hook('after', 'post-delete'),
]

/** Deletion with hooks that become ready as soon as they are there. */
const lastDays = (subject: SimulatedComponent): string[][] => {
  const seen: string[][] = []
  subject.settle({
    afterEach: pass => {
      seen.push(stepsOf(pass))
      for (const object of hooked)
        if (subject.live(object) && !subject.live(object)?.status) becomesReady(subject, object)
    },
  })
  return seen.filter(steps => steps.length > 0)
}

const crdInCluster = { ...gadgetDefinition(), status: hasConditions('Established', 'NamesAccepted') }

t.test('CO-72 delete hooks: before the first and after the last deletion, awaited, then deleted', async t => {
  const manifests = [configMap('a'), ...hooked, crdInCluster]
  const ofAll = manifests.map(object =>
    object === crdInCluster
      ? { ...object, metadata: { ...object.metadata, annotations: { [`${P}/delete-policy`]: 'orphan' } } }
      : object,
  )
  const subject = applied(ofAll, {}, [shop, crdInCluster])
  t.notOk(subject.live(hook('before', 'pre-delete')), 'not applied before')
  const seen = lastDays(goes(subject, { manifests: ofAll }))
  t.strictSame(seen, [
    ['create Gadget first'],
    ['create Gadget before', 'create Gadget both'],
    ['delete Gadget first', 'delete Gadget before', 'delete Gadget both'],
    ['delete ConfigMap a'],
    ['create Gadget both', 'create Gadget after'],
    ['delete Gadget both', 'delete Gadget after'],
    ['removeFinalizer CustomResourceDefinition gadgets.example.io'],
  ])
  t.strictSame(new Set(subject.question.items.map(({ phase }) => phase)), new Set(['Completed']))
  matches(t, subject.pass(), { plan: { steps: [] }, standing: { ready: true } }, 'asked again, nothing begins again')
})

t.test('CO-72 an object that is there at installation and is a delete hook too', async t => {
  const manifests = [gadget('account'), configMap('a'), hook('account', 'pre-delete'), hook('before', 'pre-delete')]
  const subject = applied(manifests, {}, [shop, crdInCluster])
  t.ok(subject.live(gadget('account')))
  goes(subject, { manifests })
  subject.settle({
    afterEach: () => {
      for (const object of manifests) if (subject.live(object)) becomesReady(subject, object)
    },
  })
  t.strictSame(
    [names(subject), subject.question.items.filter(({ phase }) => phase !== 'Completed')],
    [['shop', 'gadgets.example.io'], []],
  )
})

t.test('CO-72 a failed hook holds deletion until hooks are skipped', async t => {
  const manifests = [configMap('a'), hook('before', 'pre-delete'), hook('after', 'post-delete')]
  const subject = applied(manifests, {}, [shop, crdInCluster])
  goes(subject, { manifests }).settle()
  edit(subject, hook('before', ''), live => ({ ...live, status: hasConditions('Stalled') }))
  const failed = subject.settle()
  matches(t, failed.standing, { ready: false, failed: [{ ref: { name: 'before' } }] })
  t.ok(subject.live(configMap('a')))
  subject.change({ settings: { ...question().settings, skipsDeleteHooks: true } })
  subject.settle()
  t.strictSame([names(subject), subject.question.items], [['shop', 'gadgets.example.io'], []])
})

t.test('CO-72 CO-65 what a post-delete hook stands on goes after it, also when killed at any moment', async t => {
  const [space, crd] = [namespaceManifest('inner'), gadgetDefinition()]
  const inside = (name: string, content = {}) => gadget(name, { namespace: 'inner', ...content })
  const after = inside('after', { kept: { 'delete-hook': 'post-delete' } })
  const manifests = [space, crd, configMap('m', { namespace: 'inner' }), configMap('a'), after]
  for (const killed of [undefined, ...Array(12).keys()]) {
    const subject = goes(applied(manifests), { manifests })
    const writes: string[] = []
    for (let pass = 0, isOver = false; pass < 40 && !isOver; pass++) {
      const { plan, standing } = subject.pass({ losesStatus: pass === killed })
      writes.push(...stepsOf({ plan }))
      isOver = standing.ready && pass !== killed
      if (subject.live(after)) becomesReady(subject, after)
    }
    t.strictSame(names(subject), ['shop'], `killed in pass ${killed}`)
    t.strictSame(
      writes.filter((step, index) => step !== writes[index - 1]),
      [
        'delete ConfigMap m',
        'delete ConfigMap a',
        'create Gadget after',
        'delete Gadget after',
        'delete CustomResourceDefinition gadgets.example.io',
        'delete Namespace inner',
        'removeFinalizer CustomResourceDefinition gadgets.example.io',
      ],
      `killed in pass ${killed}`,
    )
  }
})

t.test('CO-72 CO-65 with its hooks given up, or half done, a Namespace is gone at the end too', async t => {
  const manifests = [
    namespaceManifest('inner'),
    gadget('after', { namespace: 'inner', kept: { 'delete-hook': 'post-delete' } }),
  ]
  const [space, after] = manifests as [KubeObject, KubeObject]
  const subject = goes(applied(manifests, {}, [shop, crdInCluster]), { manifests })
  t.equal(subject.settle({ upToDeleteOrder: 10 }).standing.ready, true)
  t.ok(subject.live(space), 'the hook is still to come')
  t.equal(subject.settle().standing.ready, false)
  t.ok(subject.live(after))
  subject.change({ settings: { ...question().settings, skipsDeleteHooks: true } })
  t.strictSame(done(subject), ['delete Gadget after', 'delete Namespace inner'])
  t.strictSame([names(subject), subject.question.items], [['shop', 'gadgets.example.io'], []])
})

t.test('CO-72 delete hooks survive a kill at any moment', async t => {
  const manifests = [configMap('a'), hook('before', 'pre-delete'), hook('after', 'post-delete')]
  for (let killed = 0; killed < 10; killed++) {
    const subject = applied(manifests, {}, [shop, crdInCluster])
    goes(subject, { manifests })
    const writes: string[] = []
    for (let pass = 0, isOver = false; pass < 40 && !isOver; pass++) {
      const { plan, standing } = subject.pass({ losesStatus: pass === killed })
      writes.push(...stepsOf({ plan }))
      isOver = standing.ready && pass !== killed
      for (const object of manifests.slice(1)) if (subject.live(object)) becomesReady(subject, object)
    }
    t.strictSame(names(subject), ['shop', 'gadgets.example.io'], `killed in pass ${killed}`)
    const first = (step: string) => writes.indexOf(step)
    t.ok(first('create Gadget before') < first('delete ConfigMap a'))
    t.ok(first('delete ConfigMap a') < first('create Gadget after'))
  }
})

t.test('CO-102 kinds in deletionBlockers hold a deletion, and whileBlocked says what happens meanwhile', async t => {
  const crd = gadgetDefinition()
  const manifests = [crd, configMap('a')]
  const settings = question().settings
  const world = [
    shop,
    gadget('theirs'),
    { apiVersion: 'o.io/v1', kind: 'Other', metadata: { name: 'o', namespace: 'shop' } },
  ]
  const blockedBy = (deletionBlockers: typeof settings.deletionBlockers) =>
    goes(applied(manifests, { settings: { ...settings, deletionBlockers } }, world))
      .settle()
      .standing.blocked.map(({ message }) => message)
  matches(t, blockedBy('managed'), [/shop\/theirs/])
  matches(t, blockedBy([{ group: 'o.io', kind: 'Other' }]), [/shop\/o/])
  const free = goes(applied(manifests, { settings: { ...settings, deletionBlockers: 'none' } }, world))
  free.settle()
  t.notOk(free.live(configMap('a')))
  t.ok(free.live(crd), 'our finalizer keeps it all the same')

  const repaired = goes(applied(manifests, { settings: { ...settings, whileBlocked: 'repair' } }, world), { manifests })
  edit(repaired, configMap('a'), live => ({ ...live, data: { key: 'theirs' } }))
  matches(t, repaired.settle().standing, { ready: false, blocked: [{ message: /shop\/theirs/ }] })
  t.strictSame(repaired.live(configMap('a'))?.data, { key: 'value' })
})

t.test('CO-102 whileBlocked repair: what is not known or faulty is not repaired, and holds no deletion', async t => {
  const settings = { ...question().settings, whileBlocked: 'repair' as const }
  const manifests = [gadgetDefinition(), configMap('a')]
  const unknown: [what: string, manifests: KubeObject[]][] = [
    ['nothing is known', []],
    ['a manifest twice', [...manifests, configMap('a')]],
    ['a manifest without a kind', [...manifests, { apiVersion: 'v1', metadata: { name: 'b' } } as KubeObject]],
  ]
  for (const [what, manifests_] of unknown) {
    const blocked = goes(applied(manifests, { settings }, [shop, gadget('theirs')]), { manifests: manifests_ })
    matches(t, blocked.settle().standing, { ready: false, blocked: [{ message: /shop\/theirs/ }] }, what)
    t.ok(blocked.live(configMap('a')), `${what}: and nothing counts as no longer declared`)
    const free = goes(applied(manifests, { settings }), { manifests: manifests_ })
    free.settle()
    t.equal(free.live(configMap('a')), undefined, `${what}: but it goes when nothing blocks`)
  }
})

t.test('CO-102 crdFinalizers false: neither written nor waited for', async t => {
  const subject = applied([gadgetDefinition()], { settings: { ...question().settings, hasCrdFinalizers: false } })
  t.strictSame(subject.live(gadgetDefinition())?.metadata.finalizers, undefined)
  t.strictSame(done(goes(subject)), ['delete CustomResourceDefinition gadgets.example.io'])
})

t.test(
  'KY-212 what another component declares, too, becomes its own when it is dropped here, or all is deleted',
  async t => {
    const heir = { id: 'c/shop/heir', hash: 'heir' }
    const orphan = configMap('b', { kept: { 'delete-policy': 'orphan' } })
    const shared = new Map([configMap('a'), orphan].map(object => [objectKey(object), [heir]]))
    for (const change of [{ manifests: [] }, { goal: 'delete', manifests: [] }] as const) {
      const subject = applied([configMap('a'), orphan, configMap('c')])
      subject.change({ ...change, shared })
      t.strictSame(done(subject), ['patch ConfigMap a', 'patch ConfigMap b', 'delete ConfigMap c'])
      for (const object of [configMap('a'), orphan])
        matches(t, subject.live(object)?.metadata, {
          labels: { [`${P}/owner-id`]: 'heir' },
          annotations: { [`${P}/owner-id`]: 'c/shop/heir' },
        })
      t.strictSame(subject.question.items, [])
    }
  },
)

t.test('KY-213 instances that are the component’s without its label block nothing, and go with it', async t => {
  const own = Array.from({ length: 12 }, (_, n) => gadget(`own-${n}`))
  const inherits = ({ metadata }: KubeObject) => metadata.name.startsWith('own')
  const subject = applied([gadgetDefinition(), ...own], { settings: { ...question().settings, inherits } })
  for (const object of own)
    edit(subject, object, live => ({ ...live, metadata: { ...live.metadata, labels: {}, annotations: {} } }))
  subject.cluster.put(gadget('own-but-unknown'))
  matches(t, goes(subject).settle().standing, {
    ready: false,
    blocked: [{ message: '1 object of others needs Gadget.example.io: shop/own-but-unknown' }],
  })
  subject.cluster.delete(refOf(gadget('own-but-unknown')))
  t.equal(subject.settle().standing.ready, true)
  t.strictSame(names(subject), ['shop'])
})

t.test('CO-103 deletion in two runs: nothing of order 10 goes before the second', async t => {
  const map = (name: string, order: string) => configMap(name, { kept: { 'delete-order': order } })
  const subject = goes(applied([map('a', '0'), map('b', '9'), map('c', '10')]))
  const first = subject.settle({ upToDeleteOrder: 10 })
  t.equal(first.standing.ready, true)
  t.strictSame(names(subject), ['shop', 'c'])
  t.strictSame(
    subject.question.items.map(({ name }) => name),
    ['c'],
  )
  subject.settle()
  t.strictSame([names(subject), subject.question.items], [['shop'], []])
})

t.test('CO-64 what is wrong with other manifests does not keep a component that goes; a faulty hook does', async t => {
  const faulty = [configMap('bad', { kept: { 'apply-order': 'x' } }), { kind: 'Nameless' } as unknown as KubeObject]
  const hooks = [hook('before', 'pre-delete')]
  const subject = goes(applied([configMap('a'), ...hooks], {}, [shop, crdInCluster]), {
    manifests: [...faulty, ...hooks],
  })
  lastDays(subject)
  for (const object of hooks) if (subject.live(object)) becomesReady(subject, object)
  subject.settle()
  t.notOk(subject.live(configMap('a')))

  const unserved = [hook('before', 'pre-delete')]
  const held = goes(applied([configMap('a')]), { manifests: unserved })
  matches(t, held.settle().standing, { ready: false, errors: [{ message: /serves no example.io\/v1 Gadget/ }] })
  held.change({ settings: { ...question().settings, skipsDeleteHooks: true } })
  t.equal(held.settle().standing.ready, true)
})
