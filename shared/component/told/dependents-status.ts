// How far the dependents of a component are: what its status tells people, and when to look again.
import { type ObjectRef, refText } from '../../core/object.ts'
import type { Next } from '../../core/plan.ts'
import type { Item } from '../inventory/item.ts'

/** How far the dependents are. */
export type DependentsStatus = {
  /** The inventory to be saved. */
  readonly items: readonly Item[]
  /**
   * For the wish `apply`: all is Current or Completed, and nothing redundant is left. For `delete`: nothing is left
   * but delete hooks that are Completed, so that a look at it once more finds nothing to begin again.
   */
  readonly ready: boolean
  /** A manifest came, went, or is not what it was when the inventory was saved. */
  readonly hasChanged: boolean
  readonly unready: readonly Note[]
  readonly failed: readonly Note[]
  /** What is being removed, or is still to be. */
  readonly redundant: readonly Note[]
  /** What holds deletion up and belongs to others. */
  readonly blocked: readonly Note[]
  /** What is wrong with the manifests, with ownership, or went wrong with single writes. */
  readonly errors: readonly DependentFault[]
  readonly next: Next
}

export type Note = { readonly ref: ObjectRef; readonly message: string }

/** `isRetriable`: the API server was in trouble, another try may do. */
export type DependentFault = { readonly message: string; readonly isRetriable: boolean }

/** `Kind namespace/name: message`; of what is no object, the message says all. */
export const noteText = ({ ref, message }: Note): string => (ref.name ? `${refText(ref)}: ${message}` : message)
