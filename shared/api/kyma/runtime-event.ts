// The event that the agent in a runtime posts to the control plane, at `/v2/MANAGER/event`. It names an object and says nothing of what
// happened to it.

export type RuntimeEvent = {
  readonly watched: { readonly Namespace: string; readonly Name: string }
  readonly watchedGvk: { readonly group: string; readonly version: string; readonly kind: string }
  /** Anything in the runtime may have changed. */
  readonly fullSync?: true
}

/** It names the Kyma's copy in the runtime, for receivers that do not know `fullSync`. */
export const fullSyncEvent: RuntimeEvent = {
  watched: { Namespace: 'kyma-system', Name: 'default' },
  watchedGvk: { group: 'operator.kyma-project.io', version: 'v1beta2', kind: 'Kyma' },
  fullSync: true,
}

// What an agent in a runtime is to tell the control plane of: an entry of its ValidatingWebhookConfiguration, which stands for a Watcher.

/** The part of an object whose changes count. */
export type WatchedPart = 'spec' | 'status'

/** A resource of an API group, whatever its version, and the part of it that counts. */
export type ResourcePart = { readonly group: string; readonly resource: string; readonly part: WatchedPart }

export type WatchedResource = ResourcePart & {
  readonly manager: string
  /** `*`: the version that the API server prefers. */
  readonly version: string
  /** The objects that count, as a label selector; all when empty. */
  readonly labelSelector: string
}
