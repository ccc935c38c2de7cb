// `npm run bench:garden-network-policy`: policies for 1,000 namespaces, made, looked at when all is well, and deleted; beside a bare
// loop that makes the same objects and reads the same lists on the same API server.
import { gardenNetworkPolicy } from '../functions/garden-network-policy/index.ts'
import { gardenCrd } from '../shared/api/garden/crd.ts'
import type { Landscape } from '../shared/api/serverless.ts'
import type { KubeObject } from '../shared/core/object.ts'
import { readLandscape } from '../shared/deploy/landscape.ts'
import { createClient } from '../shared/kube/client.ts'
import type { Client } from '../shared/kube/client-types.ts'
import { reconcile } from '../shared/runtime/reconcile.ts'
import { define } from '../tests/harness/furnished.ts'
import { oneCluster } from '../tests/harness/one-cluster.ts'
import { garden } from '../tests/make/garden.ts'
import { namespaceOf } from '../tests/make/namespaces.ts'
import { type BareApi, type BareList, barePages } from './measure/bare-api.ts'
import { median, secondsOf } from './measure/load.ts'
import { onRealCluster, type RealCluster } from './measure/real-cluster.ts'
import { figures, print, progress, type Row, ratio } from './measure/report.ts'

const namespaces = Array.from({ length: 1_000 }, (_, i) => `bench-extension-${i}`)
const policiesEach = 6
const inFlight = 16
const idleRounds = 5

const about = `garden-network-policy with ${figures(namespaces.length)} namespaces of extensions, each of which gets ${policiesEach} policies, on a
kube-apiserver with etcd that has the same cores. Beside it a bare undici loop, ${inFlight} in flight, that makes or deletes the
same objects, and that reads the same lists page by page.`

type Pass = { calls: number; requests: number; seconds: number }

const run = async (cluster: RealCluster): Promise<void> => {
  let requests = 0
  const credentials = { ca: Buffer.from(cluster.caData, 'base64').toString(), ...cluster.admin }
  const access = { server: cluster.url, credentials: () => credentials }
  const client = createClient(access, { onRequest: () => requests++ })
  progress(`making ${namespaces.length} namespaces`)
  await define(client, gardenCrd())
  await atOnce(namespaces, name =>
    cluster.api.call('POST', '/api/v1/namespaces', { body: namespaceOf('extension', name) }),
  )
  const landscape = readLandscape(new URL('../serverless.yml', import.meta.url))
  const pass = async (title: string): Promise<Pass> => {
    progress(title)
    requests = 0
    let calls = 0
    const seconds = await secondsOf(async () => {
      calls = await callsUntilRest(client, landscape)
    })
    return { calls, requests, seconds }
  }
  const subject = await client.create(garden(), { fieldManager: 'bench' })
  const first = await pass('the first pass')
  const policies = await client.list(policyKind)
  const idle: Pass[] = []
  for (let round = 0; round < idleRounds; round++) idle.push(await pass('an idle pass'))
  const bareIdle = await bareSeconds(async () => readLists(cluster.api))
  await client.delete({ ...subject, namespace: '', name: subject.metadata.name }, {})
  const last = await pass('the Garden is gone')
  const bare = await bareMakeAndDelete(cluster.api, policies)
  await client.close()
  const idleMedian = { ...(idle[0] ?? first), seconds: median(idle.map(({ seconds }) => seconds)) }
  const rows = [
    row(`first: ${figures(policies.length)} policies made`, first, bare.make),
    row(`idle, median of ${idleRounds}`, idleMedian, bareIdle),
    row('the Garden gone: all deleted', last, bare.remove),
  ]
  print({ title: 'Network policies', about, tables: [rows] })
}

const row = (pass: string, { calls, requests, seconds }: Pass, bare: number): Row => ({
  pass,
  calls,
  'API requests': requests,
  seconds,
  'bare seconds': bare,
  'function : bare': ratio(seconds, bare),
})

const policyKind = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' }

/** As the relay would call it, with the time that serverless.yml grants. */
const callsUntilRest = async (client: Client, { functions }: Landscape): Promise<number> => {
  const milliseconds = (functions[gardenNetworkPolicy.name]?.timeout ?? 30) * 1_000
  for (let calls = 1; ; calls++) {
    const end = performance.now() + milliseconds
    const bounds = { deadline: end - 4_000, end: end - 1_000, signal: AbortSignal.timeout(milliseconds) }
    const call = { ...bounds, clusters: oneCluster(client), now: () => new Date(), log: quiet }
    const outcome = await reconcile(gardenNetworkPolicy, { namespace: '', name: 'default' }, call)
    if (outcome.outcome === 'settled') return calls
    progress(`call ${calls}: ${JSON.stringify(outcome).slice(0, 200)}`)
  }
}

const nothing = (): void => {}
const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing }

const policiesPath = ({ metadata }: KubeObject) =>
  `/apis/networking.k8s.io/v1/namespaces/${metadata.namespace}/networkpolicies`

const bareMakeAndDelete = async (api: BareApi, policies: readonly KubeObject[]) => {
  progress('the bare loop')
  const fresh = policies.map(({ metadata: { name, namespace, labels, annotations }, ...rest }) => ({
    ...rest,
    metadata: { name, namespace, labels, annotations },
  }))
  const make = await secondsOf(() => atOnce(fresh, policy => api.call('POST', policiesPath(policy), { body: policy })))
  const remove = await secondsOf(() =>
    atOnce(fresh, policy => api.call('DELETE', `${policiesPath(policy)}/${policy.metadata.name}`)),
  )
  return { make, remove }
}

const bareSeconds = async (work: () => Promise<unknown>): Promise<number> => {
  const took: number[] = []
  for (let round = 0; round < idleRounds; round++) took.push(await secondsOf(work))
  return median(took)
}

const readLists = async (api: BareApi): Promise<BareList[]> => {
  const paths = ['/apis/networking.k8s.io/v1/networkpolicies', '/api/v1/namespaces']
  return (await Promise.all(paths.map(path => readList(api, path)))).flat()
}

const readList = async (api: BareApi, path: string): Promise<BareList[]> => {
  const pages: BareList[] = []
  for await (const page of barePages(api, path)) pages.push(page)
  return pages
}

const atOnce = async <T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> => {
  const left = items.values()
  const hand = async (): Promise<void> => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: inFlight }, hand))
}

await onRealCluster(run)
