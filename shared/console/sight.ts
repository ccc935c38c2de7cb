// The objects that a caller may see on a page. Reads return only objects that the caller may list, and record the last writer of each
// object. Secrets are never read. An object in another cluster is shown to callers who may list the Secrets with its kubeconfig.
import { kymaNames } from '../api/kyma/names.ts'
import { isText, type JsonMap, mapsIn } from '../core/json/json.ts'
import { keptOrMade } from '../core/memory/remembered.ts'
import {
  type ClusterName,
  type GroupVersionKind,
  groupAndKind,
  type KubeObject,
  refOf,
  refText,
} from '../core/objects/object.ts'
import type { BindableClusters, ListQuery, ReadClusters, Reads } from '../kube/client-types.ts'
import { readOnlyClusters } from '../kube/clusters/read-only.ts'
import { type Link, placeOf } from '../runtime/why/chain.ts'
import type { Caller } from './rights.ts'

export type CallerReads = {
  reads(on: ClusterName): Promise<Reads>
  maySee(asked: Asked, on: ClusterName): Promise<boolean>
  lastWriter(object: string, on: ClusterName): Writer | undefined
}

export type Writer = { readonly manager: string; readonly at: string }

type Asked = Pick<ListQuery, 'apiVersion' | 'kind' | 'namespace'>

/** The maximum number of kinds and namespaces that are checked for one page, because each check is a request. All other objects count as hidden. */
const placesMost = 200
const questionsAtOnce = 10
/** The time limit for all reads of a page together. */
const pageMilliseconds = 5_000

export const isSecret = (kind: Pick<Asked, 'apiVersion' | 'kind'>): boolean => groupAndKind(kind) === '/Secret'

/** Whether the caller may list the Secrets with kubeconfigs. Such a caller could read these clusters without the console. */
export const mayReachRuntimes = (caller: Caller): Promise<boolean> =>
  caller.mayList({ apiVersion: 'v1', kind: 'Secret' }, kymaNames.namespaces.controlPlane)

const unseen = 'the caller may not list this kind here'

export const readsFor = (caller: Caller, clusters: BindableClusters): CallerReads => {
  const bound: ReadClusters = readOnlyClusters(clusters.bound({ signal: AbortSignal.timeout(pageMilliseconds) }))
  const writers = new Map<string, Writer>()
  const places = new Map<ClusterName, Promise<ClusterName>>()
  const placed = (on: ClusterName): Promise<ClusterName> => keptOrMade(places, on, () => placeOf(on, bound))
  const answers = new Map<string, Promise<boolean>>()
  const lanes: Promise<unknown>[] = []
  const mayList = (kind: GroupVersionKind, namespace: string): Promise<boolean> => {
    const place = `${groupAndKind(kind)} ${namespace}`
    const lane = answers.size % questionsAtOnce
    const known = answers.get(place)
    if (known || answers.size >= placesMost) return known ?? Promise.resolve(false)
    const answer = Promise.resolve(lanes[lane]).then(() => caller.mayList(kind, namespace))
    answers.set(place, answer)
    lanes[lane] = answer.catch(() => undefined)
    return answer
  }
  const maySee: CallerReads['maySee'] = async ({ namespace = '', ...kind }, on) =>
    (await placed(on)) === 'local' ? mayList(kind, namespace) : mayReachRuntimes(caller)
  const readable = async (asked: Asked, on: ClusterName): Promise<Reads> => {
    if (!(await maySee(asked, on))) throw new Error(unseen)
    if (isSecret(asked)) throw new Error('Secrets are not read here')
    return bound.of(await placed(on))
  }
  const noted = (object: KubeObject, on: ClusterName): KubeObject => {
    const writer = writerOf(object)
    if (writer) writers.set(`${on} ${refText(refOf(object))}`, writer)
    const { managedFields: _, ...metadata } = object.metadata
    return { ...object, metadata }
  }
  const reads = async (on: ClusterName): Promise<Reads> => ({
    get: async (ref, options) => {
      const found = await (await readable(ref, on)).get(ref, { ...options, withManagedFields: true })
      return found && noted(found, on)
    },
    list: async query => {
      const found = await (await readable(query, on)).list({ ...query, withManagedFields: true })
      return found.map(object => noted(object, on))
    },
  })
  return { reads, maySee, lastWriter: (object, on) => writers.get(`${on} ${object}`) }
}

const writerOf = ({ metadata }: KubeObject): Writer | undefined => {
  const last = mapsIn(metadata.managedFields).reduce<JsonMap | undefined>(
    (latest, entry) => (latest && timeIn(latest) >= timeIn(entry) ? latest : entry),
    undefined,
  )
  return last && isText(last.manager) ? { manager: last.manager, at: timeIn(last) } : undefined
}

const timeIn = ({ time }: JsonMap): string => (isText(time) ? time : '')

/** A chain without the parts that the caller may not see, and the number of omitted parts. */
export const seenPart = (link: Link): { readonly link: Link; readonly hidden: number } => {
  const below = link.because.map(seenPart)
  const isUnseen = ({ is, says }: Link): boolean => is === 'unknown' && says.some(sentence => sentence.includes(unseen))
  const shown = below.filter(({ link }) => !isUnseen(link))
  const hidden = below.reduce((sum, one) => sum + one.hidden, below.length - shown.length)
  return { link: { ...link, because: shown.map(one => one.link) }, hidden }
}
