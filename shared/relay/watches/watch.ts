// One watch: lists, follows the stream, resumes after its end, and lists again after a 410 or garbage. Reports each change. Keeps only the
// data of seen-objects.ts. A long stream may begin with the list, which saves a request. Otherwise the list is read in pages.
import type { WatchFilter } from '../../api/serverless.ts'
import type { Log } from '../../core/log.ts'
import type { ClusterName, GroupVersionKind, Key, KubeObject } from '../../core/objects/object.ts'
import type { Client, WatchEvent, WatchQuery } from '../../kube/client-types.ts'
import { ApiError } from '../../kube/errors.ts'
import { endsInitialEvents } from '../../kube/watch/watch.ts'
import { Backoff, pause, type RelayClock, Watchdog } from '../time/clock.ts'
import { ended, type Interruption, type InterruptionCause, interruptionOf, silent } from './interruptions.ts'
import { type Memory, type ObjectChange, SeenObjects } from './seen-objects.ts'

export type WatchedKind = GroupVersionKind & {
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  metadataOnly?: boolean
}

export type KindWatchOptions = {
  client: Client
  cluster: ClusterName
  watched: WatchedKind
  filters: readonly WatchFilter[]
  /** Decides which objects are remembered. Default: all. */
  memory?: Memory
  changed(change: ObjectChange): void
  listed?(list: FinishedList): void
  /** Called with the reason when the watch stops working, and with undefined when it works again. */
  state?(interruption: Interruption | undefined): void
}

export type FinishedList = {
  isThere(key: Key): boolean
  /** Whether the watch was interrupted before the list, so that changes may have been missed. */
  followsInterruption: boolean
}

export type WatchSurroundings = {
  clock: RelayClock
  log: Log
  /** A stream without data for this time counts as broken. */
  idleSeconds: { local: number; remote: number }
  resumed(kind: string, cause: InterruptionCause): void
}

export type Watch = {
  readonly name: string
  /** Resolves when the first list was read or the first attempt failed. */
  readonly tried: Promise<void>
  /** undefined while the watch works. */
  readonly interruption: Interruption | undefined
  stop(): Promise<void>
}

export const startWatch = (options: KindWatchOptions & WatchSurroundings): Watch => {
  const course = new Course(options)
  course.begin()
  return course
}

/** A stream with this duration has worked, even if a proxy ended it. Proxies may end quiet streams before the API server does. */
const soundSeconds = 6

/** API servers send a bookmark about once a minute. */
const bookmarkSeconds = 60

const longIdleSeconds = 2 * bookmarkSeconds

/**
 * The requested duration of a stream. A short silence is a fault only if the API server ends quiet streams earlier. Bookmarks show for
 * long that a stream works.
 */
const streamSecondsFor = (idleSeconds: number): number =>
  idleSeconds > longIdleSeconds ? 10 * bookmarkSeconds : Math.max(1, Math.floor(idleSeconds - 2))

/** A list within a stream may take this time. It is then read in pages, which have limits of their own. */
const listMilliseconds = 20_000

/** Whether the API server of a client sends a list within a stream. The first watch finds out, and the other watches wait for its answer. */
const sendsLists = new WeakMap<Client, Promise<boolean>>()

/** Causes that are not faults. */
const endings: readonly InterruptionCause[] = ['ended', 'dropped']

/** This is a class to save memory: with thousands of watches, each object literal with a getter would take 450 bytes more. */
class Course implements Watch {
  readonly #options: KindWatchOptions & WatchSurroundings
  readonly #idleSeconds: number
  readonly #seen: SeenObjects
  readonly #stopped = new AbortController()
  readonly #backoff = new Backoff({ baseSeconds: 0.2, maxSeconds: 30 })
  /** Waits after `excess` are long, because each attempt costs memory and time up to the limits. */
  readonly #rest = new Backoff({ baseSeconds: 60, maxSeconds: 900 })
  /** If undefined, the watch lists first. */
  #resourceVersion: string | undefined
  /** Whether the list may be within a stream. A short stream could end before the list. */
  #mayListInStream: boolean
  #interruptedSince: Date | undefined
  interruption: Interruption | undefined
  readonly #tried = Promise.withResolvers<void>()
  #ended: Promise<void> | undefined

  constructor(options: KindWatchOptions & WatchSurroundings) {
    const { cluster, idleSeconds } = options
    this.#options = options
    this.#idleSeconds = cluster === 'local' ? idleSeconds.local : idleSeconds.remote
    this.#mayListInStream = this.#idleSeconds > longIdleSeconds
    this.#seen = new SeenObjects(options.watched, options.filters, options.memory)
  }

  get name(): string {
    const { cluster, watched } = this.#options
    const selectors = [watched.namespace, watched.labelSelector, watched.fieldSelector].filter(Boolean)
    return [cluster, watched.apiVersion, watched.kind, ...selectors].join(' ')
  }

  get tried(): Promise<void> {
    return this.#tried.promise
  }

  begin(): void {
    this.#ended = this.#keepUp()
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    this.#tried.resolve()
    await this.#ended
  }

  async #keepUp(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      const interruption = await this.#episode()
      if (interruption && !signal.aborted) await this.#sitOut(interruption)
    }
  }

  /** Lists if necessary, and follows one stream. Returns undefined when the stream worked, so that the next stream may start at once. */
  async #episode(): Promise<Interruption | undefined> {
    try {
      if (this.#resourceVersion === undefined && this.#mayListInStream) {
        const ending = await this.#listInStream()
        if (this.#resourceVersion !== undefined || ending?.cause === 'notServed') return ending
        this.#mayListInStream = false
      }
      if (this.#stopped.signal.aborted) return undefined
      if (this.#resourceVersion === undefined) await this.#list()
      if (this.#stopped.signal.aborted) return undefined
      return await this.#follow()
    } catch (error) {
      return interruptionOf(error)
    }
  }

  /** If the list did not end within the stream, `#resourceVersion` stays undefined. */
  async #listInStream(): Promise<Interruption | undefined> {
    const { client, log } = this.#options
    const known = sendsLists.get(client)
    if ((known !== undefined && !(await known)) || this.#stopped.signal.aborted) return undefined
    const { promise, resolve } = Promise.withResolvers<boolean>()
    if (known === undefined) sendsLists.set(client, promise)
    const ending = await this.#follow(() => resolve(true))
    resolve(!(ending?.error instanceof ApiError && ending.error.code === 422))
    if (this.#resourceVersion === undefined)
      log.debug({ watch: this.name, ...(ending && factsOf(ending)) }, 'no list within the stream')
    return ending
  }

  async #list(): Promise<void> {
    const { client, watched } = this.#options
    let resourceVersion: string | undefined
    this.#seen.beginList()
    for await (const page of client.bound({ signal: this.#stopped.signal }).pages(watched)) {
      this.#reportListed(page.objects.splice(0))
      resourceVersion = page.resourceVersion
    }
    this.#endList(resourceVersion)
  }

  #endList(resourceVersion: string | undefined): void {
    const { changed, listed } = this.#options
    for (const change of this.#seen.endList()) changed(change)
    listed?.({ isThere: key => this.#seen.has(key), followsInterruption: this.interruption !== undefined })
    this.#resourceVersion = resourceVersion
    this.#works()
  }

  /** A separate function, so that no object of a page stays in memory during the wait for the next page. */
  #reportListed(objects: readonly KubeObject[]): void {
    for (const object of objects) this.#options.changed(this.#seen.listed(object))
  }

  /** Follows one stream. Returns undefined when the stream worked, so that the next stream may start at once. */
  async #follow(answered?: () => void): Promise<Interruption | undefined> {
    const { clock, log, watched, resumed } = this.#options
    const timeoutSeconds = streamSecondsFor(this.#idleSeconds)
    const begun = clock.monotonic()
    const query = { ...watched, resourceVersion: this.#resourceVersion, timeoutSeconds }
    const ending = await this.#stream(query, answered)
    if (this.#resourceVersion === undefined) return ending
    const seconds = (clock.monotonic() - begun) / 1000
    const isAsAsked = ending === ended && seconds >= timeoutSeconds - 1
    const hasWorked = isAsAsked || (endings.includes(ending.cause) && seconds >= soundSeconds)
    if (!hasWorked || this.#stopped.signal.aborted) return ending
    this.#flows()
    if (isAsAsked) return undefined
    log.debug({ watch: this.name, ...factsOf(ending), seconds }, 'watch begins anew')
    resumed(watched.kind, ending.cause)
    return undefined
  }

  async #stream(query: WatchQuery, answered?: () => void): Promise<Interruption> {
    const { client, clock } = this.#options
    const watchdog = new Watchdog(clock, { seconds: this.#idleSeconds, stopped: this.#stopped.signal })
    const callOff = query.resourceVersion === undefined ? this.#beginList(watchdog) : undefined
    try {
      for await (const event of client.watch({ ...query, signal: watchdog.signal })) {
        watchdog.feed()
        answered?.()
        if (this.#resourceVersion !== undefined) this.#notice(event)
        else this.#takeListed(event)
      }
      return watchdog.isSilent ? silent : ended
    } catch (error) {
      return interruptionOf(error)
    } finally {
      callOff?.()
      watchdog.end()
    }
  }

  /** Ends the stream if the list takes too long. The returned function calls this off. */
  #beginList(watchdog: Watchdog): () => void {
    this.#seen.beginList()
    return this.#options.clock.after(listMilliseconds, () => {
      if (this.#resourceVersion === undefined) watchdog.giveUp()
    })
  }

  /** Takes an event of the list at the beginning of a stream. */
  #takeListed(event: WatchEvent): void {
    const { type, object } = event
    if (endsInitialEvents(event)) this.#endList(object.metadata.resourceVersion)
    else if (type === 'ADDED') this.#options.changed(this.#seen.listed(object))
    else this.#change(event)
  }

  #notice(event: WatchEvent): void {
    this.#works()
    this.#resourceVersion = event.object.metadata.resourceVersion ?? this.#resourceVersion
    this.#change(event)
  }

  #change(event: WatchEvent): void {
    const change = this.#seen.noticed(event)
    if (change) this.#options.changed(change)
  }

  /** Resets the waits only after a stream of some duration, because an API server may answer each list and refuse each watch. */
  #flows(): void {
    this.#backoff.reset()
    this.#rest.reset()
    this.#endInterruption()
  }

  /** Call for a list or an event. After `excess`, this proves nothing, because the watch always starts well. */
  #works(): void {
    this.#tried.resolve()
    if (this.interruption?.cause !== 'excess') this.#endInterruption()
  }

  #endInterruption(): void {
    if (!this.interruption || this.#stopped.signal.aborted) return
    const { log, clock, state } = this.#options
    const seconds = Math.round((clock.today().getTime() - (this.#interruptedSince?.getTime() ?? 0)) / 1000)
    log.info(
      { watch: this.name, cause: this.interruption.cause, since: this.#interruptedSince, seconds },
      'watch works again',
    )
    this.interruption = undefined
    this.#interruptedSince = undefined
    state?.(undefined)
  }

  async #sitOut(interruption: Interruption): Promise<void> {
    const { clock, log, resumed, state, watched } = this.#options
    this.#interruptedSince ??= clock.today()
    const say = this.interruption?.cause === interruption.cause ? log.debug : log.warn
    say.call(log, { watch: this.name, ...factsOf(interruption), since: this.#interruptedSince }, 'watch interrupted')
    this.interruption = interruption
    if (interruption.relists) this.#resourceVersion = undefined
    resumed(watched.kind, interruption.cause)
    state?.(interruption)
    this.#tried.resolve()
    const asked = (interruption.retryAfterSeconds ?? 0) * 1000
    const backoff = interruption.cause === 'excess' ? this.#rest : this.#backoff
    await pause(clock, backoff.nextMilliseconds(asked), this.#stopped.signal)
  }
}

/** Errors of shared/kube contain neither bodies nor credentials. */
const factsOf = ({ cause, error }: Interruption): object =>
  error instanceof Error ? { cause, error: error.message } : { cause }
