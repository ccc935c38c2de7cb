// `npm run bench:embedded`: the embedded cluster beside a real kube-apiserver with etcd, under the same bare loops in turns.
// Each server is a process of its own.
import { type ApiLoops, bareLoops, type Operation, operations, prepare } from './measure/api-loops.ts'
import { type BareApi, bareApi } from './measure/bare-api.ts'
import { collection, namespace } from './measure/config-maps.ts'
import { compared, median, secondsOf, type Tally } from './measure/load.ts'
import { residentMegabytes } from './measure/process.ts'
import { onRealCluster, type RealCluster, realCluster } from './measure/real-cluster.ts'
import { figures, type Goal, print, progress, type Row, ratio } from './measure/report.ts'
import { watched } from './measure/watchers.ts'
import { startWorker, type Worker } from './measure/worker.ts'
import type { EmbeddedServer } from './programs/embedded-server.ts'

const objects = 10_000
const loopSeconds = 4
const lists = 20

const about = `The embedded cluster beside a kube-apiserver with etcd, each a process of its own with ${figures(objects)} ConfigMaps of some
500 bytes, under the same loops of bare undici in turns.`

type Servers<T> = { readonly embedded: T; readonly real: T }

const run = async (cluster: RealCluster): Promise<void> => {
  const server = startWorker<EmbeddedServer>('embedded-server.ts', ['--expose-gc'])
  const { token, ...address } = await server.ask('begin')
  const api = bareApi(address, { token })
  await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } })
  const apis = { embedded: api, real: cluster.api }
  const kilobytesEach = await filled(server, apis)
  const listing = await listRows(apis)
  const loops: Loops[] = []
  for (const inFlight of [1, 32]) {
    const pair = { embedded: bareLoops(api, `made-${inFlight}`), real: bareLoops(cluster.api, `made-${inFlight}`) }
    for (const operation of operations) loops.push(await looped(pair, operation, inFlight))
  }
  const watches = await watchRows(apis)
  const memory = [
    {
      server: 'embedded',
      'kB held for each ConfigMap': kilobytesEach,
      'RSS at the end MB': residentMegabytes(server.pid),
    },
  ]
  await api.close()
  await server.end()
  const start = await startMilliseconds()
  const tables = [loops.map(({ row }) => row), listing.rows, watches, [startRow(start)], memory]
  print({
    title: 'Embedded cluster',
    about,
    tables,
    goals: [goalFor({ pageMilliseconds: listing.pageMilliseconds, kilobytesEach, loops }), startGoal(start.embedded)],
  })
}

/** Answers what the embedded one holds for each. */
const filled = async (server: Worker<EmbeddedServer>, apis: Servers<BareApi>): Promise<number> => {
  progress(`making ${objects} ConfigMaps in both`)
  const before = await server.ask('heldMegabytes')
  await prepare(apis.embedded, objects)
  const after = await server.ask('heldMegabytes')
  await prepare(apis.real, objects)
  return ((after - before) / objects) * 1000
}

type Loops = { operation: Operation; inFlight: number; embedded: Tally; row: Row }

const looped = async (pair: Servers<ApiLoops>, operation: Operation, inFlight: number): Promise<Loops> => {
  progress(`${operation}, ${inFlight} in flight`)
  const contestants = { embedded: pair.embedded[operation], real: pair.real[operation] }
  const { embedded, real } = await compared(contestants, { callers: inFlight, seconds: loopSeconds })
  const row = {
    operation,
    'in flight': inFlight,
    'embedded /s': embedded.perSecond,
    'real /s': real.perSecond,
    'embedded : real': ratio(embedded.perSecond, real.perSecond),
    'embedded p99 ms': embedded.milliseconds(0.99),
    'real p99 ms': real.milliseconds(0.99),
    failures: embedded.failures + real.failures,
  }
  return { operation, inFlight, embedded, row }
}

const listRows = async (apis: Servers<BareApi>): Promise<{ pageMilliseconds: number; rows: Row[] }> => {
  progress('LIST')
  const page = (api: BareApi) => () => api.call('GET', `${collection}?limit=500`)
  const all = (api: BareApi) => bareLoops(api, '').list
  const pages = await medians({ embedded: page(apis.embedded), real: page(apis.real) })
  const whole = await medians({ embedded: all(apis.embedded), real: all(apis.real) })
  const rows = [listRow(`LIST of 500 of ${objects}`, pages), listRow(`LIST of ${objects} by 500`, whole)]
  return { pageMilliseconds: pages.embedded, rows }
}

/** In milliseconds. */
const medians = async (work: Servers<() => Promise<unknown>>): Promise<Servers<number>> => {
  const took = { embedded: [] as number[], real: [] as number[] }
  for (let round = 0; round < lists; round++) {
    took.embedded.push((await secondsOf(work.embedded)) * 1000)
    took.real.push((await secondsOf(work.real)) * 1000)
  }
  return { embedded: median(took.embedded), real: median(took.real) }
}

const listRow = (operation: string, { embedded, real }: Servers<number>): Row => ({
  [`median of ${lists}`]: operation,
  'embedded ms': embedded,
  'real ms': real,
  'embedded : real': ratio(embedded, real),
})

const changes = 2_000

const watchRows = async (apis: Servers<BareApi>): Promise<Row[]> => {
  const rows: Row[] = []
  for (const watchers of [1, 32]) {
    progress(`${watchers} watchers`)
    const [embedded, real] = [
      await watched(apis.embedded, watchers, changes),
      await watched(apis.real, watchers, changes),
    ]
    rows.push({
      watchers,
      changes,
      'embedded events /s': embedded.eventsPerSecond,
      'real events /s': real.eventsPerSecond,
      'embedded : real': ratio(embedded.eventsPerSecond, real.eventsPerSecond),
    })
  }
  return rows
}

const starts = 5

/** Of processes of their own; the real one is etcd and kube-apiserver, ready when it says so. */
const startMilliseconds = async (): Promise<Servers<number>> => {
  progress('starts')
  const took = { embedded: [] as number[], real: [] as number[] }
  for (let round = 0; round < starts; round++) {
    const server = startWorker<EmbeddedServer>('embedded-server.ts')
    took.embedded.push(await server.ask('startMilliseconds'))
    await server.end()
  }
  for (let round = 0; round < starts; round++) {
    const began = performance.now()
    const cluster = await realCluster()
    took.real.push(performance.now() - began)
    await cluster.end()
  }
  return { embedded: median(took.embedded), real: median(took.real) }
}

const startRow = ({ embedded, real }: Servers<number>): Row => ({
  [`start, median of ${starts}`]: 'until ready',
  'embedded ms': embedded,
  'real ms': real,
  'embedded : real': ratio(embedded, real),
})

type Found = { pageMilliseconds: number; kilobytesEach: number; loops: readonly Loops[] }

const goalFor = ({ pageMilliseconds, kilobytesEach, loops }: Found): Goal => {
  const creates =
    loops.find(({ operation, inFlight }) => operation === 'create' && inFlight === 32)?.embedded.perSecond ?? 0
  return {
    asks: `FN-73 ${figures(objects)} objects: list 500 in under 100 ms, 2,000 creates a second, 5 MB per 1,000 ConfigMaps at most`,
    found: `${figures(pageMilliseconds)} ms, ${figures(creates)} creates a second, ${figures(kilobytesEach)} MB per 1,000`,
    isMet: pageMilliseconds < 100 && creates >= 2_000 && kilobytesEach <= 5,
  }
}

const startGoal = (milliseconds: number): Goal => ({
  asks: 'ready in under 300 ms',
  found: `${figures(milliseconds)} ms`,
  isMet: milliseconds < 300,
})

await onRealCluster(run)
