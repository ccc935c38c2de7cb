// Resolves host names from kubeconfigs of users. A lookup occupies one of libuv's four threads, which this process also needs for files. A
// hostile name server can block this thread for half a minute. So at most three lookups run: one for new hosts, one for quick hosts, and
// one for slow hosts. Example: fifty slow hosts are resolved one after the other, while a quick host is resolved at once.
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { BoundedCache } from '../../core/memory/bounded-cache.ts'

export type Resolve = (
  name: string,
  options: { all: true; family?: number | 'IPv4' | 'IPv6'; hints?: number },
  callback: Resolved,
) => void

type Resolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void

type Lane = 'new' | 'quick' | 'slow'

type Lookup = {
  readonly id: string
  readonly name: string
  readonly options: Parameters<Resolve>[1]
  readonly callbacks: Resolved[]
}

/** A lookup that takes longer is slow. A healthy name server needs one percent of this time. */
const slowMilliseconds = 1_000

/** How long a host counts as slow after a slow lookup. */
const slowForMilliseconds = 3_600_000

const hostsMost = 1_000

export const lookupsInLanes = (resolve: Resolve, now: () => number): Resolve => {
  const quick = new BoundedCache<string, true>(hostsMost)
  const slowUntil = new BoundedCache<string, number>(hostsMost)
  const waiting: Readonly<Record<Lane, Lookup[]>> = { new: [], quick: [], slow: [] }
  const busy = new Set<Lane>()
  /** Concurrent requests for the same name share one lookup. */
  const pending = new Map<string, Lookup>()

  const laneOf = (name: string): Lane => {
    if (now() < (slowUntil.get(name) ?? 0)) return 'slow'
    return quick.get(name) ? 'quick' : 'new'
  }
  const note = (name: string, milliseconds: number): void => {
    if (milliseconds > slowMilliseconds) slowUntil.set(name, now() + slowForMilliseconds)
    else quick.set(name, true)
  }
  const beginNext = (lane: Lane): void => {
    const lookup = busy.has(lane) ? undefined : waiting[lane].shift()
    if (lookup === undefined) return
    const { id, name, options, callbacks } = lookup
    const begun = now()
    busy.add(lane)
    resolve(name, options, (error, addresses) => {
      busy.delete(lane)
      pending.delete(id)
      note(name, now() - begun)
      beginNext(lane)
      for (const callback of callbacks) callback(error, addresses)
    })
  }
  return (name, options, callback) => {
    const id = JSON.stringify([name, options.family, options.hints])
    const begun = pending.get(id)
    if (begun) return void begun.callbacks.push(callback)
    const lookup = { id, name, options, callbacks: [callback] }
    pending.set(id, lookup)
    const lane = laneOf(name)
    waiting[lane].push(lookup)
    beginNext(lane)
  }
}

export const hostLookups: Resolve = lookupsInLanes(
  (name, options, callback) => systemLookup(name, options, callback),
  () => performance.now(),
)
