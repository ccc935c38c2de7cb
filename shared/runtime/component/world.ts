// All that the engine knows of a component in one pass. How far it could look is its stage: each stage knows what the
// ones before it knew, and the decision is a matter of the stage.
import type { PassError } from '../../component/told/pass-result.ts'
import type { World as DependentsWorld } from '../../component/world.ts'
import type { KubeObject } from '../../core/object.ts'
import type { HookPoint } from '../../core/plan.ts'
import type { Configuration } from './configuration/configuration.ts'
import type { Engine } from './definition/engine.ts'
import type { Secrecy } from './references/secrecy.ts'
import type { EngineStatus } from './told/engine-status.ts'

export type World = ComponentView & Stage

export type ComponentView = {
  readonly engine: Engine
  /** As it was read. */
  readonly object: KubeObject
  /** With the status that postRead hooks left. */
  readonly component: KubeObject
  /** What the pass begins with: as it is stored, or as `entered` makes it. */
  readonly status: EngineStatus
  /** Absent when it cannot be understood. */
  readonly configuration?: Configuration
  /** Hooks that are there and have not run in this call. */
  readonly hooksDue: ReadonlySet<HookPoint>
  readonly secrecy: Secrecy
}

export type Stage =
  /** Something stopped the look at it. */
  | { readonly stage: 'stopped'; readonly trouble: PassError }
  /** It is the turn of others to be rendered: nothing is to be said of it. */
  | { readonly stage: 'postponed'; readonly message: string; readonly seconds: number }
  | { readonly stage: 'suspended' }
  /** It goes, and is not held by us any more. */
  | { readonly stage: 'released' }
  /** It lacks our finalizer, which comes before anything else. */
  | { readonly stage: 'unheld' }
  /** It is another one than at the last look, which is saved before its dependents are touched. */
  | { readonly stage: 'entering'; readonly digest: string }
  /** Hooks come before anything else is done. */
  | { readonly stage: 'hooks'; readonly digest: string; readonly point: HookPoint }
  | {
      readonly stage: 'dependents'
      readonly digest: string
      readonly dependents: DependentsWorld
      /** How many of the manifests are delete hooks; undefined when nothing was rendered. */
      readonly deleteHooks: number | undefined
    }
