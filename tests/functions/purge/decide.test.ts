import t from 'tap'
import { decide } from '../../../functions/purge/decide.ts'
import { report } from '../../../functions/purge/report.ts'
import { customKind, isStuck, purged } from '../../../functions/purge/rules/purged.ts'
import type { PurgeSettings } from '../../../functions/purge/settings.ts'
import type { Runtime, World } from '../../../functions/purge/world.ts'
import type { Plan, Report, Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import type { KubeObject, ObjectMeta } from '../../../shared/core/objects/object.ts'
import { matches } from '../../harness/matches.ts'
import { kyma, moduleManifest, moduleTemplate } from '../../make/kyma/kyma.ts'

const deletionTimestamp = '2026-01-01T12:00:00Z'
/** `seconds` after the deletion began. */
const after = (seconds: number) => new Date(Date.parse(deletionTimestamp) + seconds * 1_000)
const guard = 'operator.kyma-project.io/purge-finalizer'
const orderly = 'operator.kyma-project.io/Kyma'
const label = (name: string, value: string) => ({ labels: { [`operator.kyma-project.io/${name}`]: value } })
const settings: PurgeSettings = { graceSeconds: 300, scope: 'modules', skip: [] }

const world = (metadata: Partial<ObjectMeta>, runtime: Runtime = { is: 'unasked' }): World => ({
  kyma: kyma({ metadata }),
  settings,
  runtime,
})

const unpurged = (metadata: Partial<ObjectMeta>): World => ({
  ...world(metadata),
  settings: { ...settings, scope: 'none' },
})

const stuck = { deletionTimestamp, finalizers: [orderly, guard] }

const sample = (name: string, kind = 'Sample'): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind,
  metadata: { name, namespace: 'default', finalizers: ['example.com/held'] },
})

const stepText = (step: Step): string =>
  'target' in step ? `${step.do} ${step.target.metadata.name}${step.on ? ` on ${step.on}` : ''}` : step.do

const told = ({ steps, next, events }: Plan) => ({
  steps: steps.map(stepText),
  next: next.is === 'waiting' ? `${next.is} ${next.seconds} s` : next.is,
  events: events.map(({ type, reason }) => `${type} ${reason}`),
})

const nothing = { steps: [], next: 'settled', events: [] }
const letGo = { ...nothing, steps: ['removeFinalizer default-id'] }

const cases: Record<string, { world: World; seconds?: number; plan: ReturnType<typeof told> }> = {
  'KY-100 a live Kyma gets the finalizer': {
    world: world({}),
    plan: { ...nothing, steps: ['addFinalizer default-id'] },
  },
  'KY-100 one that has it is left alone': { world: world({ finalizers: [guard] }), plan: nothing },
  'a live Kyma that is to be skipped is not written': {
    world: world(label('skip-reconciliation', 'True')),
    plan: nothing,
  },
  'a Kyma of somebody else is not written': { world: world(label('managed-by', 'somebody')), plan: nothing },
  'not even one in deletion whose grace is over': {
    world: world({ ...stuck, ...label('managed-by', 'somebody') }),
    seconds: 301,
    plan: nothing,
  },
  'KY-100 in deletion since a moment: called again a second after the grace': {
    world: world(stuck),
    seconds: 0,
    plan: { ...nothing, next: 'waiting 301 s' },
  },
  'KY-100 in deletion for nearly as long as the grace': {
    world: world(stuck),
    seconds: 299.5,
    plan: { ...nothing, next: 'waiting 1.5 s' },
  },
  'KY-100 the grace ended while the call began: called again at once': {
    world: world(stuck),
    seconds: 400,
    plan: { ...nothing, next: 'waiting 0 s' },
  },
  'KY-99 modules are gone in good order before the grace is over: the Kyma is let go at once': {
    world: world({ deletionTimestamp, finalizers: [guard] }),
    plan: letGo,
  },
  'a Kyma in deletion that never had the finalizer is left alone': {
    world: world({ deletionTimestamp, finalizers: [orderly] }),
    plan: nothing,
  },
  'KY-102 where nothing may be purged the Kyma is let go, and it is said why': {
    world: world(stuck, { is: 'spared', because: 'the access Secret no longer exists' }),
    plan: { ...letGo, events: ['Normal NotPurged'] },
  },
  'KY-339 with scope none no Kyma gets the finalizer': { world: unpurged({}), plan: nothing },
  'KY-339 and each loses it': { world: unpurged({ finalizers: [guard] }), plan: letGo },
  'KY-339 also one that is to be skipped': {
    world: unpurged({ finalizers: [guard], ...label('skip-reconciliation', 'true') }),
    plan: letGo,
  },
  'KY-339 also one whose deletion is stuck': { world: unpurged(stuck), plan: letGo },
  'KY-339 that of somebody else keeps it': {
    world: unpurged({ finalizers: [guard], ...label('managed-by', 'somebody') }),
    plan: nothing,
  },
  'KY-101 of all that is left the finalizers are removed': {
    world: world(stuck, { is: 'read', left: [[sample('a')]], unread: [], hasMore: false }),
    plan: { ...nothing, steps: ['patch a on runtimes/default-id'] },
  },
  'KY-103 kinds take turns, so that one whose writes hang does not hold up the others': {
    world: world(stuck, {
      is: 'read',
      left: [[sample('a1'), sample('a2'), sample('a3')], [sample('b1', 'Other')]],
      unread: [],
      hasMore: false,
    }),
    plan: { ...nothing, steps: ['a1', 'b1', 'a2', 'a3'].map(name => `patch ${name} on runtimes/default-id`) },
  },
}

for (const [title, { world, seconds = 301, plan }] of Object.entries(cases))
  t.test(title, async t => {
    t.strictSame(told(decide(world, after(seconds))), plan)
  })

t.test('KY-339 with scope none no runtime is read', t => {
  const object = kyma({ metadata: stuck })
  t.ok(isStuck(object, settings, after(301)))
  t.notOk(isStuck(object, { ...settings, scope: 'none' }, after(301)))
  t.end()
})

t.test('KY-101 all finalizers are removed, whoever put them there', async t => {
  const [step] = decide(
    world(stuck, { is: 'read', left: [[sample('a')]], unread: [], hasMore: false }),
    after(301),
  ).steps
  matches(t, step, { do: 'patch', merge: { metadata: { finalizers: null } } })
})

const read = (left: KubeObject[], unread: string[] = [], hasMore = false): World =>
  world(stuck, { is: 'read', left: [left], unread, hasMore })

const reported = (world: World, resultOf: (step: Step) => Partial<StepResult> | undefined) => {
  const plan = decide(world, after(301))
  const results = plan.steps.flatMap(step => {
    const result = resultOf(step)
    return result ? [{ step, changed: true, ...result }] : []
  })
  return report(world, plan, results, after(310))
}

const error = (message: string, isConflict = false): Partial<StepResult> => ({
  changed: false,
  error: { message, isConflict, isRetriable: false, ref: { ...sample('a'), namespace: 'default', name: 'a' } },
})

t.test('KY-101 the Kyma is let go when everything was read and each write succeeded', async t => {
  const release = (told: ReturnType<typeof reported>) => told.afterwards?.steps
  matches(t, release(reported(read([sample('a')]), () => ({}))), [{ do: 'removeFinalizer', finalizer: guard }])
  matches(t, release(reported(read([]), () => ({}))), [{ do: 'removeFinalizer', finalizer: guard }], 'nothing is left')
  t.equal(release(reported(read([sample('a')]), () => undefined)), undefined, 'KY-104 not all was begun in time')
  t.equal(release(reported(read([sample('a')], ['Other: no']), () => ({}))), undefined, 'a kind could not be read')
  t.equal(release(reported(read([sample('a')]), () => error('no'))), undefined, 'a write was refused')
  t.equal(release(reported(read([sample('a')]), () => error('changed', true))), undefined, 'an object has changed')
  t.equal(release(reported(world(stuck, { is: 'unreadable', because: 'away' }), () => ({}))), undefined, 'away')
  t.equal(release(reported(read([sample('a')], [], true), () => ({}))), undefined, 'KY-303 there is more')
})

t.test('KY-103 what failed is told in one Event, and tried again', async t => {
  const world = read([sample('a'), sample('b')], ['Other of example.com/v1: no'])
  matches(
    t,
    reported(world, ({ ...step }) => ('target' in step && step.target.metadata.name === 'a' ? error('denied') : {})),
    {
      events: [
        {
          type: 'Warning',
          reason: 'PurgeFailed',
          message: 'Other of example.com/v1: no; Sample default/a: denied',
        },
      ],
      next: { is: 'failed', seconds: 30 },
    },
  )
  const many = read([], ['1', '2', '3', '4', '5', '6', '7'])
  matches(t, reported(many, () => ({})).events, [{ message: '1; 2; 3; 4; 5; and 2 more' }])
  matches(
    t,
    reported({ ...many, runtime: { is: 'unreadable', because: 'it is away' } }, () => ({})),
    {
      events: [{ reason: 'PurgeFailed', message: 'it is away' }],
      next: { is: 'failed' },
    },
  )
})

const measured = ({ measured = [] }: Pick<Report, 'measured'>) =>
  measured.map(({ metric, labels, ...change }) => {
    const about = [labels?.kyma_name, labels?.shoot, labels?.instance_id, labels?.err_reason].filter(
      one => one !== undefined,
    )
    return `${metric.replace('lifecycle_mgr_purgectrl_', '')} ${about.join()} ${JSON.stringify(change)}`
  })

t.test(
  'KY-103 purges are counted, the last one is timed from the end of the grace, and faults have a metric',
  async t => {
    const tried = 'requests_total  {"add":1}'
    const noErrors = [
      'error default-id,,,CleanupError {"forget":true}',
      'error default-id,,,PurgeFinalizerRemovalError {"forget":true}',
    ]
    const isHeld = [
      'error default-id,,,CleanupError {"forget":true}',
      'error default-id,,,PurgeFinalizerRemovalError {"set":1}',
    ]
    const purged = reported(read([sample('a')]), () => ({}))
    t.strictSame(measured(purged), [tried, 'time  {"set":10}'])
    const afterwards = (change: Partial<StepResult>) =>
      (purged.afterwards?.steps ?? []).map(step => ({ step, changed: true, ...change }))
    t.strictSame(measured(purged.afterwards?.report?.(afterwards({})) ?? {}), noErrors)
    t.strictSame(measured(purged.afterwards?.report?.(afterwards(error('no'))) ?? {}), isHeld)
    const named = kyma({
      metadata: {
        ...stuck,
        annotations: { 'skr-domain': 'c-123.kyma.example.com' },
        labels: { 'kyma-project.io/instance-id': 'i-1' },
      },
    })
    t.strictSame(measured(reported({ ...read([sample('a')]), kyma: named }, () => error('no'))), [
      tried,
      'error default-id,c-123,i-1,CleanupError {"set":1}',
      'error default-id,c-123,i-1,PurgeFinalizerRemovalError {"forget":true}',
    ])
    const released = reported(world({ deletionTimestamp, finalizers: [guard] }), () => error('no'))
    t.strictSame(measured(released), isHeld)
    t.strictSame(measured(reported(world({}), () => ({}))), noErrors)
  },
)

t.test('a finalizer that cannot be set or removed is told by the reasons of the Go operator', async t => {
  matches(t, reported(world({}), () => error('no')).events, [{ reason: 'SettingPurgeFinalizerFailed' }])
  const done = world({ deletionTimestamp, finalizers: [guard] })
  matches(t, reported(done, () => error('no')).events, [{ reason: 'RemovingPurgeFinalizerFailed' }])
  t.strictSame(reported(done, () => error('changed', true)).events, [], 'another one was faster')
})

const definition = (kind: string, metadata: Partial<ObjectMeta> = {}, group = 'example.com') =>
  customKind({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.toLowerCase()}s.${group}`, ...metadata },
    spec: {
      group,
      names: { plural: `${kind.toLowerCase()}s`, singular: kind.toLowerCase(), kind },
      versions: [
        { name: 'v1', served: true, storage: false },
        { name: 'v2', served: true, storage: true },
      ],
    },
  })

const byModule = {
  labels: { 'operator.kyma-project.io/managed-by': 'kyma' },
  annotations: { 'deprecated-operator.kyma-project.io/owned-by': 'kcp-system/default-id-telemetry-1' },
}

const template = (name: string, spec: object) => moduleTemplate({ metadata: { name }, spec })
const ofKind = (kind: string) => ({ apiVersion: 'example.com/v1', kind, metadata: { name: 'default' } })

const modules = {
  kyma: kyma({
    status: {
      modules: [
        {
          name: 'telemetry',
          state: 'Ready',
          template: { apiVersion: '', kind: '', metadata: { name: 'telemetry-1.2.3', namespace: '' } },
        },
      ],
    },
  }),
  manifests: [
    moduleManifest({
      metadata: { labels: { 'operator.kyma-project.io/module-name': 'warden' } },
      spec: { version: '2.0.0', resource: ofKind('OfManifest') },
      status: {
        state: 'Ready',
        synced: [
          { group: 'example.com', version: 'v1', kind: 'Foreign', namespace: 'shop', name: 'installed' },
          { group: '', version: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'settings' },
        ],
      },
    }),
    moduleManifest({
      metadata: { annotations: { 'operator.kyma-project.io/fqdn': 'kyma-project.io/module/eventing' } },
      spec: { version: '3.0.0' },
    }),
  ],
  templates: [
    template('telemetry-1.2.3', {
      data: ofKind('OfData'),
      associatedResources: [{ group: 'example.com', version: 'v1', kind: 'Associated' }],
    }),
    template('warden-2.0.0', { data: ofKind('OfWarden') }),
    template('whatever', {
      data: ofKind('OfEventing'),
      descriptor: { component: { name: 'kyma-project.io/module/eventing', version: '3.0.0' } },
    }),
    template('telemetry-9.9.9', { data: ofKind('OfOtherVersion') }),
  ],
}

const kinds = [
  definition('OfModule', byModule),
  definition('OfRuntime', { labels: byModule.labels }),
  ...['OfManifest', 'OfData', 'Associated', 'OfWarden', 'OfEventing', 'OfOtherVersion', 'Foreign'].map(kind =>
    definition(kind),
  ),
  definition('Kyma', byModule, 'operator.kyma-project.io'),
]

t.test('KY-101 KY-195 kinds that modules brought are purged, of others what a module installed', async t => {
  const found = purged(kinds, modules, settings)
  const brought = ['OfModule', 'OfManifest', 'OfData', 'Associated', 'OfWarden', 'OfEventing']
  t.strictSame(
    found.kinds,
    brought.map(kind => ({ apiVersion: 'example.com/v2', kind })),
    'as they are stored; no Kyma, no kind of anybody else',
  )
  t.strictSame(found.objects, [{ apiVersion: 'example.com/v2', kind: 'Foreign', namespace: 'shop', name: 'installed' }])
})

t.test('KY-195 with scope all every custom kind is purged but Kyma; built-in kinds never', async t => {
  const found = purged(kinds, modules, { ...settings, scope: 'all' })
  t.strictSame(
    found.kinds.map(({ kind }) => kind),
    [
      ...['OfModule', 'OfRuntime', 'OfManifest', 'OfData', 'Associated', 'OfWarden', 'OfEventing', 'OfOtherVersion'],
      'Foreign',
    ],
  )
  t.strictSame(found.objects, [])
})

t.test('KY-101 kinds are skipped by plural, singular or kind with group, or all of a group', async t => {
  const namesOf = (...skip: string[]) =>
    purged([definition('OfModule', byModule), definition('Second', byModule, 'other.com')], modules, {
      ...settings,
      skip,
    }).kinds.map(({ kind }) => kind)
  for (const entry of ['ofmodules.example.com', 'ofmodule.example.com', 'OfModule.example.com', '*.example.com'])
    t.strictSame(namesOf(entry), ['Second'], entry)
  t.strictSame(namesOf('ofmodules', 'ofmodules.other.com', '*'), ['OfModule', 'Second'], 'nothing means less')
  t.strictSame(namesOf('*.example.com', 'seconds.other.com'), [])
})
