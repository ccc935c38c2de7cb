// `npm run bench:garden-network-policy`: policies for 1,000 namespaces, made, looked at when all is well, and deleted; in turns
// with a bare loop that makes the same objects and reads the same lists on the same API server.
import { gardenNetworkPolicy } from '../functions/garden-network-policy/index.ts'
import { gardenCrd } from '../shared/api/garden/spec.ts'
import type { Landscape } from '../shared/api/serverless.ts'
import type { KubeObject } from '../shared/core/objects/object.ts'
import { readLandscape } from '../shared/deploy/landscape/landscape.ts'
import { createClient } from '../shared/kube/client/client.ts'
import type { Client } from '../shared/kube/client-types.ts'
import { processContext } from '../shared/runtime/context.ts'
import { reconcile } from '../shared/runtime/reconcile.ts'
import { oneCluster } from '../tests/harness/clusters/one-cluster.ts'
import { define } from '../tests/harness/clusters/test-definitions.ts'
import { garden } from '../tests/make/garden/garden.ts'
import { namespaceOf } from '../tests/make/objects/namespaces.ts'
import { type BareApi, type BareList, barePages } from './measure/bare-api.ts'
import { median, secondsOf } from './measure/load.ts'
import { onRealCluster, type RealCluster } from './measure/real-cluster.ts'
import { figures, print, progress, type Row, ratio } from './measure/report.ts'

const namespaces = Array.from({ length: 1_000 }, (_, i) => `bench-extension-${i}`)
const policiesEach = 6
const inFlight = 16
const rounds = 3

const about = `garden-network-policy with ${figures(namespaces.length)} namespaces of extensions, each of which gets ${policiesEach} policies, on a
kube-apiserver with etcd that has the same cores. In turns with it a bare undici loop, ${inFlight} in flight, that makes or
deletes the same objects, and that reads the same lists page by page. Medians of ${rounds} rounds.`

type Pass = { calls: number; requests: number; seconds: number }

const run = async (cluster: RealCluster): Promise<void> => {
  const { client, pass } = functionOn(cluster)
  progress(`making ${namespaces.length} namespaces`)
  await define(client, gardenCrd())
  await atOnce(namespaces, name =>
    cluster.api.call('POST', '/api/v1/namespaces', { body: namespaceOf('extension', name) }),
  )
  const all: Round[] = []
  for (let at = 1; at <= rounds; at++) {
    progress(`round ${at} of ${rounds}`)
    all.push(await round(client, { pass, api: cluster.api }))
  }
  await client.close()
  print({ title: 'Network policies', about, tables: [stages.map(stage => row(stage, all))] })
}

const stages = [
  { called: `${figures(namespaces.length * policiesEach)} policies made`, at: 'made' },
  { called: 'idle', at: 'idle' },
  { called: 'the Garden gone: all deleted', at: 'deleted' },
] as const

type Round = Record<(typeof stages)[number]['at'], { pass: Pass; bare: number }>

/** The function, called as the relay would call it, and what that takes. */
const functionOn = (cluster: RealCluster) => {
  let requests = 0
  const credentials = { ca: Buffer.from(cluster.caData, 'base64').toString(), ...cluster.admin }
  const access = { server: cluster.url, credentials: () => credentials }
  const client = createClient(access, { onRequest: () => requests++ })
  const landscape = readLandscape(new URL('../serverless.yml', import.meta.url))
  const pass = async (): Promise<Pass> => {
    requests = 0
    let calls = 0
    const seconds = await secondsOf(async () => {
      calls = await callsUntilRest(client, landscape)
    })
    return { calls, requests, seconds }
  }
  return { client, pass }
}

/** The function and the bare loop do each thing one after the other, so that what slows the machine slows both. */
const round = async (client: Client, { pass, api }: { pass: () => Promise<Pass>; api: BareApi }): Promise<Round> => {
  const subject = await client.create(garden(), { fieldManager: 'bench' })
  const made = await pass()
  const policies = await client.list(policyKind)
  const idle = { pass: await pass(), bare: await secondsOf(() => readLists(api)) }
  await client.delete({ ...subject, namespace: '', name: subject.metadata.name }, {})
  const deleted = await pass()
  const bare = await bareMakeAndDelete(api, policies)
  return { made: { pass: made, bare: bare.make }, idle, deleted: { pass: deleted, bare: bare.remove } }
}

const row = ({ called, at }: (typeof stages)[number], all: readonly Round[]): Row => {
  const middle = (figure: (stage: Round[typeof at]) => number): number => median(all.map(round => figure(round[at])))
  const [seconds, bare] = [middle(({ pass }) => pass.seconds), middle(({ bare }) => bare)]
  return {
    pass: called,
    calls: middle(({ pass }) => pass.calls),
    'API requests': middle(({ pass }) => pass.requests),
    seconds,
    'bare seconds': bare,
    'function : bare': ratio(seconds, bare),
  }
}

const policyKind = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' }

/** As the relay would call it, with the time that serverless.yml grants. */
const callsUntilRest = async (client: Client, { functions }: Landscape): Promise<number> => {
  const milliseconds = (functions[gardenNetworkPolicy.name]?.timeout ?? 30) * 1_000
  for (let calls = 1; ; calls++) {
    const end = performance.now() + milliseconds
    const bounds = { lastPassAt: end - 4_000, lastRequestAt: end - 1_000, signal: AbortSignal.timeout(milliseconds) }
    const call = { ...bounds, ...processContext({ clusters: oneCluster(client) }), now: () => new Date(), log: quiet }
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
