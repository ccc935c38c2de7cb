// State, Ready condition and the time of the next look: the tables, row by row.
import t, { type Test } from 'tap'
import {
  type PassError,
  type PassResult,
  type StateReport,
  secondsAfterError,
  secondsByAge,
  stateReport,
} from '../../../shared/component/reported/component-state.ts'
import type { DependentsStatus, Note } from '../../../shared/component/reported/dependents-status.ts'
import { type Assertions, matches } from '../../harness/matches.ts'
import { item } from '../../make/component/dependents.ts'

const now = new Date('2026-01-01T01:00:00Z')
const ago = (seconds: number): string => new Date(now.getTime() - seconds * 1000).toISOString()

const standing = (changes: Partial<DependentsStatus> = {}): DependentsStatus => ({
  items: [item({ kind: 'ConfigMap', name: 'a', lastAppliedAt: ago(600) })],
  ready: false,
  hasChanged: false,
  unready: [],
  failed: [],
  redundant: [],
  blocked: [],
  errors: [],
  next: { is: 'waiting', seconds: 1, for: 'something' },
  ...changes,
})

const situation = (changes: Partial<PassResult> = {}): PassResult => ({
  now,
  uid: 'uid',
  hasStatus: true,
  isSuspended: false,
  isRestarted: false,
  processingSince: '',
  requeueSeconds: 300,
  retrySeconds: 120,
  timeoutSeconds: 240,
  ...changes,
})

const note = (name: string): Note => ({
  ref: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name },
  message: '1 of 2 replicas are ready',
})
const unready = standing({ unready: [note('web')] })
const ready = standing({ ready: true, next: { is: 'settled' } })
const failed = standing({ failed: Array.from({ length: 12 }, (_, n) => note(`web-${n}`)) })
const going = { deletionTimestamp: ago(600) }
const trouble = (is: PassError['is'], more = {}) => ({ error: { is, message: 'no luck', ...more } as PassError })
const error = (isRetriable: boolean) => standing({ errors: [{ message: 'no luck', isRetriable }] })

type Case = [name: string, situation: Partial<PassResult>, expected: string, seconds: number | undefined]

const textOf = ({ state, ready, reason }: StateReport): string => `${state}/${ready}/${reason}`

const judged = (cases: readonly Case[]) => async (t: Pick<Test, 'equal' | 'ok'> & Assertions) => {
  for (const [name, changes, expected, seconds] of cases) {
    const report = stateReport(situation(changes))
    t.equal(textOf(report), expected, name)
    if (seconds === undefined || seconds < 10) t.equal(report.requeueSeconds, seconds, `${name}: seconds`)
    else t.ok(isSpread(report.requeueSeconds, seconds), `${name}: ${report.requeueSeconds} s`)
    matches(t, report.message, /^[A-Z]/, `${name}: a capitalised message`)
  }
}

const isSpread = (found: number | undefined, seconds: number): boolean =>
  found !== undefined && found >= seconds * 1.01 && found <= seconds * 1.05

t.test(
  'CO-15 a new component is Pending/FirstSeen, one that is ready is Ready',
  judged([
    ['new', { hasStatus: false }, 'Pending/Unknown/FirstSeen', 0],
    ['ready', { dependents: ready }, 'Ready/True/Ready', 300],
    [
      'ready, repair put off',
      { dependents: { ...ready, next: { is: 'settled', againSeconds: 6 } } },
      'Ready/True/Ready',
      6,
    ],
  ]),
)

t.test(
  'CO-17 a restarted component is Processing/Restarting',
  judged([['restarting', { isRestarted: true, dependents: unready }, 'Processing/Unknown/Restarting', 10]]),
)

t.test(
  'CO-18 dependents that are not ready yet mean Processing, after the timeout Error/Timeout',
  judged([
    ['unready', { dependents: unready, processingSince: ago(30) }, 'Processing/Unknown/Processing', 2],
    ['unready over time', { dependents: unready, processingSince: ago(240) }, 'Error/False/Timeout', 10],
    [
      'redundant',
      { dependents: standing({ redundant: [note('old')] }), processingSince: ago(90) },
      'Processing/Unknown/Processing',
      10,
    ],
    [
      'budget spent',
      { dependents: standing({ next: { is: 'again' } }), processingSince: ago(30) },
      'Processing/Unknown/Processing',
      0,
    ],
  ]),
)

t.test(
  'CO-20 a retriable error is Pending, after the timeout Pending/Timeout; a plain one is then Error/Timeout',
  judged([
    ['retriable', trouble('retriable'), 'Pending/Unknown/Retrying', 120],
    ['retriable, 45 s', trouble('retriable', { seconds: 45 }), 'Pending/Unknown/Retrying', 45],
    ['retriable for long', { ...trouble('retriable'), processingSince: ago(240) }, 'Pending/Unknown/Timeout', 120],
    ['missing reference', trouble('missingReference'), 'Pending/Unknown/Retrying', 10],
    ['writes in trouble', { dependents: error(true) }, 'Pending/Unknown/Retrying', 120],
    ['plain over time', { ...trouble('plain'), processingSince: ago(241) }, 'Error/False/Timeout', 1],
  ]),
)

t.test(
  'CO-22 a plain error is Error/Error, and its waits grow with its age',
  judged([
    ['configuration', trouble('configuration'), 'Error/False/Error', undefined],
    ['plain, first', trouble('plain'), 'Error/False/Error', 1],
    [
      'plain, for 4 s',
      { ...trouble('plain'), before: { status: 'False', lastTransitionTime: ago(4) } },
      'Error/False/Error',
      4,
    ],
    [
      'plain after Ready',
      { ...trouble('plain'), before: { status: 'True', lastTransitionTime: ago(4) } },
      'Error/False/Error',
      1,
    ],
    [
      'plain, for hours',
      { ...trouble('plain'), before: { status: 'False', lastTransitionTime: ago(9999) } },
      'Error/False/Error',
      600,
    ],
    ['refused writes', { dependents: error(false) }, 'Error/False/Error', 1],
  ]),
)

t.test(
  'CO-27 a suspended component is Pending/Suspended and not called again; one in deletion goes on',
  judged([
    ['suspended', { isSuspended: true }, 'Pending/Unknown/Suspended', undefined],
    [
      'suspended and in deletion',
      { ...going, isSuspended: true, dependents: unready },
      'Deleting/Unknown/DeletionProcessing',
      10,
    ],
  ]),
)

t.test(
  'CO-31 a dependent that failed means Error/DependentFailed at once',
  judged([
    ['failed', { dependents: failed, processingSince: ago(5) }, 'Error/False/DependentFailed', 1],
    ['failed over time', { dependents: failed, processingSince: ago(999) }, 'Error/False/DependentFailed', 10],
  ]),
)

t.test(
  'CO-64 a component in deletion is Deleting/DeletionProcessing, whatever time it takes',
  judged([
    ['processing', { ...going, dependents: unready }, 'Deleting/Unknown/DeletionProcessing', 10],
    ['just begun', { deletionTimestamp: ago(1), dependents: unready }, 'Deleting/Unknown/DeletionProcessing', 1],
    [
      'over time',
      { ...going, dependents: unready, processingSince: ago(999) },
      'Deleting/Unknown/DeletionProcessing',
      10,
    ],
    ['retriable', { ...going, ...trouble('retriable', { seconds: 5 }) }, 'DeletionPending/Unknown/DeletionRetrying', 5],
    ['missing reference', { ...going, ...trouble('missingReference') }, 'DeletionPending/Unknown/DeletionRetrying', 10],
    ['plain', { ...going, ...trouble('plain') }, 'Error/False/Error', 1],
  ]),
)

t.test(
  'CO-68 CO-71 a deletion that something blocks is Deleting/DeletionBlocked',
  judged([
    ['blocked', { ...going, dependents: standing({ blocked: [note('x')] }) }, 'Deleting/Unknown/DeletionBlocked', 5],
    [
      'just blocked',
      { deletionTimestamp: ago(1), dependents: standing({ blocked: [note('x')] }) },
      'Deleting/Unknown/DeletionBlocked',
      2,
    ],
  ]),
)

t.test(
  'CO-72 a hook of deletion that failed means Error/DependentFailed',
  judged([['failed hook', { ...going, dependents: failed }, 'Error/False/DependentFailed', 10]]),
)

t.test('CO-06 a bad configuration is stalled, nothing else is', async t => {
  t.equal(stateReport(situation(trouble('configuration'))).isStalled, true)
  for (const changes of [trouble('plain'), { standing: failed }, { isSuspended: true }])
    t.equal(stateReport(situation(changes)).isStalled, false)
})

t.test('CO-31 CO-57 messages name the first ten and a count', async t => {
  const { message } = stateReport(situation({ dependents: failed }))
  matches(t, message, /^Failed: Deployment shop\/web-0: 1 of 2 replicas are ready; .*shop\/web-9: .* and 2 more$/)
  const errors = Array.from({ length: 13 }, (_, n) => ({ message: `n${n}`, isRetriable: false }))
  matches(t, stateReport(situation({ dependents: standing({ errors }) })).message, /^N0; n1; .*n9 and 3 more$/)
})

t.test('RE-29 a message is cut at the length that Kubernetes allows, and between characters', async t => {
  const { message } = stateReport(situation({ error: { is: 'plain', message: `x${'🌳'.repeat(40_000)}` } }))
  t.equal(message.length, 32_768)
  t.ok(message.isWellFormed())
})

t.test('CO-23 delays follow the age of the latest of several moments', async t => {
  const cases: [age: number, seconds: number][] = [
    [0, 1],
    [19, 1],
    [20, 2],
    [79, 2],
    [80, 10],
    [5000, 10],
  ]
  for (const [age, seconds] of cases) {
    t.equal(secondsByAge(now, [ago(9999), ago(age), undefined, '']), seconds, `${age} s`)
    t.equal(secondsByAge(now, [ago(age)]), seconds, `${age} s`)
  }
  t.equal(secondsByAge(now, []), 1)
  t.equal(
    stateReport(
      situation({
        dependents: standing({ items: [item({ kind: 'A', name: 'a', lastAppliedAt: ago(1) })] }),
        processingSince: ago(99),
      }),
    ).requeueSeconds,
    1,
  )
})

t.test('RE-58 what began in an hour, by a clock that was ahead, is not looked at every second until then', async t => {
  t.strictSame([secondsByAge(now, [ago(-3600)]), secondsByAge(now, [ago(-15)])], [10, 1])
  t.strictSame([secondsAfterError(now, ago(-3600)), secondsAfterError(now, ago(-2))], [600, 2])
})

t.test('RE-58 what began at a time that is none is looked at as if it began now', async t => {
  t.strictSame([secondsByAge(now, ['yesterday']), secondsByAge(now, ['yesterday', ago(3600)])], [1, 10])
  t.equal(secondsAfterError(now, 'yesterday'), 1)
})

t.test('CO-22 a plain error: 1, 2, 4 … 600 s from the status alone', async t => {
  let waited = 0
  const delays: number[] = []
  for (let n = 0; n < 12; n++) {
    const delay = secondsAfterError(now, ago(waited))
    delays.push(delay)
    waited += delay
  }
  t.strictSame(delays, [1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600])
})

t.test('from 10 s up 1 to 5 % are added, fixed per uid', async t => {
  const spread = (requeueSeconds: number, uid: string): number =>
    stateReport(situation({ dependents: ready, requeueSeconds, uid })).requeueSeconds ?? 0
  const spreads = Array.from({ length: 200 }, (_, n) => spread(100, `uid-${n}`))
  t.ok(spreads.every(seconds => seconds >= 101 && seconds <= 105))
  t.ok(new Set(spreads).size > 150)
  t.equal(spread(100, 'uid-1'), spread(100, 'uid-1'))
  t.equal(spread(9.9, 'uid-1'), 9.9)
})
