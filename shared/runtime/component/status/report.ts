// Computes status, Events and requeue time after a pass. The state comes from shared/component/reported/component-state.ts. This file adds
// revision, times and inventory.
import { isDeepStrictEqual } from 'node:util'
import { storedItems } from '../../../component/item.ts'
import { afterSteps, type ComponentPlan } from '../../../component/plan.ts'
import { type PassError, type StateReport, secondsAfterError } from '../../../component/reported/component-state.ts'
import { dependentEvents, driftMeasurements } from '../../../component/reported/dependent-events.ts'
import type { DependentsStatus } from '../../../component/reported/dependents-status.ts'
import type { Measurement } from '../../../core/decisions/measurement.ts'
import type { EventNote, Next, Report, StatusChange, StepResult } from '../../../core/decisions/plan.ts'
import { mergePatched } from '../../../core/json/merge-patch.ts'
import { isDeleting, type KubeObject } from '../../../core/objects/object.ts'
import { kubeTime, timePassed } from '../../../core/time/kube-time.ts'
import type { EnginePlan } from '../decide.ts'
import { retriableIn } from '../definition/retriable.ts'
import { discreet } from '../references/secrecy.ts'
import type { EngineWorld } from '../world.ts'
import { type EngineStatus, isReadyCondition, statusAt, statusChange } from './engine-status.ts'
import { passMeasured } from './measured.ts'
import { stateFor, withState } from './state-in-status.ts'

type Outcome = {
  readonly world: EngineWorld
  readonly now: Date
  readonly dependents?: DependentsStatus
  readonly error?: PassError
  readonly events: readonly EventNote[]
  /** The component with its status after hooks. */
  readonly hooked: KubeObject
  /** Whether another pass follows in this call, independent of the state. */
  readonly goesOn: boolean
}

export const report = (world: EngineWorld, plan: EnginePlan, results: readonly StepResult[], now: Date): Report => ({
  ...judged(world, plan, results, now),
  measured: [...passMeasured(world, plan, results), ...driftIn(world, plan, results)],
})

const driftIn = (world: EngineWorld, plan: EnginePlan, results: readonly StepResult[]): Measurement[] =>
  world.stage === 'dependents' && plan.dependents
    ? driftMeasurements(world.engine.name, world.dependents, { plan: plan.dependents, results: ofDependents(results) })
    : []

const judged = (world: EngineWorld, plan: EnginePlan, results: readonly StepResult[], now: Date): Report => {
  if (world.stage === 'released') return { status: {}, next: { is: 'settled' } }
  if (world.stage === 'postponed')
    return { status: {}, next: { is: 'waiting', seconds: world.seconds, for: world.message } }
  if (isReleased(results)) return { status: {}, next: { is: 'settled' } }
  // Another client changed the component. The loop reports the conflict, and the next call starts again.
  if (results.some(result => isOfComponent(result) && result.error?.isConflict)) return { status: {} }
  const outcome = outcomeOf(world, plan, { results, now })
  if (!outcome.goesOn || outcome.error) return arrived(outcome)
  return world.stage === 'unheld' ? { status: {}, next: { is: 'again' } } : onTheWay(outcome)
}

const isReleased = (results: readonly StepResult[]): boolean =>
  results.some(({ step, error }) => step.do === 'removeFinalizer' && !step.on && !error)

type Tried = { readonly results: readonly StepResult[]; readonly now: Date }

const outcomeOf = (world: EngineWorld, plan: EnginePlan, { results, now }: Tried): Outcome => {
  const ours = results.filter(isOfComponent)
  const hooked = ours.findLast(({ step, object }) => step.do === 'hook' && object)?.object ?? world.component
  const basis = { world, now, hooked, error: troubleOf(world, ours) }
  if (world.stage !== 'dependents' || !plan.dependents)
    return { ...basis, events: [], goesOn: ['unheld', 'entering', 'hooks'].includes(world.stage) }
  const tried = { plan: plan.dependents, results: ofDependents(results) }
  const dependents = afterSteps(world.dependents, tried, now)
  const events = hasEvents(world) ? dependentEvents(world.dependents, tried).map(event => discreetly(event, world)) : []
  const goesOn = isOnlySaved(plan.dependents) || hasHooksLeft(world, dependents, ours)
  return { ...basis, dependents, events, goesOn }
}

const discreetly = (event: EventNote, world: EngineWorld): EventNote => ({
  ...event,
  message: discreet(event.message, world),
  detail: event.detail && discreet(event.detail, world),
})

/** Whether further hooks must run: at a deletion, or the postReconcile hooks before the component becomes Ready. */
const hasHooksLeft = (
  { component, hooksDue }: EngineWorld,
  { ready }: DependentsStatus,
  ours: readonly StepResult[],
): boolean => {
  const hasRun = ours.some(({ step }) => step.do === 'hook')
  return isDeleting(component) ? hasRun : ready && !hasRun && hooksDue.has('postReconcile')
}

/** Whether this pass has no steps and only saves the inventory before the next pass writes. */
const isOnlySaved = ({ steps, next }: ComponentPlan): boolean => steps.length === 0 && next.is === 'again'

const hasEvents = ({ component, engine }: EngineWorld): boolean =>
  component.metadata.annotations?.[`${engine.name}/disable-events`] !== 'true'

const isOfComponent = ({ step }: StepResult): boolean => step.on === undefined

const ofDependents = (results: readonly StepResult[]): StepResult[] => results.filter(result => !isOfComponent(result))

const troubleOf = (world: EngineWorld, results: readonly StepResult[]): PassError | undefined => {
  if (world.stage === 'stopped') return world.error
  const error = results.find(result => result.error)?.error
  if (!error) return undefined
  const expected = retriableIn(error.cause)
  return { is: expected ? 'retriable' : 'plain', message: error.message, ...expected }
}

/** The report before another pass: saves only the inventory. The last pass of this generation saves observedGeneration with the state. */
const onTheWay = (outcome: Outcome): Report => {
  const { world, dependents } = outcome
  const engine = dependents ? bookkept(outcome, dependents) : world.status
  const events = [...ownEvents(world, engine), ...outcome.events]
  return { ...saved(outcome, engine), events, next: { is: 'again' } }
}

/** Changed manifests restart the timeout. */
const bookkept = (
  { world: { status, engine }, now }: Outcome,
  { items, hasChanged }: DependentsStatus,
): EngineStatus => ({
  ...status,
  inventory: storedItems(items, engine.options.inventoryFields),
  ...(hasChanged && status.processingSince !== undefined && { processingSince: kubeTime(now) }),
})

const arrived = (outcome: Outcome): Report => {
  const { world, now, dependents, error } = outcome
  const clocked = { ...world.status, processingSince: processingSince(outcome) }
  const isSuspended = world.stage === 'suspended'
  const state = stateFor(world, { now, status: clocked, dependents, error, isSuspended })
  const items = dependents && { inventory: storedItems(dependents.items, world.engine.options.inventoryFields) }
  const hooks =
    world.stage === 'dependents' && world.deleteHooks !== undefined ? { deleteHooks: world.deleteHooks } : {}
  const status = withState(world, state, { now, status: { ...clocked, ...items, ...hooks } })
  const events = [...ownEvents(world, status), ...outcome.events]
  const next = nextOf(outcome, state, status)
  const change = saved(outcome, status, appliedTime(state, now))
  return { ...change, events, next }
}

const processingSince = ({ world, now, dependents, error }: Outcome): string | undefined => {
  if (world.stage === 'suspended') return undefined
  const before = timePassed(world.status.processingSince, now)
  if (error) return error.is === 'configuration' ? before : (before ?? kubeTime(now))
  if (dependents?.ready) return undefined
  return dependents?.hasChanged ? kubeTime(now) : (before ?? kubeTime(now))
}

type Applied = Pick<EngineStatus, 'lastAppliedAt'>

const appliedTime = ({ state }: StateReport, now: Date): Applied =>
  state === 'Ready' ? { lastAppliedAt: kubeTime(now) } : {}

/** lastObservedAt and lastAppliedAt change only together with other fields. A newer time alone causes no write. */
const saved = (
  { world, now, hooked, dependents }: Outcome,
  engine: EngineStatus,
  applied: Applied = {},
): { status: StatusChange } => {
  const { statusPath: path, inventory } = world.engine.options
  const change = (engine: EngineStatus): StatusChange => {
    const written = statusChange(world.object, hooked, { path, engine, hasInventory: inventory === undefined })
    return dependents && inventory
      ? { ...written, ...asSent(inventory.write(storedItems(dependents.items), hooked)) }
      : written
  }
  const status = change(engine)
  const before = world.object.status ?? {}
  if (isDeepStrictEqual(mergePatched(before, status), before)) return { status }
  return { status: change({ ...engine, lastObservedAt: kubeTime(now), ...applied }) }
}

/** Drops undefined fields for the comparison with the stored status. */
const asSent = (change: StatusChange): StatusChange => JSON.parse(JSON.stringify(change)) as StatusChange

const readyIn = ({ conditions }: EngineStatus) => conditions?.find(isReadyCondition)

const ownEvents = ({ object, engine }: EngineWorld, after: EngineStatus): EventNote[] => {
  const [old, now] = [readyIn(statusAt(object, engine.options.statusPath)), readyIn(after)]
  if (!now || (old?.reason === now.reason && old.message === now.message)) return []
  const isBad = after.state === 'Error' || now.reason === 'DeletionBlocked'
  return [{ type: isBad ? 'Warning' : 'Normal', reason: now.reason, message: now.message }]
}

/** A component that just became Ready gets another pass, because its dependents may have changed during this pass. */
const nextOf = ({ world, now, dependents, error, goesOn }: Outcome, state: StateReport, status: EngineStatus): Next => {
  const { requeueSeconds, message, isStalled } = state
  if (!error && (goesOn || dependents?.next.is === 'again')) return { is: 'again' }
  if (state.state === 'Ready' && world.status.state === 'Processing') return { is: 'again' }
  if (isStalled) return { is: 'stalled', reason: message }
  if (requeueSeconds === undefined) return { is: 'settled' }
  if (state.state === 'Ready') return { is: 'settled', againSeconds: requeueSeconds }
  // The API server failed, and writes may have been performed. Return a failure, so that any event triggers a call.
  if (dependents?.errors.some(error => error.isRetriable))
    return { is: 'failed', seconds: secondsAfterError(now, readyIn(status)?.lastTransitionTime), reason: message }
  const isFailing = error?.is === 'plain' || (dependents?.errors.length ?? 0) > 0
  if (isFailing && state.state === 'Error') return { is: 'failed', seconds: requeueSeconds, reason: message }
  return { is: 'waiting', seconds: requeueSeconds, for: message }
}
