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
