// The life of a Garden in a real runtime cluster, with real etcds and a real kube-apiserver for its virtual garden.
import t from 'tap'
import { parse } from 'yaml'
import { gardenCare } from '../../functions/garden-care/index.ts'
import { kindRows } from '../../functions/garden-reconcile/rules/kinds.ts'
import { isOurs } from '../../functions/garden-reconcile/rules/ours.ts'
import { gardenReference } from '../../functions/garden-reference/index.ts'
import type { Garden } from '../../shared/core/garden.ts'
import type { GardenerCondition } from '../../shared/core/gardener-condition.ts'
import { type GroupVersionKind, type KubeObject, refOf, refText } from '../../shared/core/object.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import { listIfServed } from '../../shared/kube/reading.ts'
import { kubernetesRelease } from '../harness/binaries.ts'
import { dataText } from '../harness/live-access.ts'
import { liveGarden } from '../harness/live-garden.ts'
import { deploymentRef } from '../harness/live-workloads.ts'
import { matches } from '../harness/matches.ts'
import { garden } from '../make/garden.ts'
import { mountedConfigMap } from '../make/virtual-garden.ts'

const version = kubernetesRelease().slice(1)
const kubeAPIServer = { auditConfig: { auditPolicy: { configMapRef: { name: 'audit-policy' } } } }
const subject = garden({ spec: { virtualCluster: { kubernetes: { version, kubeAPIServer } } } })
const live = await liveGarden(t, subject)
const { runtime } = live
const policy = mountedConfigMap('audit-policy', {
  policy: 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: None }]\n',
})
await runtime.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'garden' } }, { fieldManager: 'person' })
await runtime.create(policy, { fieldManager: 'person' })

const conditionNow = async (type: string): Promise<GardenerCondition | undefined> =>
  (await live.read())?.status?.conditions?.find(condition => condition.type === type)
const server = 'VirtualGardenAPIServerAvailable'

/** What `kubectl` would do with the kubeconfig of Secret garden/gardener, if its host were known to a DNS server. */
const namespacesByKubeconfig = async (): Promise<string[]> => {
  const secret = await runtime.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'garden', name: 'gardener' })
  const { clusters, users } = parse(dataText(secret, 'kubeconfig')) as Kubeconfig
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster
  const credentials = { ca: atob(ca), token: users[0].user.token, serverName: new URL(server).hostname }
  const client = createClient({ server: `https://127.0.0.1:${live.served.port}`, credentials: () => credentials })
  const found = await client.list({ apiVersion: 'v1', kind: 'Namespace' })
  await client.close()
  return found.map(({ metadata }) => metadata.name)
}
type Kubeconfig = {
  readonly clusters: readonly [{ cluster: { server: string; 'certificate-authority-data': string } }]
  readonly users: readonly [{ user: { token: string } }]
}

t.test('GA-149 a Garden comes up: it is Succeeded, its API server answers, and the kubeconfig leads there', async t => {
  const found = await live.until(garden => garden?.status?.lastOperation?.state === 'Succeeded')
  t.equal(found?.status?.lastOperation?.state, 'Succeeded', found?.status?.lastOperation?.description ?? '')
  await live.call(gardenCare)
  matches(t, await conditionNow('Reconciled'), { status: 'True' })
  matches(t, await conditionNow(server), { status: 'True', reason: 'HealthzRequestSucceeded' })
  const names = await namespacesByKubeconfig()
  for (const name of ['garden', 'kube-system']) t.ok(names.includes(name), names.join())
})

t.test('GA-155 its API server stops and starts: Progressing, False with the real time, True', async t => {
  const began = Date.now()
  const at = (seconds: number) => new Date(began + seconds * 1000)
  const careAt = (seconds: number) => live.call(gardenCare, { now: () => at(seconds) })
  const textOf = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`
  await live.served.stop()
  await careAt(0)
  const failed = { reason: 'HealthzRequestFailed', message: /\[response_time:\d+ms\]/ }
  matches(t, await conditionNow(server), { status: 'Progressing', ...failed, lastTransitionTime: textOf(at(0)) })
  await careAt(61)
  matches(t, await conditionNow(server), { status: 'False', ...failed, lastTransitionTime: textOf(at(61)) })
  const deployment = await runtime.get(deploymentRef('virtual-garden-kube-apiserver'))
  if (!deployment) throw new Error('no Deployment')
  await live.served.rollOut(deployment)
  await careAt(70)
  matches(t, await conditionNow(server), { status: 'True', lastTransitionTime: textOf(at(70)) })
})

/** What goes before the next line begins to go. */
const milestones = [
  /^ManagedResource (plutono|kube-state-metrics|gardener-metrics-exporter-.*)$/,
  /^ManagedResource gardener-(admission-controller|controller-manager|scheduler)-.*$/,
  /^ManagedResource gardener-apiserver-.*$/,
  /^ManagedResource garden-system-virtual$/,
  /^ManagedResource shoot-core-gardeneraccess$/,
  /^(ManagedResource shoot-core|Deployment virtual-garden)-kube-controller-manager$/,
  /^ManagedResource shoot-core-gardener-resource-manager$/,
  /^Deployment virtual-garden-gardener-resource-manager$/,
  /^Gateway virtual-garden-kube-apiserver$/,
  /^Deployment virtual-garden-kube-apiserver$/,
  /^Etcd virtual-garden-etcd-(main|events)$/,
  /^ManagedResource etcd-druid$/,
  /^ManagedResource (vali|virtual-garden-istio)$/,
  /^ManagedResource istio-system$/,
  /^ManagedResource garden-system$/,
  /^Deployment gardener-resource-manager$/,
  /^CustomResourceDefinition .*$/,
]

const watched = [
  { apiVersion: 'resources.gardener.cloud/v1alpha1', kind: 'ManagedResource' },
  { apiVersion: 'druid.gardener.cloud/v1alpha1', kind: 'Etcd' },
  { apiVersion: 'networking.istio.io/v1beta1', kind: 'Gateway' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
]

t.test('GA-156 the Garden is deleted: in order, what it refers to is free last, and nothing of it is left', async t => {
  await live.call(gardenReference)
  t.strictSame((await runtime.get(refOf(policy)))?.metadata.finalizers, [protection])
  const gone = await deletionsSeen()
  await runtime.delete(refOf(subject), {})
  const isFreeOfUs = (garden: Garden | undefined) => garden?.metadata.finalizers?.join() === protection
  t.ok(isFreeOfUs(await live.until(isFreeOfUs)), 'only its references are protected')
  t.strictSame((await runtime.get(refOf(policy)))?.metadata.finalizers, [protection])
  await live.call(gardenReference)
  t.equal(await live.read(), undefined)
  t.strictSame((await runtime.get(refOf(policy)))?.metadata.finalizers, undefined)
  const names = await gone()
  const seen = milestones.map(milestone => names.flatMap((name, index) => (milestone.test(name) ? index : [])))
  t.strictSame(seen.filter(indexes => indexes.length === 0).length, 0, 'each was seen')
  t.strictSame(
    seen.flat(),
    seen.flat().toSorted((one, other) => one - other),
    names.join(),
  )
  t.strictSame(await leftOvers(), [])
})

const protection = 'gardener.cloud/reference-protection'

/** Names of what is deleted from now on, in the order in which it went. */
const deletionsSeen = async (): Promise<() => Promise<string[]>> => {
  const ending = new AbortController()
  const seen: KubeObject[] = []
  const follow = async (kind: GroupVersionKind, resourceVersion: string): Promise<void> => {
    for await (const { type, object } of runtime.watch({ ...kind, resourceVersion, signal: ending.signal }))
      if (type === 'DELETED') seen.push(object)
  }
  const follows = await Promise.all(
    watched.map(async kind => {
      for await (const { resourceVersion } of runtime.pages(kind)) return { ends: follow(kind, resourceVersion) }
    }),
  )
  const revision = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion)
  return async () => {
    ending.abort()
    await Promise.all(follows.map(follow => follow?.ends))
    return seen
      .toSorted((one, other) => revision(one) - revision(other))
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  }
}

/** Objects of ours of all kinds that the function makes or brings about. */
const leftOvers = async (): Promise<string[]> => {
  const kinds = [
    ...new Map(kindRows.map(({ apiVersion, kind }) => [`${apiVersion} ${kind}`, { apiVersion, kind }])).values(),
  ]
  const found = await Promise.all(kinds.map(kind => listIfServed(runtime, kind)))
  return found
    .flatMap(objects => objects ?? [])
    .filter(isOurs)
    .map(object => refText(refOf(object)))
}
