// `npm run bench:admission-beside-rendering [-- --seconds 30]`: the host's webhooks while the same host has a chart rendered that takes
// some five seconds, beside the same host with nothing else to do, and beside a process that computes and has nothing to do with it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { nodeFlags } from '../shared/deploy/workloads/pod.ts'
import { startLifelined } from '../tests/harness/processes/bound-processes.ts'
import { creationReview, garden } from './measure/garden-object.ts'
import { compared, median, type Slice, type Tally } from './measure/load.ts'
import { figures, type Goal, print, progress, type Row, ratio } from './measure/report.ts'
import { type Asked, begunReviewServer, certificatesIn } from './measure/review-server.ts'
import { startWorker } from './measure/worker.ts'
import type { AdmissionHost } from './programs/admission-host.ts'
import { reviewPath } from './programs/garden-review.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '30' } } })

const callers = 16
const sliceSeconds = 5
const asked: Asked = {
  path: `/webhooks/${reviewPath}?timeout=10s`,
  text: creationReview(garden()),
  isAllowed: true,
}

const about = `The reviews of the section Admission, ${callers} callers at once, ${values.seconds} s for each row in slices of ${sliceSeconds} s. \`a rendering\`: the host's renderer
renders a chart of 500 objects (5 MB) that computes for some seconds, again and again, and the host reads what it gives. \`a loop\`: a
process beside the host computes and does nothing else, which is what sharing the cores costs alone.`

type Beside = 'nothing' | 'a rendering' | 'a loop'

const run = async (folder: string): Promise<void> => {
  const worker = startWorker<AdmissionHost>('admission-host.ts', nodeFlags(256))
  const host = await begunReviewServer(worker, await certificatesIn(folder))
  const call = host.call(asked)
  const renderings: number[] = []
  const whileRendering = async (slice: Slice): Promise<void> => {
    await worker.ask('beginRenderings')
    await slice()
    renderings.push(...(await worker.ask('endRenderings')))
  }
  progress(`${values.seconds} s each`)
  const tallies = await compared<Beside>(
    { nothing: call, 'a rendering': call, 'a loop': call },
    {
      callers,
      seconds: Number(values.seconds),
      sliceSeconds,
      during: { 'a rendering': whileRendering, 'a loop': whileLooping },
    },
  )
  await host.close()
  const rows = Object.entries(tallies).map(([beside, tally]) => rowOf(beside, tally, tallies.nothing))
  print({
    title: 'Admission beside a rendering',
    about,
    tables: [rows, [renderingRow(renderings)]],
    goals: [goal(tallies)],
  })
}

const whileLooping = async (slice: Slice): Promise<void> => {
  const loop = startLifelined({ program: process.execPath, args: ['-e', 'for (;;);'] })
  await slice()
  await loop.end('SIGKILL')
}

const rowOf = (beside: string, tally: Tally, alone: Tally): Row => ({
  beside,
  'reviews /s': tally.perSecond,
  'p50 ms': tally.milliseconds(0.5),
  'p99 ms': tally.milliseconds(0.99),
  'p99.9 ms': tally.milliseconds(0.999),
  'longest ms': tally.milliseconds(1),
  'p99 : p99 alone': ratio(tally.milliseconds(0.99), alone.milliseconds(0.99)),
  failures: tally.failures,
})

const renderingRow = (seconds: readonly number[]): Row => ({
  renderings: seconds.length,
  'median s': median(seconds),
  'longest s': Math.max(...seconds),
})

const goal = (tallies: Record<Beside, Tally>): Goal => {
  const [rendering, loop] = [tallies['a rendering'], tallies['a loop']]
  return {
    asks: 'a rendering costs reviews no more than any process that computes on the same cores: p99 at most 1.5 times that beside a loop, not one failed',
    found: `${ratio(rendering.milliseconds(0.99), loop.milliseconds(0.99))}, p99 ${figures(rendering.milliseconds(0.99))} ms beside a rendering, ${figures(loop.milliseconds(0.99))} ms beside a loop, ${rendering.failures} failed`,
    isMet: rendering.milliseconds(0.99) <= 1.5 * loop.milliseconds(0.99) && rendering.failures === 0,
  }
}

const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-'))
try {
  await run(folder)
} finally {
  rmSync(folder, { recursive: true })
}
