// The status of a Manifest after its steps, and the time of the next call.
import { itemKey, wasApplied } from '../../shared/component/item.ts'
import { afterSteps } from '../../shared/component/plan.ts'
import { driftEvents, driftMeasurements, driftMetric } from '../../shared/component/reported/dependent-events.ts'
import type { DependentsStatus } from '../../shared/component/reported/dependents-status.ts'
import type { Measurement, Metric } from '../../shared/core/decisions/measurement.ts'
import type { Next, Report, StatusChange, StepResult } from '../../shared/core/decisions/plan.ts'
import { type Condition, withCondition } from '../../shared/core/objects/condition.ts'
import { isDeleting } from '../../shared/core/objects/object.ts'
import { secondsBetween } from '../../shared/core/tls/renewal.ts'
import { isCreated } from '../../shared/kyma/manifests.ts'
import { doingSince, nextFor, requeueMeasurement, requeueMetric } from '../../shared/kyma/next-call.ts'
import type { ManifestPlan } from './decide.ts'
import { defaultObject } from './desired/module-objects.ts'
import { conditionWords, type ManifestCondition } from './reasons.ts'
import { isHandedOver } from './rules/lifecycle.ts'
import { type Case, sayingOf } from './rules/states.ts'
import type { World } from './world.ts'

type Tried = {
  readonly world: World
  readonly plan: ManifestPlan
  readonly results: readonly StepResult[]
  readonly now: Date
}

const duration = 'reconcile_duration_seconds'
/** Shorter calls are not reported, as in the Go operator, because each Manifest would create its own series. */
const shownSeconds = 60

export const manifestMetrics: readonly Metric[] = [
  requeueMetric,
  driftMetric,
  {
    name: duration,
    type: 'gauge',
    labels: ['manifest_name'],
    help: 'Duration of long calls for a Manifest, in seconds',
  },
]

export const report = (world: World, plan: ManifestPlan, results: readonly StepResult[], now: Date): Report => {
  const judged = judgment(world, plan, { results, now })
  const { measured = [], events = plan.events } = judged
  const repaired = repairs(world, plan, results)
  return {
    ...judged,
    measured: [...measured, ...repaired.measured, took(world, now)],
    events: [...events, ...repaired.events],
  }
}

/** The Events regard the Manifest, because the repaired objects are in a runtime. */
const repairs = ({ found }: World, { dependents: plan }: ManifestPlan, results: readonly StepResult[]) =>
  found.is === 'installed' && plan
    ? {
        measured: driftMeasurements('manifest', found.dependents, { plan, results }),
        events: driftEvents(found.dependents, { plan, results }),
      }
    : { measured: [], events: [] }

const took = ({ manifest, began }: World, now: Date): Measurement => {
  const seconds = secondsBetween(began, now)
  const labels = { manifest_name: manifest.metadata.name }
  return { metric: duration, labels, ...(seconds >= shownSeconds ? { set: seconds } : { forget: true }) }
}

const judgment = (world: World, plan: ManifestPlan, { results, now }: Pick<Tried, 'results' | 'now'>): Report => {
  const { found, manifest } = world
  if (found.is === 'leftAlone') return { status: {}, next: { is: 'settled' } }
  if (found.is === 'inOrder') return { status: {}, next: { is: 'settled', againSeconds: world.requeue.requeueReady } }
  if (found.is === 'postponed')
    return { status: {}, next: { is: 'waiting', seconds: found.seconds, for: found.because } }
  const own = results.filter(({ step }) => step.on === undefined && 'target' in step && step.target === manifest)
  if (own.some(({ error }) => error)) return { status: {} }
  // Another write was faster: the next call reads the new state.
  if (results.some(({ error }) => error?.isConflict)) return { status: {} }
  if (results.some(isFoundAfterAll)) return { status: {}, next: { is: 'again' } }
  // The finalizers changed, or the Manifest was deleted: there is more to do, or no status is left to write.
  if (own.length > 0 && isHandedOver(manifest)) return released(own)
  if (own.length > 0 && (isDeleting(manifest) || !plan.dependents))
    return { ...ownChanged(manifest), next: { is: 'again' } }
  return reported({ world, plan, results: results.filter(result => !own.includes(result)), now })
}

const isFoundAfterAll = ({ step, error }: StepResult): boolean => step.isConflictPassing === true && error?.code === 409

const reported = ({ world, plan, results, now }: Tried): Report => {
  const { found, manifest } = world
  if (isHandedOver(manifest) && found.is === 'installed') return released(results)
  if (found.is === 'installed' && found.isDefaultGone) return { ...wholeReport({ world, now }), next: { is: 'again' } }
  if (found.is !== 'installed' || !plan.dependents) return wholeReport({ world, now })
  const dependents = afterSteps(found.dependents, { plan: plan.dependents, results }, now)
  const c = { world, now, dependents }
  // The keys must be saved before the objects are created. A first status is complete, so that creating the objects does not change it.
  if (plan.dependents.steps.length === 0 && dependents.next.is === 'again')
    return {
      ...(plan.steps.length > 0 && ownChanged(manifest)),
      status: manifest.status?.state ? synced(c, dependents) : wholeReport(c).status,
      next: { is: 'again' },
    }
  // The steps for a complete module follow in the next pass.
  if (dependents.ready && !plan.dependents.ready) return { ...wholeReport(c), next: { is: 'again' } }
  return wholeReport(c)
}

const ownChanged = (manifest: World['manifest']): Pick<Report, 'status' | 'measured'> => {
  const reason = isDeleting(manifest) ? 'manifest_reconcile_finished' : 'manifest_add_finalizer'
  return { status: {}, measured: [requeueMeasurement({ reason, type: 'intended' })] }
}

/** Our labels were removed from the module's objects. */
const released = (results: readonly StepResult[]): Report =>
  results.some(({ error }) => error) ? { status: {} } : { status: {}, next: { is: 'settled' } }

const synced = ({ world: { found } }: Case, { items }: DependentsStatus): StatusChange => ({
  synced: items
    .filter(item => found.is !== 'installed' || itemKey(item) !== found.defaultKey)
    .map(({ group, version, kind, namespace, name }) => ({ group, version, kind, namespace, name })),
})

const wholeReport = (c: Case): Report => {
  const { world, now, dependents } = c
  const saying = sayingOf(c)
  const { lastOperation, sinceSeconds } = doingSince(world.manifest.status?.lastOperation, saying.operation, now)
  return {
    status: {
      state: saying.state,
      conditions: conditionsAfter(c, now),
      lastOperation,
      ...(dependents && synced(c, dependents)),
    },
    next: nextOf(dependents?.next, nextFor({ ...saying, sinceSeconds, requeue: world.requeue })),
    measured: [requeueMeasurement(saying.requeue)],
  }
}

/** If an object is changed directly after our write, a later call repairs the object. */
const nextOf = (ofDependents: Next | undefined, usual: Next): Next => {
  if (ofDependents?.is === 'again') return ofDependents
  if (ofDependents?.is !== 'settled' || ofDependents.againSeconds === undefined || usual.is !== 'settled') return usual
  return { is: 'waiting', seconds: ofDependents.againSeconds, for: 'a repair' }
}

type Judge = (c: Case) => boolean | undefined

/** undefined: this pass cannot judge the condition, so the condition stays. */
const judges: Readonly<Record<ManifestCondition, Judge>> = {
  Resources: ({ world: { found } }) => {
    if (found.is === 'installed') return found.isLayerUnread ? undefined : true
    return found.is === 'failed' && found.fault.isOfLayer ? false : undefined
  },
  Installation: ({ world: { found }, dependents }) =>
    found.is === 'installed' || found.is === 'failed' ? (dependents?.ready ?? false) : undefined,
  ModuleCR: ({ world: { manifest, found }, dependents }) => {
    if (found.is !== 'installed') return isCreated(manifest)
    if (found.isDefaultGone) return false
    return (
      isCreated(manifest) ||
      (dependents?.items.some(item => itemKey(item) === found.defaultKey && wasApplied(item)) ?? false)
    )
  },
}

/** A module without a default object has no condition for a default object. */
const conditionsAfter = (c: Case, now: Date): readonly Condition[] => {
  const { manifest } = c.world
  const types = (Object.keys(judges) as ManifestCondition[]).filter(
    type => type !== 'ModuleCR' || defaultObject(manifest),
  )
  const before = (manifest.status?.conditions ?? []) as readonly Condition[]
  return types.reduce((conditions, type) => {
    const known = before.find(condition => condition.type === type)?.status === 'True'
    const status = (judges[type](c) ?? known) ? 'True' : 'False'
    const { reason, [status]: message } = conditionWords[type]
    const observedGeneration = manifest.metadata.generation
    return withCondition(conditions, { type, status, reason, message, observedGeneration }, now)
  }, before)
}
