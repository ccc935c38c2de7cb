// A step of the bring-up: a row of the table in steps.ts. flow.ts judges all rows in every call.
import type { Step } from '../../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { World } from '../world.ts'
import type { SecretConfigName } from './secrets/secret-names.ts'

export type GardenStep = {
  readonly name: StepName
  /** Steps in earlier rows that must be ready before this step begins. */
  readonly needs: readonly StepName[]
  /** The step is skipped now. Steps that need this step do not wait for it. */
  readonly skipIf?: (world: World) => boolean
  /** Generated Secrets, created when the step begins. `objects` is called when all these Secrets and their bundles exist. */
  readonly secrets?: (world: World, now?: Date) => readonly SecretConfigName[]
  /** Containers whose images must be known. An unknown image is a fault of the step. */
  readonly images?: readonly string[]
  /** Why nothing of this step can be applied. Each fault names an object or a field. */
  readonly faults?: (world: World) => readonly string[]
  /** All objects of the step. Unchanged objects are not sent again. Called only when all needed steps are ready. */
  readonly objects: (world: World, now?: Date) => readonly KubeObject[]
  /** Changes of objects that do not belong to the step, such as a label on a user's Secret. The step is ready when no change is left. */
  readonly changes?: (world: World, now: Date) => readonly Step[]
  /** What the step waits for besides its objects: `Service istio-ingress/istio-ingressgateway: has no address yet`. */
  readonly waits?: (world: World) => readonly string[]
  /** The subset of `waits` that may take hours without being reported as a standstill. */
  readonly longWaits?: (world: World) => readonly string[]
}

const stepNames = [
  ...[
    'namespace',
    'crds',
    'authorities',
    'generic-kubeconfig',
    'resource-manager',
    'runtime-components',
    'nginx-ingress',
    'istio',
    'logging',
  ],
  ...['runtime-system', 'etcds', 'apiserver-service', 'apiserver-sni', 'apiserver', 'controller-manager'],
  ...['virtual-resource-manager', 'access', 'virtual-system', 'gardener-apiserver', 'gardener-control-plane'],
  'discovery-server',
  ...['observability', 'rotation'],
] as const

export type StepName = (typeof stepNames)[number]
