// What a run is told as: the last operation, the condition Reconciled, and when the next call comes.
import t from 'tap'
import { decide, type GardenPlan } from '../../../functions/garden-reconcile/decide.ts'
import { gardenReconcile } from '../../../functions/garden-reconcile/index.ts'
import { report } from '../../../functions/garden-reconcile/report.ts'
import type { Flow } from '../../../functions/garden-reconcile/rules/flow.ts'
import type { StepResult } from '../../../shared/core/decisions/plan.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { matches } from '../../harness/matches.ts'
import { garden } from '../../make/garden/garden.ts'
import { madeSecrets } from '../../make/garden/garden-secrets.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'

const start = new Date('2026-03-01T12:00:00Z')
const after = (seconds: number): Date => new Date(start.getTime() + seconds * 1_000)

const operation = {
  type: 'Reconcile',
  state: 'Processing',
  progress: 40,
  description: 'Waiting.',
  lastUpdateTime: '2026-03-01T12:00:00Z',
} as const

const running = (change: object = {}): Garden =>
  garden({ status: { lastOperation: { ...operation, ...change } } } as never)

const etcdWait = 'Etcd garden/virtual-garden-etcd-main: is not ready yet'

const waiting: Flow = { writes: [], ready: 8, percent: 40, waits: [etcdWait], faults: [] }
const ready: Flow = { ...waiting, ready: 20, percent: 100, waits: [] }

const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'garden' } }
const wrote: StepResult = { step: { do: 'apply', object }, changed: true }
const failed: StepResult = {
  step: { do: 'apply', object },
  changed: false,
  error: { message: 'It is full.', isConflict: false, isRetriable: true, ref: { ...object, namespace: '', name: 'a' } },
}

type Given = { flow?: Flow; one?: Garden; results?: readonly StepResult[]; at?: number }

const told = ({ flow = waiting, one = running(), results = [], at = 60 }: Given) => {
  const plan: GardenPlan = { steps: flow.writes, status: {}, events: [], next: { is: 'settled' }, flow }
  const { status, next } = report(gardenWorld({ garden: one }), plan, results, after(at))
  const { lastOperation, conditions } = status as NonNullable<Garden['status']>
  return { lastOperation, conditions, next: next ?? plan.next }
}

t.test('GA-319 once all is ready the status names the provider of the key that encrypts', async t => {
  const kubeAPIServer = { encryptionConfig: { provider: { type: 'aesgcm' } } }
  const one = { ...running(), spec: garden({ spec: { virtualCluster: { kubernetes: { kubeAPIServer } } } }).spec }
  const world = await madeSecrets(gardenWorld({ garden: one }), ['kube-apiserver-etcd-encryption-key'], start)
  const credentials = (flow: Flow) => {
    const plan: GardenPlan = { steps: [], status: {}, events: [], next: { is: 'settled' }, flow }
    return Object(report(world, plan, [], after(60)).status).credentials
  }
  t.strictSame(credentials(ready), { encryptionAtRest: { provider: { type: 'aesgcm' } } })
  t.strictSame(credentials(waiting), undefined)
})

t.test('GA-61 the description tells each wait, the progress the share', async t => {
  matches(t, told({ flow: { ...waiting, percent: 45, waits: [etcdWait, 'Secret ca: does not exist yet'] } }), {
    lastOperation: {
      state: 'Processing',
      progress: 45,
      lastUpdateTime: '2026-03-01T12:01:00Z',
      description: `Waiting for ${etcdWait}; Secret ca: does not exist yet`,
    },
    next: { is: 'waiting' },
  })
})

t.test('GA-62 all is ready; another call changes nothing', async t => {
  matches(t, told({ flow: ready }), {
    lastOperation: {
      type: 'Reconcile',
      state: 'Succeeded',
      progress: 100,
      description: 'Garden cluster has been successfully reconciled.',
      lastUpdateTime: '2026-03-01T12:01:00Z',
    },
    next: { is: 'settled', againSeconds: 3_600 },
  })
  const done = running({ state: 'Succeeded', progress: 100 })
  t.strictSame(told({ flow: ready, one: done, at: 600 }), {
    lastOperation: undefined,
    conditions: undefined,
    next: { is: 'settled', againSeconds: 3_000 },
  })
})

t.test(
  'GA-62 GA-95 the next call comes when the first certificate is due, if that is before the sync period',
  async t => {
    const { settings } = gardenWorld()
    const short = gardenWorld({ settings: { ...settings, runtimeAuthoritySeconds: 36_000 } })
    const world = await madeSecrets(short, ['ca-garden-runtime', 'ca'], start)
    const againAt = (seconds: number) => {
      const one = running({ state: 'Succeeded', progress: 100, lastUpdateTime: after(seconds - 600).toISOString() })
      const plan: GardenPlan = { steps: [], status: {}, events: [], next: { is: 'settled' }, flow: ready }
      const { next } = report({ ...world, garden: one }, plan, [], after(seconds))
      return next?.is === 'settled' && next.againSeconds
    }
    t.equal(againAt(600), 3_000, 'the sync period ends before')
    t.equal(againAt(8 * 3_600 - 10), 10)
  },
)

t.test('GA-63 what is put back while Succeeded leaves the state as it is', async t => {
  const done = running({ state: 'Succeeded', progress: 100 })
  t.strictSame(told({ flow: ready, one: done, results: [wrote] }), {
    lastOperation: undefined,
    conditions: undefined,
    next: { is: 'again' },
  })
  t.equal(told({ one: done }).lastOperation, undefined)
})

t.test('GA-64 an apply that fails is told, and tried again after half the time since anything moved', async t => {
  const again = (at: number) => {
    const { next, lastOperation } = told({ results: [failed, wrote], at })
    t.equal(lastOperation?.lastUpdateTime, '2026-03-01T12:00:00Z')
    return next.is === 'failed' && next.seconds
  }
  t.strictSame([0, 9, 60, 599, 3_000].map(again), [5, 5, 30, 299, 300])
  matches(t, told({ results: [failed] }).lastOperation, {
    state: 'Error',
    progress: 40,
    description: 'It is full. Operation will be retried.',
  })
  matches(t, told({ flow: { ...ready, faults: ['Secret garden/a: is missing.'] } }).lastOperation, {
    state: 'Error',
    description: 'Secret garden/a: is missing. Operation will be retried.',
  })
})

t.test('GA-65 nothing moves for five minutes: the wait is an Error until something does', async t => {
  const state = (given: Given) => told(given).lastOperation?.state
  t.equal(state({ at: 300 }), 'Processing')
  t.equal(state({ at: 301 }), 'Error')
  const stuck = running({ state: 'Error' })
  matches(t, told({ at: 900, one: stuck }).lastOperation, {
    state: 'Error',
    description: `Waiting for ${etcdWait}`,
    lastUpdateTime: '2026-03-01T12:00:00Z',
  })
  t.equal(state({ at: 900, one: stuck, flow: { ...waiting, percent: 45 } }), 'Processing')
})

t.test('GA-157 the condition Reconciled says what the operation says', async t => {
  const one = (state: object, given: Given = {}) => {
    const [{ status, reason, message } = {}] = told({ one: running(state), ...given }).conditions ?? []
    return [status, reason, message]
  }
  t.strictSame(one({}), ['Progressing', 'ReconciliationProgressing', `Waiting for ${etcdWait}`])
  t.strictSame(one({}, { flow: ready })[1], 'ReconciliationSuccessful')
  t.strictSame(one({}, { flow: ready })[0], 'True')
  t.strictSame(one({}, { results: [failed] }), [
    ...['False', 'ReconciliationFailed', 'It is full. Operation will be retried.'],
  ])
  const metadata = { deletionTimestamp: '2026-03-01T12:00:00Z', finalizers: ['gardener.cloud/operator'] }
  const begun = decide(gardenWorld({ garden: garden({ metadata } as never) }), start)
  matches(t, begun.status, {
    lastOperation: { type: 'Delete', state: 'Processing' },
    conditions: [{ status: 'Progressing', reason: 'DeletionProgressing' }],
  })
})

t.test('GA-105 GA-106 what was written in the virtual garden is looked at by the next call', async t => {
  const far = { ...wrote.step, on: 'virtual-garden' } as const
  t.strictSame(told({ results: [{ ...wrote, step: far }] }).next, { is: 'waiting', seconds: 1, for: etcdWait })
  const passing = { ...failed, step: { ...far, isConflictPassing: true } as const }
  matches(t, told({ results: [passing] }), { lastOperation: { state: 'Processing' }, next: { is: 'waiting' } })
})

t.test('GA-113 a Seed may take hours, and what is waited for beside it may not', async t => {
  const seed = 'renewing secrets for seed "a" is not yet completed'
  const stateAfterHours = (waits: readonly string[]) =>
    told({ flow: { ...waiting, waits, longWaits: [seed] }, at: 7_200 }).lastOperation
  matches(t, stateAfterHours([seed]), { state: 'Processing', description: `Waiting for ${seed}` })
  matches(t, stateAfterHours([seed, etcdWait]), { state: 'Error' })
})

t.test('GA-107 a snapshot is marked as taken after the step that took it', async t => {
  const { runtime } = await madeSecrets(gardenWorld(), ['kube-apiserver-etcd-encryption-key'], start)
  const snapshot = { do: 'takeSnapshot', object } as const
  const plan: GardenPlan = { steps: [snapshot], status: {}, events: [], next: { is: 'settled' }, flow: waiting }
  const marksAfter = (results: readonly StepResult[]) =>
    report(gardenWorld({ garden: running(), runtime }), plan, results, after(60)).afterwards?.steps.length
  t.equal(marksAfter([{ step: snapshot, changed: false }]), 1)
  t.equal(marksAfter([{ ...failed, step: snapshot }]), 0)
})

t.test('GA-107 the hook of garden-reconcile has snapshots taken', async t => {
  const call = { clusters: { of: async () => undefined }, settings: {} } as never
  t.type(gardenReconcile.begin?.(call).takeSnapshot, 'function')
})

t.test('a call that met another one tells nothing: the next one reads anew', async t => {
  const conflict = {
    ...failed,
    error: { ...failed.error, message: 'Conflict.', isConflict: true } as StepResult['error'],
  }
  t.strictSame(told({ results: [conflict, wrote] }), {
    lastOperation: undefined,
    conditions: undefined,
    next: { is: 'settled' },
  })
})

t.test('what is told has a bounded length, however much there is to tell', async t => {
  const seeds = Array.from({ length: 1_000 }, (_, at) => `seed s${at}: ${'😀'.repeat(130_000)}`)
  for (const given of [
    { flow: { ...waiting, waits: seeds } },
    { flow: { ...waiting, faults: seeds } },
    { results: seeds.map(message => ({ ...failed, error: { ...failed.error, message } as StepResult['error'] })) },
  ]) {
    const { lastOperation, conditions, next } = told(given)
    t.ok(JSON.stringify({ lastOperation, conditions, next }).length < 40_000)
    const { description = '' } = lastOperation ?? {}
    t.ok(description.includes('seed s0: ') && description.includes('; and 980 more'), 'the rest is counted')
    t.ok(description.isWellFormed())
  }
})

t.test('GA-367 a condition says that no backups are made, and what to do, until there is a bucket', async t => {
  const backup = { provider: 'local', secretRef: { name: 'backup' } }
  const asking = (bucketName?: string, conditions: object[] = []) => {
    const main = { backup: { ...backup, ...(bucketName !== undefined && { bucketName }) } }
    return garden({
      spec: { virtualCluster: { etcd: { main } } },
      status: { lastOperation: operation, conditions },
    } as never)
  }
  const said = (one: Garden, flow = waiting) =>
    (told({ one, flow }).conditions ?? []).map(({ type, status, reason }) => [type, status, reason])
  const missing = ['BackupBucketReady', 'False', 'BucketNameMissing']
  t.strictSame(said(asking())[1], missing)
  t.strictSame(said(asking(''), ready)[1], missing)
  const { conditions = [] } = told({ one: asking() })
  t.equal(
    conditions[1]?.message,
    'No backups of Etcd garden/virtual-garden-etcd-main are made, since spec.virtualCluster.etcd.main.backup.bucketName is not set. Create a bucket with provider local, and set bucketName to its name.',
  )
  t.equal(told({ one: asking(undefined, [...conditions]), at: 900 }).conditions?.[1], conditions[1], 'its times stay')
  t.strictSame(said(asking('b', [...conditions])).length, 1, 'it goes with the name of a bucket')
  t.strictSame(said(running()).length, 1, 'nobody asks for backups')
  const started = decide(gardenWorld({ garden: { ...asking(), status: undefined } as never }), start).status
  matches(t, started, { conditions: [{ type: 'Reconciled' }, { type: 'BackupBucketReady' }] }, 'from the start on')
})
