// A cluster in memory, behind the house's own client interface, that fails when a test wants it to: for what the relay does
// on a clock that stands still. Whether a real API server behaves so is what the stories are for.
import { type ClusterName, type KubeObject, keyText, type ObjectRef } from '../../../shared/core/objects/object.ts'
import type { Client, ListQuery, WatchEvent, WatchQuery } from '../../../shared/kube/client-types.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import type { RelayClock } from '../../../shared/relay/time/clock.ts'

export type FakeCluster = {
  client: Client
  put(object: KubeObject): KubeObject
  remove(kind: string, name: string, namespace?: string): void
  /** Something happens that no watch will ever tell. */
  unseen(act: () => void): void
  /** Every request that fits fails so, until the answer is called. */
  fail(fits: (request: FakeRequest) => boolean, error: () => unknown): () => void
  /** Breaks the streams of a kind: undefined ends them as the server would. */
  strike(kind: string, error?: unknown): void
  readonly requests: FakeRequest[]
  /** Streams that are open. */
  streams(kind: string): WatchQuery[]
}

export type FakeRequest = { verb: string; kind: string; name?: string; page?: number; resourceVersion?: string }

type Stream = { query: WatchQuery; put(event: WatchEvent): void; end(error?: unknown): void }

export const apiError = (code: number, more: { reason?: string; retryAfterSeconds?: number } = {}): ApiError =>
  new ApiError({ code, reason: more.reason ?? '', message: `HTTP ${code}`, ...more })

/** With a clock it ends streams when they ask for that, as an API server does; without one they stay silent. */
export const fakeCluster = ({ pageSize = 3, clock }: { pageSize?: number; clock?: RelayClock } = {}): FakeCluster => {
  const objects = new Map<string, KubeObject>()
  const events: WatchEvent[] = []
  const streams = new Set<Stream>()
  const failures = new Set<{ fits: (request: FakeRequest) => boolean; error: () => unknown }>()
  const requests: FakeRequest[] = []
  let version = 100
  let isSeen = true
  let uids = 0

  const ask = (request: FakeRequest): void => {
    requests.push(request)
    for (const { fits, error } of failures) if (fits(request)) throw error()
  }
  const tell = (event: WatchEvent): void => {
    if (!isSeen) return
    events.push(event)
    for (const stream of streams) if (fitsQuery(event.object, stream.query)) stream.put(event)
  }
  const put = (object: KubeObject): KubeObject => {
    const id = idOf(object)
    const before = objects.get(id)
    const uid = before?.metadata.uid ?? `uid-${++uids}`
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(++version) } }
    objects.set(id, stored)
    tell({ type: before ? 'MODIFIED' : 'ADDED', object: stored })
    return stored
  }
  const removeObject = (object: KubeObject | undefined): void => {
    if (!object) return
    objects.delete(idOf(object))
    const metadata = { ...object.metadata, resourceVersion: String(++version) }
    tell({ type: 'DELETED', object: { ...object, metadata } })
  }
  const found = (ref: Pick<ObjectRef, 'kind' | 'name' | 'namespace'>) =>
    objects.get(idOf({ kind: ref.kind, metadata: { name: ref.name, namespace: ref.namespace || undefined } }))

  async function* pages(query: ListQuery) {
    const items = [...objects.values()].filter(object => fitsQuery(object, query))
    const resourceVersion = String(version)
    for (let page = 0; page === 0 || page * pageSize < items.length; page++) {
      ask({ verb: 'list', kind: query.kind, page })
      yield { objects: items.slice(page * pageSize, (page + 1) * pageSize), resourceVersion }
    }
  }
  async function* watch(query: WatchQuery): AsyncGenerator<WatchEvent> {
    ask({ verb: 'watch', kind: query.kind, resourceVersion: query.resourceVersion })
    const { resourceVersion = String(version) } = query
    if (query.resourceVersion === undefined) {
      const found = [...objects.values()].filter(object => fitsQuery(object, query))
      for (const object of found) yield { type: 'ADDED', object }
      yield { type: 'BOOKMARK', object: endOfList(query, resourceVersion) }
    }
    const stream = newStream(query, stream => streams.delete(stream))
    const missed = events.filter(({ object }) => fitsQuery(object, query) && isAfter(object, resourceVersion))
    for (const event of missed) stream.put(event)
    streams.add(stream)
    query.signal?.addEventListener('abort', () => stream.end())
    const callOff = clock?.after((query.timeoutSeconds ?? 0) * 1000, () => stream.end())
    query.signal?.addEventListener('abort', () => callOff?.())
    yield* stream.events
  }
  const patch: Client['patch'] = async (ref, { body }) => {
    ask({ verb: 'patch', kind: ref.kind, name: ref.name })
    const before = found(ref)
    if (!before) throw apiError(404)
    const change = body as Partial<KubeObject>
    const bound = change.metadata?.resourceVersion
    if (bound !== undefined && bound !== before.metadata.resourceVersion) throw apiError(409, { reason: 'Conflict' })
    return put({ ...before, spec: { ...(before.spec as object), ...(change.spec as object) } })
  }
  const client: Client = {
    pages,
    names: async function* (query) {
      for await (const { objects: shown } of pages(query)) yield shown.map(({ metadata }) => metadata.name)
    },
    watch,
    patch,
    bound: () => client,
    get: async ref => {
      ask({ verb: 'get', kind: ref.kind, name: ref.name })
      return found(ref)
    },
    list: async query => {
      ask({ verb: 'list', kind: query.kind })
      return [...objects.values()].filter(object => fitsQuery(object, query))
    },
    create: async object => {
      ask({ verb: 'create', kind: object.kind, name: object.metadata.name })
      if (objects.has(idOf(object))) throw apiError(409, { reason: 'AlreadyExists' })
      return put(object)
    },
    delete: async ref => {
      ask({ verb: 'delete', kind: ref.kind, name: ref.name })
      const object = found(ref)
      removeObject(object)
      return object !== undefined
    },
    raw: async ({ path }) => {
      ask({ verb: 'raw', kind: path })
      return { resources: [] }
    },
    apply: async object => put(object),
    replace: async object => put(object),
    scopeOf: async () => 'namespaced',
    close: async () => {},
  }
  return {
    client,
    put,
    requests,
    remove: (kind, name, namespace = '') => removeObject(found({ kind, name, namespace })),
    unseen: act => {
      isSeen = false
      act()
      isSeen = true
    },
    fail: (fits, error) => {
      const failure = { fits, error }
      failures.add(failure)
      return () => failures.delete(failure)
    },
    strike: (kind, error) => {
      for (const stream of [...streams]) if (stream.query.kind === kind) stream.end(error)
    },
    streams: kind => [...streams].map(({ query }) => query).filter(query => query.kind === kind),
  }
}

/** Clusters by name. */
export const fakeClusters = (known: Record<ClusterName, FakeCluster>) => ({
  of: async (name: ClusterName): Promise<Client> => {
    const cluster = known[name]
    if (!cluster) throw apiError(404)
    return cluster.client
  },
})

const endOfList = ({ apiVersion, kind }: WatchQuery, resourceVersion: string): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: '', resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } },
})

const newStream = (
  query: WatchQuery,
  ended: (stream: Stream) => void,
): Stream & { events: AsyncGenerator<WatchEvent> } => {
  const waiting: WatchEvent[] = []
  let isEnded = false
  let failure: unknown
  let wake = () => {}
  async function* events(): AsyncGenerator<WatchEvent> {
    for (;;) {
      for (let event = waiting.shift(); event; event = waiting.shift()) yield event
      if (failure !== undefined) throw failure
      if (isEnded) return
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
  }
  const stream = {
    query,
    events: events(),
    put: (event: WatchEvent) => {
      waiting.push(event)
      wake()
    },
    end: (error?: unknown) => {
      isEnded = true
      failure = error
      ended(stream)
      wake()
    },
  }
  return stream
}

const idOf = ({ kind, metadata }: { kind: string; metadata: { name: string; namespace?: string } }): string =>
  `${kind} ${keyText({ namespace: metadata.namespace ?? '', name: metadata.name })}`

const fitsQuery = ({ kind, metadata }: KubeObject, query: ListQuery | WatchQuery): boolean =>
  kind === query.kind &&
  (query.namespace === undefined || query.namespace === metadata.namespace) &&
  (query.labelSelector ?? '')
    .split(',')
    .filter(Boolean)
    .every(part => {
      const [label = '', value] = part.split('=')
      return value === undefined ? metadata.labels?.[label] !== undefined : metadata.labels?.[label] === value
    })

const isAfter = ({ metadata }: KubeObject, resourceVersion: string): boolean =>
  Number(metadata.resourceVersion) > Number(resourceVersion)
