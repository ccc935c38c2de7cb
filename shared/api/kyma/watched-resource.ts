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
