// The steps for a component, one row per stage of world.ts.
import { type ComponentPlan, plan } from '../../component/plan.ts'
import { type HookPoint, type Plan, type Step, settled } from '../../core/decisions/plan.ts'
import { isDeleting } from '../../core/objects/object.ts'
import type { EngineWorld, Stage } from './world.ts'

/** `dependents`: the plan for the dependents, for the report. */
export type EnginePlan = Plan & { readonly dependents?: ComponentPlan }

type At<S extends Stage['stage']> = Extract<EngineWorld, { stage: S }>
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

/** Steps only; reported/report.ts makes the status and says when to look again. */
export const decide = (world: EngineWorld, now: Date): EnginePlan => {
  const decideAt = stages[world.stage] as (world: EngineWorld, now: Date) => Decided
  return { ...decideAt(world, now), status: {}, events: [], next: settled }
}

const ofDependents = (world: At<'dependents'>, now: Date): Decided => {
  const dependents = plan(world.dependents, now)
  return { dependents, steps: [...dependents.steps, ...(dependents.ready ? lastSteps(world) : [])] }
}

/** The steps when all dependents are ready, or all are gone. */
const lastSteps = (world: At<'dependents'>): Step[] => {
  const isGoing = isDeleting(world.component)
  const point = isGoing ? 'postDelete' : 'postReconcile'
  if (world.hooksDue.has(point)) return [hook(world, point)]
  return isGoing ? [release(world)] : []
}

const hold = ({ object, engine }: EngineWorld): Step => ({
  do: 'addFinalizer',
  target: object,
  finalizer: engine.options.finalizer,
})

const release = ({ object, engine }: EngineWorld): Step => ({
  do: 'removeFinalizer',
  target: object,
  finalizer: engine.options.finalizer,
})

const hook = ({ component }: EngineWorld, point: HookPoint): Step => ({ do: 'hook', point, object: component })
