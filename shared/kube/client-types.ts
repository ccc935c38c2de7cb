// The interface of API server clients. shared/kube/client/client.ts implements it with undici.
import type { ByteBudget } from '../core/bounds/bytes.ts'
import type { ClusterName, GroupVersionKind, KubeObject, ObjectRef } from '../core/objects/object.ts'
import type { Limits } from './limits.ts'

/** Reads are consistent (from etcd's leader) unless `fromCache` allows the API server to use its cache. */
export type Reads = {
  /** undefined when the object does not exist. Rejects with KindNotServed when the API server does not know the kind. */
  get(ref: ObjectRef, options?: GetOptions): Promise<KubeObject | undefined>
  /** All pages as one list. Every object has apiVersion and kind. */
  list(query: ListQuery): Promise<KubeObject[]>
}

/** `managedFields` are removed by default. `metadataOnly`: the API server only sends metadata. */
export type GetOptions = { withManagedFields?: boolean; metadataOnly?: boolean }

/** All pages of a list have the same resourceVersion, because all pages show the same moment. */
export type ListPage = { objects: KubeObject[]; resourceVersion: string }

export type ListQuery = GroupVersionKind & {
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  metadataOnly?: boolean
  withManagedFields?: boolean
  fromCache?: boolean
  /** Converts objects to the part that stays in memory; undefined drops an object. Called again for each object if the list restarts. */
  keep?: (object: KubeObject) => KubeObject | undefined
  /** Objects per page. Default: 500. */
  pageSize?: number
}

export type NamesQuery = GroupVersionKind & { namespace?: string }

type Writes = {
  create(object: KubeObject, options: WriteOptions): Promise<KubeObject>
  apply(object: KubeObject, options: ApplyOptions): Promise<KubeObject>
  /** Replaces the whole object. Fails with a conflict if metadata.resourceVersion differs from the stored resourceVersion. */
  replace(object: KubeObject, options: PartOptions): Promise<KubeObject>
  patch(ref: ObjectRef, patch: PatchBody, options: PartOptions): Promise<KubeObject>
  delete(ref: ObjectRef, options: DeleteOptions): Promise<boolean>
}

export type PatchBody = { type: 'merge' | 'json' | 'strategic'; body: unknown }
export type WriteOptions = { fieldManager: string; dryRun?: boolean }
/** `isCreation`: after an error, the apply is repeated only if a create would be repeated. */
export type ApplyOptions = WriteOptions & { force?: boolean; isCreation?: boolean }
/** Without `subresource`, the object itself is written. */
export type PartOptions = WriteOptions & { subresource?: string }
export type DeleteOptions = {
  uid?: string
  resourceVersion?: string
  propagation?: 'Foreground' | 'Background' | 'Orphan'
  dryRun?: boolean
}

/** A client without writes, for code that must not write, such as `gather`. clusters/read-only.ts makes such clients. */
export type ReadClient = Reads & {
  /**
   * Returns a client for one call, with the same connections. No request starts after `lastRequestAt` (monotonic), and `signal` aborts
   * running requests.
   */
  bound(call: CallBounds): ReadClient
  /** `list` page by page. Throws a 410 when the continue token has expired. The caller then drops the pages and lists again. */
  pages(query: ListQuery): AsyncIterable<ListPage>
  /** The sorted names of all objects, page by page. */
  names(query: NamesQuery): AsyncIterable<string[]>
  scopeOf(kind: GroupVersionKind): Promise<KindScope>
  raw(request: RawRead): Promise<unknown>
  readonly namespace?: string
  /** A digest of the text of the kubeconfig. Absent without a kubeconfig. */
  readonly reachedBy?: string
}

export type Client = Omit<ReadClient, 'bound' | 'raw'> &
  Writes & {
    bound(call: CallBounds): Client
    /**
     * Returns when the server ends the stream or the signal aborts. Without a resourceVersion, the watch begins with all objects, as ADDED
     * events. The event after them fits `endsInitialEvents` (watch/watch.ts). Not every API server can do this: others refuse with 422, or
     * send no such event. After errors, see needsRelist (errors.ts).
     */
    watch(query: WatchQuery): AsyncIterable<WatchEvent>
    /** A raw request, for everything without a method of its own (TokenReview, scale, version). Throws ApiError on 4xx and 5xx. */
    raw(request: RawRequest): Promise<unknown>
    close(): Promise<void>
  }

export type CallBounds = {
  signal?: AbortSignal
  lastRequestAt?: number
  traceparent?: string
  impersonate?: Impersonation
  /** Called for each attempt of this call, in addition to `onRequest` of the client. */
  onRequest?: (request: RequestNote) => void
  /** Measures how long the call waits for remote clusters. */
  outside?: Outside
}

/** Returns the answer of a remote cluster, and measures the waiting time. */
export type Outside = <Answer>(answer: Promise<Answer>) => Promise<Answer>

/** The impersonated user. RBAC must allow our account to impersonate it. */
export type Impersonation = { readonly user: string; readonly groups: readonly string[] }

/** `unserved`: the API server does not know the kind, even after new discovery. */
export type KindScope = 'namespaced' | 'cluster' | 'unserved'

/** `accept`: the requested media type. Default: JSON, or any text if the server has no JSON. */
type RawRead = { method: 'GET'; path: string; accept?: string }
export type RawRequest = { method: string; path: string; body?: unknown; contentType?: string; accept?: string }

export type WatchQuery = GroupVersionKind & {
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  metadataOnly?: boolean
  /** The version after which events are wanted. Default: none, so all objects are wanted first. */
  resourceVersion?: string
  /** A watch without data for this time, not even a bookmark, counts as broken. */
  idleSeconds?: number
  /** The API server ends the watch after this time. The server sends a bookmark about 2 s earlier, even if no event arrived. */
  timeoutSeconds?: number
  signal?: AbortSignal
}

export type WatchEvent = { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; object: KubeObject }

/** The clusters that a function may reach, by name. A call rejects when the cluster's access Secret is missing or refused. */
export type Clusters = {
  of(name: ClusterName): Promise<Client>
  /** Client options for clusters without a name, such as clusters of kubeconfig Secrets. */
  readonly clientOptions?: ClientOptions
}

export type ReadClusters = { of(name: ClusterName): Promise<ReadClient> }

/** Clusters that can be bound to one call. Each cluster is then looked up once, and each request obeys the bounds of the call. */
export type BindableClusters = Clusters & { bound(call: CallBounds): Clusters }

export type ClientOptions = {
  userAgent?: string
  connections?: number
  /** Timeout for the start of an answer, and for pauses within an answer. */
  answerSeconds?: number
  /** Like `answerSeconds`, for reads. The value can be lower, because admission webhooks do not delay reads. */
  readSeconds?: number
  /** Total time of a request with all attempts, if the call has no `lastRequestAt`. */
  callSeconds?: number
  /** Default: the limits of our own cluster. */
  limits?: Limits
  /** Memory budget that all remote clusters share. Default: unlimited. */
  receiving?: ByteBudget
  onRequest?: (request: RequestNote) => void
  /** Returns a random number from 0 to 1, which spreads repeated requests. */
  random?: () => number
}

/** One attempt. `code`: the HTTP status, or `<error>` without an answer. `began`: monotonic time. */
export type RequestNote = { code: string; method: string; verb: string; path: string; began: number }
