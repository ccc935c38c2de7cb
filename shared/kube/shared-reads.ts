// Shares reads between callers. A read begins after the requests of all its callers, so no caller gets an older state than from a read of
// its own. Example:
//
//    0 ms  Calls for Kymas a and b arrive together and request the catalogue.
//    3 ms  The first read begins, for both.
//   10 ms  Calls for Kymas c and d request the catalogue during this read: they wait.
//   20 ms  The first read ends.
//   23 ms  A second read begins, for c and d together.
import { setTimeout as pause, setImmediate as restOfTurn } from 'node:timers/promises'
import { isText } from '../core/json/json.ts'
import { isLabelValue } from '../core/objects/dns-name.ts'
import type { KubeObject } from '../core/objects/object.ts'
import type { ListQuery, Outside, ReadClient, ReadClusters, Reads } from './client-types.ts'
import { ConnectionError } from './errors.ts'

/**
 * How long a read waits for further callers. Calls that begin together do not ask at the same moment, because each has read its own object
 * before. A read of a remote cluster takes longer, so it may wait longer.
 */
export const assemblyMilliseconds = { local: 3, remote: 10 }

/** `Asked`: the type of a request. A read gets the requests of all its callers. */
export class SharedReads<Value, Asked = undefined> {
  readonly #waitMilliseconds: number
  #underWay: Promise<unknown> = Promise.resolve()
  #next: Arranged<Value, Asked> | undefined
  #waiting = 0

  /** `waitMilliseconds`: how long a read waits for further callers. Default: for requests that the process has received already. */
  constructor(waitMilliseconds = 0) {
    this.#waitMilliseconds = waitMilliseconds
  }

  /**
   * After a failure, each caller reads on its own, except the first one if its request was the only one. After a timeout, all callers fail,
   * because a further read would wait as long. `outside` counts the time of the reads, but not the wait for further callers.
   */
  async of(
    asked: Asked,
    read: (asked: readonly Asked[]) => Promise<Value>,
    outside: Outside = answer => answer,
  ): Promise<Value> {
    const isFirst = this.#next === undefined
    this.#next ??= this.#arranged(read)
    const { asked: all, before, begun, value } = this.#next
    all.add(asked)
    await outside(before)
    await begun
    const own = value.catch(error => {
      if (isSilence(error) || (isFirst && all.size === 1)) throw error
      return read([asked])
    })
    return outside(own)
  }

  #arranged(read: (asked: readonly Asked[]) => Promise<Value>): Arranged<Value, Asked> {
    const asked = new Set<Asked>()
    this.#waiting++
    const before = this.#underWay
    const begun = before.then(() => assembly(this.#waitMilliseconds))
    return { asked, before, begun, value: begun.then(() => this.#begin(asked, read)) }
  }

  get isIdle(): boolean {
    return this.#waiting === 0
  }

  #begin(asked: ReadonlySet<Asked>, read: (asked: readonly Asked[]) => Promise<Value>): Promise<Value> {
    this.#next = undefined
    const reading = read([...asked])
    this.#underWay = reading.then(
      () => this.#waiting--,
      () => this.#waiting--,
    )
    return reading
  }
}

type Arranged<Value, Asked> = {
  readonly asked: Set<Asked>
  /** The end of the read before. Never rejects. */
  readonly before: Promise<unknown>
  readonly begun: Promise<unknown>
  readonly value: Promise<Value>
}

const assembly = (milliseconds: number) => (milliseconds === 0 ? restOfTurn() : pause(milliseconds))

const isSilence = (error: unknown): boolean => error instanceof ConnectionError && error.loss === 'silent'

/** `waitMilliseconds`: as in SharedReads; the same for each question with this key. */
type Question<Asked> = {
  readonly key: string
  readonly asked: Asked
  readonly waitMilliseconds?: number | undefined
  readonly outside?: Outside | undefined
}

/** Shared reads by key, such as the object of one name in one cluster. Results are not cached after a read. */
export class KeyedReads {
  readonly #all = new Map<string, SharedReads<unknown, unknown>>()

  async of<Value, Asked = undefined>(
    { key, asked, waitMilliseconds, outside }: Question<Asked>,
    read: (asked: readonly Asked[]) => Promise<Value>,
  ): Promise<Value> {
    const reads = (this.#all.get(key) ?? new SharedReads(waitMilliseconds)) as SharedReads<Value, Asked>
    this.#all.set(key, reads as SharedReads<unknown, unknown>)
    try {
      return await reads.of(asked, read, outside)
    } finally {
      if (reads.isIdle && this.#all.get(key) === (reads as SharedReads<unknown, unknown>)) this.#all.delete(key)
    }
  }
}

type SharingOfCall = {
  readonly reads: KeyedReads
  /** As in CallBounds. If a call waits for the read of another call, this time counts as waiting for the cluster, too. */
  readonly outside?: Outside | undefined
}

/** Returns the same clusters. If several calls get or list the same objects at the same time, the objects are read once. */
export const sharingClusters = (clusters: ReadClusters, { reads, outside }: SharingOfCall): ReadClusters => ({
  of: async name => {
    const client = await clusters.of(name)
    const place = `${name} ${client.reachedBy ?? ''}`
    return name === 'local'
      ? sharingClient(client, { reads, place, waitMilliseconds: assemblyMilliseconds.local })
      : sharingClient(client, { reads, place, outside, waitMilliseconds: assemblyMilliseconds.remote })
  },
})

/** Returns the same client, whose `get` and `list` share reads with other clients of the same `place`. */
export const sharingClient = (client: ReadClient, sharing: Sharing): ReadClient => ({
  ...client,
  ...sharingReads(client, sharing),
})

type Sharing = SharingOfCall & {
  readonly place: string
  /** As in SharedReads. */
  readonly waitMilliseconds?: number
}

export const sharingReads = (client: Reads, sharing: Sharing): Reads => {
  const { reads, place, waitMilliseconds, outside } = sharing
  const once = <Value>(key: unknown, read: () => Promise<Value>): Promise<Value> =>
    reads.of({ key: JSON.stringify(key), asked: undefined, waitMilliseconds, outside }, read)
  return {
    get: (ref, options) => {
      const { apiVersion, kind, namespace, name } = ref
      return once([place, apiVersion, kind, namespace, name, options], () => client.get(ref, options))
    },
    list: query => {
      const { keep, labelSelector, ...rest } = query
      const label = labelIn(labelSelector)
      if (keep) return client.list(query)
      if (!label) return once([place, query], () => client.list(query))
      return listed(label, { ...sharing, query: rest, client })
    },
  }
}

type Label = { readonly name: string; readonly value: string }

/**
 * The label of a selector with one value, such as `example.com/owner-id=a`; undefined for other selectors. An API server refuses a selector
 * with an invalid value, so this value must not be in a list for others.
 */
const labelIn = (selector: string | undefined): Label | undefined => {
  const [, name, value] = /^([\w./-]+)=([\w.-]+)$/.exec(selector ?? '') ?? []
  return isText(name) && isText(value) && isLabelValue(value) ? { name, value } : undefined
}

/** A limit, because the selector is part of the URL, which must not be too long. */
const valuesInList = 50

type Listing = Sharing & { readonly client: Reads; readonly query: ListQuery }

/** Makes one list for all values that are requested at the same time. */
const listed = async (
  label: Label,
  { query, client, reads, place, waitMilliseconds, outside }: Listing,
): Promise<KubeObject[]> => {
  const read = async (values: readonly string[]) => {
    const lists = chunksOf(values, valuesInList).map(some =>
      client.list({ ...query, labelSelector: selectorOf(label.name, some) }),
    )
    const objects = (await Promise.all(lists)).flat()
    const valueIn = ({ metadata }: KubeObject) => metadata.labels?.[label.name]
    return values.length > 1 ? Map.groupBy(objects, valueIn) : new Map([[values[0], objects]])
  }
  const key = JSON.stringify([place, query, label.name])
  const byValue = await reads.of({ key, asked: label.value, waitMilliseconds, outside }, read)
  return byValue.get(label.value) ?? []
}

const chunksOf = <T>(all: readonly T[], most: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, at) => all.slice(at * most, (at + 1) * most))

const selectorOf = (name: string, values: readonly string[]): string =>
  values.length === 1 ? `${name}=${values[0]}` : `${name} in (${values.toSorted().join()})`
