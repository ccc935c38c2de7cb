// What follows from the results of a pass: the outcome, the own writes that are told, and the Events. Nothing is read or written.
import t from 'tap'
import { type Plan, type Step, type StepError, type StepResult, settled } from '../../../shared/core/decisions/plan.ts'
import { type KubeObject, refOf, versionText } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { writtenEvents } from '../../../shared/kube/writes/events.ts'
import { needsAnotherPass, outcomeOf, type Pass } from '../../../shared/runtime/outcome-of.ts'
import { OwnWrites } from '../../../shared/runtime/own-writes.ts'
import { recordPassEvents } from '../../../shared/runtime/pass-events.ts'
import { processMemory } from '../../../shared/runtime/process-memory.ts'
import { matches } from '../../harness/matches.ts'

const configMap = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', uid: `uid-of-${name}`, resourceVersion: '7' },
})

const step: Step = { do: 'apply', object: configMap('a') }
const done: StepResult = { step, changed: true, object: configMap('a') }

const failed = (change: Partial<StepError>): StepResult => ({
  step,
  changed: false,
  error: { message: 'no', isConflict: false, isRetriable: true, ref: refOf(configMap('a')), ...change },
})

const passOf = (...results: StepResult[]): Pass => {
  const plan: Plan = { steps: results.map(({ step }) => step), status: {}, events: [], next: settled }
  return { plan, results, report: { status: {} }, afterwards: [], hasConflict: false }
}

const silent = { debug() {}, info() {}, warn() {}, error() {} }

t.test('RE-07 of several steps that failed the longest Retry-After counts', async t => {
  const pass = passOf(failed({ retryAfterSeconds: 3 }), failed({ retryAfterSeconds: 9 }), failed({}))
  t.strictSame(outcomeOf(pass, { hasMore: false }), { outcome: 'failed', reason: 'no; no; no', requeueAfterSeconds: 9 })
})

t.test('a step that failed or was overtaken ends the call, whatever other steps changed', async t => {
  t.equal(needsAnotherPass(passOf(done)), true)
  t.equal(needsAnotherPass(passOf(done, failed({}))), false)
  t.equal(needsAnotherPass(passOf(done, failed({ isConflict: true }))), false)
})

t.test(
  'a step that follows the status and fails is an error of the pass, even if the report says what comes next',
  async t => {
    const report: Pass['report'] = { status: {}, next: { is: 'settled', againSeconds: 300 } }
    const pass: Pass = { ...passOf(done), report, afterwards: [failed({ retryAfterSeconds: 4 })] }
    t.strictSame(outcomeOf(pass, { hasMore: false }), { outcome: 'failed', reason: 'no', requeueAfterSeconds: 4 })
    t.equal(needsAnotherPass(pass), false)
    const overtaken: Pass = { ...passOf(done), report, afterwards: [failed({ isConflict: true })] }
    matches(t, outcomeOf(overtaken, { hasMore: false }), { outcome: 'waiting', requeueAfterSeconds: 0 })
  },
)

t.test('FN-30 a call that stalled reports none of its writes, so that any event calls it again', async t => {
  const writes = new OwnWrites()
  writes.passed({ results: [done], saved: configMap('saved') }, { isFollowed: true })
  writes.passed({ results: [{ ...done, object: configMap('last') }] }, { isFollowed: false })
  const versions = [configMap('a'), configMap('saved')].map(versionText)
  t.strictSame(writes.reportedIn({ outcome: 'settled' }), { outcome: 'settled', wrote: versions })
  const stalled = { outcome: 'stalled', reason: 'two of them' } as const
  t.strictSame(writes.reportedIn(stalled), stalled)
})

t.test('FN-30 a call with a pass that used what an earlier one read reports none of its writes', async t => {
  const writes = new OwnWrites()
  writes.passed({ results: [], reusesReads: true }, { isFollowed: true })
  writes.passed({ results: [done] }, { isFollowed: true })
  writes.passed({ results: [] }, { isFollowed: false })
  t.strictSame(writes.reportedIn({ outcome: 'settled' }), { outcome: 'settled' })
})

t.test('FN-30 the object that a hook answers is not reported as written', async t => {
  const writes = new OwnWrites()
  const hook: Step = { do: 'hook', point: 'preReconcile', object: configMap('a') }
  writes.passed({ results: [{ ...done, step: hook }] }, { isFollowed: true })
  t.strictSame(writes.reportedIn({ outcome: 'settled' }), { outcome: 'settled' })
})

t.test('RE-59 what counts as changed too often is one object in one cluster, and no hook', async t => {
  const writesOf = (steps: readonly Step[]) => {
    const writes = new OwnWrites()
    const pass = {
      results: steps.map(step => ({ step, changed: true, object: configMap('a') })),
      saved: configMap('s'),
    }
    for (let passes = 1; passes < 10; passes++) {
      t.equal(writes.futileIn(pass), undefined)
      writes.passed(pass, { isFollowed: true })
    }
    return writes.futileIn(pass)?.because
  }
  const applied: Step = { do: 'apply', object: configMap('a') }
  t.equal(writesOf([applied]), 'changedBack', 'also where each pass saves another status')
  t.equal(writesOf([{ do: 'hook', point: 'preReconcile', object: configMap('a') }]), undefined)
  const writes = new OwnWrites()
  for (let passes = 1; passes < 6; passes++)
    for (const on of ['local', 'target'])
      writes.passed({ results: [{ ...done, step: { ...applied, on } }] }, { isFollowed: true })
  t.equal(
    writes.futileIn({ results: [{ ...done, step: applied }], saved: configMap('s') }),
    undefined,
    'in two clusters',
  )
})

/** Who records Events. */
const by = () => ({
  component: 'x',
  rates: () => undefined,
  written: writtenEvents(),
  now: new Date(0),
  log: silent,
})

t.test('an Event goes to the cluster that it names, else to our own', async t => {
  const asked: string[] = []
  const of = (name: string): Promise<Client> => {
    asked.push(name)
    return Promise.reject(new Error('not there'))
  }
  const recorder = { ...by(), clusters: { of } }
  const note = { type: 'Normal', reason: 'Wet', message: 'rain' } as const
  await recordPassEvents(configMap('a'), [note, { ...note, on: 'runtimes/far' }], recorder)
  t.strictSame(asked, ['local', 'runtimes/far'])
})

t.test(
  'KY-97 SEE-57 a Warning, or what was put right, is logged with what it is about, and an Event that cannot be recorded is logged and fails nothing',
  async t => {
    const lines: unknown[] = []
    const warn = (facts: object, message: string) => void lines.push([facts, message])
    const log = { ...silent, warn, info: warn }
    const away = new Error('no such cluster')
    const of = (): Promise<Client> => Promise.reject(away)
    const recorder = { ...by(), clusters: { of }, log }
    const regarding = configMap('b')
    await recordPassEvents(
      configMap('a'),
      [
        { type: 'Warning', reason: 'Dry', message: 'no water' },
        { type: 'Warning', reason: 'Dry', message: 'no water there', regarding },
        { type: 'Normal', reason: 'Wet', message: 'rain' },
        { type: 'Normal', reason: 'DriftCorrected', message: 'dry again', regarding },
      ],
      recorder,
    )
    const unrecorded = [{ err: away }, 'an event could not be recorded']
    t.strictSame(lines, [
      [{ reason: 'Dry' }, 'no water'],
      [{ reason: 'Dry', regarding: 'ConfigMap shop/b' }, 'no water there'],
      [{ reason: 'DriftCorrected', regarding: 'ConfigMap shop/b' }, 'dry again'],
      ...[unrecorded, unrecorded, unrecorded, unrecorded],
    ])
  },
)

t.test(
  'RE-56 of an object of which a hundred Events were recorded one is recorded every ten seconds, warnings are logged',
  async t => {
    const recorded: string[] = []
    const warned: string[] = []
    const create = async (event: KubeObject) => {
      recorded.push(String(event.message))
      return event
    }
    const of = async () => ({ create }) as unknown as Client
    const log = { ...silent, warn: (_: object, message: string) => void warned.push(message) }
    const { eventRates, writtenEvents: written } = processMemory()
    const tell = (name: string, message: string, component = 'x') => {
      const recorder = { ...by(), clusters: { of }, component, rates: eventRates, written, log }
      return recordPassEvents(configMap(name), [{ type: 'Warning', reason: 'Dry', message }], recorder)
    }
    for (let n = 0; n < 120; n++) await tell('a', `no water in well ${n}`)
    t.equal(recorded.length, 100)
    t.equal(warned.length, 120)
    await tell('b', 'another object')
    await tell('a', 'another function', 'y')
    t.strictSame(recorded.slice(100), ['another object', 'another function'])
    const inTenSeconds = eventRates(`x ${configMap('a').metadata.uid}`) ?? 0
    t.ok(inTenSeconds > 9 && inTenSeconds <= 10, `${inTenSeconds}`)
  },
)
