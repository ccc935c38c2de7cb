// All that manifest may know in one pass.
import type { RequeueSeconds } from '../../shared/api/installation.ts'
import type { ItemKey } from '../../shared/component/inventory/item.ts'
import type { World as DependentsWorld } from '../../shared/component/world.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Manifest } from '../../shared/kyma/kinds.ts'
import type { Situation } from '../../shared/kyma/next-call.ts'

export type World = {
  readonly manifest: Manifest
  readonly requeue: RequeueSeconds
  readonly began: Date
  readonly found: Found
}

export type Found =
  /** It is not ours, or a person wants it left alone. */
  | { readonly is: 'leftAlone' }
  /** It is being deleted, and our finalizers are gone. */
  | { readonly is: 'released' }
  /** It is being deleted, and no access Secret leads to its runtime any more, or only to one that is another Kyma's. */
  | { readonly is: 'cutOff' }
  | { readonly is: 'failed'; readonly fault: Fault }
  /** Another process has the turn: nothing is written, and the call is tried again. */
  | { readonly is: 'postponed'; readonly seconds: number; readonly because: string }
  /** The objects of the module were in order a while ago, and no event came since. */
  | { readonly is: 'inOrder' }
  /** The objects of the module were read. */
  | Installed

export type Installed = {
  readonly is: 'installed'
  readonly dependents: DependentsWorld
  /** Of the default object; absent: there is none. */
  readonly defaultKey?: ItemKey
  /** The default object was created where its kind is no longer served: in another cluster, or before somebody deleted the definition. */
  readonly isDefaultGone: boolean
  /** Of the layer whose objects are declared. */
  readonly layerDigest: string
  readonly firstPods: readonly KubeObject[]
  /** Why Pods of Deployments do not become ready, a sentence each. */
  readonly podTroubles: readonly string[]
  /** At its deletion: the layer could not be read, so that nothing is repaired. */
  readonly isLayerUnread: boolean
}

export type Fault = {
  readonly text: string
  readonly needs: Situation['needs']
  /** Why the Manifest is called again, in the words of the Go operator; absent: its layer or its runtime cannot be read. */
  readonly requeue?: 'manifest_orphaned' | 'manifest_parse_spec'
  /** What the Manifest is to install is not known. */
  readonly isOfLayer?: true
}
