// What garden-reconcile decides before any step: several Gardens, versions, the start of an operation and its tokens.
import t from 'tap'
import { decide } from '../../../functions/garden-reconcile/decide.ts'
import { operationsOf } from '../../../shared/api/garden/operations.ts'
import type { Plan } from '../../../shared/core/decisions/plan.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import { matches } from '../../harness/matches.ts'
import { garden } from '../../make/garden/garden.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'
import { worldWithSecrets } from '../../make/garden/secret-world.ts'

const now = new Date('2026-03-01T12:00:00Z')
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1_000)

const operated = (tokens: string, status: Garden['status'] = {}): Garden =>
  garden({
    metadata: { generation: 2, uid: 'u', resourceVersion: '7', annotations: { 'gardener.cloud/operation': tokens } },
    status,
  } as never)

/** What the cluster holds once the plan is performed. */
const performed = (before: Garden, { steps, status }: Plan): Garden => {
  const patches = steps.map(step =>
    step.do === 'addFinalizer' ? { metadata: { finalizers: [step.finalizer] } } : step.do === 'patch' ? step.merge : {},
  )
  return [...patches, { status }].reduce<unknown>(mergePatched, before) as Garden
}

const decided = (one: Garden, at = now) => decide(gardenWorld({ garden: one }), at)

const succeeded: Garden['status'] = {
  observedGeneration: 2,
  gardener: { id: 'garden-reconcile', name: 'garden-reconcile', version: 'v1.130.0' },
  lastOperation: {
    type: 'Reconcile',
    state: 'Succeeded',
    progress: 100,
    description: 'Done.',
    lastUpdateTime: '2026-03-01T12:00:00Z',
  },
}

t.test('GA-56 of two Gardens none is touched', async t => {
  const gardens = [garden(), garden({ metadata: { name: 'second' } })]
  t.strictSame(decide(gardenWorld({ gardens }), now), {
    steps: [],
    status: {},
    events: [],
    next: { is: 'stalled', reason: 'MoreThanOneGarden' },
  })
})

/** Images of gardener-apiserver with these tags, before all others. */
const settingsWith = (...tags: string[]) => {
  const { settings } = gardenWorld()
  const added = tags.map(tag => ({ name: 'gardener-apiserver', repository: 'registry.example/apiserver', tag }))
  return { ...settings, images: [...added, ...settings.images] }
}

const writtenBy = (version: string, status: Garden['status'] = {}, name = 'garden-reconcile') =>
  garden({
    metadata: { generation: 2, finalizers: ['gardener.cloud/operator'] },
    status: { ...status, gardener: { id: 'x', name, version } },
  } as never)

t.test('GA-57 a Garden of a version above that of our images or over one minor below is left alone', async t => {
  const next = (version: string, ...tags: string[]) => {
    const plan = decide(gardenWorld({ garden: writtenBy(version), settings: settingsWith(...tags) }), now)
    return plan.next.is === 'stalled' ? { steps: plan.steps, reason: plan.next.reason } : plan.next.is
  }
  const remedies = {
    'set images of that version or a newer one': ['v1.4.3', '2.0.0'],
    'upgrade one minor version at a time, with images set': ['v1.2.9', '1.0.0'],
  }
  for (const [remedy, versions] of Object.entries(remedies))
    for (const version of versions)
      t.strictSame(next(version, 'v1.4.2'), {
        steps: [],
        reason: `VersionNotSupported: Gardener v1.4.2 of the configured images cannot replace Gardener ${version} of status.gardener.version: ${remedy}${remedy.startsWith('set') ? ' with' : ' by'} --garden-image-override`,
      })
  for (const version of ['v1.4.2', '1.4.0', 'v1.3.0', '0.1.0']) t.equal(next(version, 'v1.4.2'), 'again', version)
  t.equal(next('v2.3.0', 'latest', 'v2.3.1@sha256:1f', 'v1.4.2'), 'again', 'of the first row whose tag is a version')
  t.strictSame(Object(next('v1.9.0', 'v2.3.1')).steps, [], 'of another major')
})

t.test(
  'GA-319 another provider for the encryption keys rotates them, and the rotation completes by itself',
  async t => {
    const kubeAPIServer = { encryptionConfig: { provider: { type: 'secretbox' } } }
    const { spec } = garden({ spec: { virtualCluster: { kubernetes: { kubeAPIServer } } } })
    const startOf = (change: { status?: object; spec?: unknown; tokens?: string }) => {
      const annotations = change.tokens ? { 'gardener.cloud/operation': change.tokens } : {}
      const one = writtenBy('v1.130.0', { ...succeeded, ...change.status } as Garden['status'])
      const metadata = { ...one.metadata, annotations }
      const asked = { ...one, ...(change.spec ? { spec: change.spec } : {}), metadata } as Garden
      return decide(gardenWorld({ garden: asked, runtime: keys.runtime }), now)
    }
    const keys = worldWithSecrets()
    const rotation = (plan: Plan) => Object(plan.status.credentials).rotation
    const preparing = {
      phase: 'Preparing',
      lastInitiationTime: '2026-03-01T12:00:00Z',
      autoCompleteAfterPrepared: true,
    }
    const started = startOf({ spec })
    matches(t, rotation(started), { etcdEncryptionKey: preparing })
    t.strictSame(started.events, [])
    t.equal(startOf({}).status.lastOperation, undefined, 'the same provider')
    const phase = (phase: string) => ({ credentials: { rotation: { etcdEncryptionKey: { phase } } } })
    for (const one of ['Preparing', 'Prepared', 'Completing'])
      t.equal(startOf({ spec, status: phase(one) }).status.lastOperation, undefined, one)
    matches(t, rotation(startOf({ spec, status: phase('Completed') })), { etcdEncryptionKey: preparing })
    const asked = startOf({ spec, tokens: 'rotate-etcd-encryption-key-start' })
    matches(t, rotation(asked), { etcdEncryptionKey: { autoCompleteAfterPrepared: null } }, 'a person completes it')
    t.strictSame(asked.events, [])
  },
)

t.test('GA-317 an operation whose time JavaScript cannot read succeeded long ago', async t => {
  const operation = { ...succeeded.lastOperation, lastUpdateTime: '2026-03-01T23:59:60Z' } as const
  const status = { ...succeeded, lastOperation: operation } as Garden['status']
  t.ok(decided(writtenBy('v1.130.0', status)).status.lastOperation)
})

t.test('GA-316 a Garden of the Go operator gets the version of Gardener that we deploy', async t => {
  const status = { ...succeeded, credentials: {} }
  const written = (version: string, ...tags: string[]) => {
    const decidedOn = (one: Garden) => decide(gardenWorld({ garden: one, settings: settingsWith(...tags) }), now)
    const theirs = writtenBy(version, status, 'gardener-operator-7d9f')
    return decidedOn(performed(theirs, decidedOn(theirs))).status.gardener
  }
  matches(t, written('v1.130.0-dev'), { name: 'garden-reconcile', version: 'v1.130.0' })
  matches(t, written('v1.129.7'), { version: 'v1.130.0' })
  matches(t, written('v1.130.0', 'v1.131.2@sha256:1f'), { version: 'v1.131.2' })
  matches(t, written('v1.130.0', 'latest', 'v1.131.2'), { version: 'v1.131.2' })
  matches(t, written('v1.130.0'), { name: 'garden-reconcile', version: 'v1.130.0' })
  t.equal(decided(writtenBy('v1.130.0', status)).status.gardener, undefined, 'ours: no operation starts')
})

t.test('GA-58 an operation starts with the finalizer and one patch of the status', async t => {
  matches(t, decided(operated('rotate-ca-start')), {
    steps: [{ do: 'addFinalizer', finalizer: 'gardener.cloud/operator' }],
    status: {
      observedGeneration: 2,
      gardener: { id: 'garden-reconcile', name: 'garden-reconcile', version: 'v1.130.0' },
      lastOperation: {
        type: 'Reconcile',
        state: 'Processing',
        progress: 0,
        description: 'Reconciliation of Garden cluster initialized.',
        lastUpdateTime: '2026-03-01T12:00:00Z',
      },
      conditions: [{ type: 'Reconciled', status: 'Progressing', reason: 'ReconciliationProgressing' }],
      credentials: { rotation: { certificateAuthorities: { phase: 'Preparing' } } },
    },
    next: { is: 'again' },
  })
  const done = (change: object = {}, at = now) => {
    const metadata = { generation: 2, finalizers: ['gardener.cloud/operator'], ...change }
    return decided(garden({ metadata, status: succeeded } as never), at).status.lastOperation !== undefined
  }
  t.notOk(done(), 'nothing is new')
  t.notOk(done({}, later(3_599)))
  t.ok(done({}, later(3_600)), 'the sync period is over')
  t.ok(done({ generation: 3 }), 'a new generation')
  t.ok(done({ annotations: { 'gardener.cloud/operation': 'reconcile' } }), 'a token')
})

t.test(
  'GA-349 the status names the address of the virtual garden, and another one when the domain changes',
  async t => {
    const addressesIn = (...names: string[]) =>
      decided(garden({ spec: { virtualCluster: { dns: { domains: names.map(name => ({ name })) } } } })).status
        .advertisedAddresses
    const address = (url: string) => [{ name: 'virtual-garden', url }]
    t.strictSame(addressesIn('one.example.com', 'two.example.com'), address('https://api.one.example.com'))
    t.strictSame(addressesIn('two.example.com'), address('https://api.two.example.com'))
    t.strictSame(addressesIn(), undefined)
  },
)

t.test('GA-59 a token is removed after the start, also by a later call, and counts once', async t => {
  const asked = operated(' reconcile;rotate-ca-start; rotate-observability-credentials')
  const started = performed(asked, decided(asked))
  t.strictSame(operationsOf(started).length, 3, 'the call was killed after the patch of the status')
  const removal = decided(started, later(1_000))
  matches(t, removal.steps, [{ do: 'patch', target: { metadata: { resourceVersion: '7' } } }])
  t.strictSame(removal.status, {})
  const after = performed(started, removal)
  t.strictSame(operationsOf(after), [])
  t.strictSame(after.status?.credentials, started.status?.credentials)
  const next = decided(after, later(1_001))
  t.notOk('lastOperation' in next.status, 'nothing starts again')

  const added = garden({
    ...started,
    metadata: { annotations: { 'gardener.cloud/operation': 'rotate-ca-start;rotate-serviceaccount-key-start' } },
  } as never)
  const kept = performed(added, decided({ ...started, ...added } as Garden, later(5)))
  t.strictSame(operationsOf(kept), ['rotate-serviceaccount-key-start'], 'one that was added meanwhile survives')
})

t.test('GA-60 a token that is not permitted is dropped and told', async t => {
  const asked = operated('rotate-ca-complete;make-coffee')
  const start = decided(asked)
  t.strictSame(
    start.events.map(({ type, reason, message }) => ({ type, reason, message })),
    ['rotate-ca-complete', 'make-coffee'].map(token => ({
      type: 'Warning',
      reason: 'OperationIgnored',
      message: `operation ${token} is unknown or not possible now`,
    })),
  )
  const started = performed(asked, start)
  t.equal(started.status?.credentials, undefined, 'phases are untouched')
  t.strictSame(operationsOf(performed(started, decided(started))), [])
})

t.test('thousands of tokens that are not permitted are dropped, and some are told', async t => {
  const asked = operated(['x'.repeat(100_000), ...Array.from({ length: 20_000 }, (_, at) => `t${at}`)].join(';'))
  const start = decided(asked)
  t.equal(start.events.length, 10)
  t.ok(start.events.every(({ message }) => message.length < 600))
  const started = performed(asked, start)
  t.strictSame(operationsOf(performed(started, decided(started))), [])
})
