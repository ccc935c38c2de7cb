// Decides the steps for a component, by a table with one row for each `stage` in world.ts.
import { type ComponentPlan, plan } from '../../component/plan.ts'
import { skipsDeleteHooks } from '../../component/removed/deleting.ts'
import { type EventNote, type HookPoint, type Plan, type Step, settled } from '../../core/decisions/plan.ts'
import { isDeleting } from '../../core/objects/object.ts'
import { listText } from '../../core/text/text.ts'
import type { EngineWorld, Stage } from './world.ts'

export type EnginePlan = Plan & { readonly dependents?: ComponentPlan }

type At<S extends Stage['stage']> = Extract<EngineWorld, { stage: S }>
type Decided = Partial<Pick<Plan, 'events'>> & { readonly steps: readonly Step[]; readonly dependents?: ComponentPlan }

const nothing: Decided = { steps: [] }

const stages: { readonly [S in Stage['stage']]: (world: At<S>, now: Date) => Decided } = {
  stopped: () => nothing,
  postponed: () => nothing,
  suspended: () => nothing,
  released: () => nothing,
  cutOff: world => ({ steps: [release(world)], events: leftBehind(world) }),
  unheld: world => ({ steps: [hold(world)] }),
  entering: () => nothing,
  hooks: world => ({ steps: [hook(world, world.point)] }),
  dependents: (world, now) => ofDependents(world, now),
}

/** Decides only steps and Events. status/report.ts makes the status and the requeue time. */
export const decide = (world: EngineWorld, now: Date): EnginePlan => {
  const decideAt = stages[world.stage] as (world: EngineWorld, now: Date) => Decided
  return { events: [], ...decideAt(world, now), status: {}, next: settled }
}

const ofDependents = (world: At<'dependents'>, now: Date): Decided => {
  const dependents = plan(world.dependents, now)
  const last = dependents.ready ? lastSteps(world) : []
  const isReleased = last.some(step => step.do === 'removeFinalizer')
  return { dependents, steps: [...dependents.steps, ...last], events: isReleased ? skippedHooks(world) : [] }
}

/** The steps when all dependents are ready, or when all are gone. */
const lastSteps = (world: At<'dependents'>): Step[] => {
  const isGoing = isDeleting(world.component)
  const point = isGoing ? 'postDelete' : 'postReconcile'
  if (world.hooksDue.has(point)) return [hook(world, point)]
  return isGoing ? [release(world)] : []
}

const skippedHooks = ({ component, engine, status, dependents }: At<'dependents'>): EventNote[] => {
  const { settings, endingNamespaces = [] } = dependents
  const areAllSkipped = settings.skipsDeleteHooks && (status.deleteHooks ?? 0) > 0
  if (!areAllSkipped && endingNamespaces.length === 0) return []
  const { namespace = '' } = component.metadata
  const ending = endingNamespaces.length > 0 ? endingNamespaces : [namespace]
  const cause = skipsDeleteHooks(component, engine.name)
    ? `the annotation ${engine.name}/skip-delete-hooks is set`
    : `namespace ${listText(ending)} is being deleted`
  return [{ type: 'Warning', reason: 'DeleteHooksSkipped', message: `delete hooks did not run: ${cause}` }]
}

const leftBehind = ({ component, engine, status }: EngineWorld): EventNote[] => {
  const inventory = engine.options.inventory?.read(component) ?? status.inventory ?? []
  const message = `the Secret with the kubeconfig was deleted before the ${engine.kind.kind}, together with the namespace: ${inventory.length} dependents remain in the target cluster`
  return inventory.length > 0 ? [{ type: 'Warning', reason: 'DependentsLeftBehind', message }] : []
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
