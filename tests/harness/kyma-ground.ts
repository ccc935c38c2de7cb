// A control plane of Kymas and a runtime, each a cluster of its own, and calls of functions between them as the host makes them.
import type { Test } from 'tap'
import { kymaCrds } from '../../shared/api/kyma/crds.ts'
import { kymaNames } from '../../shared/api/kyma/names.ts'
import type { KubeObject } from '../../shared/core/object.ts'
import type { Outcome } from '../../shared/core/outcome.ts'
import type { BindableClusters, Client, RequestNote } from '../../shared/kube/client-types.ts'
import { clusters } from '../../shared/kube/clusters/clusters.ts'
import type { CallContext } from '../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { reconcile } from '../../shared/runtime/reconcile.ts'
import { accessSecret } from '../make/kyma.ts'
import { altered } from './altered.ts'
import { type AnyCluster, anyCluster } from './any-cluster.ts'
import { define } from './furnished.ts'
import { callOf, clientTo } from './orchards.ts'

export type KymaGround = {
  /** Of a person who may do everything in the control plane. */
  readonly local: Client
  /** The same in the runtime. */
  readonly far: Client
  readonly plane: AnyCluster
  readonly runtime: AnyCluster
  /** As the host has them: runtimes by their access Secrets. */
  readonly clusters: BindableClusters
  /** What functions ask of runtimes. */
  readonly requests: RequestNote[]
  /** Lets a Kyma of this name reach the runtime, or another cluster. */
  giveAccess(kyma: string, cluster?: AnyCluster): Promise<KubeObject>
  /** One call for the Kyma of this name. */
  call(definition: ReconcileFunction, kyma: string, change?: Partial<CallContext>): Promise<Outcome>
  /** Sentences of Events in the control plane about an object of this name, `Type Reason: message`. */
  events(name: string): Promise<string[]>
}

const namespace = 'kcp-system'
const person = { fieldManager: 'person' }
const { labels, managedBy } = kymaNames

const remote = {
  namespace,
  labels: { [labels.managedBy]: managedBy.controlPlane },
  nameLabel: labels.kymaName,
  kubeconfigKey: 'config',
  allowedHosts: ['127.0.0.1', 'localhost'],
}

export const kymaGround = async (t: Test): Promise<KymaGround> => {
  const [plane, runtime] = await Promise.all([anyCluster(t, { own: true }), anyCluster(t, { remote: true, own: true })])
  const [local, far] = [clientTo(t, plane), clientTo(t, runtime)]
  await local.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, person)
  for (const definition of kymaCrds()) await define(local, definition)
  const requests: RequestNote[] = []
  const all = clusters({
    ...{ local, remotes: { runtimes: remote } },
    client: { onRequest: request => requests.push(request) },
  })
  const { memory } = callOf(all)
  return {
    ...{ local, far, plane, runtime, requests, clusters: all },
    giveAccess: (kyma, { kubeconfig } = runtime) =>
      local.create(accessSecret(kyma, kubeconfig, `kubeconfig-${kyma}`), person),
    call: (definition, name, change) =>
      reconcile(definition, { namespace, name }, { ...callOf(all), memory, ...change }),
    events: async name => {
      const events = await local.list({ apiVersion: 'v1', kind: 'Event', namespace })
      const isAbout = ({ involvedObject }: KubeObject) => (involvedObject as { name: string }).name === name
      return events.filter(isAbout).map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
    },
  }
}

/** The same clusters, but for what a test changes of the clients of runtimes. */
export const withRuntimes = (real: BindableClusters, change: (real: Client) => Partial<Client>): BindableClusters => {
  const of = async (name: string, from: Pick<BindableClusters, 'of'>) => {
    const client = await from.of(name)
    return name === 'local' ? client : altered(client, change)
  }
  return {
    of: name => of(name, real),
    bound: call => {
      const bound = real.bound(call)
      return { of: name => of(name, bound) }
    },
  }
}
