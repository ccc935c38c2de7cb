// `npm run bench:admission [-- --seconds 60]`: the host's webhooks over HTTPS beside a bare node:https server, each in a
// process of its own, called from this one in turns.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { nodeFlags } from '../shared/deploy/pod.ts'
import { newAuthority } from '../tests/harness/certificates.ts'
import { creationReview, garden } from './measure/garden-object.ts'
import { type Call, compared, type Tally } from './measure/load.ts'
import { cpuSeconds, peakResidentMegabytes, residentMegabytes } from './measure/process.ts'
import { figures, type Goal, print, progress, type Row, ratio } from './measure/report.ts'
import { startWorker } from './measure/worker.ts'
import type { AdmissionHost } from './programs/admission-host.ts'
import type { BareReviewServer } from './programs/bare-review-server.ts'
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

const review = creationReview(garden())
const bytes = Buffer.byteLength(review(''))

const about = `Reviews of a Garden (${figures(bytes)} bytes each) by a function that checks it against the schema, looks for overlapping
networks and answers with a patch, through everything the host does for a webhook. Beside it a bare node:https server that
parses the review and allows it. Every caller has a connection of its own; servers and callers share the cores. CPU is what the
server's process computed for each review.`

type Server = {
  readonly pid: number
  readonly call: Call
  /** What the server has computed for one review, on average since this was asked last. */
  cpuMilliseconds(): number
  close(): Promise<void>
}

const run = async (folder: string): Promise<void> => {
  const authority = await newAuthority('bench')
  const { certificate, key } = await authority.serving({ ip: ['127.0.0.1'] })
  writeFileSync(join(folder, 'tls.crt'), certificate)
  writeFileSync(join(folder, 'tls.key'), key)
  const host = await served('admission-host.ts', folder, authority.certificate)
  const bare = await served('bare-review-server.ts', folder, authority.certificate)
  const rows: Row[] = []
  let goals: Goal[] = []
  for (const load of loads) {
    progress(`${load.callers} callers, ${load.seconds} s each`)
    const tallies = await compared({ host: host.call, bare: bare.call }, { ...load, sliceSeconds })
    rows.push(rowOf(load.callers, tallies, { host, bare }))
    if (load.callers === goal.callers) goals = [goalFor(tallies.host)]
  }
  const tables = [rows, [memoryOf('host', host), memoryOf('bare', bare)]]
  await Promise.all([host.close(), bare.close()])
  print({ title: 'Admission', about, tables, goals })
}

const served = async (program: string, folder: string, ca: string): Promise<Server> => {
  const worker = startWorker<AdmissionHost | BareReviewServer>(program, nodeFlags.host)
  const port = await worker.ask('begin', folder)
  const pool = new Pool(`https://127.0.0.1:${port}`, { connections: 64, connect: { ca } })
  let asked = 0
  let before = { asked, cpu: cpuSeconds(worker.pid) }
  const call = async (turn: number) => {
    const uid = `review-${turn}`
    asked++
    const headers = { 'content-type': 'application/json' }
    const path = `/webhooks/${reviewPath}?timeout=10s`
    const answer = await pool.request({ method: 'POST', path, headers, body: review(uid) })
    const { response } = (await answer.body.json()) as { response?: { uid?: string; allowed?: boolean } }
    if (response?.uid !== uid || !response.allowed) throw new Error(`${answer.statusCode}: ${JSON.stringify(response)}`)
  }
  const cpuMilliseconds = () => {
    const now = { asked, cpu: cpuSeconds(worker.pid) }
    const each = ((now.cpu - before.cpu) / (now.asked - before.asked)) * 1000
    before = now
    return each
  }
  const close = async () => {
    await pool.close()
    await worker.end()
  }
  return { pid: worker.pid, call, cpuMilliseconds, close }
}

type Both<T> = Record<'host' | 'bare', T>

const rowOf = (callers: number, { host, bare }: Both<Tally>, servers: Both<Server>): Row => ({
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

const memoryOf = (server: string, { pid }: Server): Row => ({
  server,
  'RSS at the end MB': residentMegabytes(pid),
  'at most MB': peakResidentMegabytes(pid),
})

const goalFor = (tally: Tally): Goal => ({
  wish: `FN-25 ${goal.callers} callers for a minute: p99 under ${goal.milliseconds} ms, not one failed`,
  found: `${figures(tally.seconds)} s, p99 ${figures(tally.milliseconds(0.99))} ms, ${tally.failures} of ${tally.calls} failed`,
  isMet: tally.milliseconds(0.99) < goal.milliseconds && tally.failures === 0 && tally.seconds >= 59,
})

const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'))
try {
  await run(folder)
} finally {
  rmSync(folder, { recursive: true })
}
