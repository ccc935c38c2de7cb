// All that runtime-events knows when it decides whom an event concerns.
import type { RuntimeEvent } from '../../shared/api/kyma/runtime-event.ts'
import type { HoldingManifest, Kyma } from '../../shared/kyma/kinds.ts'

export type World = {
  readonly event: RuntimeEvent
  readonly kyma: Kyma
  /** Its Manifests; none are read for an event about the Kyma alone. */
  readonly manifests: readonly HoldingManifest[]
}
