// The status of a component's dependents, for the component's own status and for when to look again.
import type { Next } from '../../core/decisions/plan.ts'
import { type ObjectRef, refText } from '../../core/objects/object.ts'
import type { Item } from '../inventory/item.ts'

export type DependentsStatus = {
  readonly items: readonly Item[]
  /**
   * For the goal `apply`: all is Current or Completed, and nothing redundant is left. For `delete`: nothing is left
   * but delete hooks that are Completed, so that a look at it once more finds nothing to begin again.
   */
  readonly ready: boolean
  /** A manifest was added, removed or changed since the inventory was saved. */
  readonly hasChanged: boolean
  readonly unready: readonly Note[]
  readonly failed: readonly Note[]
  /** Items that are being removed or wait for their removal. */
  readonly redundant: readonly Note[]
  /** Objects and finalizers of others that block a deletion. */
  readonly blocked: readonly Note[]
  /** Faults of manifests, refused adoptions and failed writes. */
  readonly errors: readonly DependentFault[]
  readonly next: Next
}

/** `neededBy`: other components for which the object stays a while, as messages name them. */
export type Note = { readonly ref: ObjectRef; readonly message: string; readonly neededBy?: readonly string[] }

/** `isRetriable`: the API server was in trouble, and another try may succeed. */
export type DependentFault = { readonly message: string; readonly isRetriable: boolean }

/** `Kind namespace/name: message`; the message alone if the note is about no object. */
export const noteText = ({ ref, message }: Note): string => (ref.name ? `${refText(ref)}: ${message}` : message)
