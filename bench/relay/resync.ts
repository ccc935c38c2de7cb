// A fresh relay finds all objects and has the function called for each; beside it a bare program that does the same.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from '../measure/load.ts'
import { cpuSeconds, peakResidentMegabytes } from '../measure/process.ts'
import { progress, type Row, ratio } from '../measure/report.ts'
import { startWorker } from '../measure/worker.ts'
import type { BareResync } from '../programs/bare-resync.ts'
import { concurrency } from './landscape.ts'
import { objects, type Stage } from './stage.ts'

export const rounds = 3

export type Resynced = { seconds: number; refused: number; peakMegabytes: number; row: Row }

type Run = { seconds: number; cpu: number; peakMegabytes: number }

/** In turns, so many times each. */
export const resync = async (stage: Stage): Promise<Resynced> => {
  const refusedBefore = await stage.refused()
  const relay: Run[] = []
  const bare: Run[] = []
  for (let round = 1; round <= rounds; round++) {
    progress(`resync ${round} of ${rounds}`)
    relay.push(await byRelay(stage))
    bare.push(await byBareProgram(stage))
  }
  const refused = (await stage.refused()) - refusedBefore
  return { ...medians(relay), refused, row: rowOf(medians(relay), medians(bare), refused) }
}

/** From the start of the process until the last key is called. */
const byRelay = async (stage: Stage): Promise<Run> => {
  await stage.host.ask('forget')
  const began = Date.now()
  const relay = await stage.startRelay()
  const seconds = (((await stage.host.ask('untilCalled', objects)) as number) - began) / 1000
  const run = { seconds, cpu: cpuSeconds(relay.pid), peakMegabytes: peakResidentMegabytes(relay.pid) }
  await relay.end('SIGTERM')
  return run
}

const byBareProgram = async ({ cluster, host, hostUrl, mounted }: Stage): Promise<Run> => {
  await host.ask('forget')
  const began = Date.now()
  const worker = startWorker<BareResync>('bare-resync.ts')
  const credentials = { token: readFileSync(join(mounted, 'token'), 'utf8') }
  await worker.ask('resync', {
    server: { url: cluster.url, caData: cluster.caData },
    credentials,
    hostUrl,
    concurrency,
  })
  const seconds = (Date.now() - began) / 1000
  const run = { seconds, cpu: cpuSeconds(worker.pid), peakMegabytes: peakResidentMegabytes(worker.pid) }
  await worker.end()
  return run
}

const medians = (runs: readonly Run[]): Run => ({
  seconds: median(runs.map(({ seconds }) => seconds)),
  cpu: median(runs.map(({ cpu }) => cpu)),
  peakMegabytes: Math.max(...runs.map(({ peakMegabytes }) => peakMegabytes)),
})

const rowOf = (relay: Run, bare: Run, refused: number): Row => ({
  [`resync of ${objects}, median of ${rounds}`]: 'from the start of the process',
  'relay s': relay.seconds,
  'bare s': bare.seconds,
  'relay : bare': ratio(relay.seconds, bare.seconds),
  'relay CPU s': relay.cpu,
  'bare CPU s': bare.cpu,
  'relay RSS at most MB': relay.peakMegabytes,
  'bare RSS at most MB': bare.peakMegabytes,
  'answers 429': refused,
})
