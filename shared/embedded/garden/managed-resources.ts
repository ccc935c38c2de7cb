// A stand-in for the part of gardener-resource-manager that applies ManagedResources. It creates the objects from their
// Secrets in the target cluster, deletes them with the ManagedResource, and sets its conditions. Objects are written when
// a Secret changes, not when someone edits them in the target.
//
//   managedResources({ class: 'seed', source: runtime, target: runtime })
//   managedResources({ class: '', source: runtime, target: virtualGarden })
import { managedResourceKind } from '../../api/garden/kinds.ts'
import { sha256Hex } from '../../core/digest.ts'
import { sameJson } from '../../core/json/json.ts'
import { remembered } from '../../core/memory/remembered.ts'
import { conditionOf, isTrue } from '../../core/objects/condition.ts'
import { isDeleting, type KubeObject, type ObjectRef, refOf } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import { readYaml } from '../../core/yaml/read.ts'
import type { Client } from '../../kube/client-types.ts'
import { isNotServed } from '../../kube/errors.ts'
import type { Condition } from '../conditions.ts'
import { canonicalJson, fieldsAt, isMap, type JsonMap, listAt, mapOrEmpty, textAt } from '../value.ts'
import { healthOf, workloadKinds } from './health.ts'
import {
  finalizerRemoved,
  type Known,
  type StandIn,
  secretKind,
  statusWritten,
  withFinalizer,
  withStandInConditions,
} from './stand-in.ts'

type Place = {
  /** The class of the ManagedResources that this stand-in applies; '' for ManagedResources without a class. */
  readonly class: string
  readonly source: Client
  readonly target: Client
}

const manager = 'gardener-resource-manager'
const againMilliseconds = 100

export const managedResources = (place: Place): StandIn => ({
  name: `${manager} ${place.class || 'without class'}`,
  kinds: [
    ...[managedResourceKind, secretKind].map(each => ({ ...each, client: place.source })),
    ...(place.source === place.target ? workloadKinds.map(each => ({ ...each, client: place.target })) : []),
  ],
  reconcile: async known => {
    const own = known.all(managedResourceKind).filter(one => textAt(one, 'spec', 'class') === place.class)
    const results = await Promise.all(
      own.map(one => (isDeleting(one) ? cleanedUp(place, one) : reconciled(place, known, one))),
    )
    return results.every(done => done === 'done') ? undefined : againMilliseconds
  },
})

type Done = 'done' | 'again'

const finalizerOf = (place: Place): string =>
  ['resources.gardener.cloud/gardener-resource-manager', place.class].filter(Boolean).join('-')

const reconciled = async (place: Place, known: Known, given: KubeObject): Promise<Done> => {
  const writer = { client: place.source, manager }
  const contents = contentsOf(given, known)
  if (contents.is === 'missing') {
    const message = `secrets "${contents.secret}" not found`
    const missing = { type: 'ResourcesApplied', status: 'False', reason: 'CannotReadSecret', message } as const
    await statusWritten(writer, given, { conditions: withStandInConditions(given, [missing]) })
    return 'done'
  }
  if (isApplied(given, contents)) {
    await statusWritten(writer, given, {
      conditions: withStandInConditions(given, healthOf(known, contents.refs)),
    })
    return 'done'
  }
  const managed = await withFinalizer(writer, given, finalizerOf(place))
  const fault = await bringTo(place.target, managed, contents)
  await statusWritten(writer, managed, {
    ...(fault ? {} : { secretsDataChecksum: contents.digest, resources: contents.refs.map(refInStatus) }),
    observedGeneration: managed.metadata.generation,
    conditions: withStandInConditions(managed, appliedWith(fault)),
  })
  return fault ? 'again' : 'done'
}

/** The conditions after an apply: the state of the workloads is unknown. */
const appliedWith = (fault: string | undefined): readonly Condition[] => {
  const pending = { reason: 'ChecksPending', message: 'The health of the applied resources is not checked yet.' }
  return [
    fault
      ? { type: 'ResourcesApplied', status: 'False', reason: 'ApplyFailed', message: fault }
      : { type: 'ResourcesApplied', status: 'True', reason: 'ApplySucceeded', message: 'All resources are applied.' },
    { type: 'ResourcesHealthy', status: 'False', ...pending },
    { type: 'ResourcesProgressing', status: 'True', ...pending },
  ]
}

const isApplied = (managed: KubeObject, { digest }: Contents): boolean =>
  mapOrEmpty(managed.status).observedGeneration === managed.metadata.generation &&
  textAt(managed, 'status', 'secretsDataChecksum') === digest &&
  isTrue(conditionOf(managed, 'ResourcesApplied'))

/** Applies all objects. Continues after a failure, and returns the first failure. Deletes objects that are no longer in the Secrets. */
const bringTo = async (
  target: Client,
  managed: KubeObject,
  { objects, refs }: Contents,
): Promise<string | undefined> => {
  const faults: string[] = []
  for (const object of objects)
    await target
      .apply(object, { fieldManager: manager, force: true })
      .catch(error => faults.push(`Could not apply ${object.kind} ${object.metadata.name}: ${errorText(error)}`))
  const orphans = refsInStatus(managed).filter(ref => !refs.some(each => sameJson(each, ref)))
  await Promise.all(orphans.map(ref => target.delete(ref, { propagation: 'Background' }).catch(unlessUnserved)))
  return faults[0]
}

/** Removes the finalizer as soon as all applied objects are gone. */
const cleanedUp = async (place: Place, managed: KubeObject): Promise<Done> => {
  const isKept = mapOrEmpty(managed.spec).keepObjects === true
  const left = await Promise.all((isKept ? [] : refsInStatus(managed)).map(ref => isLeft(place.target, ref)))
  if (left.includes(true)) return 'again'
  await finalizerRemoved({ client: place.source, manager }, managed, finalizerOf(place))
  return 'done'
}

const isLeft = async (target: Client, ref: ObjectRef): Promise<boolean> => {
  const isThere = await target.delete(ref, { propagation: 'Background' }).catch(unlessUnserved)
  return isThere !== false && (await target.get(ref)) !== undefined
}

const unlessUnserved = (error: unknown): false => {
  if (!isNotServed(error)) throw error
  return false
}

const refsInStatus = (managed: KubeObject): ObjectRef[] =>
  listAt(managed, 'status', 'resources').map(one => ({
    apiVersion: textAt(one, 'apiVersion'),
    kind: textAt(one, 'kind'),
    namespace: textAt(one, 'namespace'),
    name: textAt(one, 'name'),
  }))

const refInStatus = ({ namespace, ...ref }: ObjectRef): JsonMap => ({ ...ref, ...(namespace && { namespace }) })

type Contents = {
  readonly is: 'contents'
  readonly objects: readonly KubeObject[]
  readonly refs: readonly ObjectRef[]
  readonly digest: string
}

/**
 * The objects in the Secrets of a ManagedResource, in an order in which they can be applied, with the labels of the ManagedResource and an
 * annotation with their origin.
 */
const contentsOf = (managed: KubeObject, known: Known): Contents | { is: 'missing'; secret: string } => {
  const namespace = managed.metadata.namespace ?? ''
  const names = listAt(managed, 'spec', 'secretRefs').map(ref => textAt(ref, 'name'))
  const secrets = names.map(name => known.find({ ...secretKind, namespace, name }))
  const missing = names.find((_, index) => secrets[index] === undefined)
  if (missing !== undefined) return { is: 'missing', secret: missing }
  const labels = fieldsAt(managed, 'spec', 'injectLabels') ?? {}
  const objects = secrets
    .flatMap(secret => (secret ? objectsIn(secret) : []))
    .map(object => labelled(object, labels))
    .map(object => ownedBy(managed, object))
    .sort((left, right) => rankOf(left) - rankOf(right))
  const digest = sha256Hex(canonicalJson([secrets.map(secret => (secret ? dataDigest(secret) : '')), labels]))
  return { is: 'contents', objects, refs: objects.map(refOf), digest }
}

const dataDigest = remembered((secret: KubeObject): string => sha256Hex(canonicalJson(mapOrEmpty(secret.data))))

/** Leaves out APIServices, because no server would serve them. */
const objectsIn = remembered((secret: KubeObject): readonly KubeObject[] =>
  Object.entries(mapOrEmpty(secret.data))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, value]) => readYaml(Buffer.from(String(value), 'base64').toString('utf8')))
    .filter(isMap)
    .filter(({ kind }) => kind !== 'APIService')
    .map(object => object as KubeObject),
)

const labelled = (object: KubeObject, labels: JsonMap): KubeObject => {
  const all = { ...object.metadata.labels, ...(labels as Record<string, string>) }
  return Object.keys(all).length > 0 ? { ...object, metadata: { ...object.metadata, labels: all } } : object
}

const ownedBy = ({ metadata: { namespace, name } }: KubeObject, object: KubeObject): KubeObject => {
  const annotations = { ...object.metadata.annotations, 'resources.gardener.cloud/origin': `${namespace}/${name}` }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

const first = ['Namespace', 'CustomResourceDefinition', 'PriorityClass', 'ServiceAccount']
const last = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']

const rankOf = ({ kind }: KubeObject): number => {
  if (last.includes(kind)) return first.length + 1
  return first.includes(kind) ? first.indexOf(kind) : first.length
}
