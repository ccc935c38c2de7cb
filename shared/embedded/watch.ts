// WATCH: a stream of events from a revision or from now. Each line is made once for all watchers of a kind. A watcher that is too slow is
// ended and must start again.
import type { ServerResponse } from 'node:http'
import { apiVersionOf } from '../core/objects/object.ts'
import type { ObjectForm } from './http/respond.ts'
import type { Kind } from './kinds/kind.ts'
import { expired, faultsIn, forbiddenField, invalid, unsupported } from './status.ts'
import type { Change, Stored } from './storage/store.ts'
import { boolean, type Call, integer } from './verbs/call.ts'
import { refuseFuture, revisionOf, type Selector, selectorOf } from './verbs/read.ts'

/** A client with more unsent data is too slow and is disconnected. */
const mostWaitingBytes = 32 * 1024 * 1024
const bookmarkMillis = 60_000
const shortestSeconds = 1800

type WatchOptions = {
  readonly revision: number | undefined
  readonly sendsInitial: boolean
  readonly wantsBookmarks: boolean
  readonly seconds: number
}

const watchOptions = (call: Call): WatchOptions => {
  const initial = boolean(call.query, 'sendInitialEvents')
  const match = call.query.get('resourceVersionMatch') ?? ''
  const wrongMatch = (why: string) => forbiddenField('resourceVersionMatch', why)
  const isOther = initial !== undefined && match !== 'NotOlderThan'
  const faults = faultsIn(
    match !== '' &&
      initial === undefined &&
      wrongMatch('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    isOther && wrongMatch('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    isOther && match !== '' && unsupported('resourceVersionMatch', match, ['NotOlderThan']),
    Boolean(call.query.get('continue')) && forbiddenField('continue', 'continue is forbidden for watch'),
  )
  if (faults.length) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', faults)
  const wantsBookmarks = boolean(call.query, 'allowWatchBookmarks') ?? false
  const revision = revisionOf(call)
  const sendsInitial = initial ?? (revision === undefined || revision === 0)
  if (sendsInitial) refuseFuture(call, revision)
  return {
    revision,
    wantsBookmarks,
    sendsInitial,
    seconds: integer(call.query, 'timeoutSeconds') || shortestSeconds + Math.floor(Math.random() * shortestSeconds),
  }
}

/** Runs until the timeout, until the client disconnects, or until the cluster ends the watch. */
export const watch = (call: Call, response: ServerResponse, form: ObjectForm): void => {
  new Stream(call, response, form, watchOptions(call)).start()
}

class Stream {
  readonly #kind: Kind
  readonly #call: Call
  readonly #response: ServerResponse
  readonly #form: ObjectForm
  readonly #options: WatchOptions
  readonly #selector: Selector
  #sent = 0
  #waitingBytesMost = Number.POSITIVE_INFINITY
  readonly #endings: (() => void)[] = []

  constructor(call: Call, response: ServerResponse, form: ObjectForm, options: WatchOptions) {
    this.#call = call
    this.#kind = call.kind
    this.#response = response
    this.#form = form
    this.#options = options
    this.#selector = selectorOf(call)
  }

  start(): void {
    const { store, watches } = this.#call.cluster
    this.#response.writeHead(200, { 'content-type': this.#form.streamType, 'cache-control': 'no-cache, private' })
    this.#response.flushHeaders()
    if (!this.#sendPast()) return
    // All objects together may be larger than the events that a slow client may leave unread.
    this.#waitingBytesMost = mostWaitingBytes + this.#response.writableLength
    this.#endings.push(store.watch(this.#kind.collection, change => this.#onChange(change)))
    this.#endings.push(
      watches.add({ collection: this.#kind.collection, end: () => this.#end(), bookmark: () => this.#bookmark() }),
    )
    this.#startTimers()
    this.#response.on('close', () => this.#end())
  }

  /** Returns false if the history does not contain the requested revision. */
  #sendPast(): boolean {
    const { store } = this.#call.cluster
    const { revision, sendsInitial } = this.#options
    if (sendsInitial) this.#sendAll()
    else if (revision !== undefined) {
      if (revision < store.history.compacted) {
        this.#sendError(expired(`too old resource version: ${revision} (${store.history.compacted + 1})`).toStatus())
        return false
      }
      for (const change of store.history.since(revision, this.#kind.collection)) this.#onChange(change)
    }
    this.#sent = store.revision
    return true
  }

  #sendAll(): void {
    const { store } = this.#call.cluster
    const prefix = this.#kind.namespaced && this.#call.namespace ? `${this.#call.namespace}/` : ''
    for (const key of store.now(this.#kind.collection).keys(prefix)) {
      const stored = store.get(this.#kind.collection, key)
      if (stored && this.#isWanted(stored)) this.#send('ADDED', stored)
    }
    if (this.#call.query.has('sendInitialEvents') && this.#options.wantsBookmarks) this.#bookmark(true)
  }

  #isWanted(stored: Stored): boolean {
    const { metadata } = stored.object
    if (this.#call.namespace && this.#kind.namespaced && metadata.namespace !== this.#call.namespace) return false
    if (this.#selector.name && metadata.name !== this.#selector.name) return false
    return this.#selector.isEmpty || this.#selector.matches(stored)
  }

  /** The revision can be in the future: the client has then seen all earlier changes. */
  get #from(): number {
    return this.#options.revision ?? 0
  }

  /** If an object is no longer selected, the watcher gets DELETED. If an object is newly selected, the watcher gets ADDED. */
  #onChange({ type, stored, previous, revision }: Change): void {
    if (revision <= this.#from) return
    const isWanted = type !== 'DELETED' && this.#isWanted(stored)
    const wasWanted = previous !== undefined && this.#isWanted(previous)
    this.#sent = revision
    if (isWanted) this.#send(wasWanted ? 'MODIFIED' : 'ADDED', stored)
    else if (wasWanted) this.#send('DELETED', type === 'DELETED' ? stored : previous, revision)
  }

  #send(type: Change['type'], stored: Stored, revision = stored.revision): void {
    this.#write(`{"type":"${type}","object":${this.#form.eventObject(stored, this.#kind, revision)}}\n`)
  }

  #bookmark(isInitialEnd = false): void {
    const revision = Math.max(this.#sent, this.#call.cluster.store.revision)
    if (!this.#options.wantsBookmarks || revision < this.#from) return
    const annotations = isInitialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}
    const metadata = { resourceVersion: String(revision), ...annotations }
    const object = { kind: this.#kind.kind, apiVersion: apiVersionOf(this.#kind), metadata }
    this.#write(`{"type":"BOOKMARK","object":${this.#form.bookmark(object)}}\n`)
  }

  #sendError(status: unknown): void {
    this.#response.end(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`)
  }

  #write(line: string): void {
    this.#response.write(line)
    if (this.#response.writableLength > this.#waitingBytesMost) this.#end()
  }

  #startTimers(): void {
    const bookmarks = setInterval(() => this.#bookmark(), bookmarkMillis)
    const timeout = setTimeout(() => this.#end(), this.#options.seconds * 1000)
    bookmarks.unref()
    timeout.unref()
    this.#endings.push(
      () => clearInterval(bookmarks),
      () => clearTimeout(timeout),
    )
  }

  #end(): void {
    for (const ending of this.#endings.splice(0)) ending()
    if (!this.#response.writableEnded) this.#response.end()
  }
}
