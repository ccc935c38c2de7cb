// One watch, kept up for as long as anybody wants it: list in pages, follow the stream, resume where it broke off, list
// again where it cannot. It tells every change it sees and remembers of objects only the marks in its sightings.
import type { WatchFilter } from '../api/serverless.ts'
import type { Log } from '../core/log.ts'
import type { ClusterName, GroupVersionKind } from '../core/object.ts'
import type { Client } from '../kube/client-types.ts'
import { type Backoff, createBackoff } from './backoff.ts'
import { type Clock, pause } from './clock.ts'
import { type Change, Sightings } from './sightings.ts'
import { type Cause, endedEarly, silent, type Trouble, troubleOf } from './troubles.ts'

/** Which objects are watched: two watches that agree in this see the same. */
export type WatchedKind = GroupVersionKind & {
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  metadataOnly?: boolean
}

export type WatchOptions = {
  client: Client
  cluster: ClusterName
  watched: WatchedKind
  /** All that anybody who is told will ask about a change. */
  filters: readonly WatchFilter[]
  tell(change: Change): void
  /** Told when the watch stops working, with the reason, and when it works again. */
  state?(trouble: Trouble | undefined): void
}

export type WatchSurroundings = {
  clock: Clock
  log: Log
  /** A stream silent for so long is taken for dead; servers are asked to end streams a little sooner. */
  idleSeconds: number
  resumed(kind: string, cause: Cause): void
}

export type Watch = {
  readonly name: string
  /** Resolves when the first list was told or the first try failed. */
  readonly tried: Promise<void>
  /** Why nothing is seen; undefined while the watch works. */
  readonly trouble: Trouble | undefined
  stop(): Promise<void>
}

/** Begins at once; goes on until stopped. */
export const startWatch = (options: WatchOptions & WatchSurroundings): Watch => {
  const course = new Course(options)
  const ended = course.keepUp()
  return {
    name: course.name,
    tried: course.tried.promise,
    get trouble() {
      return course.trouble
    },
    stop: () => {
      course.stop()
      return ended
    },
  }
}

class Course {
  readonly #options: WatchOptions & WatchSurroundings
  readonly #sightings: Sightings
  readonly #stopped = new AbortController()
  readonly #backoff: Backoff = createBackoff({ baseSeconds: 0.2, maxSeconds: 30 })
  /** The last one seen; undefined: list first. */
  #resourceVersion: string | undefined
  #troubleSince: Date | undefined
  trouble: Trouble | undefined
  readonly tried = Promise.withResolvers<void>()

  constructor(options: WatchOptions & WatchSurroundings) {
    this.#options = options
    this.#sightings = new Sightings(options.watched, options.filters)
  }

  get name(): string {
    const { cluster, watched } = this.#options
    const selectors = [watched.namespace, watched.labelSelector, watched.fieldSelector].filter(Boolean)
    return [cluster, watched.apiVersion, watched.kind, ...selectors].join(' ')
  }

  stop(): void {
    this.#stopped.abort()
    this.tried.resolve()
  }

  async keepUp(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      const trouble = await this.#episode()
      if (trouble && !signal.aborted) await this.#sitOut(trouble)
    }
  }

  /** As far as it goes; undefined when the stream ended as it was asked to. */
  async #episode(): Promise<Trouble | undefined> {
    try {
      if (this.#resourceVersion === undefined) await this.#list()
      return await this.#follow(this.#resourceVersion ?? '')
    } catch (error) {
      return troubleOf(error)
    }
  }

  async #list(): Promise<void> {
    const { client, watched, tell } = this.#options
    let resourceVersion: string | undefined
    this.#sightings.beginList()
    for await (const page of client.bound({ signal: this.#stopped.signal }).pages(watched)) {
      for (const object of page.objects) tell(this.#sightings.listed(object))
      resourceVersion = page.resourceVersion
    }
    for (const change of this.#sightings.endList()) tell(change)
    this.#resourceVersion = resourceVersion
    this.#works()
  }

  async #follow(resourceVersion: string): Promise<Trouble | undefined> {
    const { client, watched, clock, idleSeconds } = this.#options
    const begun = clock.monotonic()
    const watchdog = createWatchdog(clock, { seconds: idleSeconds, stopped: this.#stopped.signal })
    const timeoutSeconds = Math.max(1, Math.floor(idleSeconds - 2))
    try {
      for await (const event of client.watch({
        ...watched,
        resourceVersion,
        timeoutSeconds,
        signal: watchdog.signal,
      })) {
        watchdog.feed()
        this.#flows()
        const change = this.#sightings.noticed(event)
        this.#resourceVersion = event.object.metadata.resourceVersion ?? this.#resourceVersion
        if (change) this.#options.tell(change)
      }
    } finally {
      watchdog.end()
    }
    if (watchdog.isSilent) return silent
    if (clock.monotonic() - begun < (timeoutSeconds - 1) * 1000) return endedEarly
    // Nothing happened, and the server said so by ending the stream when it was asked to.
    this.#flows()
    return undefined
  }

  #flows(): void {
    this.#backoff.reset()
    this.#works()
  }

  /** A list alone does not end the ever longer waits: a watch may be refused after every list. */
  #works(): void {
    this.tried.resolve()
    if (!this.trouble) return
    const { log, clock, state } = this.#options
    const seconds = Math.round((clock.today().getTime() - (this.#troubleSince?.getTime() ?? 0)) / 1000)
    log.info({ watch: this.name, cause: this.trouble.cause, since: this.#troubleSince, seconds }, 'watch works again')
    this.trouble = undefined
    this.#troubleSince = undefined
    state?.(undefined)
  }

  async #sitOut(trouble: Trouble): Promise<void> {
    const { clock, log, resumed, state, watched } = this.#options
    this.#troubleSince ??= clock.today()
    const say = this.trouble?.cause === trouble.cause ? log.debug : log.warn
    say.call(log, { watch: this.name, ...factsOf(trouble), since: this.#troubleSince }, 'watch interrupted')
    this.trouble = trouble
    if (trouble.relists) this.#resourceVersion = undefined
    resumed(watched.kind, trouble.cause)
    state?.(trouble)
    this.tried.resolve()
    const asked = (trouble.retryAfterSeconds ?? 0) * 1000
    await pause(clock, this.#backoff.nextMilliseconds(asked), this.#stopped.signal)
  }
}

/** Errors of shared/kube carry neither bodies nor credentials. */
const factsOf = ({ cause, error }: Trouble): object =>
  error instanceof Error ? { cause, error: error.message } : { cause }

type Watchdog = { signal: AbortSignal; readonly isSilent: boolean; feed(): void; end(): void }

/** Ends a stream that is not fed, also one that never begins; and with it, one that is not wanted any more. */
const createWatchdog = (clock: Clock, { seconds, stopped }: { seconds: number; stopped: AbortSignal }): Watchdog => {
  const controller = new AbortController()
  const abort = () => controller.abort()
  let isSilent = false
  const bite = () => {
    isSilent = true
    abort()
  }
  const set = () => clock.after(seconds * 1000, bite)
  let callOff = set()
  stopped.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    get isSilent() {
      return isSilent
    },
    feed: () => {
      callOff()
      callOff = set()
    },
    end: () => {
      callOff()
      stopped.removeEventListener('abort', abort)
    },
  }
}
