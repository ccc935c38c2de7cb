// Plans the next steps for a component's dependents: applied/applying.ts, or removed/deleting.ts for a component that is being deleted.
import type { Next, Step } from '../core/decisions/plan.ts'
import { listText } from '../core/text/text.ts'
import { applying } from './applied/applying.ts'
import { declared } from './declared/declared-dependents.ts'
import { type DeletingOptions, deleting } from './removed/deleting.ts'
import { type DependentsStatus, noteText } from './reported/dependents-status.ts'
import { isDone, noProgress, type Progress, plainFault } from './reported/progress.ts'
import { secondsByAge } from './reported/requeue-delays.ts'
import { sentenceFor } from './reported/sentences.ts'
import type { World } from './world.ts'

export type ComponentPlan = DependentsStatus & { readonly steps: readonly Step[] }

/** The steps to perform now, and the inventory to save with them. No steps if a manifest has a fault. */
export const plan = (world: World, now: Date, options: DeletingOptions = {}): ComponentPlan => {
  const { dependents, faults } = declared(world)
  if (faults.length > 0)
    return refused(
      world,
      faults.map(fault => sentenceFor(world, fault)),
    )
  const { progress, hasChanged } =
    world.goal === 'apply' ? applying(world, dependents, now) : deleting(world, dependents, now, options)
  const { mustSave: _, repairInSeconds: __, ...found } = progress
  return { ...found, hasChanged, ready: isDone(progress), next: nextAfter(progress, now) }
}

const { mustSave: _, repairInSeconds: __, ...nothing } = noProgress

const refused = ({ items }: World, faults: readonly string[]): ComponentPlan => ({
  ...nothing,
  items,
  errors: faults.map(plainFault),
  ready: false,
  hasChanged: false,
  next: { is: 'waiting', seconds: 10, for: listText(faults, { between: '; ' }) },
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
  return listText([...errors.map(({ message }) => message), ...notes], { between: '; ' })
}
