// Shares reads between callers. A read begins after the requests of all its callers, so no caller gets an older state than from a read of
// its own. Example:
//
//    0 ms  Calls for Kymas a and b arrive together and request the catalogue: the first read begins, for both.
//   10 ms  Calls for Kymas c and d request the catalogue during this read: they wait.
//   20 ms  The first read ends; a second read begins, for c and d together.
import { setImmediate as restOfTurn } from 'node:timers/promises'
import { isText } from '../core/json/json.ts'
import { isLabelValue } from '../core/objects/dns-name.ts'
import type { KubeObject } from '../core/objects/object.ts'
import type { ListQuery, Outside, ReadClient, ReadClusters, Reads } from './client-types.ts'
import { ConnectionError } from './errors.ts'

/** `Asked`: the type of a request. A read gets the requests of all its callers. */
export class SharedReads<Value, Asked = undefined> {
  #underWay: Promise<unknown> = Promise.resolve()
  #next: { readonly asked: Set<Asked>; readonly value: Promise<Value> } | undefined
  #waiting = 0

  /**
   * After a failure, each caller reads on its own, except the first one if its request was the only one. After a timeout, all callers fail,
   * because a further read would wait as long.
   */
  of(asked: Asked, read: (asked: readonly Asked[]) => Promise<Value>): Promise<Value> {
    const isFirst = this.#next === undefined
    this.#next ??= this.#arranged(read)
    const { asked: all, value } = this.#next
    all.add(asked)
    return value.catch(error => {
      if (isSilence(error) || (isFirst && all.size === 1)) throw error
      return read([asked])
    })
  }

  #arranged(read: (asked: readonly Asked[]) => Promise<Value>): { asked: Set<Asked>; value: Promise<Value> } {
    const asked = new Set<Asked>()
    this.#waiting++
    return { asked, value: this.#underWay.then(arrivedTogether).then(() => this.#begin(asked, read)) }
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

/** Waits for the calls whose requests the host received already. So the first of them does not read alone. */
const arrivedTogether = () => restOfTurn()

const isSilence = (error: unknown): boolean => error instanceof ConnectionError && error.loss === 'silent'

/** Shared reads by key, such as the object of one name in one cluster. Results are not cached after a read. */
export class KeyedReads {
  readonly #all = new Map<string, SharedReads<unknown, unknown>>()

  async of<Value, Asked = undefined>(
    key: string,
    asked: Asked,
    read: (asked: readonly Asked[]) => Promise<Value>,
  ): Promise<Value> {
    const reads = (this.#all.get(key) ?? new SharedReads()) as SharedReads<Value, Asked>
    this.#all.set(key, reads as SharedReads<unknown, unknown>)
    try {
      return await reads.of(asked, read)
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
    return sharingClient(client, { reads, place, outside: name === 'local' ? undefined : outside })
  },
})

/** Returns the same client, whose `get` and `list` share reads with other clients of the same `place`. */
export const sharingClient = (client: ReadClient, sharing: Sharing): ReadClient => ({
  ...client,
  ...sharingReads(client, sharing),
})

type Sharing = SharingOfCall & { readonly place: string }

export const sharingReads = (client: Reads, { reads, place, outside = answer => answer }: Sharing): Reads => ({
  get: (ref, options) => {
    const { apiVersion, kind, namespace, name } = ref
    const key = JSON.stringify([place, apiVersion, kind, namespace, name, options])
    return outside(reads.of(key, undefined, () => client.get(ref, options)))
  },
  list: query => {
    const { keep, labelSelector, ...rest } = query
    const label = labelIn(labelSelector)
    if (keep) return client.list(query)
    if (!label) return outside(reads.of(JSON.stringify([place, query]), undefined, () => client.list(query)))
    return outside(listed(label, { query: rest, client, reads, place }))
  },
})

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
const listed = async (label: Label, { query, client, reads, place }: Listing): Promise<KubeObject[]> => {
  const read = async (values: readonly string[]) => {
    const lists = chunksOf(values, valuesInList).map(some =>
      client.list({ ...query, labelSelector: selectorOf(label.name, some) }),
    )
    const objects = (await Promise.all(lists)).flat()
    const valueIn = ({ metadata }: KubeObject) => metadata.labels?.[label.name]
    return values.length > 1 ? Map.groupBy(objects, valueIn) : new Map([[values[0], objects]])
  }
  const byValue = await reads.of(JSON.stringify([place, query, label.name]), label.value, read)
  return byValue.get(label.value) ?? []
}

const chunksOf = <T>(all: readonly T[], most: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, at) => all.slice(at * most, (at + 1) * most))

const selectorOf = (name: string, values: readonly string[]): string =>
  values.length === 1 ? `${name}=${values[0]}` : `${name} in (${values.toSorted().join()})`
