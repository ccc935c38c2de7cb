// A component of an operator that was built on the Go library component-operator-runtime is taken over under the same name, and given back.
// Its objects are as that library leaves them, under the definition that its tools generate.
import { createHash, randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { ownerOf } from '../../../shared/component/ownership.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import type { RequestNote } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { component } from '../../../shared/runtime/component.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { callOf, crd, established } from '../../harness/component/orchards.ts'
import { matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'

const text = { type: 'string' }
const int = { type: 'integer', format: 'int64' }
const time = { type: 'string', format: 'date-time' }
const typeFields = { group: text, version: text, kind: text }

const itemFields = {
  ...typeFields,
  namespace: text,
  name: text,
  adoptionPolicy: text,
  reconcilePolicy: text,
  updatePolicy: text,
  deletePolicy: text,
  applyOrder: { type: 'integer' },
  deleteOrder: { type: 'integer' },
  managedTypes: {
    type: 'array',
    items: { type: 'object', properties: typeFields, required: ['group', 'version', 'kind'] },
  },
  digest: text,
  phase: text,
  status: text,
  lastAppliedAt: time,
}

const conditionFields = {
  type: text,
  status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
  lastTransitionTime: time,
  reason: text,
  message: text,
}

/** As controller-gen writes it for the status type of the library. */
const statusSchema = {
  type: 'object',
  default: { observedGeneration: -1 },
  required: ['observedGeneration'],
  properties: {
    observedGeneration: int,
    appliedGeneration: int,
    lastObservedAt: time,
    lastAppliedAt: time,
    processingDigest: text,
    processingSince: time,
    lastProcessingDigest: text,
    revision: int,
    conditions: {
      type: 'array',
      items: { type: 'object', properties: conditionFields, required: ['type', 'status'] },
    },
    state: { type: 'string', enum: ['Ready', 'Pending', 'Processing', 'DeletionPending', 'Deleting', 'Error'] },
    inventory: {
      type: 'array',
      items: {
        type: 'object',
        properties: itemFields,
        required: [
          'group',
          'version',
          'kind',
          'name',
          'adoptionPolicy',
          'reconcilePolicy',
          'updatePolicy',
          'deletePolicy',
          'applyOrder',
          'deleteOrder',
          'digest',
        ],
      },
    },
  },
}

const definitionOf = (group: string): KubeObject => {
  const definition = crd(group, 'Pantry', 'pantries') as KubeObject & { spec: { versions: { schema: JsonMap }[] } }
  const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status: statusSchema } } }
  definition.spec.versions = definition.spec.versions.map(version => ({ ...version, schema }))
  return definition
}

const secondsAgo = (seconds: number) => `${new Date(Date.now() - seconds * 1000).toISOString().slice(0, 19)}Z`

/** The library hashes what Go makes of the object's type, which no other program makes again. */
const digestOf = (object: KubeObject) =>
  createHash('sha256')
    .update(`go ${JSON.stringify(object)}`)
    .digest('hex')

type Item = Record<string, unknown>

/** A dependent as the library leaves it: by whom and how it was written, and its item in the inventory. */
type Left = { readonly object: KubeObject; readonly item: Item; readonly written: KubeObject }

const itemOf = ({ apiVersion, kind, metadata }: KubeObject, change: Item): Item => {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  return {
    group,
    version,
    kind,
    ...(metadata.namespace && { namespace: metadata.namespace }),
    name: metadata.name,
    adoptionPolicy: 'IfUnowned',
    reconcilePolicy: 'OnObjectChange',
    updatePolicy: 'Replace',
    deletePolicy: 'Delete',
    applyOrder: 0,
    deleteOrder: 0,
    phase: 'Ready',
    status: 'Current',
    lastAppliedAt: secondsAgo(60),
    ...change,
  }
}

const isDefinition = ({ kind }: KubeObject) => kind === 'CustomResourceDefinition'

const ground = async (t: Test) => {
  const cluster = await anyCluster(t)
  const { namespace } = cluster
  const group = `pantries-${randomBytes(4).toString('hex')}.example`
  /** Of the operator: its field manager, its finalizer, and the beginning of its labels and annotations. */
  const name = `pantry-operator.${group}`
  const requests: RequestNote[] = []
  const client = clientTo(t, cluster)
  const own = clientTo(t, cluster, note => requests.push(note))
  await established(client, definitionOf(group))
  const kubeSystem = await client.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'kube-system' })
  const owner = ownerOf(kubeSystem?.metadata.uid ?? '', { namespace, name: 'jam' })
  const kind = { apiVersion: `${group}/v1`, kind: 'Pantry' }
  const ref = { ...kind, namespace, name: 'jam' }
  const inner = crd(`inner-${group}`, 'Shelf', 'shelves')
  const configMap = (objectName: string, more: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: objectName, namespace, ...more },
    data: { a: '1' },
  })
  const objects: KubeObject[] = [
    configMap('jam-a'),
    configMap('jam-ssa', { annotations: { [`${name}/update-policy`]: 'ssa-merge' } }),
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'jam-s', namespace }, type: 'Opaque', data: { a: 'MQ==' } },
    inner,
  ]
  t.teardown(async () => {
    for (const definition of [inner, definitionOf(group)]) await client.delete(refOf(definition), {})
  })
  /** Writes one dependent as the library does. */
  const left = async (object: KubeObject): Promise<Left> => {
    const isApplied = object.metadata.name === 'jam-ssa'
    const item = itemOf(object, {
      digest: digestOf(object),
      ...(isApplied && { updatePolicy: 'SsaMerge' }),
      ...(isDefinition(object) && { managedTypes: [{ group: `inner-${group}`, version: '*', kind: 'Shelf' }] }),
    })
    const metadata = {
      ...object.metadata,
      labels: { [`${name}/owner-id`]: owner.hash },
      annotations: {
        ...object.metadata.annotations,
        [`${name}/owner-id`]: owner.id,
        [`${name}/digest`]: digestOf(object),
      },
      ...(isDefinition(object) && { finalizers: [name] }),
    }
    const before = await client.get(refOf(object))
    const sent = { ...object, metadata: { ...metadata, resourceVersion: before?.metadata.resourceVersion } }
    const by = { fieldManager: name }
    if (isApplied) return { object, item, written: await client.apply(sent, { ...by, force: true }) }
    return { object, item, written: await (before ? client.replace(sent, by) : client.create(sent, by)) }
  }
  /** The whole state of the component, as the library writes it. */
  const leave = async () => {
    const all: Left[] = []
    for (const object of objects) all.push(await left(object))
    const pantry = await client.get(ref)
    const status = {
      observedGeneration: pantry?.metadata.generation ?? 1,
      appliedGeneration: pantry?.metadata.generation ?? 1,
      lastObservedAt: secondsAgo(60),
      lastAppliedAt: secondsAgo(60),
      processingDigest: 'of-the-library',
      lastProcessingDigest: 'of-the-library',
      revision: 3,
      state: 'Ready',
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Ready',
          message: 'Dependent resources successfully reconciled',
          lastTransitionTime: secondsAgo(60),
        },
      ],
      inventory: all.map(({ item }) => item),
    }
    await client.replace({ ...(pantry as KubeObject), status }, { fieldManager: name, subresource: 'status' })
    return all
  }
  const metadata = { name: 'jam', namespace, finalizers: [name] }
  await client.create({ ...kind, metadata, spec: { objects } }, { fieldManager: 'person' })
  const context = callOf(clusters({ local: own }))
  const definition = component({
    name,
    kind: { group, version: 'v1', kind: 'Pantry', plural: 'pantries' },
    generator: (_context, _namespace, _name, given) => structuredClone((given.objects ?? []) as KubeObject[]),
    options: { inventoryFields: 'all' },
  }) as ReconcileFunction
  const settle = async (object = 'jam'): Promise<string[]> => {
    requests.length = 0
    await eventually('it is Ready', async () => {
      await reconcile(definition, { namespace, name: object }, context)
      const pantry = await client.get({ ...ref, name: object })
      return (pantry?.status as { state?: string } | undefined)?.state === 'Ready'
    })
    const isOfEvent = ({ verb }: RequestNote) => ['create', 'patch'].includes(verb)
    const writes = requests.filter(one => one.method !== 'GET' && one.code !== '409' && !isOfEvent(one))
    return writes.map(({ verb }) => verb).sort()
  }
  const live = (object: KubeObject) => client.get(refOf(object), { withManagedFields: true })
  return { client, namespace, name, ref, objects, owner, leave, settle, live, definition, context }
}

const keysOf = (map: Readonly<Record<string, string>> | undefined) => Object.keys(map ?? {}).sort()

const managersOf = ({ metadata }: KubeObject) =>
  (metadata.managedFields as { manager: string; operation: string; subresource?: string }[])
    .filter(({ subresource }) => subresource === undefined)
    .map(({ manager, operation }) => `${operation} ${manager}`)
    .sort()

t.test(
  'CO-137 a component of component-operator-runtime is taken over under its own definition, and given back',
  async t => {
    const { client, ref, name, owner, leave, settle, live, objects } = await ground(t)
    const takenOver = async () => {
      const before = await leave()
      const writes = await settle()
      const statusWrites = writes.filter(verb => verb === 'replace status').length
      t.ok(statusWrites >= 2 && statusWrites <= 4, `${statusWrites} writes of the status`)
      t.strictSame(
        writes.filter(verb => verb !== 'replace status'),
        ['apply', 'replace', 'replace', 'replace'],
        'each dependent is written once',
      )
      for (const { object, written } of before) {
        const now = (await live(object)) as KubeObject
        const what = `${object.kind} ${object.metadata.name}`
        t.equal(now.metadata.uid, written.metadata.uid, `${what} is the same object`)
        t.strictSame([now.data, now.type], [written.data, written.type], what)
        t.strictSame(now.metadata.finalizers, written.metadata.finalizers, what)
        t.strictSame(now.metadata.labels, { [`${name}/owner-id`]: owner.hash }, what)
        t.strictSame(keysOf(now.metadata.annotations), keysOf(written.metadata.annotations), what)
        const digest = now.metadata.annotations?.[`${name}/digest`]
        t.strictSame([now.metadata.annotations?.[`${name}/owner-id`], digest?.length], [owner.id, 64], what)
        const operation = object.metadata.name === 'jam-ssa' ? 'Apply' : 'Update'
        t.strictSame(managersOf(now), [`${operation} ${name}`], `${what} has one field manager, by the same operation`)
      }
      return client.get(ref)
    }
    const pantry = await takenOver()
    t.strictSame(pantry?.metadata.finalizers, [name])
    matches(t, pantry?.status, { state: 'Ready', revision: 4, inventory: objects.map(() => ({ phase: 'Ready' })) })
    const after = await settle()
    t.ok(after.length <= 1 && after.every(verb => verb === 'replace status'), `then only the status: ${after}`)
    const back = { ...(pantry as KubeObject), metadata: (await client.get(ref))?.metadata as KubeObject['metadata'] }
    const stored = await client.replace(back, { fieldManager: name, subresource: 'status' })
    t.strictSame(stored.status, pantry?.status, 'the definition of the library accepts the status whole')
    await takenOver()
    const { namespace } = ref
    const fresh = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'fresh', namespace }, data: { a: '1' } }
    const spec = { objects: [fresh] }
    const { apiVersion, kind } = ref
    await client.create({ apiVersion, kind, metadata: { name: 'fresh', namespace }, spec }, { fieldManager: 'person' })
    t.ok(await settle('fresh'), 'a new component is Ready under that definition, too')
  },
)
