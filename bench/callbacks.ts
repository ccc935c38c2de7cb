// `npm run bench:callbacks [-- --seconds 60]`: what runtimes report. First many of them at a steady pace, then the same beside one that is
// noisy.
import { parseArgs } from 'node:util'
import { type Events, events } from './callbacks/events.ts'
import { type Noisy, noisy, type Quiet } from './callbacks/noisy.ts'
import { onListeners } from './callbacks/stage.ts'
import { hasProcessorsToGive } from './measure/cores.ts'
import { figures, type Goal, print, type Row, ratio } from './measure/report.ts'
import type { Reported } from './programs/event-writer.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } })
const seconds = Number(values.seconds)
const runtimes = 100
const perSecond = 500
const noisyLoad = { quietPerSecond: 200, noisyPerSecond: 5_000 }

const places = hasProcessorsToGive
  ? 'The host and the bare server have the first processor for themselves, one at a time; all others share the rest.'
  : 'Everything shares the cores, agents included.'

const about = `${runtimes} agents, each with its certificate and its connections, a host of runtime-events, and the relay, which calls a host that does
nothing; bare is a server with mutual TLS that parses and answers, half of its time before and half after. ${places}
Then the noisy one, in the same order: ${runtimes - 1} agents report ${noisyLoad.quietPerSecond} events a second together, with and without the last one reporting ${noisyLoad.noisyPerSecond.toLocaleString('en')} a second on 16
connections from a process of its own that computes as little as it can, and gets a processor only when nobody else wants it; the bare server answers it as it answers all. CPU is that of the host for a request of the noisy one.`

const eventRows = ({ ours, bare, cpuMilliseconds: { host, relay, bare: bareCpu } }: Events): Row[] =>
  [
    { by: 'host and relay', told: ours, cpu: host + relay },
    { by: 'bare', told: bare, cpu: bareCpu },
  ].map(({ by: heardBy, told, cpu }) => ({
    'events heard by': heardBy,
    events: told.events,
    '/s': told.events / told.seconds,
    'p50 ms': told.p50,
    'p99 ms': told.p99,
    'p99 : bare': ratio(told.p99, bare.p99),
    'CPU ms for an event': cpu,
    refused: refusedOf(told),
  }))

const eventGoal = ({ ours, bare, lost }: Events): Goal => ({
  asks: `KY-185 ${perSecond} events a second from ${runtimes} runtimes for a minute: p99 under 50 ms, each followed by a call, none lost`,
  found: `${figures(ours.seconds)} s, ${figures(ours.events / ours.seconds)} a second, p99 ${figures(ours.p99)} ms (bare ${figures(bare.p99)} ms), ${refusedOf(ours)} refused, ${lost} runtimes not called after their last event`,
  isMet: ours.p99 < 50 && refusedOf(ours) === 0 && lost === 0 && ours.seconds >= 59,
})

/** All that was not answered 200. */
const refusedOf = ({ events, answers }: Reported): number => events - (answers['200'] ?? 0)

const noisyRows = ({ ours, bare, noise, cpuMilliseconds }: Noisy): Row[] =>
  [
    { by: 'host and relay', quiet: ours, noise: noise.ours, cpu: cpuMilliseconds.ours },
    { by: 'bare', quiet: bare, noise: noise.bare, cpu: cpuMilliseconds.bare },
  ].map(({ by: heardBy, quiet: { alone, beside }, noise: its, cpu }) => ({
    'beside a noisy runtime, heard by': heardBy,
    'p99 ms of the others without it': alone.p99,
    'with it': beside.p99,
    'with : without': ratio(beside.p99, alone.p99),
    'others refused': refusedOf(beside),
    'noisy /s': its.events / its.seconds,
    'its answers': Object.entries(its.answers)
      .map(([answer, count]) => `${answer}: ${figures(count)}`)
      .join(', '),
    'CPU ms': cpu,
  }))

const louder = ({ alone, beside }: Quiet): number => beside.p99 / alone.p99

const noisyGoal = ({ ours, bare, noise }: Noisy): Goal => {
  const rate = noise.ours.events / noise.ours.seconds
  const isTold = Object.keys(noise.ours.answers).every(answer => ['200', tooOften].includes(answer))
  return {
    asks: `RE-13 ${figures(noisyLoad.noisyPerSecond)} callbacks a second of one noisy runtime: 429 with Retry-After for it alone, the p99 of the others at most doubles, or grows no more than with the bare server`,
    found: `${figures(rate)} a second, ${noise.ours.answers[tooOften] ?? 0} of ${noise.ours.events} told 429, of the others ${refusedOf(ours.beside)} refused, their p99 ${figures(louder(ours))} times (with the bare server ${figures(louder(bare))} times)`,
    isMet: rate > 4_900 && isTold && refusedOf(ours.beside) === 0 && louder(ours) <= Math.max(2, louder(bare)),
  }
}

const tooOften = '429 with Retry-After'

await onListeners(runtimes, async listeners => {
  const reported = await events(listeners, { perSecond, seconds })
  const disturbed = await noisy(listeners, { ...noisyLoad, seconds: seconds / 2 })
  print({
    title: 'Callbacks',
    about,
    tables: [eventRows(reported), noisyRows(disturbed)],
    goals: [eventGoal(reported), noisyGoal(disturbed)],
  })
})
