// All that purge knows when it decides.
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Kyma } from '../../shared/kyma/kinds.ts'
import type { PurgeSettings } from './settings.ts'

export type World = {
  readonly kyma: Kyma
  readonly settings: PurgeSettings
  readonly runtime: Runtime
}

export type Runtime =
  /** Not read: nothing is to be purged, or not yet. */
  | { readonly is: 'unasked' }
  /** Nothing may be purged in it, or nobody can reach it any more. */
  | { readonly is: 'spared'; readonly because: string }
  | { readonly is: 'unreadable'; readonly because: string }
  /**
   * `left`: metadata of the objects to purge that have finalizers, a list for each kind. `unread`: a sentence for each kind or object
   * that could not be read. `hasMore`: there are more objects than a pass has room for.
   */
  | {
      readonly is: 'read'
      readonly left: readonly (readonly KubeObject[])[]
      readonly unread: readonly string[]
      readonly hasMore: boolean
    }
