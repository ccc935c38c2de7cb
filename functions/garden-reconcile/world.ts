// All that garden-reconcile knows when it decides.
import type { GardenInstallation } from '../../shared/api/installation.ts'
import type { Garden } from '../../shared/core/garden.ts'
import type { KubeObject } from '../../shared/core/object.ts'
import type { Reading } from '../../shared/core/reading.ts'
import type { Objects } from './rules/objects.ts'

export type World = {
  /** The Garden of this call. */
  readonly garden: Garden
  /** Metadata of all Gardens there are. */
  readonly gardens: readonly KubeObject[]
  readonly settings: GardenInstallation
  /** What was read in the runtime cluster: all that is ours, and of others what steps wait for or refer to. */
  readonly runtime: Objects
  /** The minor of the runtime cluster's Kubernetes: 34 for v1.34.2. */
  readonly runtimeMinor: number
  /** Of our CustomResourceDefinitions that are about to go those of which others have objects, by name. Absent: none is to go. */
  readonly sharedDefinitions?: readonly string[]
  /** Pods of namespace garden that are in deletion. Absent: no rotation is prepared or completed. */
  readonly leavingPods?: readonly KubeObject[]
  /** What was read in the virtual garden. Absent: nothing of it is needed. */
  readonly virtual?: Reading<Objects>
}
