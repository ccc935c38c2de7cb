// All that the engine knows of a component in one pass. How far it could look is its stage: each stage knows what the
// ones before it knew, and the decision is a matter of the stage.
import type { Trouble } from '../../component/state.ts'
import type { World as DependentsWorld } from '../../component/world.ts'
import type { KubeObject } from '../../core/object.ts'
import type { HookPoint } from '../../core/plan.ts'
import type { Configuration } from './configuration.ts'
import type { Engine } from './engine.ts'
import type { EngineStatus } from './status.ts'

export type World = Subject & Stage

export type Subject = {
  readonly engine: Engine
  /** As it was read. */
  readonly object: KubeObject
  /** With the status that postRead hooks left. */
  readonly component: KubeObject
  readonly status: EngineStatus
  /** Absent when it cannot be understood. */
  readonly configuration?: Configuration
  /** Hooks that are there and have not run in this call. */
  readonly hooksDue: ReadonlySet<HookPoint>
}

export type Stage =
  /** Something stopped the look at it. */
  | { readonly stage: 'stopped'; readonly trouble: Trouble }
  /** It has no status yet. */
  | { readonly stage: 'new' }
  | { readonly stage: 'suspended' }
  /** It goes, and is not held by us any more. */
  | { readonly stage: 'released' }
  /** It is not held by us yet, or is another one than at the last look. */
  | { readonly stage: 'entering'; readonly digest: string; readonly hasInventory: boolean }
  /** Hooks come before anything else is done. */
  | { readonly stage: 'hooks'; readonly digest: string; readonly point: HookPoint }
  | {
      readonly stage: 'dependents'
      readonly digest: string
      readonly dependents: DependentsWorld
      /** How many of the manifests are delete hooks; undefined when nothing was rendered. */
      readonly deleteHooks: number | undefined
    }
