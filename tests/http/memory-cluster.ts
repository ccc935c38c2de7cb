// A cluster as a map, for tests whose subject is the host and not the API server: it knows preconditions and merge
// patches, counts its writes, and can be told to be in trouble.
import { isDeepStrictEqual } from 'node:util'
import { mergePatched } from '../../shared/core/json/merge-patch.ts'
import { type KubeObject, type ObjectRef, refOf, refText } from '../../shared/core/objects/object.ts'
import type { BindableClusters, Client, ListQuery, RawRequest } from '../../shared/kube/client-types.ts'
import { ApiError } from '../../shared/kube/errors.ts'
import { oneCluster } from '../harness/clusters/one-cluster.ts'

export class MemoryCluster {
  readonly objects = new Map<string, KubeObject>()
  /** `verb Kind name` of every write that changed something, in order. */
  readonly writes: string[] = []
  /** What calls were bound to: one entry per `bound`. */
  readonly traceparents: string[] = []
  /** When the last request of each call may begin. */
  readonly lastRequestsAt: number[] = []
  readonly raws: ((request: RawRequest) => unknown)[] = []
  /** Thrown by every request while it is set. */
  trouble: Error | undefined
  /** Awaited by every read. */
  gate: Promise<void> = Promise.resolve()
  #version = 0

  constructor(objects: readonly KubeObject[] = []) {
    for (const object of objects) this.put(object)
  }

  put(object: KubeObject): KubeObject {
    const resourceVersion = String(++this.#version)
    const stored = structuredClone({
      ...object,
      metadata: { uid: `uid-${this.#version}`, ...object.metadata, resourceVersion },
    })
    this.objects.set(refText(refOf(object)), stored)
    return stored
  }

  find(ref: ObjectRef): KubeObject | undefined {
    return structuredClone(this.objects.get(refText(ref)))
  }

  readonly client: Client = {
    get: async ref => {
      await this.#reachable()
      return this.find(ref)
    },
    list: async query => {
      await this.#reachable()
      const meant = [...this.objects.values()].filter(object => isMeant(object, query))
      return meant.flatMap(object => (query.keep ?? kept)(structuredClone(object)) ?? [])
    },
    pages: () => unsupported(),
    names: () => unsupported(),
    watch: () => unsupported(),
    create: async object => {
      await this.#reachable()
      if (this.find(refOf(object))) throw refusal(409, 'AlreadyExists')
      return this.#written('create', object)
    },
    apply: async (object, { dryRun }) => {
      await this.#reachable()
      const before = this.find(refOf(object))
      const merged = (before ? mergePatched(before, object) : object) as KubeObject
      return dryRun ? merged : this.#written('apply', merged)
    },
    replace: async object => {
      await this.#reachable()
      this.#seen(object, object.metadata)
      return this.#written('replace', object)
    },
    scopeOf: async () => 'namespaced',
    patch: async (ref, { body }) => {
      await this.#reachable()
      const before = this.#seen(ref, (body as KubeObject).metadata ?? {})
      return this.#written('patch', mergePatched(before, body) as KubeObject)
    },
    delete: async ref => {
      await this.#reachable()
      this.writes.push(`delete ${refText(ref)}`)
      return this.objects.delete(refText(ref))
    },
    raw: async request => {
      await this.#reachable()
      for (const answer of this.raws) {
        const body = answer(request)
        if (body !== undefined) return body
      }
      return {}
    },
    bound: ({ traceparent, lastRequestAt }) => {
      if (traceparent) this.traceparents.push(traceparent)
      if (lastRequestAt) this.lastRequestsAt.push(lastRequestAt)
      return this.client
    },
    close: async () => {},
  }

  readonly clusters: BindableClusters = oneCluster(this.client)

  /** What a write with this metadata is about. */
  #seen(ref: ObjectRef | KubeObject, { resourceVersion }: Partial<KubeObject['metadata']>): KubeObject {
    const before = this.find('metadata' in ref ? refOf(ref) : ref)
    if (!before) throw refusal(404, 'NotFound')
    if (resourceVersion && resourceVersion !== before.metadata.resourceVersion) throw refusal(409, 'Conflict')
    return before
  }

  /** A write that changes nothing is none, as on an API server. */
  #written(verb: string, object: KubeObject): KubeObject {
    const before = this.find(refOf(object))
    if (isDeepStrictEqual(before, object)) return object
    this.writes.push(`${verb} ${refText(refOf(object))}`)
    return structuredClone(this.put(object))
  }

  async #reachable(): Promise<void> {
    await this.gate
    if (this.trouble) throw this.trouble
  }
}

export const refusal = (code: number, reason: string, retryAfterSeconds?: number): ApiError =>
  new ApiError({ code, reason, message: `${reason}, says the memory cluster`, retryAfterSeconds })

const isMeant = ({ apiVersion, kind, metadata }: KubeObject, query: ListQuery): boolean =>
  apiVersion === query.apiVersion &&
  kind === query.kind &&
  metadata.namespace === (query.namespace ?? metadata.namespace) &&
  ['', `metadata.name=${metadata.name}`].includes(query.fieldSelector ?? '') &&
  (query.labelSelector ?? '')
    .split(',')
    .filter(Boolean)
    .every(term => metadata.labels?.[term.split('=')[0] ?? ''] === term.split('=')[1])

const kept = (object: KubeObject): KubeObject => object

const unsupported = (): never => {
  throw new Error('the memory cluster has no watches')
}
