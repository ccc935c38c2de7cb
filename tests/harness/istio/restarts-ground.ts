// A mesh in which everything is in order but what must be restarted. istio is called for it as the host calls it, and gets the facts of its other
// parts from the test. The cluster creates Pods from Deployments and the like. The test writes sidecars into their templates, as if they had been
// injected.
import type { Test } from 'tap'
import { factsOf } from '../../../functions/istio/gather/all-readers.ts'
import { type IstioCall, readByStage } from '../../../functions/istio/gather.ts'
import { istio } from '../../../functions/istio/index.ts'
import type { Facts, Istio, PartName, World } from '../../../functions/istio/world.ts'
import { istioCrd } from '../../../shared/api/istio/crd.ts'
import { istioNames } from '../../../shared/api/istio/names.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import { objectKey } from '../../../shared/component/item.ts'
import type { Measurement } from '../../../shared/core/decisions/measurement.ts'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import { kubeTime } from '../../../shared/core/time/kube-time.ts'
import type { Client, ListQuery, Reads, RequestNote } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { isAlreadyExists } from '../../../shared/kube/errors.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { allInstalled, istioInstallation } from '../../make/istio/istio.ts'
import { altered } from '../clients/altered-client.ts'
import { type AnyCluster, anyCluster, isRealCluster } from '../clusters/any-cluster.ts'
import { clientTo } from '../clusters/cluster-client.ts'
import { endWorkloads } from '../clusters/ended-workloads.ts'
import { define } from '../clusters/test-definitions.ts'
import { callOf } from '../component/orchards.ts'

const person = { fieldManager: 'person' }
const { control, mesh } = istioNames.namespaces

export type RestartsGround = {
  readonly cluster: AnyCluster
  readonly client: Client
  /** The requests of istio. */
  readonly requests: RequestNote[]
  /** The measurements of istio. */
  readonly measured: Measurement[]
  /** Lets so many seconds pass. Whatever exists now counts as made now at the latest, whatever the cluster's clock says. */
  pass(seconds: number): Promise<void>
  now(): Date
  /** One call. `change` alters the answers of the cluster. */
  call(change?: (real: Client) => Partial<Client>): Promise<Outcome>
  /** The process ends and forgets everything; another one goes on. */
  newProcess(): void
  /** Calls istio until it waits for a minute or longer. A noted target takes a second. */
  settle(change?: (real: Client) => Partial<Client>): Promise<Outcome>
  istio(): Promise<Istio>
  edit(spec: JsonMap): Promise<unknown>
  /** Facts of other parts. */
  facts: Facts
}

export type NewRestartsGround = (t: Test, facts: Facts, spec?: JsonMap) => Promise<RestartsGround>

/** Shared by the tests of a file, each of which removes what it made: starting a control plane takes longer than most tests. */
export const restartsGrounds = async (file: Test): Promise<NewRestartsGround> => {
  const real = isRealCluster ? await anyCluster(file, { own: true }) : undefined
  return async (t, facts, spec = {}) => {
    const cluster = real ?? (await anyCluster(t, { embedded: { node: { stepMilliseconds: 0 } } }))
    const client = clientTo(t, cluster)
    if (real) t.teardown(() => clear(client))
    return restartsGround(t, { cluster, client, facts, spec })
  }
}

type Place = Pick<RestartsGround, 'cluster' | 'client' | 'facts'> & { readonly spec: JsonMap }

const istioRef: ObjectRef = { ...istioKind, namespace: control, name: 'default' }

/** Removes everything of the mesh but its Namespaces. */
const clear = async (client: Client): Promise<void> => {
  if (await client.get(istioRef)) {
    await client.patch(istioRef, { type: 'merge', body: { metadata: { finalizers: null } } }, person)
    await client.delete(istioRef, {})
  }
  await endWorkloads(client)
}

const restartsGround = async (t: Test, { cluster, client, facts, spec }: Place): Promise<RestartsGround> => {
  for (const name of [control, mesh]) await ensureNamespace(client, name)
  await define(client, istioCrd() as unknown as KubeObject)
  await client.create(
    { ...istioKind, metadata: { ...named(istioRef), finalizers: [istioNames.finalizer] }, spec },
    person,
  )
  const requests: RequestNote[] = []
  const own = clientTo(t, cluster, note => requests.push(note))
  const newMemory = () => callOf(clusters({ local: own })).memory
  let memory = newMemory()
  let passed = 0
  const now = () => new Date(start + passed * 1000)
  const madeAt = new Map<string, string>()
  const register = async () => {
    const listed = await Promise.all(datedKinds.map(kind => client.list({ ...kind, metadataOnly: true })))
    for (const { metadata } of listed.flat())
      if (!madeAt.has(metadata.uid ?? '')) madeAt.set(metadata.uid ?? '', kubeTime(now()))
  }
  const dated = (object: KubeObject): KubeObject => {
    const creationTimestamp = madeAt.get(object.metadata.uid ?? '') ?? kubeTime(now())
    return { ...object, metadata: { ...object.metadata, creationTimestamp } }
  }
  const measured: Measurement[] = []
  const onOurClock = altered(own, real => ({
    pages: query => real.pages(withDates(query, dated)),
    list: query => real.list(withDates(query, dated)),
  }))
  const ground: RestartsGround = {
    cluster,
    client,
    requests,
    measured,
    now,
    facts,
    pass: async seconds => {
      await register()
      passed += seconds
    },
    call: change =>
      reconcile(
        restartsOf(() => ground.facts),
        istioRef,
        {
          ...callOf(clusters({ local: change ? altered(onOurClock, change) : onOurClock })),
          memory,
          now,
          measure: some => measured.push(...some),
        },
      ),
    newProcess: () => {
      memory = newMemory()
    },
    settle: async change => {
      for (let calls = 0; calls < 5; calls++) {
        const outcome = await ground.call(change)
        if ((outcome.requeueAfterSeconds ?? 60) >= 60) return outcome
        await ground.pass(outcome.requeueAfterSeconds ?? 1)
      }
      throw new Error('istio does not come to rest')
    },
    istio: async () => (await client.get(istioRef)) as Istio,
    edit: merge => client.patch(istioRef, { type: 'merge', body: { spec: merge } }, person),
  }
  return ground
}

const start = Date.parse('2026-01-02T03:04:05Z')

const datedKinds = [
  { apiVersion: 'v1', kind: 'Pod' },
  ...['ReplicaSet', 'ControllerRevision'].map(kind => ({ apiVersion: 'apps/v1', kind })),
]

const withDates = (query: ListQuery, dated: (object: KubeObject) => KubeObject): ListQuery => ({
  ...query,
  keep: object => (query.keep ? query.keep(dated(object)) : dated(object)),
})

const named = ({ name, namespace }: ObjectRef) => ({ name, namespace })

const ensureNamespace = async (client: Client, name: string): Promise<void> => {
  try {
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, person)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

const restartable: readonly ObjectRef[] = [
  ...['istiod', 'istio-ingressgateway'].map(name => ({ kind: 'Deployment', name })),
  { kind: 'DaemonSet', name: 'istio-cni-node' },
].map(one => ({ apiVersion: 'apps/v1', namespace: mesh, ...one }))

/** Everything is installed, and these workloads of it exist. */
const installedNow = async (reads: Reads): Promise<typeof allInstalled> => {
  const found = await Promise.all(restartable.map(ref => reads.get(ref)))
  const live = new Map(found.flatMap(object => (object ? [[objectKey(object), object] as const] : [])))
  const { dependents } = allInstalled
  return { ...allInstalled, dependents: { ...dependents, observed: { ...dependents.observed, live } } }
}

/** The function istio, but facts that the test knows are not read. */
const restartsOf = (known: () => Facts): ReconcileFunction => ({
  ...(istio as ReconcileFunction),
  gather: async (object, context, scope) => {
    const one = { ...object, spec: object.spec ?? {} } as Istio
    const call = scope as IstioCall
    const world: World = {
      istio: one,
      istios: { read: [one] },
      keptIn: 'status',
      settings: istioInstallation,
      facts: { ...known(), installation: await installedNow(context.reads) },
    }
    const read = (names: readonly PartName[], seen: World) => {
      const unread = names.filter(name => seen.facts[name] === undefined)
      return factsOf(unread, { ...call, world: seen, context, now: call.now(), before: undefined })
    }
    return readByStage(world, { now: call.now, read })
  },
})
