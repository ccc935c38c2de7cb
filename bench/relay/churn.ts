// Objects change faster than anybody could want to know: how the relay copes, and what it still holds afterwards.
import { setTimeout as wait } from 'node:timers/promises'
import { nameOf } from '../measure/config-maps.ts'
import { cpuSeconds, residentMegabytes } from '../measure/process.ts'
import { quantileBound, sumOf } from '../measure/prometheus.ts'
import { progress, type Row, ratio } from '../measure/report.ts'
import { startWorker, type Worker } from '../measure/worker.ts'
import type { Pace, Writer, Written } from '../programs/writer.ts'
import { objects, type Relay, type Stage } from './stage.ts'

export const pace = { changed: 500, perSecond: 1_000 } as const

export type Churned = {
  perSecond: number
  /** Of the writer alone. */
  possiblePerSecond: number
  depth: number
  megabytes: { before: number; after: number }
  /** Changed objects whose function was not called after the last change. */
  lost: number
  tables: Row[][]
}

const restSeconds = 10
const bareSeconds = 10
const inFlight = 64

export const churn = async (stage: Stage, seconds: number): Promise<Churned> => {
  const writer = startWorker<Writer>('writer.ts')
  progress(`changes without a relay, ${bareSeconds} s`)
  const bare = await written(stage, writer, { perSecond: Number.POSITIVE_INFINITY, seconds: bareSeconds })
  await stage.host.ask('forget')
  const relay = await stage.startRelay()
  await stage.host.ask('untilCalled', objects)
  await wait(restSeconds * 1000)
  progress(`${pace.perSecond} changes a second of ${pace.changed} objects, ${seconds} s`)
  const result = await underChanges({ stage, relay, bare }, () =>
    written(stage, writer, { perSecond: pace.perSecond, seconds }),
  )
  await relay.end('SIGTERM')
  await writer.end()
  return result
}

const written = (
  { cluster }: Stage,
  writer: Worker<Writer>,
  { perSecond, seconds }: Omit<Pace, 'names' | 'inFlight'>,
) => {
  const names = Array.from({ length: pace.changed }, (_, n) => nameOf('object', n))
  const { url, caData, admin } = cluster
  const client = { cert: admin.certificate, key: admin.key }
  const place = { port: Number(new URL(url).port), ca: Buffer.from(caData, 'base64').toString(), client }
  return writer.ask('write', place, { names, perSecond, seconds, inFlight })
}

type Course = { stage: Stage; relay: Relay; bare: Written }

const underChanges = async ({ stage, relay, bare }: Course, write: () => Promise<Written>): Promise<Churned> => {
  await stage.host.ask('forget')
  const before = { ...costOf(relay), metrics: await relay.metrics() }
  const changes = await write()
  if (changes.firstFailure) progress(`${changes.failures} changes failed, the first with ${changes.firstFailure}`)
  const atEnd = costOf(relay)
  await wait(changes.ended + restSeconds * 1000 - Date.now())
  const after = { ...costOf(relay), metrics: await relay.metrics() }
  const { calls, lastCalls } = await stage.host.ask('seen')
  const [depth, lost] = [sumOf(after.metrics, 'workqueue_depth'), lostOf(changes, lastCalls)]
  const perSecond = changes.changes / changes.seconds
  const possiblePerSecond = bare.changes / bare.seconds
  const course = {
    'changes /s': perSecond,
    'of a writer alone': ratio(perSecond, possiblePerSecond),
    'failed changes': changes.failures,
    calls,
    'calls per change': calls / changes.changes,
    'not called after their last change': lost,
    'last call after the end s': Math.max(0, ...[...lastCalls.values()].map(at => at - changes.ended)) / 1000,
    'queue age p99 at most s': quantileBound(
      { before: before.metrics, after: after.metrics },
      'workqueue_queue_duration_seconds',
      0.99,
    ),
    [`depth ${restSeconds} s later`]: depth,
  }
  const cost = {
    'relay CPU of one core': (atEnd.cpu - before.cpu) / changes.seconds,
    'RSS before MB': before.megabytes,
    'at the end MB': atEnd.megabytes,
    [`${restSeconds} s later MB`]: after.megabytes,
    'later : before': ratio(after.megabytes, before.megabytes),
  }
  return {
    perSecond,
    possiblePerSecond,
    depth,
    lost,
    megabytes: { before: before.megabytes, after: after.megabytes },
    tables: [[course], [cost]],
  }
}

const costOf = ({ pid }: Relay) => ({ cpu: cpuSeconds(pid), megabytes: residentMegabytes(pid) })

const lostOf = ({ lastSent }: Written, lastCalls: ReadonlyMap<string, number>): number =>
  [...lastSent].filter(([name, sent]) => (lastCalls.get(name) ?? 0) < sent).length
