// What may break between a function and the API server, told scenario by scenario: after each fault the world must end as it
// does without any.
import type { Test } from 'tap'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import { keyText } from '../../../shared/core/objects/object.ts'
import { isThorough, runsHere } from '../../harness/runner/behaviour.ts'
import { thisMoment } from '../../harness/standing-clock.ts'
import type { Fault } from '../proxy/faults.ts'
import { type Entry, hasWaited } from '../proxy/ledger.ts'
import { isWrite, readVerbs, writeVerbs } from '../proxy/request.ts'
import type { Injected } from '../proxy/rules.ts'
import type { Trying } from '../trying.ts'
import { faultAtEachWrite } from './at-each-write.ts'
import { lostIn, type Traces } from './nothing-lost.ts'
import { type Rehearsed, rehearse, writeText } from './rehearsal.ts'
import { newRival, type Rival } from './rival.ts'
import { tell } from './story.ts'

/** Calls of a stage that see old state; what they answer counts for nothing. */
const staleCalls = 3

/** In each stage the first calls see the world as it was when it was read first since `since`. */
const staleReads = async (t: Test, { ground, clean, ...trial }: Rehearsed, since: 'the beginning' | 'the stage') => {
  let calls = 0
  ground.proxy.forget()
  const run = await tell(trial, {
    before: () => {
      calls = 0
      if (since === 'the stage') ground.proxy.forget()
    },
    call: async once => {
      if (++calls > staleCalls) return once()
      const injected = ground.proxy.inject({ match: { verbs: readVerbs }, times: Infinity, fault: { do: 'stale' } })
      await Promise.allSettled([once()])
      injected.remove()
      return { outcome: 'failed', reason: 'that was old news' }
    },
  })
  t.strictSame(lostIn(run, clean), [], `as it was at ${since}`)
  const unbound = ground.proxy.ledger.writes().filter(isUnbound)
  t.strictSame(
    unbound.map(writeText),
    [],
    'deletes carry uid and resourceVersion, patches and updates the resourceVersion',
  )
}

const isUnbound = ({ verb, resource, bound }: Entry): boolean =>
  (verb === 'delete' && !(bound.uid && bound.resourceVersion)) ||
  (['patch', 'update'].includes(verb) && resource !== 'events' && !bound.resourceVersion)

const troubles: readonly { share: number; fault: Fault }[] = [
  { share: 0.2, fault: { do: 'answer', code: 500, reason: 'InternalError' } },
  { share: 0.2, fault: { do: 'answer', code: 503, reason: 'ServiceUnavailable' } },
  { share: 0.05, fault: { do: 'truncate' } },
  { share: 0.05, fault: { do: 'drop' } },
]

/** A bad minute of the API server, cut short: so many requests, of which at least three in ten fail. */
const badMinute = async (t: Test, { ground, clean, arrivals, ...trial }: Rehearsed) => {
  const injected = troubles.map(trouble => ground.proxy.inject({ ...trouble, match: {}, times: 40 }))
  const run = await tell(trial)
  for (const { remove } of injected) remove()
  t.ok(
    injected.every(({ struck }) => struck() > 0),
    `struck ${injected.map(({ struck }) => struck())} times`,
  )
  t.strictSame(lostIn(run, clean), [])
  const attempts = ground.proxy.ledger.arrivals.length
  t.ok(attempts <= 3 * arrivals, `${attempts} requests, ${arrivals} in the clean run`)
}

/** Every kind of request is told once to come back later. */
const turnedAway = async (t: Test, { ground, clean, ...trial }: Rehearsed) => {
  const fault = { do: 'answer', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 } as const
  const injected = [readVerbs, writeVerbs].map(verbs => ground.proxy.inject({ match: { verbs }, nth: 2, fault }))
  const run = await tell(trial)
  t.strictSame(lostIn(run, clean), [])
  for (const { struck, remove } of injected) {
    t.equal(struck(), 1)
    remove()
  }
  const { arrivals } = ground.proxy.ledger
  for (const verbs of [readVerbs, writeVerbs]) {
    const fitting = arrivals.filter(({ verb }) => verbs.includes(verb))
    const refused = fitting[1]
    const again = fitting.slice(2).find(arrival => isSame(arrival, refused))
    const waited = (again?.milliseconds ?? 0) - (refused?.milliseconds ?? 0)
    t.ok(hasWaited(waited, 1), `asked to wait for 1 s, came back after ${Math.round(waited)} ms`)
  }
}

const isSame = (
  a: Entry | Rehearsed['ground']['proxy']['ledger']['arrivals'][number],
  b: typeof a | undefined,
): boolean => a.verb === b?.verb && a.resource === b.resource && a.namespace === b.namespace && a.name === b.name

/** Somebody writes the object 50 times a second, and gets in between for certain. */
const amongRivals = async (t: Test, { ground, clean, ...trial }: Rehearsed) => {
  const { key, rivalry } = trial.scenario
  const options = { perSecond: 50, ref: { ...trial.definition.kind, ...key }, ...rivalry }
  const rivals: Rival[] = []
  const retreat = async () => (await Promise.all(rivals.splice(0).map(rival => rival.retreat()))).flat()
  t.teardown(retreat)
  let begun = 0
  let writes = 0
  const delays = ground.proxy.inject({
    match: { verbs: writeVerbs },
    times: 4,
    fault: { do: 'delay', milliseconds: 50 },
  })
  const run = await tell(trial, {
    before: () => {
      rivals.push(newRival(ground.admin, options))
      begun = thisMoment().ownMilliseconds
    },
    after: async stage => {
      const done = ground.proxy.ledger.arrivals.findLast(isWrite)?.ownMilliseconds ?? begun
      t.ok(
        done - begun < 10_000,
        `stage ${stage + 1} within 10 s: the last write came after ${Math.round(done - begun)} ms`,
      )
      writes += rivals[0]?.writes() ?? 0
      t.strictSame(await retreat(), [], 'nothing of the rival’s was lost')
    },
  })
  delays.remove()
  t.ok(writes > 0, `the rival has written ${writes} times`)
  t.strictSame(lostIn(run, clean), [])
}

/** For all functions together, or for every one. */
export const rounds = 1000
/** So many that all scenarios together have those: instruments.test.ts counts them. */
export const roundsPerScenario = 59
const roundsPerStage = 20
const racingRounds = 4

/** Most rounds find nothing to do; in the first ones of each stage the three race for the same writes, none always ahead. */
const threeReplicas = async (t: Test, { ground, clean, scenarios, ...trial }: Rehearsed) => {
  const share = isThorough ? rounds / scenarios : roundsPerScenario
  const replicas = await Promise.all([1, 2, 3].map(() => ground.clientOf(trial.definition)))
  const count = { all: 0, inStage: 0 }
  while (count.all < share) {
    let hitches: Injected | undefined
    const run = await tell(trial, {
      before: () => {
        count.inStage = 0
        hitches = ground.proxy.inject({
          match: {},
          times: Infinity,
          share: 0.2,
          fault: { do: 'delay', milliseconds: 15 },
        })
      },
      call: async once => {
        count.all++
        count.inStage++
        if (count.inStage > racingRounds) hitches?.remove()
        const outcomes = await Promise.all(replicas.map(client => once(client)))
        const unfinished = outcomes.find(isUnfinished) ?? outcomes[0]
        return unfinished && count.inStage >= roundsPerStage ? unfinished : { outcome: 'failed', reason: 'once more' }
      },
    })
    t.strictSame(lostIn(run, clean), [])
    const more = writtenMore(run.effects, { alone: clean.effects, own: keyText(trial.scenario.key) })
    t.strictSame(more, [], 'no object is written more often than by one alone')
  }
}

type Alone = { readonly alone: Traces['effects']; readonly own: string }

/** A replica may find gone what it was about to delete, and says so before its last pass: one status more for each of the other two. */
const statusesMore = 2

/** Less is possible: one replica may find done what another was about to tell of in a status. */
const writtenMore = (effects: Traces['effects'], { alone, own }: Alone): string[] =>
  Object.entries(effects).flatMap(([object, counts]) =>
    Object.entries(counts)
      .filter(([effect, count]) => {
        const more = effect === 'changed' && object.endsWith(` ${own}`) ? statusesMore : 0
        return count > (alone[object]?.[effect as keyof typeof counts] ?? 0) + more
      })
      .map(([effect, count]) => `${object} ${effect} ${count} times`),
  )

const isUnfinished = ({ outcome, requeueAfterSeconds }: Outcome): boolean =>
  outcome === 'failed' || requeueAfterSeconds === 0

type Row = [title: string, prove: (t: Test, rehearsed: Rehearsed) => Promise<void>]

const rows: readonly Row[] = [
  ['RE-01 killed after each write', (t, rehearsed) => faultAtEachWrite(t, rehearsed, { do: 'kill', at: 'after' })],
  ['RE-02 each write lands and its reply is lost', (t, rehearsed) => faultAtEachWrite(t, rehearsed, { do: 'swallow' })],
  [
    'RE-03 reads from a stale API server',
    async (t, rehearsed) => {
      await staleReads(t, rehearsed, 'the beginning')
      await staleReads(t, rehearsed, 'the stage')
    },
  ],
  ['RE-07 three in ten requests fail for a while', badMinute],
  ['RE-07 Retry-After is honoured', turnedAway],
  ['RE-09 a rival writes the same object', amongRivals],
  ['RE-10 three replicas get the same key at once', threeReplicas],
]

export const aroundAFunction = async (t: Test, trying: Trying): Promise<void> => {
  const rehearsed = await rehearse(t, trying)
  for (const [title, prove] of rows.filter(([title]) => runsHere(title))) await t.test(title, t => prove(t, rehearsed))
  const table = rehearsed.writes.map(({ entry }, index) => `  ${index + 1}  ${writeText(entry)}`).join('\n')
  t.comment(`RE-01: ${trying.definition.name} was killed after each of these writes\n${table}`)
}
