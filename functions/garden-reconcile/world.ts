// The facts on which garden-reconcile decides.
import type { Reading } from '../../shared/core/decisions/reading.ts'
import type { Garden } from '../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Objects } from './rules/objects.ts'
import type { GardenSettings } from './settings.ts'

export type World = {
  readonly garden: Garden
  /** Metadata of all Gardens. */
  readonly gardens: readonly KubeObject[]
  readonly settings: GardenSettings
  /** Objects of the runtime cluster: our objects, and other objects that steps wait for or refer to. */
  readonly runtime: Objects
  /** The minor version of Kubernetes in the runtime cluster, for example 34 for v1.34.2. */
  readonly runtimeMinor: number
  /** Names of our CustomResourceDefinitions that must be deleted but have objects of other programs. Absent: none. */
  readonly sharedDefinitions?: readonly string[]
  /** Pods in namespace garden that are in deletion. Absent: no rotation is Preparing or Completing, and no encrypted resources change. */
  readonly leavingPods?: readonly KubeObject[]
  /** Objects of the virtual garden. Absent: no objects are needed. */
  readonly virtual?: Reading<Objects>
}
