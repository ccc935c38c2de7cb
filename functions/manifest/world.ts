// The facts on which manifest decides.
import type { ItemKey } from '../../shared/component/item.ts'
import type { World as DependentsWorld } from '../../shared/component/world.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Manifest } from '../../shared/kyma/kinds.ts'
import type { Situation } from '../../shared/kyma/next-call.ts'
import type { RequeueSettings } from '../../shared/kyma/settings.ts'

export type World = {
  readonly manifest: Manifest
  readonly requeue: RequeueSettings
  readonly began: Date
  readonly found: Found
}

export type Found =
  /** The Manifest is not ours, or a label excludes it. */
  | { readonly is: 'leftAlone' }
  /** The Manifest is being deleted, and our finalizers are gone. */
  | { readonly is: 'released' }
  /** The Manifest is being deleted, but no access Secret for its runtime exists any more, or another Kyma has the runtime. */
  | { readonly is: 'cutOff' }
  | { readonly is: 'failed'; readonly fault: Fault }
  /** The renderers are busy: nothing is written, and the call is repeated. */
  | { readonly is: 'postponed'; readonly seconds: number; readonly because: string }
  /** The objects of the module were in order recently, and no event came since. */
  | { readonly is: 'inOrder' }
  | Installed

export type Installed = {
  readonly is: 'installed'
  readonly dependents: DependentsWorld
  /** The key of the default object. Absent: the module has no default object. */
  readonly defaultKey?: ItemKey
  /** The default object was created, but its kind is no longer served, for example because this is another cluster. */
  readonly isDefaultGone: boolean
  readonly firstPods: readonly KubeObject[]
  /** Why Pods of Deployments do not become ready, one sentence each. */
  readonly podTroubles: readonly string[]
  /** During a deletion: the layer could not be read, so nothing is repaired. */
  readonly isLayerUnread: boolean
}

export type Fault = {
  readonly text: string
  readonly needs: Situation['needs']
  /** The reason of the next call, with the name that the Go operator uses. Absent: the layer or the runtime cannot be read. */
  readonly requeue?: 'manifest_orphaned' | 'manifest_parse_spec'
  /** The layer has a fault, so the objects to install are unknown. */
  readonly isOfLayer?: true
}
