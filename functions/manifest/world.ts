// All that manifest may know in one pass.
import type { RequeueSeconds } from '../../shared/api/installation.ts'
import type { World as DependentsWorld } from '../../shared/component/world.ts'
import type { Manifest } from '../../shared/kyma/kinds.ts'

export type World = {
  readonly manifest: Manifest
  readonly requeue: RequeueSeconds
  readonly found: Found
}

export type Found =
  /** It is not ours, or a person wants it left alone. */
  | { readonly is: 'leftAlone' }
  /** It is being deleted, and our finalizers are gone. */
  | { readonly is: 'released' }
  /** It is being deleted, and no access Secret leads to its runtime any more. */
  | { readonly is: 'cutOff' }
  /** The reading ended with a fault. */
  | { readonly is: 'failed'; readonly fault: Fault }
  /** Another process has the turn: nothing is written, and the call is tried again. */
  | { readonly is: 'postponed'; readonly seconds: number; readonly because: string }
  /** The objects of the module were read. */
  | Installed

export type Installed = {
  readonly is: 'installed'
  readonly dependents: DependentsWorld
  /** Of the layer whose objects are declared. */
  readonly layerDigest: string
  /** At its deletion: why the layer could not be read, so that nothing is repaired. */
  readonly unreadLayer?: Fault
}

export type Fault = {
  readonly text: string
  /** The runtime or the registry is in trouble, so another try may succeed. */
  readonly isOutside: boolean
  /** What the Manifest is to install is not known. */
  readonly isOfLayer?: true
}
