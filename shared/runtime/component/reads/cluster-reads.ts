// Performs the reads that the engine wants, in rounds, until the engine wants nothing more. Reads of a round run concurrently.
import { driftedRefs } from '../../../component/applied/write-cause.ts'
import { kindKey } from '../../../component/declared/kinds.ts'
import { objectKey } from '../../../component/item.ts'
import { type PodsWanted, podsWanted } from '../../../component/observed/pod-trouble.ts'
import { type ListWanted, type ReadsWanted, readsWanted } from '../../../component/observed/reads-wanted.ts'
import { type InstancesWanted, typeKey } from '../../../component/removed/deletion-blockers.ts'
import { eventsMost } from '../../../component/reported/dependent-events.ts'
import type { EngineInput, Instances, ObservedCluster, World } from '../../../component/world.ts'
import type { GroupVersionKind, KubeObject, ObjectRef } from '../../../core/objects/object.ts'
import { atOnce } from '../../../kube/at-once.ts'
import type { ReadClient } from '../../../kube/client-types.ts'
import { isForbidden, isNotServed, isUnconverted, nothingIf } from '../../../kube/errors.ts'
import { reading } from '../../../kube/reading.ts'
import { foreignInstances } from './foreign-instances.ts'

export type BoundedClient = {
  readonly client: ReadClient
  readonly requestsInFlight: number
  readonly withManagedFields?: boolean
  /** A namespace that is being deleted. Objects in this namespace count as gone if reading them is forbidden. */
  readonly endingNamespace?: string
}

/** Four rounds are enough. Ten rounds mean that the engine repeats its requests. */
const roundsMost = 10

/** `known`: facts known without a read. */
export const worldOf = async (input: EngineInput, asking: BoundedClient, known: ObservedCluster): Promise<World> => {
  let observed = known
  for (let round = 0; round < roundsMost; round++) {
    const wanted = readsWanted(input, observed)
    if (!wanted) return { ...input, observed }
    observed = await observedWith(observed, wanted, asking)
  }
  throw new Error('the engine keeps requesting reads')
}

/**
 * Adds managedFields of drifted dependents that will be repaired, so that Events can name the writer. managedFields of unreadable or
 * changed objects are not added.
 */
export const withWriters = async (
  world: World,
  { client, requestsInFlight }: BoundedClient,
  now: Date,
): Promise<World> => {
  const options = { withManagedFields: true, metadataOnly: true }
  const asked = driftedRefs(world, now, eventsMost)
  const found = await atOnce(
    asked.map(ref => () => reading(client.get(ref, options))),
    requestsInFlight,
  )
  const named = found.flatMap((one, at) => {
    const [ref, metadata] = [asked[at], 'read' in one ? one.read?.metadata : undefined]
    const key = ref && keyOf(ref)
    const live = key && world.observed.live.get(key)
    if (!live || metadata?.resourceVersion !== live.metadata.resourceVersion) return []
    return [[key, { ...live, metadata: { ...live.metadata, managedFields: metadata?.managedFields ?? [] } }] as const]
  })
  if (named.length === 0) return world
  return { ...world, observed: { ...world.observed, live: new Map([...world.observed.live, ...named]) } }
}

/** Number of Pods to read per workload. Most Pods have the same problem. */
const podsMost = 50

/** Adds Pods of workloads that are not ready. Adds no Pods if listing Pods is forbidden. */
export const withPods = async (
  world: World,
  { client, requestsInFlight }: BoundedClient,
  now: Date,
): Promise<World> => {
  const wanted = podsWanted(world, now)
  if (wanted.length === 0) return world
  const reads = wanted.map(
    ({ key, ...where }) =>
      async () =>
        [key, await firstPods(client, where)] as const,
  )
  const pods = new Map(await atOnce(reads, requestsInFlight))
  return { ...world, observed: { ...world.observed, pods } }
}

const firstPods = async (client: ReadClient, where: Omit<PodsWanted, 'key'>): Promise<readonly KubeObject[]> => {
  try {
    const pages = client.pages({ apiVersion: 'v1', kind: 'Pod', ...where, pageSize: podsMost })
    for await (const { objects } of pages) return objects
  } catch (error) {
    if (!isForbidden(error)) throw error
  }
  return []
}

type Addition = { readonly [Part in keyof ObservedCluster]?: ObservedCluster[Part] }

export const nothingWanted: ReadsWanted = { kinds: [], gets: [], lists: [], namespaces: [], instances: [] }

export const observedWith = async (
  observed: ObservedCluster,
  wanted: ReadsWanted,
  asking: BoundedClient,
): Promise<ObservedCluster> => {
  const { client, requestsInFlight } = asking
  const reads = [
    ...wanted.kinds.map(kind => () => scope(client, kind)),
    ...singles(wanted.gets, asking),
    ...wanted.lists.map(list => () => listed(asking, list)),
    ...wanted.namespaces.map(name => () => namespace(client, name)),
    ...wanted.instances.map(type => () => instances(client, type)),
  ]
  const additions = await atOnce<Addition>(reads, requestsInFlight)
  const joinedPart = <K, V>(part: (addition: Addition) => ReadonlyMap<K, V> | undefined, before: ReadonlyMap<K, V>) =>
    joined(before, additions.map(part))
  return {
    kinds: joinedPart(part => part.kinds, observed.kinds),
    live: joinedPart(part => part.live, observed.live),
    asked: new Set([...observed.asked, ...additions.flatMap(({ asked }) => [...(asked ?? [])])]),
    listed: joinedPart(part => part.listed, observed.listed),
    unreadable: joinedPart(part => part.unreadable, observed.unreadable),
    namespaces: joinedPart(part => part.namespaces, observed.namespaces),
    instances: joinedPart(part => part.instances, observed.instances),
  }
}

/** Returns the same map if `additions` are empty. */
const joined = <K, V>(before: ReadonlyMap<K, V>, additions: readonly (ReadonlyMap<K, V> | undefined)[]) => {
  const added = additions.filter(addition => addition !== undefined)
  return added.length > 0 ? new Map([before, ...added].flatMap(addition => [...addition])) : before
}

const scope = async (client: ReadClient, kind: GroupVersionKind): Promise<Addition> => ({
  kinds: new Map([[kindKey(kind), await client.scopeOf(kind)]]),
})

const single = async (
  { client, withManagedFields, endingNamespace }: BoundedClient,
  ref: ObjectRef,
): Promise<Addition> => {
  try {
    const object = await client.get(ref, { withManagedFields }).catch(nothingIf(isNotServed))
    return { asked: new Set([keyOf(ref)]), ...(object && { live: new Map([[objectKey(object), object]]) }) }
  } catch (error) {
    if (isForbidden(error) && isIn(endingNamespace, ref)) return { asked: new Set([keyOf(ref)]) }
    return unreadable(ref, error)
  }
}

/** Whether the namespace controller deletes the object. */
const isIn = (namespace: string | undefined, ref: ObjectRef): boolean =>
  ref.namespace !== '' && ref.namespace === namespace

/** With this many objects of one kind and namespace, names are listed before single GETs. */
const manyInOnePlace = 8

const singles = (refs: readonly ObjectRef[], asking: BoundedClient): (() => Promise<Addition>)[] => {
  const places = Map.groupBy(refs, ref => `${kindKey(ref)} ${ref.namespace}`)
  return [...places.values()].flatMap(group =>
    group.length < manyInOnePlace ? group.map(ref => () => single(asking, ref)) : [() => several(group, asking)],
  )
}

/** Reads only objects in the list of names. Most of the objects do not exist yet, because a later step creates them. */
const several = async (refs: readonly ObjectRef[], asking: BoundedClient): Promise<Addition> => {
  const isAbsent = await absentAmong(asking.client, refs)
  const [absent, present] = [refs.filter(isAbsent), refs.filter(ref => !isAbsent(ref))]
  const reads = present.map(ref => () => single(asking, ref))
  const read = await atOnce(reads, asking.requestsInFlight)
  return {
    asked: new Set([...absent.map(keyOf), ...read.flatMap(({ asked }) => [...(asked ?? [])])]),
    live: joined(
      new Map(),
      read.map(({ live }) => live),
    ),
    unreadable: joined(
      new Map(),
      read.map(({ unreadable }) => unreadable),
    ),
  }
}

/**
 * Pages are sorted by name. Example: the last page ends at `m`. If no page contains `c`, `c` does not exist; `x` needs a GET. The number of
 * pages is limited, because a page costs as much as several GETs.
 */
const absentAmong = async (client: ReadClient, refs: readonly ObjectRef[]): Promise<(ref: ObjectRef) => boolean> => {
  const [first] = refs
  if (!first) return () => true
  const { apiVersion, kind, namespace } = first
  const existing = new Set<string>()
  let pagesLeft = Math.floor(refs.length / manyInOnePlace)
  try {
    for await (const names of client.names({ apiVersion, kind, namespace })) {
      for (const name of names) existing.add(name)
      const last = names.at(-1) ?? ''
      const isPast = refs.every(({ name }) => name <= last)
      if (--pagesLeft === 0 || isPast) return ({ name }) => !existing.has(name) && name < last
    }
  } catch (error) {
    if (isNotServed(error)) return () => true
    // The single GETs will report the reason.
    if (isForbidden(error) || isUnconverted(error)) return () => false
    throw error
  }
  return ({ name }) => !existing.has(name)
}

const keyOf = ({ apiVersion, kind, namespace, name }: ObjectRef) =>
  objectKey({ apiVersion, kind, metadata: { namespace, name } })

const listed = async ({ client, withManagedFields }: BoundedClient, wanted: ListWanted): Promise<Addition> => {
  const key = kindKey(wanted)
  try {
    const objects = await client.list({ ...wanted, withManagedFields })
    return { listed: new Map([[key, 'listed']]), live: liveBy(objects) }
  } catch (error) {
    if (isNotServed(error)) return { listed: new Map([[key, 'listed']]) }
    if (isForbidden(error)) return { listed: new Map([[key, 'refused']]) }
    return unreadable(wanted, error)
  }
}

/** Other reads continue, because their objects may repair the conversion webhook. */
const unreadable = (kind: GroupVersionKind, error: unknown): Addition => {
  if (!isUnconverted(error)) throw error
  return { unreadable: new Map([[kindKey(kind), `cannot be read: ${error.message}`]]) }
}

export const liveBy = (objects: readonly KubeObject[]) => new Map(objects.map(object => [objectKey(object), object]))

const namespace = async (client: ReadClient, name: string): Promise<Addition> => {
  const object = await client.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name })
  return { namespaces: new Map([[name, object]]) }
}

const instances = async (client: ReadClient, wanted: InstancesWanted): Promise<Addition> => {
  const observed: Instances = await foreignInstances(client, wanted)
  return { instances: new Map([[typeKey(wanted.type), observed]]) }
}
