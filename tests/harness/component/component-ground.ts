// Components of the ready-made kind on whatever cluster there is, called as the host calls them.
import type { Test } from 'tap'
import { componentFunction as definition } from '../../../functions/component/index.ts'
import { componentCrd } from '../../../shared/api/component/crd.ts'
import type { ComponentSpec, ComponentStatus } from '../../../shared/api/component.ts'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { Condition } from '../../../shared/core/objects/condition.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import { settingsFrom } from '../../../shared/http/settings/config.ts'
import { artifactSettings, artifactsOf } from '../../../shared/http/settings/host-settings.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import type { Artifacts } from '../../../shared/outside/artifacts.ts'
import type { CallContext } from '../../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { component, componentKind, type MadeComponent } from '../../make/component/component.ts'
import { patientRemotes } from '../clients/patient-remotes.ts'
import { type AnyCluster, anyCluster } from '../clusters/any-cluster.ts'
import { clientTo } from '../clusters/cluster-client.ts'
import { callOf, established } from './orchards.ts'

export type ComponentGround = {
  readonly cluster: AnyCluster
  /** A client of a person with all rights. */
  readonly client: Client
  readonly namespace: string
  create(name: string, spec: Partial<ComponentSpec>): Promise<KubeObject>
  change(name: string, merge: JsonMap): Promise<KubeObject>
  remove(name: string): Promise<unknown>
  /** Calls the function as long as it asks to be called at once. */
  settle(name: string, change?: Partial<CallContext>): Promise<Outcome>
  /** The same, and then returns what the status says. */
  settled(name: string, change?: Partial<CallContext>): Promise<Told>
  read(name: string): Promise<MadeComponent | undefined>
  /** An object of the namespace, written by a person. */
  put(object: KubeObject): Promise<KubeObject>
  live(kind: string, name: string): Promise<KubeObject | undefined>
}

/** `reason` and `message` of the condition Ready. */
export type Told = ComponentStatus & { readonly reason: string; readonly message: string; readonly outcome: Outcome }

const person = { fieldManager: 'person' }

export const componentGround = async (t: Test): Promise<ComponentGround> => {
  const cluster = await anyCluster(t)
  const client = clientTo(t, cluster)
  await established(client, componentCrd() as KubeObject)
  const { namespace } = cluster
  const ref = (name: string): ObjectRef => ({ ...componentKind, namespace, name })
  const read = async (name: string) => (await client.get(ref(name))) as MadeComponent | undefined
  const settle: ComponentGround['settle'] = async (name, change) => {
    const outcome = await called(client, ref(name), change)
    return outcome.requeueAfterSeconds === 0 ? settle(name, change) : outcome
  }
  return {
    cluster,
    client,
    namespace,
    settle,
    read,
    create: (name, spec) => client.create(component({ name, namespace }, spec), person),
    change: (name, body) => client.patch(ref(name), { type: 'merge', body }, person),
    remove: name => client.delete(ref(name), {}),
    settled: async (name, change) => told(await settle(name, change), await read(name)),
    put: object => client.apply({ ...object, metadata: { ...object.metadata, namespace } }, { ...person, force: true }),
    live: (kind, name) => client.get({ apiVersion: 'v1', kind, namespace, name }),
  }
}

/** Loads artifacts as a host with these settings does. */
export const placesWith = (environment: Record<string, string>): { artifacts: Artifacts } => {
  const reading = settingsFrom(artifactSettings, { program: 'test', flags: [], environment })
  if (reading.is !== 'settings') throw new Error(JSON.stringify(reading))
  return { artifacts: artifactsOf(reading.settings) }
}

const called = (client: Client, { namespace, name }: ObjectRef, change: Partial<CallContext> = {}): Promise<Outcome> =>
  reconcile(
    definition as ReconcileFunction,
    { namespace, name },
    { ...callOf(change.clusters ?? clusters({ local: client, client: patientRemotes })), ...change },
  )

const told = (outcome: Outcome, component: MadeComponent | undefined): Told => {
  const status = (component?.status ?? {}) as ComponentStatus
  const ready = (status.conditions as Condition[] | undefined)?.find(({ type }) => type === 'Ready')
  return { ...status, reason: ready?.reason ?? '', message: ready?.message ?? '', outcome }
}
