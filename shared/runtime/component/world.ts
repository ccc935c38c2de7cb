// All that the engine knows of a component in one pass. `stage` says how far gather.ts came, and decide.ts has one row per
// stage.
import type { PassError } from '../../component/reported/pass-result.ts'
import type { World as DependentsWorld } from '../../component/world.ts'
import type { HookPoint } from '../../core/decisions/plan.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { Configuration } from './configuration/configuration.ts'
import type { Engine } from './definition/engine.ts'
import type { Reached } from './reached.ts'
import type { Secrecy } from './references/secrecy.ts'
import type { EngineStatus } from './status/engine-status.ts'

export type EngineWorld = ComponentView & Stage

export type ComponentView = {
  readonly engine: Engine
  /** As it was read. */
  readonly object: KubeObject
  /** With the status that this pass begins with, and the definition's notes. */
  readonly component: KubeObject
  /** The status that the pass begins with: the stored one, or the one that status/new-revision.ts makes. */
  readonly status: EngineStatus
  /** Absent: not read yet, or faulty. */
  readonly configuration?: Configuration
  /** Absent: the reading did not come so far. */
  readonly reached?: Reached
  /** Points with hooks that have not run in this call. */
  readonly hooksDue: ReadonlySet<HookPoint>
  /** Of what was read so far. */
  readonly secrecy: Secrecy
}

export type Stage =
  /** An error ended the reading. */
  | { readonly stage: 'stopped'; readonly error: PassError }
  /** The renderers are busy with others: nothing is written, and the call is tried again later. */
  | { readonly stage: 'postponed'; readonly message: string; readonly seconds: number }
  | { readonly stage: 'suspended' }
  /** It is being deleted and no longer has our finalizer. */
  | { readonly stage: 'released' }
  /** It is deleted with its namespace, and the Secret with the kubeconfig of its dependents went first: nobody can reach them. */
  | { readonly stage: 'cutOff' }
  /** It lacks our finalizer, which is added before anything else is done. */
  | { readonly stage: 'unheld' }
  /** Its digest has changed: the new revision is saved before its dependents are touched. */
  | { readonly stage: 'entering'; readonly digest: string }
  /** Hooks run as the only step of this pass: `postRead` before the configuration is read, the others before the dependents are. */
  | { readonly stage: 'hooks'; readonly point: HookPoint }
  | {
      readonly stage: 'dependents'
      readonly digest: string
      readonly dependents: DependentsWorld
      /** How many manifests are delete hooks; undefined: nothing was rendered. */
      readonly deleteHooks: number | undefined
      /** A template looked something up in this call. */
      readonly hasLookedUp: boolean
    }
