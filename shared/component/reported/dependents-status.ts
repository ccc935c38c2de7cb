// The status of all dependents of a component, and the progress of a group of dependents, from which the plan derives the status.
import type { Next, Step } from '../../core/decisions/plan.ts'
import { type ObjectRef, refText } from '../../core/objects/object.ts'
import type { Item } from '../item.ts'

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

export type Progress = {
  readonly items: readonly Item[]
  readonly steps: readonly Step[]
  readonly unready: readonly Note[]
  readonly failed: readonly Note[]
  readonly redundant: readonly Note[]
  readonly blocked: readonly Note[]
  readonly errors: readonly DependentFault[]
  readonly mustSave: boolean
  /** Time until the earliest delayed repair. */
  readonly repairInSeconds?: number
}

export type Draft = { readonly progress: Progress; readonly hasChanged: boolean }

export const noProgress: Progress = {
  items: [],
  steps: [],
  unready: [],
  failed: [],
  redundant: [],
  blocked: [],
  errors: [],
  mustSave: false,
}

export const together = (parts: readonly Progress[]): Progress => ({
  items: parts.flatMap(({ items }) => items),
  steps: parts.flatMap(({ steps }) => steps),
  unready: parts.flatMap(({ unready }) => unready),
  failed: parts.flatMap(({ failed }) => failed),
  redundant: parts.flatMap(({ redundant }) => redundant),
  blocked: parts.flatMap(({ blocked }) => blocked),
  errors: parts.flatMap(({ errors }) => errors),
  mustSave: parts.some(({ mustSave }) => mustSave),
  repairInSeconds: earliest(parts.map(({ repairInSeconds }) => repairInSeconds)),
})

export const earliest = (seconds: readonly (number | undefined)[]): number | undefined => {
  const known = seconds.filter(value => value !== undefined)
  return known.length > 0 ? Math.min(...known) : undefined
}

export const isDone = ({ steps, unready, failed, redundant, blocked, errors, mustSave }: Progress): boolean =>
  [steps, unready, failed, redundant, blocked, errors].every(list => list.length === 0) && !mustSave

export const plainFault = (message: string): DependentFault => ({ message, isRetriable: false })
