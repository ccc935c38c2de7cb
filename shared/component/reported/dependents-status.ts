// The status of all dependents of a component, for its status and requeue time.
import type { Next } from '../../core/decisions/plan.ts'
import { type ObjectRef, refText } from '../../core/objects/object.ts'
import type { Item } from '../inventory/item.ts'

export type DependentsStatus = {
  readonly items: readonly Item[]
  /**
   * For the goal `apply`: all dependents are Current or Completed, and nothing is redundant. For `delete`: only Completed delete hooks are
   * left, so that another pass does not start them again.
   */
  readonly ready: boolean
  /** A manifest was added, removed or changed since the inventory was saved. */
  readonly hasChanged: boolean
  readonly unready: readonly Note[]
  readonly failed: readonly Note[]
  readonly redundant: readonly Note[]
  /** Objects of other owners and finalizers of other controllers that block a deletion. */
  readonly blocked: readonly Note[]
  /** Faults of manifests, refused adoptions and failed writes. */
  readonly errors: readonly DependentFault[]
  readonly next: Next
}

/** `neededBy`: other components that still need the object, for messages. */
export type Note = { readonly ref: ObjectRef; readonly message: string; readonly neededBy?: readonly string[] }

/** `isRetriable`: the API server had a problem, and another attempt may succeed. */
export type DependentFault = { readonly message: string; readonly isRetriable: boolean }

/** `Kind namespace/name: message`, or only the message if the note has no object. */
export const noteText = ({ ref, message }: Note): string => (ref.name ? `${refText(ref)}: ${message}` : message)
