// The facts about a component in one pass. `stage` says where gather.ts stopped. decide.ts has a row for each stage.
import type { PassError } from '../../component/reported/component-state.ts'
import type { World as DependentsWorld } from '../../component/world.ts'
import type { HookPoint } from '../../core/decisions/plan.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { Configuration } from './configuration/configuration.ts'
import type { Engine } from './definition/engine.ts'
import type { Secrecy } from './references/secrecy.ts'
import type { EngineStatus } from './status/engine-status.ts'
import type { Reached } from './target-cluster.ts'

export type EngineWorld = ComponentView & Stage

export type ComponentView = {
  readonly engine: Engine
  /** The component as it was read. */
  readonly object: KubeObject
  /** The component with the current status and the definition's notes. */
  readonly component: KubeObject
  /** The stored status, or the new status of status/state-in-status.ts. */
  readonly status: EngineStatus
  /** Absent when the configuration is not read yet or invalid. */
  readonly configuration?: Configuration
  /** Absent before the cluster of the dependents is known. */
  readonly reached?: Reached
  readonly hooksDue: ReadonlySet<HookPoint>
  /** Secret words of everything read so far. */
  readonly secrecy: Secrecy
}

export type Stage =
  | { readonly stage: 'stopped'; readonly error: PassError }
  /** The renderers are busy. Nothing is written, and the call is repeated later. */
  | { readonly stage: 'postponed'; readonly message: string; readonly seconds: number }
  | { readonly stage: 'suspended' }
  /** The component is being deleted and does not have our finalizer. */
  | { readonly stage: 'released' }
  /** The component is deleted with its namespace, and its kubeconfig Secret is gone, so its dependents are unreachable. */
  | { readonly stage: 'cutOff' }
  /** Our finalizer is missing. The first step adds our finalizer. */
  | { readonly stage: 'unheld' }
  /** The digest changed. The new revision is saved before dependents are written. */
  | { readonly stage: 'entering'; readonly digest: string }
  /** Hooks are the only step of this pass: `postRead` before the configuration is read, other hooks before dependents are read. */
  | { readonly stage: 'hooks'; readonly point: HookPoint }
  | {
      readonly stage: 'dependents'
      readonly digest: string
      readonly dependents: DependentsWorld
      readonly deleteHooks: number | undefined
      /** A template performed lookups in this call. */
      readonly hasLookedUp: boolean
    }
