// The facts on which runtime-events decides which objects to call.
import type { RuntimeEvent } from '../../shared/api/kyma/runtime-event.ts'
import type { HoldingManifest, Kyma } from '../../shared/kyma/kinds.ts'

export type World = {
  readonly event: RuntimeEvent
  readonly kyma: Kyma
  /** The Kyma's Manifests. Empty for an event about the Kyma alone. */
  readonly manifests: readonly HoldingManifest[]
}
