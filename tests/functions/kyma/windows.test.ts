import t, { type Test } from 'tap'
import { type RuntimeTraits, windowPolicy, windowVerdict } from '../../../functions/kyma/rules/windows.ts'
import { contains } from '../../harness/matches.ts'

const weekend = { days: ['Sat', 'Sun'], begin: '08:00:00Z', end: '12:00:00Z' }
const fridayNight = { days: ['Fri'], begin: '22:00:00+02:00', end: '03:00:00+02:00' }
const rules = [{ match: { plan: '^trial$' }, windows: [fridayNight] }]

const verdict = (policy: object, runtime: RuntimeTraits, now: string): string => {
  const read = windowPolicy(JSON.stringify(policy))
  if ('failed' in read) return read.failed
  const judged = windowVerdict(read.read, runtime, { now: new Date(now), restSeconds: 1_200 })
  return judged.isOpen ? 'open' : `closed, next ${judged.next?.toISOString() ?? 'never'}`
}

type Case = [runtime: RuntimeTraits, now: string, expected: string]
const eachOf = (t: Test, policy: object, cases: readonly Case[]): void => {
  for (const [runtime, now, expected] of cases)
    t.equal(verdict(policy, runtime, now), expected, `${JSON.stringify(runtime)} at ${now}`)
}

t.test('KY-47 the vectors: past midnight, and with too little time left', async t => {
  const plan = { plan: 'trial' }
  eachOf(t, { rules, default: weekend }, [
    [plan, '2026-11-20T21:00:00Z', 'open'],
    [plan, '2026-11-21T00:30:00Z', 'open'],
    [plan, '2026-11-21T00:45:00Z', 'closed, next 2026-11-27T20:00:00.000Z'],
    [plan, '2026-11-21T09:00:00Z', 'closed, next 2026-11-27T20:00:00.000Z'],
    [{ plan: 'azure' }, '2026-11-22T09:00:00Z', 'open'],
    [{ plan: 'azure' }, '2026-11-22T11:41:00Z', 'closed, next 2026-11-28T08:00:00.000Z'],
    // Exactly so many minutes are not more of them.
    [{ plan: 'azure' }, '2026-11-22T11:40:00Z', 'closed, next 2026-11-28T08:00:00.000Z'],
    [{ plan: 'azure' }, '2026-11-22T11:39:59Z', 'open'],
  ])
})

t.test('KY-47 the second of two windows counts like the first', async t => {
  const two = { rules: [{ match: { plan: 'trial' }, windows: [fridayNight, weekend] }] }
  eachOf(t, two, [
    [{ plan: 'trial' }, '2026-11-21T09:00:00Z', 'open'],
    [{ plan: 'trial' }, '2026-11-21T06:00:00Z', 'closed, next 2026-11-21T08:00:00.000Z'],
    [{ plan: 'azure' }, '2026-11-21T09:00:00Z', 'closed, next never'],
  ])
})

t.test('KY-47 a window of two moments: once it is past, the default counts', async t => {
  const once = { begin: '2026-11-20T20:00:00Z', end: '2026-11-20T23:00:00+01:00' }
  const policy = { rules: [{ match: { region: 'europe' }, windows: [once] }], default: weekend }
  eachOf(t, policy, [
    [{ region: 'europe-west3' }, '2026-11-20T21:00:00Z', 'open'],
    [{ region: 'europe-west3' }, '2026-11-19T21:00:00Z', 'closed, next 2026-11-20T20:00:00.000Z'],
    [{ region: 'europe-west3' }, '2026-11-21T09:00:00Z', 'open'],
  ])
})

t.test('KY-47 one hit is enough, the first rule counts, and an empty expression never matches', async t => {
  const never = [{ begin: '2020-01-01T00:00:00Z', end: '2020-01-02T00:00:00Z' }]
  const all = { days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'], begin: '00:00:00Z', end: '00:00:00Z' }
  const policy = {
    rules: [
      { match: { plan: '', globalAccountID: '' }, windows: [all] },
      { match: { plan: 'aws', platformRegion: '^cf-eu' }, windows: [fridayNight] },
      { match: { plan: 'aws' }, windows: [all] },
      { match: { globalAccountID: '^8a2' }, windows: never },
    ],
    default: weekend,
  }
  eachOf(t, policy, [
    [{ plan: 'aws' }, '2026-11-20T21:00:00Z', 'open'],
    [{ plan: 'gcp', platformRegion: 'cf-eu10' }, '2026-11-20T21:00:00Z', 'open'],
    [{ plan: 'aws' }, '2026-11-18T21:00:00Z', 'closed, next 2026-11-20T20:00:00.000Z'],
    [{}, '2026-11-20T21:00:00Z', 'closed, next 2026-11-21T08:00:00.000Z'],
    [{ globalAccountID: '8a2c' }, '2026-11-21T09:00:00Z', 'open'],
  ])
})

t.test(
  'KY-315 a window without values is none, a rule without match is for nobody, no expression matches a missing label',
  async t => {
    const all = { days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'], begin: '00:00:00Z', end: '00:00:00Z' }
    const policy = {
      rules: [{ windows: [all] }, { match: { plan: '.*', region: '' }, windows: [{}, fridayNight] }],
      default: {},
    }
    eachOf(t, policy, [
      [{ plan: 'aws' }, '2026-11-20T21:00:00Z', 'open'],
      [{ plan: '', region: 'europe' }, '2026-11-20T21:00:00Z', 'closed, next never'],
      [{}, '2026-11-20T21:00:00Z', 'closed, next never'],
    ])
  },
)

t.test('KY-337 names of fields in any case count, and of a date with a time the time', async t => {
  const friday = { Days: ['Fri'], Begin: '2024-01-01T22:00:00+02:00', END: '2024-01-02T03:00:00.5+02:00' }
  const policy = { Rules: [{ Match: { globalAccountId: '^8a2', PLAN: 'trial' }, WINDOWS: [friday] }], Default: weekend }
  eachOf(t, policy, [
    [{ globalAccountID: '8a2c' }, '2026-11-20T21:00:00Z', 'open'],
    [{ plan: 'trial' }, '2026-11-21T00:45:00Z', 'closed, next 2026-11-27T20:00:00.000Z'],
    [{ plan: 'aws' }, '2026-11-21T09:00:00Z', 'open'],
  ])
})

t.test('KY-47 the day is that of the begin, in its own zone', async t => {
  const policy = { default: { days: ['Sun'], begin: '00:30:00+14:00', end: '04:00:00+14:00' } }
  // Sunday half past midnight there is Saturday morning in UTC.
  eachOf(t, policy, [
    [{}, '2026-11-21T10:30:00Z', 'open'],
    [{}, '2026-11-21T10:29:59Z', 'closed, next 2026-11-21T10:30:00.000Z'],
    [{}, '2026-11-22T11:00:00Z', 'closed, next 2026-11-28T10:30:00.000Z'],
  ])
})

t.test('KY-45 a broken policy names what is broken', async t => {
  const cases: [policy: object | string, text: string][] = [
    ['{', 'JSON'],
    [[], 'the policy is not a JSON object'],
    [{ rules: {} }, 'rules is not a list'],
    [{ rules: [{ match: 'trial', windows: [] }] }, 'rules[0].match is not an object'],
    [{ rules: [{ match: { plan: '(' }, windows: [] }] }, 'error parsing regexp'],
    [
      { default: { days: ['Monday'], begin: '08:00:00Z', end: '09:00:00Z' } },
      'default[0].days[0] is not a day such as Mon',
    ],
    [
      { default: { days: ['Mon'], begin: '8:00', end: '09:00:00Z' } },
      'default[0].begin is not a time such as 22:00:00+02:00',
    ],
    [
      { default: { begin: '08:00:00Z', end: '09:00:00Z' } },
      'default[0].begin is not a time such as 2026-11-21T08:00:00Z',
    ],
  ]
  for (const [policy, text] of cases) {
    const read = windowPolicy(typeof policy === 'string' ? policy : JSON.stringify(policy))
    contains(t, 'failed' in read ? read.failed : undefined, text)
  }
})
