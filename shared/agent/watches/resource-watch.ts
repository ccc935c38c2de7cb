// Watches one resource for one manager: a change is reported after it was committed, and a rejected write never. When changes may have gone
// unseen, the manager is asked to look at everything.

import type { WatchedPart, WatchedResource } from '../../api/kyma/runtime-event.ts'
import { fullSyncEvent, type RuntimeEvent } from '../../api/kyma/runtime-event.ts'
import type { WatchFilter } from '../../api/serverless.ts'
import { isText, mapOrEmpty, mapsIn } from '../../core/json/json.ts'
import type { Log } from '../../core/log.ts'
import { apiVersionOf, type GroupVersionKind, groupVersionOf, type ObjectRef } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import type { Client } from '../../kube/client-types.ts'
import { rootOf } from '../../kube/discovery/built-in-kinds.ts'
import { createBackoff } from '../../relay/time/backoff.ts'
import { pause, type RelayClock } from '../../relay/time/clock.ts'
import type { ObjectChange } from '../../relay/watches/seen-objects.ts'
import { startWatch, type Watch } from '../../relay/watches/watch.ts'

export type RuntimeSurroundings = {
  client: Client
  clock: RelayClock
  log: Log
  report(manager: string, event: RuntimeEvent): void
}

export type ResourceWatch = {
  /** Resolves when the first list was read or the first try failed. */
  readonly tried: Promise<void>
  /** Every change is seen now. */
  readonly isSeeing: boolean
  stop(): void
}

/** A stream on which nothing comes for so long counts as broken; the API server ends streams a little sooner. */
const idleSeconds = 30

/** A change of any other object counts as new, which costs an event and loses none. */
const objectsMost = 10_000

const filters: Readonly<Record<WatchedPart, readonly WatchFilter[]>> = {
  spec: ['generation', 'deletion'],
  status: ['status'],
}

export const watchResource = (watched: WatchedResource, surroundings: RuntimeSurroundings): ResourceWatch => {
  const { client, clock, log } = surroundings
  const stopped = new AbortController()
  const tried = Promise.withResolvers<void>()
  const backoff = createBackoff({ baseSeconds: 1, maxSeconds: 60 })
  let begun: BegunWatch | undefined
  const begin = async (): Promise<void> => {
    while (!stopped.signal.aborted && begun === undefined) {
      try {
        const kind = await servedKind(client, watched)
        if (!stopped.signal.aborted) begun = beginWatch(watched, kind, surroundings)
        await begun?.tried
      } catch (error) {
        log.warn({ ...watched, error: errorText(error) }, 'a resource cannot be watched')
      }
      tried.resolve()
      if (begun === undefined) await pause(clock, backoff.nextMilliseconds(), stopped.signal)
    }
  }
  void begin()
  return {
    tried: tried.promise,
    get isSeeing() {
      return begun?.isSeeing ?? false
    },
    stop: () => {
      stopped.abort()
      void begun?.stop()
    },
  }
}

type BegunWatch = Pick<Watch, 'tried' | 'stop'> & { readonly isSeeing: boolean }

const beginWatch = (
  { manager, part, labelSelector }: WatchedResource,
  kind: GroupVersionKind,
  { client, clock, log, report }: RuntimeSurroundings,
): BegunWatch => {
  let isSeeing = false
  const watch = startWatch({
    client,
    clock,
    log,
    cluster: 'local',
    filters: filters[part],
    watched: { ...kind, labelSelector: labelSelector || undefined, metadataOnly: part === 'spec' },
    memory: { concerns: () => true, objectsMost: () => objectsMost },
    idleSeconds: { local: idleSeconds, remote: idleSeconds },
    resumed: () => {},
    changed: change => {
      if (isStreamed(change)) report(manager, eventAbout(change.ref))
    },
    listed: ({ followsInterruption }) => {
      isSeeing = true
      if (followsInterruption) report(manager, fullSyncEvent)
    },
    state: interruption => {
      isSeeing = interruption === undefined
    },
  })
  return {
    tried: watch.tried,
    stop: watch.stop,
    get isSeeing() {
      return isSeeing
    },
  }
}

/** A full sync reports the objects of lists. */
const isStreamed = ({ type, object, version }: ObjectChange): boolean =>
  version !== undefined || (type === 'DELETED' && object !== undefined)

const eventAbout = ({ apiVersion, kind, namespace, name }: ObjectRef): RuntimeEvent => ({
  watched: { Namespace: namespace, Name: name },
  watchedGvk: { ...groupVersionOf(apiVersion), kind },
})

// The kind by which an API server serves a resource: webhooks name resources, watches name kinds.

/** Rejects when the API server cannot be asked or serves no such resource. */
const servedKind = async (client: Client, watched: WatchedResource): Promise<GroupVersionKind> => {
  const apiVersion = await servedVersion(client, watched)
  const { resources } = mapOrEmpty(await client.raw({ method: 'GET', path: rootOf(apiVersion) }))
  const list = mapsIn(resources)
  const kind = list.find(({ name }) => name === watched.resource)?.kind
  if (!isText(kind)) throw new Error(`${apiVersion} has no ${watched.resource}`)
  return { apiVersion, kind }
}

const servedVersion = async (client: Client, { group, version }: WatchedResource): Promise<string> => {
  if (group === '') return 'v1'
  if (version !== '*') return apiVersionOf({ group, version })
  const { preferredVersion } = mapOrEmpty(await client.raw({ method: 'GET', path: `/apis/${group}` }))
  const { groupVersion } = mapOrEmpty(preferredVersion)
  if (!isText(groupVersion)) throw new Error(`the API group ${group} has no version`)
  return groupVersion
}
