// Explains why an object is not ready, by a chain of links to the cause, such as a Pod whose image cannot be pulled. Reads and explains
// each object (explanation.ts), and then its parts that are not ready.
import { kymaNames } from '../../api/kyma/names.ts'
import { kymaKind } from '../../api/kyma.ts'
import { shownText } from '../../core/json/json.ts'
import { lastSeen } from '../../core/objects/event-time.ts'
import { type ClusterName, type KubeObject, type ObjectRef, refOf, refText } from '../../core/objects/object.ts'
import { atOnce } from '../../kube/at-once.ts'
import type { ReadClusters, Reads } from '../../kube/client-types.ts'
import { reading } from '../../kube/reading.ts'
import { type Kyma, withSpec } from '../../kyma/kinds.ts'
import { isRemote, runtimeName } from '../../kyma/kyma-runtime.ts'
import { type Explanation, explained, isInTrouble, type PartQuery } from './explanation.ts'

/** `missing`: the object does not exist. `unknown`: it cannot be read. */
export type Link = Omit<Explanation, 'is' | 'parts'> & {
  /** For example `Deployment shop/shop`. */
  readonly object: string
  /** Absent if the link is about several objects. */
  readonly ref?: ObjectRef
  /** Absent for the local cluster. */
  readonly on?: ClusterName
  /** The wave, from 1. Absent if all parts of the object above are in one wave. */
  readonly wave?: number
  readonly is: Explanation['is'] | 'missing' | 'unknown'
  readonly because: readonly Link[]
  readonly more?: number
}

/** `everything`: also includes ready parts. */
type ChainReads = {
  reads(on: ClusterName): Promise<Reads>
  now(): Date
  readonly everything?: boolean
}

const depthMost = 8
const partsMost = { trouble: 5, everything: 200 }
/** Limit of parts to read. Parts in trouble are shown. Further parts are only counted. */
const readMost = { trouble: 50, everything: 200 }
const readsAtOnce = 10

export const chainOf = async (ref: ObjectRef, looking: ChainReads): Promise<Link> => {
  const path = { ...looking, seen: new Set<string>(), depth: 0 }
  return linkOf(await objectFound({ on: 'local', ref }, path), path)
}

type Path = ChainReads & { readonly seen: Set<string>; readonly depth: number }

const named = (on: ClusterName, ref: ObjectRef) => ({
  object: refText(ref),
  ref,
  ...(on !== 'local' && { on }),
  because: [],
})

type LiveObject = { readonly live: KubeObject; readonly on: ClusterName; readonly wave?: number }

type Found = LiveObject | Link

const linkOf = async (found: Found, path: Path): Promise<Link> => ('live' in found ? linkFor(found, path) : found)

const linkFor = async ({ live, on, ...wave }: LiveObject, path: Path): Promise<Link> => {
  const { parts, ...explanation } = explained(live, on, path.now())
  const link = { ...named(on, refOf(live)), ...wave, ...explanation }
  const id = `${on} ${live.apiVersion} ${link.object}`
  if (path.seen.has(id)) return { ...link, says: ['is explained above'] }
  path.seen.add(id)
  if (explanation.is === 'ready' && !path.everything) return link
  const { wanted, unread } = path.depth < depthMost ? await wantedOf(parts, path) : { wanted: [], unread: 0 }
  if (wanted.length === 0 && explanation.is !== 'ready')
    return { ...link, says: [...link.says, ...(await warnings({ live, on }, link.says, path))] }
  const most = path.everything ? partsMost.everything : partsMost.trouble
  const because: Link[] = []
  for (const part of wanted.slice(0, most)) because.push(await linkOf(part, { ...path, depth: path.depth + 1 }))
  const more = Math.max(0, wanted.length - most) + unread
  return { ...link, because, ...(more > 0 && { more }) }
}

type Wanted = { readonly wanted: readonly Found[]; readonly unread: number }

const wantedOf = async (parts: readonly PartQuery[], path: Path): Promise<Wanted> => {
  const asked = parts.filter(({ isWell }) => path.everything || !isWell)
  const read = asked.slice(0, readMost[path.everything ? 'everything' : 'trouble'])
  const reads = read.map(part => () => foundOf(part, path))
  const found = (await atOnce(reads, readsAtOnce)).flat()
  const isTrouble = (part: Found): boolean =>
    !('live' in part) || isInTrouble(explained(part.live, part.on, path.now()))
  return { wanted: path.everything ? found : found.filter(isTrouble), unread: asked.length - read.length }
}

const foundOf = async (part: PartQuery, path: Path): Promise<Found[]> => {
  const { wave } = part
  if ('ref' in part) return [{ ...(await objectFound(part, path)), ...(wave !== undefined && { wave }) }]
  const { on, list } = part
  const found = await reading(path.reads(on).then(reads => reads.list(list)))
  if ('read' in found) return found.read.map(live => ({ live, on }))
  const { ref: _, ...several } = unread(on, { namespace: '', name: '', ...list }, found.failed)
  return [{ ...several, object: `${list.kind}s in ${list.namespace}` }]
}

const objectFound = async ({ on, ref }: { on: ClusterName; ref: ObjectRef }, path: Path): Promise<Found> => {
  const found = await reading(path.reads(on).then(reads => reads.get(ref)))
  if (!('read' in found)) return unread(on, ref, found.failed)
  return found.read ? { live: found.read, on } : { ...named(on, ref), is: 'missing', says: ['does not exist'] }
}

const unread = (on: ClusterName, ref: ObjectRef, fault: string): Link => ({
  ...named(on, ref),
  is: 'unknown',
  says: [`cannot be read: ${fault}`],
})

/** The text of the last Warning Event. Empty if the same message is already in `said`. */
const warnings = async ({ live, on }: LiveObject, said: readonly string[], path: Path): Promise<string[]> => {
  const { metadata } = live
  const query = {
    apiVersion: 'v1',
    kind: 'Event',
    namespace: metadata.namespace ?? 'default',
    fieldSelector: `involvedObject.uid=${metadata.uid},type=Warning`,
  }
  const found = await reading(path.reads(on).then(reads => reads.list(query)))
  if (!('read' in found)) return [`its Events cannot be read: ${found.failed}`]
  const last = found.read.toSorted((one, other) => (lastSeen(one) < lastSeen(other) ? 1 : -1))[0]
  if (!last || said.includes(shownText(last.message))) return []
  return [`Event ${shownText(last.reason)}: ${shownText(last.message)}`]
}

/** The cluster of an object's parts: the modules of a Kyma without a runtime are in the cluster of the Kyma. */
export const placeOf = async (on: ClusterName, clusters: ReadClusters): Promise<ClusterName> => {
  if (on === 'local') return on
  const local = await clusters.of('local')
  const name = on.slice(runtimeName('').length)
  const kyma = await local.get({ ...kymaKind, namespace: kymaNames.namespaces.controlPlane, name })
  return kyma && !isRemote(withSpec<Kyma>(kyma)) ? 'local' : on
}
