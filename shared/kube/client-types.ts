// What the rest of the house may ask of an API server. shared/kube/client.ts answers it with undici.
import type { ClusterName, GroupVersionKind, KubeObject, ObjectRef } from '../core/object.ts'

/** Reads are consistent (from the leader's storage) unless `fromCache` allows the API server to answer from its own. */
export type Reads = {
  /** undefined when the object does not exist. */
  get(ref: ObjectRef): Promise<KubeObject | undefined>
  /** All pages; `managedFields` stripped; every object carries apiVersion and kind. */
  list(query: ListQuery): Promise<KubeObject[]>
}

export type ListQuery = GroupVersionKind & {
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  metadataOnly?: boolean
  fromCache?: boolean
  /** What the caller keeps of each object while pages stream in; undefined drops it. */
  keep?: (object: KubeObject) => KubeObject | undefined
}

export type Writes = {
  create(object: KubeObject, options: WriteOptions): Promise<KubeObject>
  /** Server-side apply. */
  apply(object: KubeObject, options: WriteOptions & { force?: boolean }): Promise<KubeObject>
  patch(ref: ObjectRef, patch: PatchBody, options: WriteOptions & { subresource?: string }): Promise<KubeObject>
  /** Gone already is not an error: false. */
  delete(ref: ObjectRef, options: DeleteOptions): Promise<boolean>
}

export type PatchBody = { type: 'merge' | 'json' | 'strategic'; body: unknown }
export type WriteOptions = { fieldManager: string; dryRun?: boolean }
export type DeleteOptions = {
  uid?: string
  resourceVersion?: string
  propagation?: 'Foreground' | 'Background' | 'Orphan'
}

export type Client = Reads &
  Writes & {
    /** The same connection, bound to one call: its deadline, and the traceparent it sends. */
    bound(call: { signal?: AbortSignal; deadline?: number; traceparent?: string }): Client
    watch(query: WatchQuery): AsyncIterable<WatchEvent>
    /** A raw request for what has no verb above (TokenReview, scale, version). Throws ApiError on 4xx and 5xx. */
    raw(request: RawRequest): Promise<unknown>
    close(): Promise<void>
  }

export type RawRequest = { method: string; path: string; body?: unknown; contentType?: string }

export type WatchQuery = GroupVersionKind & {
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  metadataOnly?: boolean
  resourceVersion: string
  /** A stream that says nothing (not even a bookmark) for so long is taken for dead. */
  idleSeconds?: number
  signal?: AbortSignal
}

export type WatchEvent = { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; object: KubeObject }

/** Every cluster a function may reach, by name. Rejects when the cluster's access Secret is missing or refused. */
export type Clusters = { of(name: ClusterName): Promise<Client> }
