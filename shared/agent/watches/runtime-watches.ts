// All watches of an agent: its ValidatingWebhookConfiguration, and the resources in its entries.

import type { ResourcePart, WatchedResource } from '../../api/kyma/runtime-event.ts'
import { fullSyncEvent } from '../../api/kyma/runtime-event.ts'
import { canonicalJson } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { startWatch } from '../../relay/watches/watch.ts'
import { type ResourceWatch, type RuntimeSurroundings, watchResource } from './resource-watch.ts'

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

const idleSeconds = 30

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
