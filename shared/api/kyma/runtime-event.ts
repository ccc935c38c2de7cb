// The event of an agent for the control plane, at `/v2/MANAGER/event`. It names an object, but not its change.

export type RuntimeEvent = {
  readonly watched: { readonly Namespace: string; readonly Name: string }
  readonly watchedGvk: { readonly group: string; readonly version: string; readonly kind: string }
  readonly fullSync?: true
}

/** Names the Kyma's copy, for receivers that do not know `fullSync`. */
export const fullSyncEvent: RuntimeEvent = {
  watched: { Namespace: 'kyma-system', Name: 'default' },
  watchedGvk: { group: 'operator.kyma-project.io', version: 'v1beta2', kind: 'Kyma' },
  fullSync: true,
}

// A resource that an agent watches: an entry of its ValidatingWebhookConfiguration, which represents a Watcher.

export type WatchedPart = 'spec' | 'status'

/** A resource of any version. Only changes of this part of an object count. */
export type ResourcePart = { readonly group: string; readonly resource: string; readonly part: WatchedPart }

export type WatchedResource = ResourcePart & {
  readonly manager: string
  /** `*` means the preferred version. */
  readonly version: string
  /** Selects the watched objects. '' selects all. */
  readonly labelSelector: string
}
