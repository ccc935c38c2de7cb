// All watches of an agent: its ValidatingWebhookConfiguration, and the resources in its entries.
import {
  fullSyncEvent,
  type ResourcePart,
  type RuntimeEvent,
  type WatchedPart,
  type WatchedResource,
} from '../api/kyma/runtime-event.ts'
import type { WatchFilter } from '../api/serverless.ts'
import { canonicalJson, isText, mapOrEmpty, mapsIn } from '../core/json/json.ts'
import type { Log } from '../core/log.ts'
import {
  apiVersionOf,
  type GroupVersionKind,
  groupVersionOf,
  type KubeObject,
  type ObjectRef,
} from '../core/objects/object.ts'
import { errorText } from '../core/text/error-text.ts'
import type { Client } from '../kube/client-types.ts'
import { rootOf } from '../kube/discovery.ts'
import { Backoff, pause, type RelayClock } from '../relay/time/clock.ts'
import type { ObjectChange } from '../relay/watches/seen-objects.ts'
import { startWatch, type Watch } from '../relay/watches/watch.ts'

type RuntimeWatches = {
  /** Whether the configuration contains the manager; undefined before the configuration was read. */
  knows(manager: string): boolean | undefined
  sees(manager: string, changed: ResourcePart): boolean
  stop(): void
}

type RuntimeWatchesParts = RuntimeSurroundings & {
  watchedIn(configuration: KubeObject): readonly WatchedResource[]
  managers(names: ReadonlySet<string>): void
  /** If false, only the configuration is watched. */
  watchesResources: boolean
}

const configuration = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  fieldSelector: 'metadata.name=skr-webhook',
}

export const watchRuntime = (parts: RuntimeWatchesParts): RuntimeWatches => {
  let managers: ReadonlySet<string> | undefined
  const followed = new Map<string, { resource: WatchedResource; watch: ResourceWatch | undefined }>()
  const follow = (wanted: readonly WatchedResource[]): void => {
    const byId = new Map(wanted.map(resource => [canonicalJson(resource), resource]))
    for (const [id, { watch }] of followed) {
      if (byId.has(id)) continue
      watch?.stop()
      followed.delete(id)
    }
    const added = [...byId].filter(([id]) => !followed.has(id))
    for (const [id, resource] of added) {
      followed.set(id, { resource, watch: parts.watchesResources ? watchResource(resource, parts) : undefined })
    }
    managers = new Set(wanted.map(({ manager }) => manager))
    parts.managers(managers)
    const tried = added.map(([id]) => followed.get(id)?.watch?.tried)
    const concerned = new Set(added.map(([, { manager }]) => manager))
    void Promise.all(tried).then(() => {
      for (const manager of concerned) if (managers?.has(manager)) parts.report(manager, fullSyncEvent)
    })
  }
  const own = startWatch({
    client: parts.client,
    clock: parts.clock,
    log: parts.log,
    cluster: 'local',
    watched: configuration,
    filters: ['generation'],
    idleSeconds: { local: idleSeconds, remote: idleSeconds },
    resumed: () => {},
    // If the configuration is deleted, its last entries stay in use, so that reports continue.
    changed: ({ object }) => {
      if (object) follow(parts.watchedIn(object))
    },
  })
  return {
    knows: manager => managers?.has(manager),
    sees: (manager, changed) => {
      const ofManager = [...followed.values()].filter(
        ({ resource }) => resource.manager === manager && isSame(resource, changed),
      )
      return ofManager.length > 0 && ofManager.every(({ watch }) => watch?.isSeeing)
    },
    stop: () => {
      void own.stop()
      for (const { watch } of followed.values()) watch?.stop()
    },
  }
}

const isSame = (one: ResourcePart, other: ResourcePart): boolean =>
  one.group === other.group && one.resource === other.resource && one.part === other.part

type RuntimeSurroundings = {
  client: Client
  clock: RelayClock
  log: Log
  report(manager: string, event: RuntimeEvent): void
}

type ResourceWatch = {
  /** Resolves when the first list was read or the first attempt failed. */
  readonly tried: Promise<void>
  /** Whether the watch currently sees all changes. */
  readonly isSeeing: boolean
  stop(): void
}

/** A stream without data for this time counts as broken. The API server ends streams a little earlier. */
const idleSeconds = 30

/** Limit of remembered objects. A change of any other object counts as new, which costs one event. */
const objectsMost = 10_000

const filters: Readonly<Record<WatchedPart, readonly WatchFilter[]>> = {
  spec: ['generation', 'deletion'],
  status: ['status'],
}

const watchResource = (watched: WatchedResource, surroundings: RuntimeSurroundings): ResourceWatch => {
  const { client, clock, log } = surroundings
  const stopped = new AbortController()
  const tried = Promise.withResolvers<void>()
  const backoff = new Backoff({ baseSeconds: 1, maxSeconds: 60 })
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
    stop: () => watch.stop(),
    get isSeeing() {
      return isSeeing
    },
  }
}

/** False for objects of a list, because a full sync covers these objects. */
const isStreamed = ({ type, object, version }: ObjectChange): boolean =>
  version !== undefined || (type === 'DELETED' && object !== undefined)

const eventAbout = ({ apiVersion, kind, namespace, name }: ObjectRef): RuntimeEvent => ({
  watched: { Namespace: namespace, Name: name },
  watchedGvk: { ...groupVersionOf(apiVersion), kind },
})

// Finds the kind of a resource, because webhooks name resources, and watches need kinds.

/** Rejects when the API server does not answer, or does not serve the resource. */
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
