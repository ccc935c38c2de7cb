// What a step of the bring-up is: a row of the table in steps.ts. The flow judges the rows, and all of them in every call.
import type { KubeObject } from '../../../shared/core/object.ts'
import type { Step } from '../../../shared/core/plan.ts'
import type { World } from '../world.ts'
import type { SecretConfigName } from './secrets/secret-names.ts'
import type { StepName } from './step-names.ts'

export type GardenStep = {
  readonly name: StepName
  /** Steps above this one that are ready before anything of this one is made. */
  readonly needs: readonly StepName[]
  /** The step does not count now, and those that need it do not wait for it. */
  readonly skipIf?: (world: World) => boolean
  /** Made when the step begins. `objects` is asked when all of them are there, with their bundles. */
  readonly secrets?: (world: World, now?: Date) => readonly SecretConfigName[]
  /** Containers whose images must be known; one that is not is a fault of the step. */
  readonly images?: readonly string[]
  /** Why nothing of this step can be applied. Each fault names an object or a field. */
  readonly faults?: (world: World) => readonly string[]
  /** Faults that only another spec of the Garden can end, such as a missing field: nothing is tried again before. */
  readonly stalls?: (world: World) => readonly string[]
  /** Complete: what the cluster holds of it already is not sent again. It is called only for a step that has all it needs. */
  readonly objects: (world: World, now?: Date) => readonly KubeObject[]
  /** Changes of what is not its own as a whole, such as a label on somebody's Secret; it is ready when there are none. */
  readonly changes?: (world: World, now: Date) => readonly Step[]
  /**
   * What it waits for besides its own objects, whose readiness rules/readiness.ts judges by kind:
   * `Service istio-ingress/istio-ingressgateway: has no address yet`.
   */
  readonly waits?: (world: World) => readonly string[]
  /** Those of `waits` that may take hours: that they last is no standstill. */
  readonly longWaits?: (world: World) => readonly string[]
}
