// A control plane with Kyma's kinds and a runtime beside it, on whatever clusters there are, and the function kyma called there as the
// host calls it.
import type { Test } from 'tap'
import { kyma as kymaFunction } from '../../functions/kyma/index.ts'
import { defaultInstallation, type KymaInstallation } from '../../shared/api/installation.ts'
import { kymaCrds } from '../../shared/api/kyma/crds.ts'
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind } from '../../shared/api/kyma.ts'
import type { JsonMap } from '../../shared/core/json.ts'
import type { KubeObject, ObjectRef } from '../../shared/core/object.ts'
import type { Outcome } from '../../shared/core/outcome.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import type { Client, RequestNote } from '../../shared/kube/client-types.ts'
import { clusters } from '../../shared/kube/clusters/clusters.ts'
import { getIfServed } from '../../shared/kube/reading.ts'
import type { Kyma, Manifest } from '../../shared/kyma/kinds.ts'
import { type CallContext, processContext } from '../../shared/runtime/context.ts'
import { reconcile } from '../../shared/runtime/reconcile.ts'
import { accessSecret, kyma } from '../make/kyma.ts'
import { type AnyCluster, anyCluster } from './any-cluster.ts'
import { define } from './furnished.ts'
import { clientTo, lasting, silentLog } from './orchards.ts'

const person = { fieldManager: 'person' }
const namespace = kymaNames.namespaces.controlPlane

export type KymaClusters = Awaited<ReturnType<typeof kymaClusters>>

export const kymaClusters = async (t: Test) => {
  const [controlPlane, runtime] = await Promise.all([anyCluster(t), anyCluster(t, { remote: true })])
  const [client, far] = [clientTo(t, controlPlane), clientTo(t, runtime)]
  for (const crd of kymaCrds()) await define(client, crd as unknown as KubeObject)
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, person)
  return { ...peopleAt(client, far), ...callsIn(t, controlPlane), controlPlane, runtime, client, far }
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
  const everywhere = clusters({
    ...{ local, remotes: allowed },
    // A runtime that hangs is known to be away within this time; usually it is 8 s.
    client: { onRequest: note('there'), readSeconds: 2 },
  })
  const process = processContext({ clusters: everywhere })
  const call = (
    name: string,
    change: Partial<KymaInstallation> & Partial<Pick<CallContext, 'now'>> = {},
  ): Promise<Outcome> => {
    const { now = () => new Date(), ...settings } = change
    const installation = { ...defaultInstallation, kyma: { ...defaultInstallation.kyma, ...settings } }
    const context = { ...process, installation, ...lasting(60), now, log: silentLog }
    return reconcile(kymaFunction, { namespace, name }, context)
  }
  return { requests, call, everywhere, remotes: allowed }
}

const peopleAt = (client: Client, far: Client) => {
  const refOf = (name: string): ObjectRef => ({ ...kymaKind, namespace, name })
  const copyRef: ObjectRef = { ...kymaKind, namespace: kymaNames.namespaces.runtime, name: kymaNames.copyName }
  const secretOf = (name: string, kubeconfig: string, of = name) => accessSecret(of, kubeconfig, name)
  return {
    secretOf,
    copyRef,
    /** An access Secret: it leads to what the kubeconfig says. */
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
        ...{ ...manifestKind, namespace, labelSelector: `${kymaNames.labels.kymaName}=${name}` },
      })) as Manifest[],
    /** As the function manifest does it once the module runs. */
    installed: (manifest: KubeObject) =>
      client.patch(
        { ...manifestKind, namespace, name: manifest.metadata.name },
        { type: 'merge', body: { status: { state: 'Ready' } } },
        { ...person, subresource: 'status' },
      ),
    /** `Reason: message` of the Events about it, in the order of their creation. */
    events: async (name: string) =>
      (await client.list({ apiVersion: 'v1', kind: 'Event', namespace }))
        .filter(({ involvedObject }) => (involvedObject as { name?: string }).name === name)
        .sort((one, other) => Number(one.metadata.resourceVersion) - Number(other.metadata.resourceVersion))
        .map(({ reason, message }) => `${reason}: ${message}`),
  }
}
