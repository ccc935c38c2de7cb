// What is to be done for a component now: one row per stage of the look at it.
import { type ComponentPlan, plan } from '../../component/plan.ts'
import { isDeleting } from '../../core/object.ts'
import { type HookPoint, type Plan, type Step, settled } from '../../core/plan.ts'
import type { Stage, World } from './world.ts'

/** `dependents`: what the engine wants of them, for the report. */
export type EnginePlan = Plan & { readonly dependents?: ComponentPlan }

type At<S extends Stage['stage']> = Extract<World, { stage: S }>
type Decided = { readonly steps: readonly Step[]; readonly dependents?: ComponentPlan }

const nothing: Decided = { steps: [] }

const stages: { readonly [S in Stage['stage']]: (world: At<S>, now: Date) => Decided } = {
  stopped: () => nothing,
  postponed: () => nothing,
  suspended: () => nothing,
  released: () => nothing,
  unheld: world => ({ steps: [hold(world)] }),
  entering: () => nothing,
  hooks: world => ({ steps: [hook(world, world.point)] }),
  dependents: (world, now) => ofDependents(world, now),
}

/** What it says, and when to look again, is told by the report. */
export const decide = (world: World, now: Date): EnginePlan => {
  const decideAt = stages[world.stage] as (world: World, now: Date) => Decided
  return { ...decideAt(world, now), status: {}, events: [], next: settled }
}

const ofDependents = (world: At<'dependents'>, now: Date): Decided => {
  const dependents = plan(world.dependents, now)
  return { dependents, steps: [...dependents.steps, ...(dependents.ready ? lastSteps(world) : [])] }
}

/** Once all is ready, or all is gone. */
const lastSteps = (world: At<'dependents'>): Step[] => {
  const isGoing = isDeleting(world.component)
  const point = isGoing ? 'postDelete' : 'postReconcile'
  if (world.hooksDue.has(point)) return [hook(world, point)]
  return isGoing ? [release(world)] : []
}

const hold = ({ object, engine }: World): Step => ({
  do: 'addFinalizer',
  target: object,
  finalizer: engine.options.finalizer,
})

const release = ({ object, engine }: World): Step => ({
  do: 'removeFinalizer',
  target: object,
  finalizer: engine.options.finalizer,
})

const hook = ({ component }: World, point: HookPoint): Step => ({ do: 'hook', point, object: component })
