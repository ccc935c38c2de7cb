// `npm run bench:istio`: from the creation of an Istio to Ready on a real API server whose nodes are kwok's, in seconds and calls,
// beside `helm upgrade --install` of the same charts with the same values, one after the other as the waves need it; and what a
// call costs that finds all as it should be.
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chartsOf } from '../functions/istio/desired/desired-chart.ts'
import { wantedOperator } from '../functions/istio/desired/wanted-operator.ts'
import { istio as definition } from '../functions/istio/index.ts'
import { istioFiles } from '../functions/istio/io/files.ts'
import { istioCrd } from '../shared/api/istio/crd.ts'
import { istioKind } from '../shared/api/istio.ts'
import { readinessOf } from '../shared/component/observed/readiness.ts'
import type { KubeObject } from '../shared/core/objects/object.ts'
import { startEmbeddedCluster } from '../shared/embedded/start.ts'
import { createClient } from '../shared/kube/client/client.ts'
import type { Client, RequestNote } from '../shared/kube/client-types.ts'
import { clusters } from '../shared/kube/clusters/clusters.ts'
import { parseKubeconfig } from '../shared/kube/kubeconfigs/kubeconfig.ts'
import { rendererHere } from '../shared/main/own/renderer-here.ts'
import { processContext } from '../shared/runtime/context.ts'
import type { ReconcileFunction } from '../shared/runtime/definition.ts'
import { reconcile } from '../shared/runtime/reconcile.ts'
import { faultProxy } from '../tests/faults/proxy/proxy.ts'
import { buildPrograms } from '../tests/harness/control-plane/binaries.ts'
import { startControlPlane } from '../tests/harness/control-plane/control-plane.ts'
import { oracles } from '../tests/harness/oracles.ts'
import { scratchFolder } from '../tests/harness/processes/scratch.ts'
import { eventually } from '../tests/harness/until.ts'
import { settingsWith } from '../tests/make/settings.ts'
import { type Goal, print, progress, type Row, ratio } from './measure/report.ts'

const rounds = 3

const about = `An Istio with an empty spec, from its creation to Ready, and the same charts with the same values by helm 4.1, which waits for each, one after
the other, on clusters that are new for each; kwok's nodes make Pods ready at once. The function is called in this process, again when
all that it installed is ready, which is asked aside; a relay lets five seconds pass or an event come. Requests are those to the API
server; helm's are counted in a run of its own, on the embedded API server. Medians of
${rounds} rounds in turns. A routine call finds all as it should be.`

type Installed = {
  readonly seconds: number
  readonly calls: number
  readonly writes: number
  readonly routine: Routine
}
type Routine = { readonly milliseconds: number; readonly reads: number; readonly writes: number }

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const person = { fieldManager: 'bench' }
const key = { namespace: 'kyma-system', name: 'default' }

const files = istioFiles()

const clientTo = (kubeconfig: string, onRequest?: (note: RequestNote) => void): Client => {
  const verdict = parseKubeconfig(kubeconfig, { allowedHosts: ['127.0.0.1', 'localhost'] })
  if ('refused' in verdict) throw new Error(verdict.refused.sentence)
  return createClient(verdict.access, { onRequest })
}

const onNewCluster = async <T>(work: (kubeconfig: string, dir: string) => Promise<T>): Promise<T> => {
  const dir = scratchFolder()
  const controlPlane = await startControlPlane({ dir })
  try {
    return await work(controlPlane.kubeconfig, dir)
  } finally {
    await controlPlane.stop()
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  }
}

const byIstio = (kubeconfig: string): Promise<Installed> => {
  const requests: RequestNote[] = []
  return withClients(kubeconfig, requests, async (admin, own) => {
    await admin.create(istioCrd() as KubeObject, person)
    await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: key.namespace } }, person)
    await eventually('the kind is served', async () => (await admin.scopeOf(istioKind)) !== 'unserved')
    const call = callsOf(own)
    const began = performance.now()
    // By an apply: a POST of a kind that was defined a moment ago is held for two seconds.
    await admin.apply({ ...istioKind, metadata: key, spec: {} }, person)
    await eventually('the Istio is Ready', async () => {
      const { outcome } = await call()
      if (outcome === 'settled') return true
      await eventually('all that was installed is ready', () => isInstalledReady(admin))
      return false
    })
    const seconds = (performance.now() - began) / 1000
    const writes = writesIn(requests)
    const calls = requests.length
    const routineBegan = performance.now()
    await call()
    const milliseconds = performance.now() - routineBegan
    const routine = requests.slice(calls)
    return {
      seconds,
      calls,
      writes,
      routine: { milliseconds, reads: routine.length - writesIn(routine), writes: writesIn(routine) },
    }
  })
}

const installedKinds = [
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
]

const isInstalledReady = async (admin: Client): Promise<boolean> => {
  const labelSelector = 'operator.istio.io/component'
  const found = await Promise.all(installedKinds.map(kind => admin.list({ ...kind, labelSelector })))
  return found.flat().every(object => readinessOf(object, { conditions: [] }, new Date()).status === 'Current')
}

const writesIn = (requests: readonly RequestNote[]): number => requests.filter(({ method }) => method !== 'GET').length

const withClients = async <T>(
  kubeconfig: string,
  requests: RequestNote[],
  work: (admin: Client, own: Client) => Promise<T>,
): Promise<T> => {
  const [admin, own] = [clientTo(kubeconfig), clientTo(kubeconfig, note => requests.push(note))]
  try {
    return await work(admin, own)
  } finally {
    await Promise.all([admin.close(), own.close()])
  }
}

/** Calls as a host makes them, with one memory. */
const callsOf = (own: Client) => {
  const everywhere = clusters({ local: own })
  const context = processContext({
    clusters: everywhere,
    home: 'default',
    renderer: rendererHere,
    settingsOf: settingsWith({ ...files }),
  })
  return () => {
    const end = performance.now() + 120_000
    const signal = AbortSignal.timeout(120_000)
    return reconcile(definition as ReconcileFunction, key, {
      ...context,
      lastPassAt: end,
      lastRequestAt: end,
      signal,
      now: () => new Date(),
      log: silent,
    })
  }
}

const run = promisify(execFile)

/** The values that istio renders with in such a cluster. */
const byHelm = async (kubeconfig: string, dir: string): Promise<number> => {
  const { helm } = await oracles()
  const file = join(dir, 'helm.kubeconfig')
  writeFileSync(file, kubeconfig)
  const wanted = wantedOperator({ spec: {}, profiles: files.profiles, cluster: smallCluster, installation: {} })
  if ('fault' in wanted) throw new Error(wanted.fault)
  const charts = chartsOf(wanted.operator)
  mkdirSync(join(dir, 'values'))
  const began = performance.now()
  for (const [index, { directory, namespace, values }] of charts.entries()) {
    const valuesFile = join(dir, 'values', `${index}.json`)
    writeFileSync(valuesFile, JSON.stringify(withoutPriority(values)))
    const flags = [
      '--namespace',
      namespace,
      '--create-namespace',
      '--values',
      valuesFile,
      '--wait',
      '--kubeconfig',
      file,
    ]
    await run(helm, ['upgrade', '--install', `istio-${index}`, join(files.fallbackCharts, directory), ...flags])
  }
  return (performance.now() - began) / 1000
}

/** How many requests helm makes, seen by a proxy in front of the embedded API server. */
const requestsOfHelm = async (): Promise<number> => {
  const dir = scratchFolder()
  const cluster = await startEmbeddedCluster({ node: { stepMilliseconds: 0 } })
  const proxy = await faultProxy(cluster)
  try {
    const kubeconfig = cluster.kubeconfig.replaceAll(cluster.url, proxy.url).replaceAll(cluster.caData, proxy.caData)
    await byHelm(kubeconfig, dir)
    return proxy.ledger.arrivals.length
  } finally {
    await proxy.close()
    await cluster.stop()
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  }
}

const smallCluster = {
  nodes: [],
  features: { isCniDisabled: false, hasControlPlaneVpa: false },
  isDualStack: false,
  wantsElb: false,
  hasNlb: false,
}

/** Helm alone makes no PriorityClass. */
const withoutPriority = (values: Record<string, unknown>) => ({
  ...values,
  global: { ...(values.global as object), priorityClassName: '' },
})

const median = <T>(all: readonly T[], by: (one: T) => number): T => {
  const sorted = all.toSorted((a, b) => by(a) - by(b))
  return sorted[Math.floor(sorted.length / 2)] as T
}

await buildPrograms(progress)
const ours: Installed[] = []
const helms: number[] = []
for (let round = 0; round < rounds; round++) {
  ours.push(await onNewCluster(byIstio))
  helms.push(await onNewCluster(byHelm))
  progress(`round ${round + 1}: istio ${ours.at(-1)?.seconds.toFixed(1)} s, helm ${helms.at(-1)?.toFixed(1)} s`)
}
const helmRequests = await requestsOfHelm()
const one = median(ours, ({ seconds }) => seconds)
const helm = median(helms, seconds => seconds)
const rows: Row[] = [
  {
    from: 'istio, from the Istio to Ready',
    seconds: one.seconds,
    requests: one.calls,
    writes: one.writes,
    'to helm': ratio(one.seconds, helm),
  },
  { from: 'helm upgrade --install --wait', seconds: helm, requests: helmRequests, writes: '–', 'to helm': '1 ×' },
  {
    from: 'istio, a routine call',
    seconds: one.routine.milliseconds / 1000,
    requests: one.routine.reads + one.routine.writes,
    writes: one.routine.writes,
    'to helm': '',
  },
]
const goals: Goal[] = [
  {
    asks: 'IS-318 from the Istio to Ready in no more time than helm',
    found: `${one.seconds.toFixed(1)} s, helm ${helm.toFixed(1)} s`,
    isMet: one.seconds <= helm,
  },
  {
    asks: 'IS-13 a routine call writes nothing',
    found: `${one.routine.writes} writes, ${one.routine.reads} reads`,
    isMet: one.routine.writes === 0,
  },
]
print({ title: 'Istio', about, tables: [rows], goals })
