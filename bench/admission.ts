// `npm run bench:admission [-- --seconds 60]`: the host's webhooks over HTTPS beside a bare node:https server, each in a
// process of its own, called from this one in turns.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { creationReview, garden } from './measure/garden-object.ts'
import { compared, type Tally } from './measure/load.ts'
import { figures, type Goal, print, progress, type Row, ratio } from './measure/report.ts'
import { type Asked, certificatesIn, memoryOf, type ReviewServer, reviewServer } from './measure/review-server.ts'
import { reviewPath } from './programs/garden-review.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } })

/** The load of the goal for so long; lighter and heavier ones for less. */
const loads = [
  { callers: 1, seconds: 10 },
  { callers: 16, seconds: Number(values.seconds) },
  { callers: 64, seconds: 10 },
]
const sliceSeconds = 5
const goal = { callers: 16, milliseconds: 10 }

const asked: Asked = {
  path: `/webhooks/${reviewPath}?timeout=10s`,
  text: creationReview(garden()),
  isAllowed: true,
}
const bytes = Buffer.byteLength(asked.text(''))

const about = `Reviews of a Garden (${figures(bytes)} bytes each) by a function that checks it against the schema, looks for overlapping
networks and answers with a patch, through everything the host does for a webhook. Beside it a bare node:https server that
parses the review and allows it. Every caller has a connection of its own; servers and callers share the cores. CPU is what the
server's process computed for each review.`

const run = async (folder: string): Promise<void> => {
  const certificates = await certificatesIn(folder)
  const host = await reviewServer('admission-host.ts', certificates)
  const bare = await reviewServer('bare-review-server.ts', certificates)
  const rows: Row[] = []
  let goals: Goal[] = []
  for (const load of loads) {
    progress(`${load.callers} callers, ${load.seconds} s each`)
    const tallies = await compared({ host: host.call(asked), bare: bare.call(asked) }, { ...load, sliceSeconds })
    rows.push(rowOf(load.callers, tallies, { host, bare }))
    if (load.callers === goal.callers) goals = [goalFor(tallies.host)]
  }
  const tables = [rows, [memoryOf('host', host), memoryOf('bare', bare)]]
  await Promise.all([host.close(), bare.close()])
  print({ title: 'Admission', about, tables, goals })
}

type Both<T> = Record<'host' | 'bare', T>

const rowOf = (callers: number, { host, bare }: Both<Tally>, servers: Both<ReviewServer>): Row => ({
  callers,
  's each': host.seconds,
  'host /s': host.perSecond,
  'bare /s': bare.perSecond,
  'host : bare': ratio(host.perSecond, bare.perSecond),
  'host p50 ms': host.milliseconds(0.5),
  'host p99 ms': host.milliseconds(0.99),
  'bare p50 ms': bare.milliseconds(0.5),
  'bare p99 ms': bare.milliseconds(0.99),
  'failures, host': host.failures,
  'failures, bare': bare.failures,
  'host CPU ms': servers.host.cpuMilliseconds(),
  'bare CPU ms': servers.bare.cpuMilliseconds(),
})

const goalFor = (tally: Tally): Goal => ({
  asks: `FN-25 ${goal.callers} callers for a minute: p99 under ${goal.milliseconds} ms, not one failed`,
  found: `${figures(tally.seconds)} s, p99 ${figures(tally.milliseconds(0.99))} ms, ${tally.failures} of ${tally.calls} failed`,
  isMet: tally.milliseconds(0.99) < goal.milliseconds && tally.failures === 0 && tally.seconds >= 59,
})

const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'))
try {
  await run(folder)
} finally {
  rmSync(folder, { recursive: true })
}
