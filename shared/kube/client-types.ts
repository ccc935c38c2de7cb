// What the rest of the house may ask of an API server. shared/kube/client/client.ts answers it with undici.
import type { ByteBudget } from '../core/byte-budget.ts'
import type { ClusterName, GroupVersionKind, KubeObject, ObjectRef } from '../core/object.ts'
import type { Limits } from './limits.ts'

/** Reads are consistent (from the leader's storage) unless `fromCache` allows the API server to answer from its own. */
export type Reads = {
  /** undefined when the object does not exist; KindNotServed when the API server knows no such kind. */
  get(ref: ObjectRef, options?: GetOptions): Promise<KubeObject | undefined>
  /** All pages; `managedFields` stripped; every object carries apiVersion and kind. */
  list(query: ListQuery): Promise<KubeObject[]>
}

/** `managedFields` are stripped unless asked for; `metadataOnly`: what the object holds besides is not sent. */
export type GetOptions = { withManagedFields?: boolean; metadataOnly?: boolean }

/** All pages of one list carry the same resourceVersion: that of the moment the list shows. */
export type ListPage = { objects: KubeObject[]; resourceVersion: string }

export type ListQuery = GroupVersionKind & {
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  metadataOnly?: boolean
  fromCache?: boolean
  /** What the caller keeps of each object while pages stream in; undefined drops it. Called anew for a list begun anew. */
  keep?: (object: KubeObject) => KubeObject | undefined
  /** Objects per page; 500 when not given. */
  pageSize?: number
}

export type NamesQuery = GroupVersionKind & { namespace?: string }

export type Writes = {
  create(object: KubeObject, options: WriteOptions): Promise<KubeObject>
  /** Server-side apply. */
  apply(object: KubeObject, options: WriteOptions & { force?: boolean }): Promise<KubeObject>
  /** The whole object anew; a conflict unless its metadata carries the resourceVersion that is stored. */
  replace(object: KubeObject, options: PartOptions): Promise<KubeObject>
  patch(ref: ObjectRef, patch: PatchBody, options: PartOptions): Promise<KubeObject>
  /** Gone already is not an error: false. */
  delete(ref: ObjectRef, options: DeleteOptions): Promise<boolean>
}

export type PatchBody = { type: 'merge' | 'json' | 'strategic'; body: unknown }
export type WriteOptions = { fieldManager: string; dryRun?: boolean }
/** A write of the object itself, or of one part of it, such as its `status`. */
export type PartOptions = WriteOptions & { subresource?: string }
export type DeleteOptions = {
  uid?: string
  resourceVersion?: string
  propagation?: 'Foreground' | 'Background' | 'Orphan'
}

export type Client = Reads &
  Writes & {
    /**
     * The same connection, bound to one call. `deadline` is on the monotonic clock (performance.now(), milliseconds):
     * after it nothing is begun or repeated; `signal` ends what still runs.
     */
    bound(call: CallBounds): Client
    /**
     * `list` page by page, nothing kept, with the resourceVersion from which a watch misses nothing. Throws a 410 when
     * the API server forgot the list meanwhile: forget the pages that came, begin again.
     */
    pages(query: ListQuery): AsyncIterable<ListPage>
    /** Which objects there are, by name alone: page by page, in the order of names. */
    names(query: NamesQuery): AsyncIterable<string[]>
    /** Ends quietly with the server's stream or the signal; needsRelist (errors.ts) judges what it throws. */
    watch(query: WatchQuery): AsyncIterable<WatchEvent>
    scopeOf(kind: GroupVersionKind): Promise<KindScope>
    /** A raw request for what has no verb above (TokenReview, scale, version). Throws ApiError on 4xx and 5xx. */
    raw(request: RawRequest): Promise<unknown>
    close(): Promise<void>
  }

export type CallBounds = { signal?: AbortSignal; deadline?: number; traceparent?: string; impersonate?: Impersonation }

/** As whom requests are made; our own identity must be allowed to. */
export type Impersonation = { readonly user: string; readonly groups: readonly string[] }

/** `unserved`: the API server was asked again and knows no such kind. */
export type KindScope = 'namespaced' | 'cluster' | 'unserved'

/** `accept`: in place of JSON, or else any text. */
export type RawRequest = { method: string; path: string; body?: unknown; contentType?: string; accept?: string }

export type WatchQuery = GroupVersionKind & {
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  metadataOnly?: boolean
  resourceVersion: string
  /** A stream that says nothing (not even a bookmark) for so long is taken for dead. */
  idleSeconds?: number
  /** The server ends the stream after so long, sending a bookmark about 2 s before: a quiet watch shows that it lives. */
  timeoutSeconds?: number
  signal?: AbortSignal
}

export type WatchEvent = { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; object: KubeObject }

/** Every cluster a function may reach, by name. Rejects when the cluster's access Secret is missing or refused. */
export type Clusters = {
  of(name: ClusterName): Promise<Client>
  /** How clients of clusters are made that have no name here; the usual way when absent. */
  readonly clientOptions?: ClientOptions
}

/** Clusters that can be lent to one call: each is then looked up once, and every request obeys the call's bounds. */
export type BindableClusters = Clusters & { bound(call: CallBounds): Clusters }

export type ClientOptions = {
  userAgent?: string
  /** Sockets for calls; watches have their own. */
  connections?: number
  /** How long the API server may take to begin, or to go on with, an answer. */
  answerSeconds?: number
  /** The same for reads, when it is less: no webhook holds them up. */
  readSeconds?: number
  /** Time that a call has, repeats and all, when it is bound to no deadline. */
  callSeconds?: number
  /** What the API server may send; those of our own cluster when absent. */
  limits?: Limits
  /** Where what the API server sends has its place beside what others send; unbounded when absent. */
  receiving?: ByteBudget
  /** Told of every attempt, for metrics. */
  onRequest?: (request: RequestNote) => void
  /** Spreads repeats; 0 to 1. */
  random?: () => number
}

/** One attempt, for counting: `code` is the HTTP code, or `<error>` when there was no answer. */
export type RequestNote = { code: string; method: string; verb: string }
