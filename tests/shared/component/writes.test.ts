// When a dependent is written again, and how: policies, drift, age, completion, and what the API server refuses.
import t, { type Test } from 'tap'
import { lastOwnedAt, ownsAllOf } from '../../../shared/component/observed/drift.ts'
import { readsWanted } from '../../../shared/component/observed/reads-wanted.ts'
import { plan } from '../../../shared/component/plan.ts'
import { nothingObserved } from '../../../shared/component/world.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
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
  type SimulatedComponent,
  shop,
  stepsOf,
} from '../../harness/component/simulated-component.ts'
import { isQuick } from '../../harness/cpu-work.ts'
import { matches } from '../../harness/matches.ts'
import {
  configMap,
  gadget,
  gadgetDefinition,
  type Kept,
  manifest,
  namespaceManifest,
  owner,
  P,
  question,
  sample,
  sampleService,
} from '../../make/component/dependents.ts'

const changed = (object: KubeObject, value: string): KubeObject => ({ ...object, data: { key: value } })

/** What was done until it came to rest. */
const done = (subject: SimulatedComponent): string[] => {
  const steps: string[] = []
  subject.settle({ afterEach: pass => steps.push(...stepsOf(pass)) })
  return steps
}

t.test(
  'CO-104 an object whose definition is among the others is created as one of a kind defined just now',
  async t => {
    const subject = component({ manifests: [gadgetDefinition(), gadget('one'), configMap('plain')] })
    establishes(subject)
    const created: string[] = []
    subject.settle({
      afterEach: ({ plan }) => {
        for (const step of plan.steps)
          if (step.do === 'create') created.push(step.isOfNewKind ? `${step.object.kind}, new` : step.object.kind)
      },
    })
    t.strictSame(created, ['CustomResourceDefinition', 'ConfigMap', 'Gadget, new'])
  },
)

t.test('CO-50 one of 30 objects changes: one write; another version: the same item', async t => {
  const maps = Array.from({ length: 30 }, (_, n) => configMap(`map-${n}`))
  const old = manifest('autoscaling/v1', 'HorizontalPodAutoscaler', 'web')
  const subject = component({ manifests: [...maps, old] })
  subject.settle()
  subject.change({ manifests: [...maps.map((map, n) => (n === 7 ? changed(map, 'new') : map)), old] })
  t.strictSame(done(subject), ['replace ConfigMap map-7'])
  const lifted = { ...old, apiVersion: 'autoscaling/v2' }
  subject.change({ manifests: [...maps, lifted] })
  t.strictSame(done(subject).sort(), ['replace ConfigMap map-7', 'replace HorizontalPodAutoscaler web'])
  t.equal(subject.item(lifted)?.version, 'v2')
  t.equal(subject.question.items.length, 31)
})

type ExpectedStep = Partial<Step> & { reclaimFrom?: readonly string[] }

/** A changed manifest is written by this step, bound to what was read. */
const updatedBy = (policy: string, expected: ExpectedStep) => async (t: Test) => {
  const map = configMap('a', { kept: { 'update-policy': policy } })
  const subject = component({ manifests: [map] })
  subject.settle()
  const before = subject.live(map)
  subject.change({ manifests: [changed(map, 'new')] })
  const { plan } = subject.pass()
  matches(t, plan.steps, [expected])
  const [step] = plan.steps
  if (step && 'target' in step) t.strictSame(step.target.metadata.resourceVersion, before?.metadata.resourceVersion)
  subject.settle()
  t.strictSame(subject.live(map)?.data, { key: 'new' })
  t.equal(subject.live(map)?.metadata.uid === before?.metadata.uid, policy !== 'recreate')
}

t.test('CO-59 the policy replace replaces the object', updatedBy('replace', { do: 'replace' }))

t.test(
  'CO-60 the policy ssa-merge applies it and reclaims nothing',
  updatedBy('ssa-merge', { do: 'apply', force: true, reclaimFrom: [] }),
)

t.test(
  'CO-61 the policy ssa-override applies it and reclaims fields of kubectl and helm',
  updatedBy('ssa-override', { do: 'apply', force: true, reclaimFrom: ['kubectl', 'helm'] }),
)

t.test(
  'CO-62 the policy recreate deletes it in the background and creates it anew',
  updatedBy('recreate', { do: 'delete', propagation: 'Background' }),
)

t.test('CO-48 reconcile policies: when a manifest, the component or a policy changes', async t => {
  const cases: [policy: string, writes: { manifest: boolean; component: boolean; policy: boolean }][] = [
    ['on-object-change', { manifest: true, component: false, policy: true }],
    ['on-object-or-component-change', { manifest: true, component: true, policy: true }],
    ['once', { manifest: false, component: false, policy: false }],
  ]
  for (const [policy, writes] of cases) {
    const kept: Kept = { 'reconcile-policy': policy }
    const map = configMap('a', { kept })
    const subject = component({ manifests: [map] })
    subject.settle()
    const isWritten = (change: Parameters<typeof subject.change>[0]) => {
      subject.waits(60)
      subject.change(change)
      return done(subject).length > 0
    }
    t.equal(isWritten({}), false, `${policy}: nothing`)
    t.equal(isWritten({ manifests: [changed(map, 'new')] }), writes.manifest, `${policy}: manifest`)
    t.equal(isWritten({ componentDigest: 'component-2' }), writes.component, `${policy}: component`)
    const orphaned = configMap('a', { kept: { ...kept, 'delete-policy': 'orphan' }, data: { key: 'new' } })
    t.equal(isWritten({ manifests: [orphaned] }), writes.policy, `${policy}: another policy`)
    t.equal(subject.item(map)?.deletePolicy, 'Orphan', 'which is remembered all the same')
    const other = policy === 'once' ? 'on-object-change' : 'once'
    const moved = configMap('a', { kept: { 'reconcile-policy': other }, data: { key: 'new' } })
    t.equal(isWritten({ manifests: [moved] }), true, `${policy}: to ${other}`)
    t.equal(isWritten({}), false, `${policy}: only once more`)
  }
})

t.test('CO-48 once: neither for drift nor after deletion nor for its age', async t => {
  const map = configMap('a', { kept: { 'reconcile-policy': 'once' } })
  const other = configMap('b', { kept: { 'reconcile-policy': 'once' } })
  const subject = component({ manifests: [map, other] })
  subject.settle()
  subject.waits(7200)
  edit(subject, map, live => changed(live, 'theirs'))
  subject.cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'b' })
  const pass = subject.settle()
  t.equal(pass.standing.ready, true)
  t.strictSame(subject.live(map)?.data, { key: 'theirs' })
  t.equal(subject.live(other), undefined)
})

t.test('CO-48 CO-62 once and recreate: what was deleted to be written a last time is created', async t => {
  const recreated = configMap('a', { kept: { 'update-policy': 'recreate' } })
  const subject = component({ manifests: [recreated] })
  subject.settle()
  const once = configMap('a', { kept: { 'update-policy': 'recreate', 'reconcile-policy': 'once' } })
  subject.change({ manifests: [once] })
  t.strictSame(done(subject), ['delete ConfigMap a', 'create ConfigMap a'])
  t.ok(subject.live(once))
  subject.cluster.delete(refOf(once))
  t.strictSame(done(subject), [], 'and then never again')
})

t.test('CO-48 once: written by a call that died is not written again', async t => {
  const map = configMap('a', { kept: { 'reconcile-policy': 'once' } })
  const subject = component({ manifests: [map] })
  subject.pass()
  subject.pass({ losesStatus: true })
  edit(subject, map, live => changed(live, 'theirs'))
  subject.settle()
  t.strictSame(subject.live(map)?.data, { key: 'theirs' })
})

t.test('CO-49 the reapply interval of the annotation, else of the component or the option', async t => {
  const [own, plain] = [configMap('own', { kept: { 'reapply-interval': '30m' } }), configMap('plain')]
  const once = configMap('once', { kept: { 'reapply-interval': '1m', 'reconcile-policy': 'once' } })
  const subject = component({ manifests: [own, plain, once] })
  subject.settle()
  subject.waits(29 * 60)
  t.strictSame(done(subject), [])
  subject.waits(60)
  t.strictSame(done(subject), ['replace ConfigMap own'])
  subject.waits(30 * 60)
  t.strictSame(done(subject).sort(), ['replace ConfigMap own', 'replace ConfigMap plain'])
  subject.change({ settings: { ...question().settings, reapplySeconds: 60 } })
  subject.waits(60)
  t.strictSame(done(subject), ['replace ConfigMap plain'])
})

t.test('CO-49 an object whose last write somebody took out of the status is written again for its age', async t => {
  const subject = component({ manifests: [configMap('a')] })
  subject.settle()
  subject.change({ items: subject.question.items.map(item => ({ ...item, lastAppliedAt: '' })) })
  t.strictSame(done(subject), [])
  subject.waits(60 * 60)
  t.strictSame(done(subject), ['replace ConfigMap a'])
})

t.test(
  'CO-51 what somebody edits, unlabels or deletes is repaired, told with its paths, and not again within 10 s',
  async t => {
    const map = configMap('a')
    const disturb: [name: string, disturb: (subject: SimulatedComponent) => void, message: RegExp][] = [
      [
        'edited',
        subject => edit(subject, map, live => changed(live, 'theirs')),
        /Corrected data\.key: theirs -> value$/,
      ],
      [
        'unlabelled',
        subject => edit(subject, map, live => ({ ...live, metadata: { ...live.metadata, labels: {} } })),
        /Corrected metadata\.labels\["shop.example.io\/owner-id"\]: /,
      ],
      [
        'deleted',
        subject => subject.cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a' }),
        /Created again/,
      ],
    ]
    for (const [name, somebody, message] of disturb) {
      const subject = component({ manifests: [map, configMap('b')] })
      subject.settle()
      subject.waits(20)
      somebody(subject)
      const repair = subject.pass()
      matches(t, repair.events, [
        { type: 'Normal', reason: 'DriftCorrected', message, regarding: { metadata: { name: 'a' } } },
      ])
      t.equal(repair.standing.ready, true)
      const repaired = subject.live(map)
      t.strictSame([repaired?.data, repaired?.metadata.labels?.[`${P}/owner-id`]], [{ key: 'value' }, owner.hash], name)
      somebody(subject)
      subject.waits(4)
      const held = subject.pass()
      t.strictSame(stepsOf(held), [], `${name} again: not yet`)
      matches(t, held.standing.next, name === 'deleted' ? { is: 'waiting' } : { is: 'settled', againSeconds: 6 })
      subject.waits(6)
      t.equal(stepsOf(subject.pass()).length, 1, `${name} again: then`)
    }
  },
)

t.test('RE-58 a write that a clock an hour ahead noted holds no repair', async t => {
  const map = configMap('a')
  const somebody: ((subject: SimulatedComponent) => void)[] = [
    subject => edit(subject, map, live => changed(live, 'theirs')),
    subject => subject.cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a' }),
  ]
  for (const [number, disturbs] of somebody.entries()) {
    const subject = component({ manifests: [map] })
    subject.settle()
    disturbs(subject)
    subject.waits(-30)
    t.strictSame(stepsOf(subject.pass()), [], `${number}: clocks may differ`)
    subject.waits(-3_570)
    t.equal(stepsOf(subject.pass()).length, 1, `${number}: an hour`)
  }
})

t.test('CO-51 nobody is fought without a pause over what is not ready yet either', async t => {
  const web = gadget('web', { spec: { size: 'declared' } })
  const subject = component({ manifests: [web] }, [shop, gadgetDefinition()])
  subject.settle()
  const rival = () => edit(subject, web, live => ({ ...live, spec: { size: 'theirs' } }))
  rival()
  subject.waits(4)
  const held = subject.pass()
  t.strictSame(stepsOf(held), [], 'not yet')
  matches(t, held.standing.next, { is: 'waiting', seconds: Number })
  t.equal(held.standing.ready, false)
  subject.cluster.delete({ ...web, namespace: 'shop', name: 'web' })
  t.strictSame(stepsOf(subject.pass()), [], 'deleted: not yet either')
  subject.waits(6)
  t.strictSame(stepsOf(subject.pass()), ['create Gadget web'])
  rival()
  subject.waits(10)
  t.strictSame(stepsOf(subject.pass()), ['replace Gadget web'])
})

t.test('CO-52 an autoscaler and server defaults cause no write', async t => {
  const web = manifest('apps/v1', 'Deployment', 'web', { spec: { template: { cpu: '1000m' } } })
  const subject = component({ manifests: [web] })
  const ready = {
    replicas: 1,
    updatedReplicas: 1,
    availableReplicas: 1,
    readyReplicas: 1,
    ...hasConditions('Available'),
  }
  const { perform } = subject.cluster
  subject.cluster.perform = step => {
    const isDone = perform.call(subject.cluster, step)
    edit(subject, web, live => ({ ...live, spec: { replicas: 1, template: { cpu: '1' } }, status: ready }))
    return isDone
  }
  subject.settle()
  subject.waits(60)
  edit(subject, web, live => ({
    ...live,
    spec: { ...(live.spec as object), replicas: 9 },
    status: { ...ready, replicas: 9, updatedReplicas: 9, availableReplicas: 9, readyReplicas: 9 },
  }))
  t.strictSame(done(subject), [])
})

t.test('CO-52 CO-84 one that is rendered again as a delete hook is compared with what it was written as', async t => {
  const hook = configMap('a', { kept: { 'delete-hook': 'pre-delete', 'apply-order': '0' } })
  const more = { 'apply-order': '101', 'reconcile-policy': 'on-object-or-component-change' }
  for (const policy of ['replace', 'recreate']) {
    const upgrade = configMap('a', { kept: { ...more, 'update-policy': policy } })
    for (const manifests of [
      [upgrade, hook],
      [hook, upgrade],
    ]) {
      const subject = component({ manifests })
      t.strictSame(done(subject), ['create ConfigMap a'])
      subject.waits(60)
      t.strictSame(done(subject), [], policy)
      edit(subject, upgrade, live => changed(live, 'theirs'))
      matches(t, subject.pass().events, [
        { message: policy === 'replace' ? /Corrected data\.key: theirs -> value$/ : /Deleted/ },
      ])
    }
  }
})

t.test('CO-54 a terminating dependent is awaited, then created anew', async t => {
  const map = configMap('a')
  const subject = component({ manifests: [map] })
  subject.settle()
  const uid = subject.live(map)?.metadata.uid
  edit(subject, map, live => ({ ...live, metadata: { ...live.metadata, finalizers: ['theirs/f'] } }))
  subject.cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a' })
  subject.change({ manifests: [changed(map, 'new')] })
  const waiting = subject.settle()
  t.strictSame(stepsOf(waiting), [])
  matches(t, waiting.standing.unready, [{ message: 'is being deleted' }])
  t.equal(subject.item(map)?.status, 'Terminating')
  edit(subject, map, live => ({ ...live, metadata: { ...live.metadata, finalizers: [] } }))
  t.strictSame(done(subject), ['create ConfigMap a'])
  t.not(subject.live(map)?.metadata.uid, uid)
})

t.test('CO-54 CO-43 one that has no owner and terminates is awaited too, without a write meanwhile', async t => {
  const held = (object: KubeObject, metadata = {}) => ({
    ...object,
    metadata: { ...object.metadata, finalizers: ['theirs/f'], ...metadata },
  })
  const recreated: Kept = { 'update-policy': 'recreate' }
  const cases: [name: string, manifests: KubeObject[], metadata: object, deletes: string[]][] = [
    ['one', [configMap('a')], { deletionTimestamp: '2026-01-01T00:00:00Z' }, []],
    ['two', [configMap('a'), configMap('b')], { deletionTimestamp: '2026-01-01T00:00:00Z' }, []],
    [
      'deleted by us',
      [configMap('a', { kept: recreated }), configMap('b', { kept: recreated })],
      {},
      ['delete ConfigMap a', 'delete ConfigMap b'],
    ],
  ]
  for (const [name, manifests, metadata, deletes] of cases) {
    const subject = component({ manifests }, [shop, ...manifests.map(object => held(object, metadata))])
    t.strictSame(done(subject), deletes, name)
    const unready = manifests.map(({ metadata }) => ({ ref: { name: metadata.name }, message: 'is being deleted' }))
    matches(t, subject.pass().standing, { unready, next: { is: 'waiting' } }, name)
    for (const object of manifests)
      edit(subject, object, live => ({ ...live, metadata: { ...live.metadata, finalizers: [] } }))
    t.strictSame(
      done(subject),
      manifests.map(({ metadata }) => `create ConfigMap ${metadata.name}`),
      name,
    )
  }
})

t.test('CO-57 the API server refuses one object of a stage: the others are sent, the refused is named', async t => {
  const manifests = Array.from({ length: 15 }, (_, n) => configMap(`map-${n}`))
  const subject = component({ manifests: [...manifests, configMap('late', { kept: { 'apply-order': '1' } })] })
  const refuses = (step: Step) =>
    'object' in step && step.object.metadata.name.startsWith('map-1') ? 'too big' : undefined
  const refused = [1, 10, 11, 12, 13, 14].map(n => `map-${n}`)
  subject.pass()
  const pass = subject.pass({ refuses })
  t.equal(subject.cluster.objects.length, 1 + 15 - 6)
  t.strictSame(
    errorsOf(pass),
    refused.map(name => `ConfigMap shop/${name}: too big`),
  )
  matches(
    t,
    pass.events.filter(({ type }) => type === 'Warning'),
    refused.map(name => ({ reason: 'UpdateError', message: 'too big', regarding: { metadata: { name } } })),
  )
  t.not(pass.standing.next.is, 'again')
  t.notOk(subject.live(configMap('late', {})), 'later waves are held')
  t.equal(subject.settle().standing.ready, true)
})

t.test('CO-58 somebody creates the object first: not overwritten, adopted or refused by the next pass', async t => {
  for (const [theirs, isAdopted] of [
    [configMap('a', { data: { key: 'theirs' } }), true],
    [configMap('a', { labels: { [`${P}/owner-id`]: 'other' }, data: { key: 'theirs' } }), false],
  ] as const) {
    const subject = component({ manifests: [configMap('a')] })
    subject.pass()
    subject.cluster.put(theirs)
    const overtaken = subject.pass()
    t.strictSame(subject.live(theirs)?.data, { key: 'theirs' })
    t.strictSame(errorsOf(overtaken), [])
    t.strictSame(overtaken.standing.next, { is: 'again' })
    const pass = subject.settle()
    t.strictSame(subject.live(theirs)?.data, { key: isAdopted ? 'value' : 'theirs' })
    t.equal(pass.standing.errors.length, isAdopted ? 0 : 1)
  }
})

t.test('CO-47 a Job is purged when the wave of its purge order is ready, and stays Completed', async t => {
  const kept = {
    'apply-order': '1',
    'purge-order': '2',
    'delete-policy': 'orphan',
    'status-hint': 'has-ready-condition',
  }
  const migration = gadget('migration', { kept })
  const [app, late] = [
    gadget('app', { kept: { 'apply-order': '2' } }),
    configMap('late', { kept: { 'apply-order': '5' } }),
  ]
  const manifests = [migration, app, late, gadgetDefinition({ kept: { 'delete-policy': 'orphan' } })]
  const subject = component({ manifests })
  establishes(subject)
  subject.settle()
  becomesReady(subject, migration)
  subject.settle()
  t.ok(subject.live(migration))
  becomesReady(subject, app)
  subject.pass()
  t.equal(subject.item(migration)?.phase, 'ScheduledForCompletion', 'saved before it is deleted')
  t.ok(subject.live(migration))
  t.strictSame(done(subject), ['delete Gadget migration', 'create ConfigMap late'], 'awaited before later waves')
  matches(t, subject.item(migration), { phase: 'Completed', status: '' })
  subject.waits(7200)
  const manual = { ...migration, data: { by: 'hand' } }
  subject.cluster.put(manual)
  t.equal(subject.settle().standing.ready, true)
  t.strictSame(subject.live(migration)?.data, { by: 'hand' }, 'neither read nor written')
  subject.cluster.delete({ ...migration, namespace: 'shop', name: 'migration' })
  subject.change({
    manifests: manifests.map(object => (object === migration ? { ...object, spec: { version: 2 } } : object)),
  })
  subject.settle()
  matches(t, subject.live(migration), { spec: { version: 2 } })
})

/** Kubernetes deletes it an hour after it has ended. */
const expiringJob = (image = 'one', kept: Kept = {}): KubeObject =>
  manifest('batch/v1', 'Job', 'migration', { kept, spec: { ttlSecondsAfterFinished: 3600, image } })

const completes = (subject: SimulatedComponent): void =>
  edit(subject, expiringJob(), live => ({ ...live, status: hasConditions('Complete') }))

const heldBy =
  (...finalizers: string[]) =>
  (live: KubeObject): KubeObject => ({ ...live, metadata: { ...live.metadata, finalizers } })

t.test('CO-106 a Job that was complete and is deleted after its time is not created again', async t => {
  const subject = component({ manifests: [expiringJob(), configMap('late', { kept: { 'apply-order': '1' } })] })
  subject.settle()
  completes(subject)
  t.equal(subject.settle().standing.ready, true)
  subject.waits(3600)
  edit(subject, expiringJob(), heldBy('foregroundDeletion'))
  subject.cluster.delete(refOf(expiringJob()))
  t.equal(subject.settle().standing.ready, true, 'it goes')
  edit(subject, expiringJob(), heldBy())
  t.strictSame(done(subject), [], 'it is gone')
  matches(t, subject.item(expiringJob()), { phase: 'Completed', status: '' })
  subject.waits(7200)
  t.equal(subject.settle().standing.ready, true)
  subject.change({ manifests: [expiringJob('two')] })
  t.ok(done(subject).includes('create Job migration'), 'its manifest changed')
})

t.test('CO-106 gone without having been seen in deletion, it is not created again either', async t => {
  const subject = component({ manifests: [expiringJob()] })
  subject.settle()
  completes(subject)
  subject.settle()
  subject.cluster.delete(refOf(expiringJob()))
  subject.waits(60)
  t.strictSame(done(subject), [])
  t.equal(subject.item(expiringJob())?.phase, 'Completed')
})

t.test('CO-106 one that never was complete, or has no such time, is created again', async t => {
  const unfinished = component({ manifests: [expiringJob()] })
  unfinished.settle()
  unfinished.cluster.delete(refOf(expiringJob()))
  unfinished.waits(60)
  t.strictSame(done(unfinished), ['create Job migration'])
  const kept = component({ manifests: [manifest('batch/v1', 'Job', 'migration', { spec: {} })] })
  kept.settle()
  completes(kept)
  kept.settle()
  kept.cluster.delete(refOf(expiringJob()))
  kept.waits(60)
  t.strictSame(done(kept), ['create Job migration'])
})

t.test('CO-110 a Job that was complete runs again with all else that was lost with its namespace', async t => {
  const namespace = namespaceManifest('shop')
  const completed = (manifests = [expiringJob()]): SimulatedComponent => {
    const subject = component({ manifests })
    subject.settle()
    completes(subject)
    t.equal(subject.settle().standing.ready, true)
    subject.waits(600)
    return subject
  }
  const absent = completed()
  absent.cluster.delete(refOf(expiringJob()))
  absent.cluster.delete(refOf(namespace))
  t.ok(done(absent).includes('create Job migration'), 'both are gone')

  const ending = completed()
  ending.cluster.put({ ...namespace, metadata: { name: 'shop', finalizers: ['kubernetes'] } })
  ending.cluster.delete(refOf(namespace))
  ending.cluster.delete(refOf(expiringJob()))
  t.ok(stepsOf(ending.pass()).includes('create Job migration'), 'the namespace goes')

  const anew = completed()
  anew.cluster.delete(refOf(expiringJob()))
  const creationTimestamp = anew.now.toISOString()
  anew.cluster.put({ ...namespace, metadata: { name: 'shop', creationTimestamp } })
  t.ok(done(anew).includes('create Job migration'), 'the namespace was made anew meanwhile')
  completes(anew)
  anew.settle()
  anew.waits(7200)
  anew.cluster.delete(refOf(expiringJob()))
  t.strictSame(done(anew), [], 'once')

  const own = completed([namespaceManifest('shop', { kept: { 'apply-order': '-1' } }), expiringJob()])
  own.cluster.delete(refOf(expiringJob()))
  t.strictSame(done(own), [], 'the namespace that is a dependent too is there')
  const lost = completed([namespace, expiringJob()])
  lost.cluster.delete(refOf(expiringJob()))
  lost.cluster.delete(refOf(namespace))
  t.ok(done(lost).includes('create Job migration'), 'and gone')
})

t.test('CO-110 as long as Jobs cannot be read, none counts as gone', async t => {
  const subject = component({ manifests: [expiringJob()] })
  subject.settle()
  completes(subject)
  subject.settle()
  subject.cluster.delete(refOf(expiringJob()))
  const unread = new Map([['batch/v1/Job', 'cannot be read']])
  const kinds = new Map([['batch/v1/Job', 'namespaced' as const]])
  const namespaces = new Map([['shop', namespaceManifest('shop')]])
  const observed = { ...nothingObserved, kinds, namespaces, unreadable: unread }
  const { items } = plan({ ...subject.question, observed }, subject.now)
  matches(t, items, [{ phase: 'Ready' }])
})

t.test(
  'CO-47 one whose API server goes away before it is purged is not completed, and holds nothing else up',
  async t => {
    const job = sample('job', { kept: { 'apply-order': '1', 'purge-order': '1' } })
    const manifests = (value: string) => [sampleService(), configMap('operator', { data: { value } }), job]
    const subject = component({ manifests: manifests('broken') })
    subject.settle()
    becomesAvailable(subject)
    while (subject.item(job)?.phase !== 'ScheduledForCompletion') subject.pass()
    goesAway(subject)
    subject.change({ manifests: manifests('mended') })
    subject.waits(60)
    subject.settle()
    t.strictSame(subject.live(configMap('operator'))?.data, { value: 'mended' })
    t.equal(subject.item(job)?.phase, 'ScheduledForCompletion')
    becomesAvailable(subject)
    t.equal(subject.settle().standing.ready, true)
    matches(t, subject.item(job), { phase: 'Completed' })
    t.notOk(subject.live(job))
  },
)

t.test('CO-47 what is to be purged before its own wave is ready stays until it is', async t => {
  const job = configMap('job', { kept: { 'apply-order': '3', 'purge-order': '1' } })
  const app = gadget('app', { kept: { 'apply-order': '3' } })
  const subject = component({ manifests: [job, app, gadgetDefinition()] })
  establishes(subject)
  subject.settle()
  t.ok(subject.live(job), 'its wave is not ready')
  becomesReady(subject, app)
  subject.settle()
  t.equal(subject.live(job), undefined)
  t.equal(subject.item(job)?.phase, 'Completed')
})

t.test('CO-47 an object that another owner has by the time of its purge is not deleted', async t => {
  const job = configMap('job', { kept: { 'purge-order': '1' } })
  const subject = component({ manifests: [job] })
  while (subject.item(job)?.phase !== 'ScheduledForCompletion') subject.pass()
  subject.cluster.put(configMap('job', { labels: { [`${P}/owner-id`]: 'other' }, data: { key: 'theirs' } }))
  t.equal(subject.settle().standing.ready, true)
  t.equal(subject.item(job)?.phase, 'Completed')
  t.strictSame(subject.live(job)?.data, { key: 'theirs' })
})

t.test('CO-47 a purge order above the last wave: purged at the end; a kill between loses nothing', async t => {
  const job = configMap('job', { kept: { 'purge-order': '99' } })
  const subject = component({ manifests: [job, configMap('late', { kept: { 'apply-order': '1' } })] })
  const created = []
  for (let pass = 0; pass < 20; pass++) {
    const { results } = subject.pass({ losesStatus: pass % 2 === 1 })
    created.push(...results.filter(({ step, changed }) => step.do === 'create' && changed).map(({ object }) => object))
  }
  t.equal(subject.settle().standing.ready, true)
  t.equal(created.filter(object => object?.metadata.name === 'job').length, 1)
  t.equal(subject.live(job), undefined)
  t.equal(subject.item(job)?.phase, 'Completed')
})

t.test('CO-26 CO-31 CO-32 a dependent that degrades or fails after it was ready, and is repaired', async t => {
  const subject = component({ manifests: [gadget('g'), gadgetDefinition()] })
  establishes(subject)
  subject.settle()
  becomesReady(subject, gadget('g'))
  t.equal(subject.settle().standing.ready, true)
  edit(subject, gadget('g'), live => ({
    ...live,
    status: { conditions: [{ type: 'Ready', status: 'False', message: 'no' }] },
  }))
  matches(t, subject.pass().standing, { ready: false, unready: [{ ref: { kind: 'Gadget' }, message: 'no' }] })
  matches(t, subject.item(gadget('g')), { phase: 'Ready', status: 'InProgress' })
  edit(subject, gadget('g'), live => ({ ...live, status: hasConditions('Stalled') }))
  matches(t, subject.pass().standing, { failed: [{ ref: { name: 'g' }, message: 'Stalled it is' }] })
  t.equal(subject.item(gadget('g'))?.status, 'Failed')
  becomesReady(subject, gadget('g'))
  t.equal(subject.pass().standing.ready, true)
})

t.test('CO-32 a failed dependent that is not rendered any more is removed', async t => {
  const subject = component({ manifests: [gadget('g'), gadgetDefinition()] })
  establishes(subject)
  subject.settle()
  edit(subject, gadget('g'), live => ({ ...live, status: hasConditions('Stalled') }))
  subject.settle()
  subject.change({ manifests: [gadgetDefinition()] })
  t.strictSame(done(subject), ['delete Gadget g'])
  t.equal(subject.pass().standing.ready, true)
})

t.test('CO-30 25 Events on dependents, then one line for the others', async t => {
  const subject = component({ manifests: Array.from({ length: 40 }, (_, n) => configMap(`map-${n}`)) })
  subject.pass()
  const { events } = subject.pass()
  t.equal(events.filter(({ regarding }) => regarding).length, 25)
  matches(t, events.at(-1), { regarding: undefined, message: /15 Created/ })
  t.equal(events.length, 26)
})

t.test('CO-56 CO-98 reads: one LIST per kind from two items on, else GET; refused: GETs; idle: no more', async t => {
  const manifests = [
    ...Array.from({ length: 12 }, (_, n) => configMap(`map-${n}`, { kept: { 'apply-order': String(n) } })),
    manifest('v1', 'Secret', 'one'),
  ]
  const subject = component({ manifests })
  subject.settle({ passes: 60 })
  t.equal(subject.pass().reads, 2, 'a LIST of ConfigMaps, a GET of the Secret')
  const pass = subject.pass({ refusesLists: true })
  t.equal(pass.reads, 1 + 12 + 1)
  t.equal(pass.standing.ready, true)
  t.strictSame(stepsOf(pass), [])
})

t.test('CO-56 a list goes no further than the namespace that all of its kind are in', async t => {
  const elsewhere = configMap('c', { namespace: 'far' })
  const kinds = new Map([['v1/ConfigMap', 'namespaced'] as const])
  const listed = (subject: SimulatedComponent) => readsWanted(subject.question, { ...nothingObserved, kinds })?.lists
  const subject = component({ manifests: [configMap('a'), configMap('b')] }, [shop, namespaceManifest('far')])
  subject.settle()
  matches(t, listed(subject), [{ kind: 'ConfigMap', namespace: 'shop' }])
  subject.change({ manifests: [configMap('a'), elsewhere] })
  subject.pass()
  matches(t, listed(subject), [{ kind: 'ConfigMap', namespace: undefined }], 'one is still to be removed there')
  subject.settle()
  t.ok(subject.live(elsewhere))
  t.equal(subject.live(configMap('b')), undefined)
})

t.test('CO-56 what is new and adopted from any owner is not read before its creation', async t => {
  const first = (adoption: string) => {
    const manifests = ['a', 'b'].map(name => configMap(name, { kept: { 'adoption-policy': adoption } }))
    return component({ manifests }, [shop, configMap('a')])
  }
  t.equal(first('if-unowned').pass().reads, 2)
  const subject = first('always')
  t.equal(subject.pass().reads, 0)
  const created = subject.pass()
  t.strictSame(stepsOf(created), ['create ConfigMap a', 'create ConfigMap b'])
  t.strictSame(errorsOf(created), [], 'that it is there already is no fault')
  t.equal(subject.settle().standing.ready, true)
  t.equal(subject.live(configMap('a'))?.metadata.labels?.[`${P}/owner-id`], owner.hash)
})

t.test('CO-56 of dependents that all go, a list shows the metadata alone', async t => {
  const subject = component({ manifests: [configMap('a'), configMap('b'), manifest('v1', 'Secret', 'c')] })
  subject.settle()
  const lists = (changes: Partial<typeof subject.question>) => {
    const asked = { ...subject.question, ...changes }
    const kinds = new Map([['v1/ConfigMap', 'namespaced'] as const, ['v1/Secret', 'namespaced'] as const])
    return readsWanted(asked, { ...nothingObserved, kinds })?.lists.map(({ kind, metadataOnly }) => ({
      kind,
      metadataOnly,
    }))
  }
  t.strictSame(lists({}), [{ kind: 'ConfigMap', metadataOnly: undefined }])
  t.strictSame(
    lists({ manifests: [configMap('a')] }),
    [{ kind: 'ConfigMap', metadataOnly: undefined }],
    'not all of them',
  )
  t.strictSame(lists({ manifests: [] }), [{ kind: 'ConfigMap', metadataOnly: true }])
  t.strictSame(lists({ goal: 'delete' }), [{ kind: 'ConfigMap', metadataOnly: true }])
})

t.test('CO-54 CO-63 a CRD that somebody deletes is let go when no instance of others is left', async t => {
  const crd = gadgetDefinition()
  const foreign = gadget('theirs')
  const subject = component({ manifests: [crd] }, [shop, foreign])
  establishes(subject)
  subject.settle()
  t.strictSame(subject.live(crd)?.metadata.finalizers, [P])
  subject.cluster.delete({ ...crd, namespace: '', name: crd.metadata.name })
  const held = subject.settle()
  matches(t, held.standing.unready, [{ message: /1 objects? of others need.* Gadget.example.io: shop\/theirs/ }])
  subject.cluster.delete({ ...foreign, namespace: 'shop', name: 'theirs' })
  subject.waits(10)
  t.strictSame(done(subject), [
    'removeFinalizer CustomResourceDefinition gadgets.example.io',
    'create CustomResourceDefinition gadgets.example.io',
  ])
})

t.test('CO-102 where only keys are kept, drift is what others have taken from us in managedFields', async t => {
  const port = { containerPort: 80 }
  const container = { name: 'app', image: 'app:1', args: ['a'], ports: [port], resources: {}, env: null }
  const rendered: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', labels: { app: 'web' } },
    spec: { replicas: 1, template: { spec: { containers: [container], nodeSelector: {} } } },
  }
  const containers = (image: object | undefined) => ({
    'f:containers': {
      'k:{"name":"app"}': {
        '.': {},
        'f:name': {},
        ...(image && { 'f:image': image }),
        'f:args': {},
        'f:ports': { '.': {}, 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
      },
    },
  })
  const fields = ({ replicas = {}, image = {} }: { replicas?: object | null; image?: object | null } = {}) => ({
    'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
    'f:spec': {
      ...(replicas && { 'f:replicas': replicas }),
      'f:template': { 'f:spec': containers(image ?? undefined) },
    },
  })
  const entry = (manager: string, fieldsV1: object, more: object = {}) => ({
    manager,
    operation: 'Apply',
    apiVersion: 'apps/v1',
    time: '2026-11-23T10:00:00Z',
    fieldsV1,
    ...more,
  })
  const live = (managedFields: object[], args = ['a']): KubeObject => {
    const stored = { ...container, args, ports: [{ ...port, protocol: 'TCP' }] }
    return {
      ...rendered,
      metadata: { ...rendered.metadata, managedFields },
      spec: { replicas: 1, template: { spec: { containers: [stored] } } },
    }
  }
  const rows: [what: string, isOurs: boolean, live: KubeObject][] = [
    ['all is as it was applied', true, live([entry('us', fields())])],
    [
      'others have fields of their own',
      true,
      live([entry('us', fields()), entry('them', { 'f:spec': { 'f:paused': {} } })]),
    ],
    [
      'one field by our create, the others by our apply',
      true,
      live([
        entry('us', fields({ replicas: null })),
        entry('us', { 'f:spec': { 'f:replicas': {} } }, { operation: 'Update' }),
      ]),
    ],
    [
      'somebody has scaled it',
      false,
      live([entry('us', fields({ replicas: null })), entry('them', { 'f:spec': { 'f:replicas': {} } })]),
    ],
    ['the field of an element was taken or removed', false, live([entry('us', fields({ image: null }))])],
    ['a list that is one value has another one', false, live([entry('us', fields())], ['b'])],
    [
      'a map lost all its parts',
      false,
      live([
        entry('us', { ...fields(), 'f:metadata': { 'f:labels': {} } }),
        entry('them', { 'f:metadata': { 'f:labels': { 'f:app': {} } } }),
      ]),
    ],
    ['the status counts for nobody', false, live([entry('us', fields(), { subresource: 'status' })])],
    ['another version names other fields', false, live([entry('us', fields(), { apiVersion: 'apps/v1beta1' })])],
    ['nothing is ours', false, live([entry('them', fields())])],
  ]
  for (const [what, isOurs, object] of rows) t.equal(ownsAllOf(rendered, object, 'us'), isOurs, what)
  t.equal(lastOwnedAt(live([entry('us', fields())]), 'us')?.toISOString(), '2026-11-23T10:00:00.000Z')
  t.equal(lastOwnedAt(live([entry('them', fields())]), 'us'), undefined)
  t.equal(lastOwnedAt(live([entry('us', fields(), { time: 'never' })]), 'us'), undefined)
})

t.test('RE-28 elements that a hostile cluster names without end, or not to be read, are compared at once', async t => {
  const config = (texts: readonly string[], own: JsonMap): KubeObject => ({
    apiVersion: 'example.com/v1',
    kind: 'Config',
    metadata: {
      name: 'a',
      managedFields: [
        { manager: 'us', operation: 'Apply', apiVersion: 'example.com/v1', fieldsV1: { 'f:texts': own } },
      ],
    },
    texts,
  })
  const texts = Array.from({ length: 60 }, (_, n) => `${n}`)
  const named = (all: readonly string[]) => Object.fromEntries(all.map(text => [`v:${JSON.stringify(text)}`, {}]))
  const junk = Array.from({ length: 50_000 }, (_, n) => `junk ${n}`)
  const hostile = config([...junk, ...texts], { 'v:no JSON': {}, ...named([...junk, ...texts]) })
  await isQuick(t, () => t.equal(ownsAllOf(config(texts, {}), hostile, 'us'), true), 'a list of names', 50)
  t.equal(ownsAllOf(config(['a'], {}), config(['a'], { 'v:"a': {} }), 'us'), false)
})
