// An Istio on a cluster of its own, where workloads become ready. The function is called as the host calls it.
import type { Test } from 'tap'
import { istio as definition } from '../../../functions/istio/index.ts'
import type { IstioSettings } from '../../../functions/istio/settings.ts'
import type { Istio } from '../../../functions/istio/world.ts'
import { istioCrd } from '../../../shared/api/istio/crd.ts'
import { istioNames } from '../../../shared/api/istio/names.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import type { Client, RequestNote } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import type { CallContext } from '../../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { type PlannedCall, planned } from '../../../shared/runtime/planned.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { istioInstallation } from '../../make/istio/istio.ts'
import { settingsWith } from '../../make/settings.ts'
import { altered } from '../clients/altered-client.ts'
import { type AnyCluster, anyCluster } from '../clusters/any-cluster.ts'
import { clientTo } from '../clusters/cluster-client.ts'
import { placesWith } from '../component/component-ground.ts'
import { callOf, established } from '../component/orchards.ts'
import { eventually } from '../until.ts'

export type IstioGround = {
  readonly cluster: AnyCluster
  /** A client of a person with all rights. */
  readonly client: Client
  /** The requests of the function. */
  readonly requests: RequestNote[]
  /** The kinds that it listed. */
  readonly lists: string[]
  create(spec?: JsonMap): Promise<KubeObject>
  change(merge: JsonMap): Promise<KubeObject>
  read(): Promise<Istio>
  /** One call. */
  call(change?: IstioCallChange): Promise<Outcome>
  /** What one call would do. */
  plan(change?: IstioCallChange): Promise<PlannedCall>
  /** Calls the function until `isSo`. */
  callUntil(isSo: (outcome: Outcome, istio: Istio) => boolean, change?: IstioCallChange): Promise<Outcome>
  /** Calls the function until it has settled. */
  settle(change?: IstioCallChange): Promise<Outcome>
}

type IstioCallChange = Partial<Omit<CallContext, 'settingsOf'>> & { readonly settings?: Partial<IstioSettings> }

const person = { fieldManager: 'person' }
const { control: namespace } = istioNames.namespaces
const ref: ObjectRef = { ...istioKind, namespace, name: 'default' }

type GroundOptions = {
  /** The definition of the kind Istio; absent: ours. */
  readonly definition?: KubeObject
  /** Variables of the host for registries. */
  readonly environment?: Record<string, string>
  /** Embedded only: nobody but the test makes workloads ready. */
  readonly isUnmanned?: boolean
  /** On a real control plane: more flags for kube-apiserver. */
  readonly apiServerFlags?: readonly string[]
}

export const istioGround = async (t: Test, options: GroundOptions = {}): Promise<IstioGround> => {
  const { environment = {}, isUnmanned = false, apiServerFlags, definition: kind = istioCrd() as KubeObject } = options
  const embedded = { node: isUnmanned ? false : { stepMilliseconds: 0 } } as const
  const cluster = await anyCluster(t, { own: true, apiServerFlags, embedded })
  const requests: RequestNote[] = []
  const client = clientTo(t, cluster)
  await established(client, kind)
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, person)
  const lists: string[] = []
  const own = altered(
    clientTo(t, cluster, note => requests.push(note)),
    real => ({
      list: query => {
        lists.push(`${query.apiVersion} ${query.kind}`)
        return real.list(query)
      },
    }),
  )
  const everywhere = clusters({ local: own })
  const context: CallContext = { ...callOf(everywhere), ...placesWith(environment) }
  const key = { namespace, name: ref.name }
  const contextOf = ({ settings = {}, ...change }: IstioCallChange = {}): CallContext => {
    const { lastPassAt, lastRequestAt, signal } = callOf(everywhere)
    const settingsOf = settingsWith({ ...istioInstallation, ...settings })
    return { ...context, settingsOf, lastPassAt, lastRequestAt, signal, ...change }
  }
  const call: IstioGround['call'] = change => reconcile(definition as ReconcileFunction, key, contextOf(change))
  const read = async () => (await client.get(ref)) as Istio
  const callUntil: IstioGround['callUntil'] = async (isSo, change) => {
    let outcome = await call(change)
    await eventually('the Istio comes so far', async () => {
      if (isSo(outcome, await read())) return true
      outcome = await call(change)
      return false
    })
    return outcome
  }
  return {
    cluster,
    client,
    requests,
    lists,
    call,
    plan: change => planned(definition as ReconcileFunction, { key }, contextOf(change)),
    callUntil,
    read,
    settle: change => callUntil(({ outcome }) => outcome === 'settled', change),
    create: (spec = {}) => client.create({ ...istioKind, metadata: { name: ref.name, namespace }, spec }, person),
    change: body => client.patch(ref, { type: 'merge', body }, person),
  }
}

/** Workloads of the mesh by name: what makes Pods, and whether all of them are ready. */
export const meshWorkload = (name: string): ObjectRef => ({
  apiVersion: 'apps/v1',
  kind: daemonSets.includes(name) ? 'DaemonSet' : 'Deployment',
  namespace: istioNames.namespaces.mesh,
  name,
})

const daemonSets = ['istio-cni-node', 'ztunnel']

/** Writes the status that controllers of a cluster write for a workload whose Pods run: `ready` of `of` Pods. */
export const becomesReady = async (client: Client, name: string, { ready = 1, of = 1 } = {}): Promise<void> => {
  const ref = meshWorkload(name)
  const live = await client.get(ref)
  const { generation } = live?.metadata ?? {}
  const isReady = ready === of
  const conditions = [
    { type: 'Available', status: isReady ? 'True' : 'False' },
    { type: 'Progressing', status: 'True', reason: isReady ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated' },
  ]
  const status =
    ref.kind === 'Deployment'
      ? { replicas: of, updatedReplicas: of, readyReplicas: ready, availableReplicas: ready, conditions }
      : {
          desiredNumberScheduled: of,
          currentNumberScheduled: of,
          updatedNumberScheduled: of,
          numberReady: ready,
          numberAvailable: ready,
        }
  await client.patch(
    ref,
    { type: 'merge', body: { status: { observedGeneration: generation, ...status } } },
    { ...person, subresource: 'status' },
  )
}

/** StatefulSet `store` with a Pod that has this sidecar. On a cluster without a node nobody creates the Pod again. */
export const withSidecar = async (client: Client, sidecar: { image: string } & JsonMap): Promise<ObjectRef> => {
  const [name, namespace] = ['store', 'default']
  const ref: ObjectRef = { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name }
  const containers = [
    { name: 'app', image: 'example.com/app:1' },
    { name: 'istio-proxy', ...sidecar },
  ]
  const template = { metadata: { labels: { app: name } }, spec: { containers } }
  const { apiVersion, kind } = ref
  const { metadata } = await client.create(
    {
      apiVersion,
      kind,
      metadata: { name, namespace },
      spec: { serviceName: name, selector: { matchLabels: { app: name } }, template },
    },
    person,
  )
  const pod = { apiVersion: 'v1', kind: 'Pod', namespace, name: `${name}-0` }
  await client.create(
    {
      apiVersion: pod.apiVersion,
      kind: pod.kind,
      spec: { containers },
      metadata: {
        name: pod.name,
        namespace,
        labels: { app: name },
        annotations: { 'sidecar.istio.io/status': '{}' },
        ownerReferences: [{ apiVersion, kind, name, uid: metadata.uid ?? '', controller: true }],
      },
    },
    person,
  )
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  const told: [ObjectRef, object][] = [
    [pod, status],
    [ref, { observedGeneration: 1, replicas: 1 }],
  ]
  for (const [of, status] of told)
    await client.patch(of, { type: 'merge', body: { status } }, { ...person, subresource: 'status' })
  return ref
}
