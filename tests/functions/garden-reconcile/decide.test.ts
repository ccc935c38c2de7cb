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
  gardener: { id: 'garden-reconcile', name: 'garden-reconcile', version: '0.1.0' },
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

t.test('GA-57 a Garden of a version above ours or over one minor below is left alone', async t => {
  const settings = { ...gardenWorld().settings, version: '1.4.2' }
  const next = (version: string) => {
    const one = garden({ status: { gardener: { id: 'x', name: 'x', version } } })
    const plan = decide(gardenWorld({ garden: one, settings }), now)
    return plan.next.is === 'stalled' ? { steps: plan.steps, reason: plan.next.reason } : plan.next.is
  }
  for (const version of ['1.4.3', '2.0.0', '1.2.9', '0.9.0'])
    t.strictSame(next(version), {
      steps: [],
      reason: `VersionNotSupported: version 1.4.2 may not follow version ${version}`,
    })
  for (const version of ['1.4.2', '1.4.0', '1.3.0']) t.equal(next(version), 'again', version)
})

t.test('GA-58 an operation starts with the finalizer and one patch of the status', async t => {
  matches(t, decided(operated('rotate-ca-start')), {
    steps: [{ do: 'addFinalizer', finalizer: 'gardener.cloud/operator' }],
    status: {
      observedGeneration: 2,
      gardener: { id: 'garden-reconcile', name: 'garden-reconcile', version: '0.1.0' },
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
