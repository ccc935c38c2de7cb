// The facts on which purge decides.
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Kyma } from '../../shared/kyma/kinds.ts'
import type { PurgeSettings } from './settings.ts'

export type World = {
  readonly kyma: Kyma
  readonly settings: PurgeSettings
  readonly runtime: Runtime
}

export type Runtime =
  /** The runtime was not read, because nothing must be purged now. */
  | { readonly is: 'unasked' }
  /** Nothing may be purged in the runtime, or the runtime can no longer be reached. */
  | { readonly is: 'spared'; readonly because: string }
  | { readonly is: 'unreadable'; readonly because: string }
  /**
   * `left`: metadata of objects to purge that have finalizers, a list for each kind. `unread`: a sentence for each kind or object that
   * could not be read. `hasMore`: more objects exist than fit into a pass.
   */
  | {
      readonly is: 'read'
      readonly left: readonly (readonly KubeObject[])[]
      readonly unread: readonly string[]
      readonly hasMore: boolean
    }
