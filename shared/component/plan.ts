// What is to be done next for a component's dependents, decided from what was read. The words of the answer are here; the
// two ways to it are in applying.ts and deleting.ts.
import { type ObjectRef, refText } from '../core/object.ts'
import type { Next, Step } from '../core/plan.ts'
import { applying } from './applying.ts'
import { secondsByAge } from './delays.ts'
import { deleting } from './deleting.ts'
import { declared } from './dependent.ts'
import type { Item } from './item.ts'
import { isDone, type Progress, plainFault } from './progress.ts'
import { listed } from './sentences.ts'
import type { World } from './world.ts'

export type ComponentPlan = Standing & { readonly steps: readonly Step[] }

/** How far the dependents are. */
export type Standing = {
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
  readonly errors: readonly Fault[]
  readonly next: Next
}

export type Note = { readonly ref: ObjectRef; readonly message: string }

/** `isRetriable`: the API server was in trouble, another try may do. */
export type Fault = { readonly message: string; readonly isRetriable: boolean }

export type PlanOptions = {
  /** At deletion, only items of a lower delete order are touched; with these gone the plan is ready. */
  readonly upToDeleteOrder?: number
}

/** What `applying` and `deleting` come to. */
export type Draft = { readonly progress: Progress; readonly hasChanged: boolean }

/** Steps to be done now, by their order, and the inventory to be saved with them. Faulty manifests change nothing. */
export const plan = (world: World, now: Date, options: PlanOptions = {}): ComponentPlan => {
  const { dependents, faults } = declared(world)
  if (faults.length > 0) return refused(world, faults)
  const { progress, hasChanged } =
    world.wish === 'apply' ? applying(world, dependents, now) : deleting(world, dependents, now, options)
  const { items, steps, unready, failed, redundant, blocked, errors } = progress
  return {
    items,
    steps,
    unready,
    failed,
    redundant,
    blocked,
    errors,
    hasChanged,
    ready: isDone(progress),
    next: nextAfter(progress, now),
  }
}

/** Nothing is written and the inventory stays as it is. */
const refused = ({ items }: World, faults: readonly string[]): ComponentPlan => ({
  items,
  steps: [],
  ready: false,
  hasChanged: false,
  unready: [],
  failed: [],
  redundant: [],
  blocked: [],
  errors: faults.map(plainFault),
  next: { is: 'waiting', seconds: 10, for: listed(faults, { between: '; ' }) },
})

const nextAfter = (progress: Progress, now: Date): Next => {
  const { items, steps, mustSave, repairInSeconds } = progress
  if (steps.length > 0 || mustSave) return { is: 'again' }
  if (isDone(progress)) return { is: 'settled', againSeconds: repairInSeconds }
  const age = secondsByAge(
    now,
    items.map(({ lastAppliedAt }) => lastAppliedAt),
  )
  return { is: 'waiting', seconds: Math.min(age, repairInSeconds ?? age), for: waitingFor(progress) }
}

const waitingFor = ({ errors, failed, blocked, unready, redundant }: Progress): string => {
  const notes = [...failed, ...blocked, ...unready, ...redundant].map(noteText)
  return listed([...errors.map(({ message }) => message), ...notes], { between: '; ' })
}

/** `Kind namespace/name: message`; of what is no object, the message says all. */
export const noteText = ({ ref, message }: Note): string => (ref.name ? `${refText(ref)}: ${message}` : message)
