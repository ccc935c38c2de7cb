// Reads that callers share. A read begins after each of its callers asked, so no caller gets an older state than a read of its own would have
// shown.
//
//     0 ms   a call for Kyma a asks for the catalogue: it is read
//     10 ms  calls for Kymas b and c ask for the catalogue while that read is under way: they wait
//     20 ms  the first read ends; one more read is made, for b and c together
import { isText } from '../core/json/json.ts'
import type { KubeObject } from '../core/objects/object.ts'
import type { ListQuery, Outside, ReadClusters, Reads } from './client-types.ts'
import { ConnectionError } from './errors.ts'

/** `Asked`: what the callers ask for; a read is given what all of its callers ask for. */
export class SharedReads<Value, Asked = undefined> {
  #underWay: Promise<unknown> = Promise.resolve()
  #next: { readonly asked: Set<Asked>; readonly value: Promise<Value> } | undefined
  #waiting = 0

  /** Failures are not shared: each waiting caller then reads itself. Only silence is shared, since a further read would wait as long again. */
  of(asked: Asked, read: (asked: readonly Asked[]) => Promise<Value>): Promise<Value> {
    if (this.#next) {
      this.#next.asked.add(asked)
      return this.#next.value.catch(error => (isSilence(error) ? Promise.reject(error) : read([asked])))
    }
    const all = new Set([asked])
    this.#waiting++
    const value = this.#underWay.then(() => this.#begin(all, read))
    this.#next = { asked: all, value }
    return value
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

const isSilence = (error: unknown): boolean => error instanceof ConnectionError && error.loss === 'silent'

/** Shared reads by what is read, such as the object of one name in one cluster. Nothing is kept after a read. */
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
  /** As in CallBounds: a call that waits for a read of another call waits for the cluster, too. */
  readonly outside?: Outside | undefined
}

/** The same clusters. Objects that several calls get and list there at the same time are read once. */
export const sharingClusters = (clusters: ReadClusters, { reads, outside }: SharingOfCall): ReadClusters => ({
  of: async name => {
    const client = await clusters.of(name)
    const place = `${name} ${client.reachedBy ?? ''}`
    return { ...client, ...sharingReads(client, { reads, place, outside: name === 'local' ? undefined : outside }) }
  },
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
    if (keep || !label) return client.list(query)
    return outside(listed(label, { query: rest, client, reads, place }))
  },
})

type Label = { readonly name: string; readonly value: string }

/** Of a selector that asks for one value, such as `example.com/owner-id=a`. */
const labelIn = (selector: string | undefined): Label | undefined => {
  const [, name, value] = /^([\w./-]+)=([\w.-]+)$/.exec(selector ?? '') ?? []
  return isText(name) && isText(value) ? { name, value } : undefined
}

type Listing = Sharing & { readonly client: Reads; readonly query: ListQuery }

/** One list for all values that are asked for at the same time. */
const listed = async (label: Label, { query, client, reads, place }: Listing): Promise<KubeObject[]> => {
  const read = async (values: readonly string[]) => ({
    isForAll: values.length > 1,
    objects: await client.list({ ...query, labelSelector: selectorOf(label.name, values) }),
  })
  const { isForAll, objects } = await reads.of(JSON.stringify([place, query, label.name]), label.value, read)
  return isForAll ? objects.filter(({ metadata }) => metadata.labels?.[label.name] === label.value) : objects
}

const selectorOf = (name: string, values: readonly string[]): string =>
  values.length === 1 ? `${name}=${values[0]}` : `${name} in (${values.toSorted().join()})`
