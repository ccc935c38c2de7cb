// A kind of component for tests, Orchard, whose spec lists its dependents, on an embedded or real cluster; and Plants, dependents whose readiness the
// test sets.
import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { Log } from '../../../shared/core/log.ts'
import { isDeleting, type Key, type KubeObject, type ObjectRef, refOf } from '../../../shared/core/objects/object.ts'
import type { Client, RequestNote } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { isAlreadyExists } from '../../../shared/kube/errors.ts'
import { rendererHere } from '../../../shared/main/own/renderer-here.ts'
import type { ComponentDefinition } from '../../../shared/runtime/component/definition/definition.ts'
import type { EngineStatus } from '../../../shared/runtime/component/status/engine-status.ts'
import { component } from '../../../shared/runtime/component.ts'
import { type CallContext, processContext } from '../../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { patientRemotes } from '../clients/patient-remotes.ts'
import { type AnyCluster, type AnyClusterOptions, anyCluster } from '../clusters/any-cluster.ts'
import { clientTo } from '../clusters/cluster-client.ts'
import { served } from '../clusters/test-definitions.ts'
import { eventually } from '../until.ts'

export type Orchards = {
  readonly cluster: AnyCluster
  /** A client of a person with all rights. */
  readonly client: Client
  readonly namespace: string
  /** Labels and annotations of dependents begin with it. */
  readonly name: string
  readonly group: string
  /** The requests of the functions under test, in order. */
  readonly requests: RequestNote[]
  /** The client of the functions under test. */
  readonly own: Client
  define(change?: Partial<ComponentDefinition>): ReconcileFunction
  /** A new Orchard of these dependents. */
  plant(name: string, spec: JsonMap, metadata?: object): Promise<KubeObject>
  read(name: string): Promise<KubeObject | undefined>
  status(name: string): Promise<Status>
  change(name: string, merge: JsonMap): Promise<KubeObject>
  remove(name: string): Promise<unknown>
  /** One call. */
  call(definition: ReconcileFunction, name: string, change?: Partial<CallContext>): Promise<Outcome>
  /** Calls the function as long as it asks to be called at once. */
  settle(definition: ReconcileFunction, name: string, change?: Partial<CallContext>): Promise<Outcome>
  /** Repeats `settle` until `isSo`, for what the API server does with a delay. */
  settleUntil(
    definition: ReconcileFunction,
    name: string,
    isSo: () => Promise<boolean>,
    change?: Partial<CallContext>,
  ): Promise<void>
  /** Settled until the Orchard is gone. */
  gone(definition: ReconcileFunction, name: string): Promise<void>
  /** A dependent that becomes ready when `grow` says so. */
  plantOf(name: string, metadata?: object): KubeObject
  grow(name: string, status: JsonMap): Promise<unknown>
  configMap(name: string, data?: Record<string, string>, annotations?: Record<string, string>): KubeObject
  live(object: KubeObject): Promise<KubeObject | undefined>
  /** `going`: it is being deleted. */
  lives(objects: readonly KubeObject[]): Promise<('there' | 'going' | 'gone')[]>
  /** Sentences of Events about an object of this name, `Type Reason: message`. */
  events(name: string): Promise<string[]>
}

export type Status = EngineStatus & {
  readonly ready: { status: string; reason: string; message: string; lastTransitionTime: string }
}

const person = { fieldManager: 'person' }

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

export const orchards = async (t: Test, options?: AnyClusterOptions): Promise<Orchards> => {
  const cluster = await anyCluster(t, options)
  const group = `orchards-${randomBytes(4).toString('hex')}.example`
  const requests: RequestNote[] = []
  const client = clientTo(t, cluster)
  const own = clientTo(t, cluster, note => requests.push(note))
  await established(client, crd(group, 'Orchard', 'orchards'))
  await established(client, crd(group, 'Plant', 'plants'))
  t.teardown(async () => {
    for (const plural of ['orchards', 'plants']) await client.delete(crdRef(group, plural), {})
  })
  return orchardsWith({ cluster, client, own, group, requests })
}

type Ground = { cluster: AnyCluster; client: Client; own: Client; group: string; requests: RequestNote[] }

const orchardsWith = ({ cluster, client, own, group, requests }: Ground): Orchards => {
  const { namespace } = cluster
  const kind = { group, version: 'v1', kind: 'Orchard', plural: 'orchards' }
  const ref = (name: string): ObjectRef => ({ apiVersion: `${group}/v1`, kind: 'Orchard', namespace, name })
  const everywhere = clusters({ local: own, client: patientRemotes })
  /** A process keeps these from call to call. */
  const { memory, renderKey } = callOf(everywhere)
  const call = (definition: ReconcileFunction, name: string, change: Partial<CallContext> = {}) =>
    reconcile(
      definition,
      { namespace, name },
      {
        ...(change.clusters ? callOf(change.clusters) : { ...callOf(everywhere), memory, renderKey }),
        ...change,
      },
    )
  const settle: Orchards['settle'] = async (definition, name, change) => {
    for (let calls = 1; calls <= 50; calls++) {
      const outcome = await call(definition, name, change)
      if (outcome.outcome !== 'waiting' || outcome.requeueAfterSeconds !== 0) return outcome
    }
    throw new Error(`${name} does not come to rest: ${JSON.stringify((await client.get(ref(name)))?.status)}`)
  }
  const settleUntil: Orchards['settleUntil'] = (definition, name, isSo, change) =>
    eventually(`${name} is as desired`, async () => {
      await settle(definition, name, change)
      return isSo()
    })
  const live = (object: KubeObject) => client.get(refOf(object))
  const make = (kindName: string, name: string, metadata: object = {}): KubeObject => ({
    apiVersion: `${group}/v1`,
    kind: kindName,
    metadata: { name, namespace, ...metadata },
  })
  return {
    cluster,
    client,
    own,
    namespace,
    group,
    requests,
    call,
    settle,
    settleUntil,
    name: group,
    gone: (definition, name) => settleUntil(definition, name, async () => (await client.get(ref(name))) === undefined),
    define: change =>
      component({
        name: group,
        kind,
        generator: (_context, _namespace, _name, { objects }) => structuredClone((objects ?? []) as KubeObject[]),
        ...change,
      }) as ReconcileFunction,
    plant: (name, spec, metadata) => client.create({ ...make('Orchard', name, metadata), spec }, person),
    read: name => client.get(ref(name)),
    status: async name => statusOf(await client.get(ref(name))),
    change: (name, body) => client.patch(ref(name), { type: 'merge', body }, person),
    remove: name => client.delete(ref(name), {}),
    plantOf: (name, metadata) => ({ ...make('Plant', name, metadata), spec: {} }),
    grow: (name, status) =>
      client.patch(
        { ...ref(name), kind: 'Plant' },
        { type: 'merge', body: { status } },
        { ...person, subresource: 'status' },
      ),
    configMap: (name, data = {}, annotations) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace, ...(annotations && { annotations }) },
      data,
    }),
    live,
    lives: objects =>
      Promise.all(
        objects.map(async object => {
          const found = await live(object)
          if (!found) return 'gone'
          return isDeleting(found) ? 'going' : 'there'
        }),
      ),
    events: async name =>
      (await client.list({ apiVersion: 'v1', kind: 'Event', namespace }))
        .filter(({ involvedObject }) => (involvedObject as Key).name === name)
        .map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
  }
}

/** The time limits of a call that begins now. The last ten seconds are for writing what it has reached; no pass begins in them. */
export const lasting = (seconds: number): Pick<CallContext, 'lastPassAt' | 'lastRequestAt' | 'signal'> => ({
  lastPassAt: performance.now() + (seconds - 10) * 1000,
  lastRequestAt: performance.now() + seconds * 1000,
  signal: AbortSignal.timeout(seconds * 1000),
})

/** A call as the host makes it, with enough time for a machine that stands still for seconds. */
export const callOf = (everywhere: CallContext['clusters']): CallContext => ({
  ...processContext({ clusters: everywhere, home: 'default', renderer: rendererHere }),
  ...lasting(120),
  now: () => new Date(),
  log: silentLog,
})

/** The time that calls see: so many seconds after this moment, however long the test takes. */
export const clockFromNow = () => {
  const began = Date.now()
  return (seconds: number): Pick<CallContext, 'now'> => ({ now: () => new Date(began + seconds * 1000) })
}

/** As `clockFromNow`, but counted from the moment of each look. */
export const later = (seconds: number): Pick<CallContext, 'now'> => ({
  now: () => new Date(Date.now() + seconds * 1000),
})

export const inventoryNames = (object: KubeObject | undefined): string[] =>
  ((object?.status as { inventory?: { name: string }[] } | undefined)?.inventory ?? []).map(({ name }) => name)

const statusOf = (object: KubeObject | undefined): Status => {
  if (!object) throw new Error('there is no such Orchard')
  const status = (object.status ?? {}) as Status
  const ready = status.conditions?.find(({ type }) => type === 'Ready')
  return { ...status, ready: ready ?? { status: '', reason: '', message: '', lastTransitionTime: '' } }
}

const crdRef = (group: string, plural: string): ObjectRef => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  namespace: '',
  name: `${plural}.${group}`,
})

/** A definition that keeps every field, whatever a test writes. */
export const crd = (group: string, kind: string, plural: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind, plural, singular: kind.toLowerCase() },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})

/** Resolves when the kind is served. */
export const established = async (client: Client, definition: KubeObject): Promise<void> => {
  const { group, names, versions } = definition.spec as Definition
  await client.create(definition, person).catch(error => {
    if (!isAlreadyExists(error)) throw error
  })
  await served(client, { apiVersion: `${group}/${versions[0].name}`, kind: names.kind })
}

type Definition = { group: string; names: { kind: string }; versions: [{ name: string }] }
