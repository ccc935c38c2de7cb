// A control plane with Kyma's kinds and a runtime beside it, embedded or real. Functions are called there as the host calls them.
import type { Test } from 'tap'
import { kyma as kymaFunction } from '../../../functions/kyma/index.ts'
import { kymaOperations } from '../../../functions/kyma/reasons.ts'
import type { KymaSettings } from '../../../functions/kyma/settings.ts'
import { kymaCrds } from '../../../shared/api/kyma/crds.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind } from '../../../shared/api/kyma.ts'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import type { BindableClusters, Client, ClientOptions, RequestNote } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { getIfServed } from '../../../shared/kube/reading.ts'
import type { Kyma, Manifest } from '../../../shared/kyma/kinds.ts'
import { type CallContext, processContext } from '../../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { accessSecret, kyma } from '../../make/kyma/kyma.ts'
import { settingsWith } from '../../make/settings.ts'
import { altered } from '../clients/altered-client.ts'
import { kubeconfig } from '../clients/kubeconfig.ts'
import { patientRemotes } from '../clients/patient-remotes.ts'
import { type AnyCluster, anyCluster } from '../clusters/any-cluster.ts'
import { clientTo } from '../clusters/cluster-client.ts'
import { define } from '../clusters/test-definitions.ts'
import { lasting, silentLog } from '../component/orchards.ts'
import { until } from '../until.ts'

const person = { fieldManager: 'person' }
const namespace = kymaNames.namespaces.controlPlane

export type KymaClusters = Awaited<ReturnType<typeof kymaClusters>>

/** `definitions`: of Kyma's kinds in the control plane. */
export const kymaClusters = async (t: Test, definitions = kymaCrds()) => {
  const [controlPlane, runtime] = await Promise.all([
    anyCluster(t, { own: true }),
    anyCluster(t, { remote: true, own: true }),
  ])
  const [client, far] = [clientTo(t, controlPlane), clientTo(t, runtime)]
  for (const crd of definitions) await define(client, crd as unknown as KubeObject)
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, person)
  /** A token that the runtime does not know. */
  const revoked = kubeconfig(runtime, { token: 'revoked' })
  return { ...peopleAt(client, far), ...callsIn(t, controlPlane), controlPlane, runtime, client, far, revoked }
}

/** `requests`: what the function asked, one line per request. */
const callsIn = (t: Test, controlPlane: AnyCluster) => {
  const requests: string[] = []
  const note = (where: string) => (one: RequestNote) => requests.push(`${where} ${one.verb}`)
  const { remotes = {} } = readLandscape('serverless.yml').provider
  const allowed = Object.fromEntries(
    Object.entries(remotes).map(([name, group]) => [name, { ...group, allowedHosts: ['*', '127.0.0.1'] }]),
  )
  const local = clientTo(t, controlPlane, note('here'))
  const asking = (client: ClientOptions) =>
    clusters({ local, remotes: allowed, client: { onRequest: note('there'), ...client } })
  const everywhere = asking(patientRemotes)
  /** The same clusters with short timeouts, for runtimes in trouble. */
  const impatient = asking({ readSeconds: 2 })
  const process = processContext({ clusters: everywhere })
  /**
   * One call of a function for the Kyma of this name. A real API server changes definitions while they are applied, so a call may end with a
   * conflict. The next call then follows at once, as with the relay.
   */
  const callOf = async (
    definition: ReconcileFunction,
    name: string,
    change: Partial<CallContext> = {},
    more = controlPlane.isReal ? 5 : 0,
  ): Promise<Outcome> => {
    const context = { ...process, ...lasting(120), now: () => new Date(), log: silentLog, ...change }
    const outcome = await reconcile(definition, { namespace, name }, context)
    return outcome.requeueAfterSeconds === 0 && more > 0 ? callOf(definition, name, change, more - 1) : outcome
  }
  /** One call of the function kyma. */
  const call = (
    name: string,
    change: Partial<KymaSettings> & Partial<Pick<CallContext, 'now' | 'isQuiet' | 'clusters'>> = {},
  ): Promise<Outcome> => {
    const { now = () => new Date(), isQuiet, clusters = everywhere, ...settings } = change
    const settingsOf = settingsWith(settings)
    return callOf(kymaFunction as ReconcileFunction, name, { settingsOf, now, isQuiet, clusters })
  }
  /** A real API server establishes definitions with a delay; the embedded one does so at once. */
  const settled: typeof call = (name, change) =>
    controlPlane.isReal
      ? until(
          () => call(name, change),
          ({ reason }) => reason !== kymaOperations.started,
        )
      : call(name, change)
  /** The writes among the `requests`. A relay beside the function opens its watches at any time. */
  const writes = (): string[] => requests.filter(request => !/ (get|list|watch)$/.test(request))
  return { requests, writes, call, callOf, settled, everywhere, impatient, remotes: allowed }
}

const peopleAt = (client: Client, far: Client) => {
  const refOf = (name: string): ObjectRef => ({ ...kymaKind, namespace, name })
  const copyRef: ObjectRef = { ...kymaKind, namespace: kymaNames.namespaces.runtime, name: kymaNames.copyName }
  const secretOf = (name: string, kubeconfig: string, of = name) => accessSecret(of, kubeconfig, name)
  return {
    secretOf,
    copyRef,
    /** Creates an access Secret with this kubeconfig. */
    access: (name: string, kubeconfig: string, of = name) => client.create(secretOf(name, kubeconfig, of), person),
    create: (object: KubeObject) => client.create(object, person),
    kymaNamed: (name: string, change: Parameters<typeof kyma>[0] = {}) =>
      client.create(kyma({ ...change, metadata: { ...change?.metadata, name } }), person),
    read: async (name: string) => (await client.get(refOf(name))) as Kyma | undefined,
    change: (name: string, body: JsonMap) => client.patch(refOf(name), { type: 'merge', body }, person),
    remove: (name: string) => client.delete(refOf(name), {}),
    copy: async () => (await getIfServed(far, copyRef)) as Kyma | undefined,
    changeCopy: (body: JsonMap) => far.patch(copyRef, { type: 'merge', body }, person),
    manifests: async (name: string) =>
      (await client.list({
        ...manifestKind,
        namespace,
        labelSelector: `${kymaNames.labels.kymaName}=${name}`,
      })) as Manifest[],
    /** Marks a Manifest Ready, as the function manifest does once the module runs. */
    installed: (manifest: KubeObject) =>
      client.patch(
        { ...manifestKind, namespace, name: manifest.metadata.name },
        { type: 'merge', body: { status: { state: 'Ready' } } },
        { ...person, subresource: 'status' },
      ),
    /** `Type Reason: message` of the Events about the object, in the order of their creation. */
    events: async (name: string) =>
      (await client.list({ apiVersion: 'v1', kind: 'Event', namespace }))
        .filter(({ involvedObject }) => (involvedObject as { name?: string }).name === name)
        .sort((one, other) => Number(one.metadata.resourceVersion) - Number(other.metadata.resourceVersion))
        .map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
  }
}

/** The same clusters, with the clients of runtimes changed. */
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
