// What the rest of the house may ask of an API server. shared/kube/client/client.ts answers it with undici.
import type { ByteBudget } from '../core/bounds/byte-budget.ts'
import type { ClusterName, GroupVersionKind, KubeObject, ObjectRef } from '../core/objects/object.ts'
import type { Limits } from './limits.ts'

/** Reads are consistent (from the leader's storage) unless `fromCache` allows the API server to answer from its own. */
export type Reads = {
  /** undefined when the object does not exist; KindNotServed when the API server knows no such kind. */
  get(ref: ObjectRef, options?: GetOptions): Promise<KubeObject | undefined>
  /** All pages; `managedFields` stripped unless asked for; every object carries apiVersion and kind. */
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
  withManagedFields?: boolean
  fromCache?: boolean
  /** What the caller keeps of each object; undefined drops the object. When the list is read again, it is called again for each. */
  keep?: (object: KubeObject) => KubeObject | undefined
  /** Objects per page; 500 when not given. */
  pageSize?: number
}

export type NamesQuery = GroupVersionKind & { namespace?: string }

type Writes = {
  create(object: KubeObject, options: WriteOptions): Promise<KubeObject>
  apply(object: KubeObject, options: ApplyOptions): Promise<KubeObject>
  /** Replaces the whole object; a conflict unless metadata.resourceVersion is the stored one. */
  replace(object: KubeObject, options: PartOptions): Promise<KubeObject>
  patch(ref: ObjectRef, patch: PatchBody, options: PartOptions): Promise<KubeObject>
  /** False when the object was already gone. */
  delete(ref: ObjectRef, options: DeleteOptions): Promise<boolean>
}

export type PatchBody = { type: 'merge' | 'json' | 'strategic'; body: unknown }
export type WriteOptions = { fieldManager: string; dryRun?: boolean }
/** `isCreation`: after a fault it is sent again only when a create would be. */
export type ApplyOptions = WriteOptions & { force?: boolean; isCreation?: boolean }
/** A write of the object itself, or of one part of it, such as its `status`. */
export type PartOptions = WriteOptions & { subresource?: string }
export type DeleteOptions = {
  uid?: string
  resourceVersion?: string
  propagation?: 'Foreground' | 'Background' | 'Orphan'
  dryRun?: boolean
}

/** A client without writes. Code that must not write, such as `gather`, gets no other client; clusters/read-only.ts makes it. */
export type ReadClient = Reads & {
  /** The same connections for one call: no request begins after `lastRequestAt` (monotonic), and `signal` aborts running ones. */
  bound(call: CallBounds): ReadClient
  /** `list` page by page. Throws a 410 when the API server forgot the list: the caller then drops the pages and lists again. */
  pages(query: ListQuery): AsyncIterable<ListPage>
  /** The names of all objects, page by page and sorted. */
  names(query: NamesQuery): AsyncIterable<string[]>
  scopeOf(kind: GroupVersionKind): Promise<KindScope>
  /** A GET of a path that is no object, such as `/version`. Throws ApiError on 4xx and 5xx. */
  raw(request: RawRead): Promise<unknown>
  /** The namespace that the kubeconfig names for objects that name none; absent when it names none. */
  readonly namespace?: string
  /** A digest of the kubeconfig that leads to this cluster, which changes with its text. Absent when no kubeconfig does. */
  readonly reachedBy?: string
}

export type Client = Omit<ReadClient, 'bound' | 'raw'> &
  Writes & {
    bound(call: CallBounds): Client
    /** Ends quietly with the server's stream or the signal; needsRelist (errors.ts) judges what it throws. */
    watch(query: WatchQuery): AsyncIterable<WatchEvent>
    /** A raw request for what has no verb above (TokenReview, scale, version). Throws ApiError on 4xx and 5xx. */
    raw(request: RawRequest): Promise<unknown>
    close(): Promise<void>
  }

export type CallBounds = {
  signal?: AbortSignal
  lastRequestAt?: number
  traceparent?: string
  impersonate?: Impersonation
  /** Called for every attempt of this call, besides `onRequest` of the client. */
  onRequest?: (request: RequestNote) => void
  /** Notes how long the call waits for clusters that kubeconfigs lead to. */
  outside?: Outside
}

/** Passes on an answer from outside of our cluster, and notes how long a call waits for it. */
export type Outside = <Answer>(answer: Promise<Answer>) => Promise<Answer>

/** The user that requests impersonate; RBAC must allow our own account to impersonate it. */
export type Impersonation = { readonly user: string; readonly groups: readonly string[] }

/** `unserved`: the API server was asked again and knows no such kind. */
export type KindScope = 'namespaced' | 'cluster' | 'unserved'

/** `accept`: the media type to ask for; JSON, else any text, when absent. */
type RawRead = { method: 'GET'; path: string; accept?: string }
export type RawRequest = { method: string; path: string; body?: unknown; contentType?: string; accept?: string }

export type WatchQuery = GroupVersionKind & {
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  metadataOnly?: boolean
  resourceVersion: string
  /** A watch on which nothing arrives for so long, not even a bookmark, counts as broken. */
  idleSeconds?: number
  /** After so long the API server ends the watch; it sends a bookmark about 2 s before, so a quiet watch shows that it is alive. */
  timeoutSeconds?: number
  signal?: AbortSignal
}

export type WatchEvent = { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; object: KubeObject }

/** Every cluster a function may reach, by name. Rejects when the cluster's access Secret is missing or refused. */
export type Clusters = {
  of(name: ClusterName): Promise<Client>
  /** Options for clients of clusters that have no name here, such as those of kubeconfig Secrets. */
  readonly clientOptions?: ClientOptions
}

/** The same clusters, for reading. */
export type ReadClusters = { of(name: ClusterName): Promise<ReadClient> }

/** Clusters that can be bound to one call: each cluster is then looked up once, and every request obeys the bounds of the call. */
export type BindableClusters = Clusters & { bound(call: CallBounds): Clusters }

export type ClientOptions = {
  userAgent?: string
  /** Sockets for calls; watches have their own. */
  connections?: number
  /** How long the API server may take to begin, or to go on with, an answer. */
  answerSeconds?: number
  /** The same for reads, which no admission webhook delays. */
  readSeconds?: number
  /** How long a request may take with all its repeats when the call has no last moment for requests. */
  callSeconds?: number
  /** How much the API server may send; the limits for our own cluster when absent. */
  limits?: Limits
  /** The memory that answers of this and other clusters share; unbounded when absent. */
  receiving?: ByteBudget
  onRequest?: (request: RequestNote) => void
  /** 0 to 1: how repeats are spread. */
  random?: () => number
}

/** One attempt: `code` is the HTTP code, or `<error>` when there was no answer. `began` is on the monotonic clock. */
export type RequestNote = { code: string; method: string; verb: string; path: string; began: number }
