// Manifests of modules on embedded or real clusters, called as the host calls them: a control plane, perhaps a runtime behind an access Secret, and a
// registry with layers.
import type { Test } from 'tap'
import { manifest as definition } from '../../../functions/manifest/index.ts'
import { kymaCrds } from '../../../shared/api/kyma/crds.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind } from '../../../shared/api/kyma.ts'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import { type KubeObject, type ObjectRef, refOf } from '../../../shared/core/objects/object.ts'
import type { BindableClusters, Client, RequestNote } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import type { Kyma, Manifest } from '../../../shared/kyma/kinds.ts'
import type { CallContext } from '../../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { type PlannedCall, planned } from '../../../shared/runtime/planned.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { kyma, moduleManifest } from '../../make/kyma/kyma.ts'
import { patientRemotes } from '../clients/patient-remotes.ts'
import { type AnyCluster, anyCluster } from '../clusters/any-cluster.ts'
import { clientTo } from '../clusters/cluster-client.ts'
import { placesWith } from '../component/component-ground.ts'
import { callOf, established } from '../component/orchards.ts'
import { type StandInRegistry, standInRegistry, type Users } from '../registries/registry.ts'

export type ManifestGround = {
  readonly cluster: AnyCluster
  readonly client: Client
  /** The namespace of Kymas, Manifests and access Secrets. */
  readonly namespace: string
  readonly registry: StandInRegistry
  /** The clusters, runtimes included. */
  readonly everywhere: BindableClusters
  /** The requests of the function, in all clusters. */
  readonly requests: RequestNote[]
  /** Puts a layer into the registry and returns its digest. */
  layer(content: string | Buffer): string
  /** A Kyma whose modules are installed in its own cluster, or a Kyma with these fields. */
  createKyma(name: string, change?: JsonMap): Promise<KubeObject>
  create(name: string, ref: string, change?: ManifestChange): Promise<KubeObject>
  /** From now on, the Kyma's status names these Manifests. */
  nameIn(kyma: string, ...names: string[]): Promise<void>
  change(name: string, merge: JsonMap): Promise<KubeObject>
  remove(name: string): Promise<unknown>
  read(name: string): Promise<Manifest | undefined>
  plan(name: string): Promise<PlannedCall>
  /** One call. */
  call(name: string, change?: Partial<CallContext>): Promise<Outcome>
  /** Calls the function as long as it asks to be called at once. */
  settle(name: string, change?: Partial<CallContext>): Promise<Outcome>
}

type ManifestChange = {
  readonly kyma?: string
  readonly type?: string
  /** false: its Kyma does not name it. */
  readonly isNamed?: boolean
  readonly labels?: Record<string, string>
  readonly annotations?: Record<string, string>
  readonly spec?: JsonMap
}

const person = { fieldManager: 'person' }
const repository = 'x'
const callsMost = 50
const { labels, managedBy } = kymaNames

type GroundOptions = { readonly users?: Users; readonly environment?: Record<string, string> }

export const manifestGround = async (t: Test, { users, environment }: GroundOptions = {}): Promise<ManifestGround> => {
  const cluster = await anyCluster(t)
  const requests: RequestNote[] = []
  const note = (request: RequestNote) => requests.push(request)
  const client = clientTo(t, cluster)
  for (const crd of kymaCrds()) await established(client, crd as KubeObject)
  const { namespace } = cluster
  const registry = await standInRegistry(t, users)
  const ref = (kind: typeof kymaKind | typeof manifestKind, name: string): ObjectRef => ({ ...kind, namespace, name })
  const manifestRef = (name: string) => ref(manifestKind, name)
  const everywhere = clusters({
    local: clientTo(t, cluster, note),
    remotes: { runtimes: runtimesIn(namespace) },
    client: { onRequest: note, ...patientRemotes },
  })
  const context: CallContext = {
    ...callOf(everywhere),
    ...placesWith({ ESPALIER_PLAIN_REGISTRIES: registry.host, ...environment }),
  }
  const call: ManifestGround['call'] = (name, change) =>
    reconcile(definition as ReconcileFunction, { namespace, name }, { ...context, ...callTimes(everywhere), ...change })
  const plan: ManifestGround['plan'] = name =>
    planned(definition as ReconcileFunction, { key: { namespace, name } }, { ...context, ...callTimes(everywhere) })
  const settle: ManifestGround['settle'] = async (name, change) => {
    for (let calls = 1; calls <= callsMost; calls++) {
      const outcome = await call(name, change)
      if (outcome.requeueAfterSeconds !== 0) return outcome
    }
    throw new Error(`${name} does not come to rest: ${JSON.stringify(await client.get(manifestRef(name)))}`)
  }
  const nameIn: ManifestGround['nameIn'] = async (owner, ...names) => {
    const found = (await client.get(ref(kymaKind, owner))) as Kyma | undefined
    if (!found) return
    const added = names.map(name => ({
      name,
      state: 'Processing' as const,
      maintenance: false,
      manifest: { ...manifestKind, metadata: { name, namespace } },
    }))
    const modules = [...(found.status?.modules ?? []), ...added]
    await client.patch(
      refOf(found),
      { type: 'merge', body: { status: { modules } } },
      { ...person, subresource: 'status' },
    )
  }
  return {
    cluster,
    client,
    namespace,
    registry,
    requests,
    call,
    plan,
    settle,
    everywhere,
    layer: content => registry.putBlob(`component-descriptors/${repository}`, Buffer.from(content)),
    createKyma: (name, change = {}) =>
      client.create(
        { ...kyma({ spec: { remote: { enabled: false } }, ...change, metadata: { name, namespace } }) },
        person,
      ),
    create: async (
      name,
      digest,
      { kyma: owner = 'here', type = 'oci-ref', spec, isNamed = true, ...metadata } = {},
    ) => {
      const made = await client.create(
        moduleManifest({
          metadata: {
            name,
            namespace,
            annotations: metadata.annotations,
            labels: { [labels.managedBy]: managedBy.controlPlane, [labels.kymaName]: owner, ...metadata.labels },
          },
          spec: { install: { source: { repo: registry.host, name: repository, ref: digest, type } }, ...spec },
        }),
        person,
      )
      if (isNamed) await nameIn(owner, name)
      return made
    },
    nameIn,
    change: (name, body) => client.patch(manifestRef(name), { type: 'merge', body }, person),
    remove: name => client.delete(manifestRef(name), {}),
    read: async name => (await client.get(manifestRef(name))) as Manifest | undefined,
  }
}

/** Each call gets time limits of its own. What the process remembers stays. */
const callTimes = (
  everywhere: CallContext['clusters'],
): Pick<CallContext, 'lastPassAt' | 'lastRequestAt' | 'signal'> => {
  const { lastPassAt, lastRequestAt, signal } = callOf(everywhere)
  return { lastPassAt, lastRequestAt, signal }
}

const runtimesIn = (namespace: string) => ({
  namespace,
  optionalLabels: { [labels.managedBy]: managedBy.controlPlane },
  nameLabel: labels.kymaName,
  kubeconfigKey: 'config',
  allowedHosts: ['127.0.0.1', 'localhost'],
})

/** `Kind name` of each object that a Manifest lists as installed. */
export const syncedNames = (manifest: Manifest | undefined): string[] =>
  (manifest?.status?.synced ?? []).map(({ kind, name }) => `${kind} ${name}`).toSorted()

/** Whether the object exists, as a person sees it. */
export const lives = async (client: Client, object: KubeObject): Promise<boolean> =>
  (await client.get(refOf(object))) !== undefined
