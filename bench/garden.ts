// `npm run bench:garden`: from the creation of a Garden to Succeeded, in seconds and calls, on an embedded cluster whose stand-ins are
// ready at once, beside a bare loop that applies the same objects one after the other to a cluster as new; and what a call costs that
// finds all as it should be.
import { fill } from '../functions/garden-admission/review.ts'
import { gardenReconcile } from '../functions/garden-reconcile/index.ts'
import { gardenCrd } from '../shared/api/garden/crd.ts'
import { defaultInstallation, type Installation } from '../shared/api/installation.ts'
import { mapOrEmpty } from '../shared/core/json.ts'
import type { KubeObject } from '../shared/core/object.ts'
import type { Outcome } from '../shared/core/outcome.ts'
import { type EmbeddedCluster, startEmbeddedCluster } from '../shared/embedded/start.ts'
import { createClient } from '../shared/kube/client/client.ts'
import type { BindableClusters, Client, RequestNote } from '../shared/kube/client-types.ts'
import { gardenImages } from '../shared/main/garden-images.ts'
import { runGardenStandIns } from '../shared/main/garden-stand-ins.ts'
import { processContext } from '../shared/runtime/context.ts'
import type { AdmissionRequest, ReconcileFunction } from '../shared/runtime/definition.ts'
import { reconcile } from '../shared/runtime/reconcile.ts'
import { define } from '../tests/harness/furnished.ts'
import { freePorts } from '../tests/harness/ports.ts'
import { garden } from '../tests/make/garden.ts'
import { type Goal, print, progress, type Row, ratio } from './measure/report.ts'

const about = `The smallest Garden, from its creation to Succeeded, on an embedded cluster in this process, with stand-ins for druid, resource managers,
load balancers and nodes, which are ready at once; its virtual garden is an embedded cluster, too. The function is called again half a second after
it said that it waits, and twice for 30 s it waits for kube-apiserver, which counts as rolled out when it has been ready for so long. Making the RSA
keys of a Garden is in its CPU time, and so are the clusters and stand-ins. Bare: the objects that it had applied or created, applied one after the
other on undici to a cluster as new in the same process. Calls are requests to the API server of the runtime cluster. An idle call finds all as it
should be. Rotations are not measured.`

type Took = { readonly seconds: number; readonly cpuSeconds: number }
type BroughtUp = Took & {
  readonly passes: number
  readonly requests: readonly RequestNote[]
  readonly idle: Idle
  readonly applied: readonly KubeObject[]
}
type Idle = Took & { readonly requests: readonly RequestNote[]; readonly lists: readonly string[] }

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const person = { fieldManager: 'bench' }
const key = { namespace: '', name: 'garden' }
const images = await gardenImages()

const verdict = fill({ object: garden() as KubeObject } as AdmissionRequest)
if (!verdict.allowed || !verdict.object) throw new Error('the Garden is refused')
const wanted = verdict.object

const clientTo = ({ url, caCert, adminToken }: EmbeddedCluster, onRequest?: (note: RequestNote) => void): Client =>
  createClient({ server: url, credentials: () => ({ ca: caCert, token: adminToken }) }, { onRequest })

/** A cluster with the definition of Gardens and nothing else. */
const onNewCluster = async <T>(work: (cluster: EmbeddedCluster, admin: Client) => Promise<T>): Promise<T> => {
  const cluster = await startEmbeddedCluster({ node: true, resolveService: () => 'allows' })
  const admin = clientTo(cluster)
  try {
    await define(admin, gardenCrd() as KubeObject)
    return await work(cluster, admin)
  } finally {
    await admin.close()
    await cluster.stop()
  }
}

const byGarden = (): Promise<BroughtUp> =>
  onNewCluster(async (cluster, admin) => {
    const [port = 0] = await freePorts(1)
    const stopStandIns = runGardenStandIns(cluster, { host: '127.0.0.1', port })
    const requests: RequestNote[] = []
    const watched = watchedClient(clientTo(cluster, note => requests.push(note)))
    try {
      const call = callsOf(watched.client, `127.0.0.1:${port}`)
      await admin.create(wanted, person)
      const took = stopwatch()
      const passes = await untilSettled(call)
      const whole = took()
      const soFar = requests.splice(0)
      const applied = [...watched.applied.values()]
      watched.lists.length = 0
      const idleTook = stopwatch()
      await call()
      const idle = { ...idleTook(), requests, lists: watched.lists }
      return { ...whole, passes, requests: soFar, idle, applied }
    } finally {
      await stopStandIns()
      await watched.client.close()
    }
  })

/** What a client applied, each object in its first form, and what it listed, one entry per kind and request. */
const watchedClient = (client: Client) => {
  const applied = new Map<string, KubeObject>()
  const lists: string[] = []
  const watching = (one: Client): Client => ({
    ...one,
    bound: call => watching(one.bound(call)),
    list: query => {
      lists.push(`${query.apiVersion} ${query.kind}`)
      return one.list(query)
    },
    apply: (object, options) => {
      if (!options.dryRun) keep(object)
      return one.apply(object, options)
    },
    create: (object, options) => {
      if (object.kind === 'Secret') keep(object)
      return one.create(object, options)
    },
  })
  const keep = (object: KubeObject): void => {
    const { kind, metadata } = object
    const id = `${kind} ${metadata.namespace ?? ''}/${metadata.name}`
    if (!applied.has(id)) applied.set(id, object)
  }
  return { client: watching(client), applied, lists }
}

/** Calls as a host makes them, with one memory. */
const callsOf = (local: Client, virtualGardenAddress: string) => {
  const settings = { ...defaultInstallation.garden, images, virtualGardenAddress }
  const installation: Installation = { ...defaultInstallation, garden: settings }
  const context = processContext({ clusters: onlyCluster(local), home: 'default', installation })
  return (): Promise<Outcome> => {
    const deadline = performance.now() + 120_000
    const signal = AbortSignal.timeout(120_000)
    const bounds = { deadline, end: deadline, signal, now: () => new Date(), log: silent }
    return reconcile(gardenReconcile as ReconcileFunction, key, { ...context, ...bounds })
  }
}

const onlyCluster = (client: Client): BindableClusters => ({
  of: async () => client,
  bound: call => onlyCluster(client.bound(call)),
})

const pauseMilliseconds = 500
const mostPasses = 2_000

/** How many calls it took. */
const untilSettled = async (call: () => Promise<Outcome>): Promise<number> => {
  for (let passes = 1; passes < mostPasses; passes++) {
    const outcome = await call()
    if (outcome.outcome === 'settled' || isFar(outcome)) return passes
    await new Promise(resolve => setTimeout(resolve, pauseMilliseconds))
  }
  throw new Error('the Garden does not succeed')
}

/** It will be brought up anew after the sync period. */
const isFar = (outcome: Outcome): boolean => Number(mapOrEmpty(outcome).requeueAfterSeconds ?? 0) >= 3_000

const bare = (objects: readonly KubeObject[]): Promise<Took> =>
  onNewCluster(async (_, admin) => {
    const took = stopwatch()
    for (const object of objects) await admin.apply(object, { ...person, force: true })
    return took()
  })

/** Of this process. */
const stopwatch = (): (() => Took) => {
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  return () => {
    const { user, system } = process.cpuUsage(cpu)
    return { seconds: (performance.now() - began) / 1000, cpuSeconds: (user + system) / 1_000_000 }
  }
}

const writesIn = (requests: readonly RequestNote[]): number => requests.filter(({ method }) => method !== 'GET').length

const one = await byGarden()
progress(`a Garden succeeded after ${one.seconds.toFixed(1)} s`)
const loop = await bare(one.applied)
const { idle, applied } = one
const [calls, writes] = [one.requests.length, writesIn(one.requests)]
const row = (took: Took, what: Pick<Row, 'from' | 'passes' | 'calls' | 'writes'>): Row => ({
  ...what,
  ...{ s: took.seconds, 'CPU s': took.cpuSeconds, 'CPU to bare': ratio(took.cpuSeconds, loop.cpuSeconds) },
  'writes to bare': ratio(Number(what.writes), applied.length),
})
const rows: Row[] = [
  row(one, { from: 'garden-reconcile, from the Garden to Succeeded', passes: one.passes, calls, writes }),
  row(loop, { from: 'bare, the same objects', passes: 0, calls: applied.length, writes: applied.length }),
  row(idle, {
    ...{ from: 'garden-reconcile, an idle call', passes: 1 },
    ...{ calls: idle.requests.length, writes: writesIn(idle.requests) },
  }),
]
const twice = idle.lists.filter((kind, index) => idle.lists.indexOf(kind) !== index)
const goals: Goal[] = [
  {
    wish: 'an idle call writes nothing and lists no kind twice',
    found: `${writesIn(idle.requests)} writes, ${idle.lists.length} lists${twice.length > 0 ? `, twice ${twice.join(', ')}` : ''}`,
    isMet: writesIn(idle.requests) === 0 && twice.length === 0,
  },
]
print({ title: 'Gardens', about, tables: [rows], goals })
