// What a Manifest says after its steps were tried, and when it is looked at again.
import { afterSteps } from '../../shared/component/applied/after-steps.ts'
import type { DependentsStatus } from '../../shared/component/told/dependents-status.ts'
import { kubeTime } from '../../shared/core/kube-time.ts'
import { isDeleting } from '../../shared/core/object.ts'
import type { Next, StatusChange, StepResult } from '../../shared/core/plan.ts'
import { nextFor } from '../../shared/kyma/next.ts'
import type { ManifestPlan } from './decide.ts'
import { conditionsAfter } from './rules/conditions.ts'
import { isDefaultItem, isHandedOver } from './rules/standing.ts'
import { type Case, sayingOf } from './rules/states.ts'
import type { World } from './world.ts'

/** As the loop takes it (shared/runtime/definition.ts). Absent `next`: the loop answers, since a write failed. */
type Told = { readonly status: StatusChange; readonly next?: Next }

type Tried = {
  readonly world: World
  readonly plan: ManifestPlan
  readonly results: readonly StepResult[]
  readonly now: Date
}

export const report = (world: World, plan: ManifestPlan, results: readonly StepResult[], now: Date): Told => {
  const { found, manifest } = world
  if (found.is === 'leftAlone') return { status: {}, next: { is: 'settled' } }
  if (found.is === 'postponed')
    return { status: {}, next: { is: 'waiting', seconds: found.seconds, for: found.because } }
  const own = results.filter(({ step }) => step.on === undefined && 'target' in step && step.target === manifest)
  if (own.some(({ error }) => error)) return { status: {} }
  // Somebody was faster: the next call sees what there is to tell.
  if (results.some(({ error }) => error?.isConflict)) return { status: {} }
  // The finalizers came or went, or the Manifest itself: there is more to do, or nothing is left to tell of.
  if (own.length > 0 && isHandedOver(manifest)) return released(own)
  if (own.length > 0 && (isDeleting(manifest) || !plan.dependents)) return { status: {}, next: { is: 'again' } }
  return reported({ world, plan, results: results.filter(result => !own.includes(result)), now })
}

const reported = ({ world, plan, results, now }: Tried): Told => {
  const { found, manifest } = world
  if (isHandedOver(manifest) && found.is === 'installed') return released(results)
  if (found.is !== 'installed' || !plan.dependents) return told({ world, now })
  const dependents = afterSteps(found.dependents, { plan: plan.dependents, results }, now)
  const c = { world, now, dependents }
  // The keys must be saved before anything is created; what there is to say comes with the next pass.
  if (plan.steps.length === 0 && dependents.next.is === 'again')
    return { status: { ...begun(manifest), ...synced(c, dependents) }, next: { is: 'again' } }
  // What follows when all is done follows in the next pass.
  if (dependents.ready && !plan.dependents.ready) return { ...told(c), next: { is: 'again' } }
  return told(c)
}

/** The labels of the module's objects were taken off. */
const released = (results: readonly StepResult[]): Told =>
  results.some(({ error }) => error) ? { status: {} } : { status: {}, next: { is: 'settled' } }

/** A status needs a state. */
const begun = ({ status }: World['manifest']): StatusChange => (status?.state ? {} : { state: 'Processing' })

const synced = ({ world: { manifest } }: Case, { items }: DependentsStatus): StatusChange => ({
  synced: items
    .filter(item => !isDefaultItem(item, manifest))
    .map(({ group, version, kind, namespace, name }) => ({ group, version, kind, namespace, name })),
})

const told = (c: Case): Told => {
  const { world, now, dependents } = c
  const saying = sayingOf(c)
  const before = world.manifest.status?.lastOperation
  const since = (before?.operation === saying.operation && before.lastUpdateTime) || kubeTime(now)
  const sinceSeconds = (now.getTime() - Date.parse(since)) / 1000
  return {
    status: {
      state: saying.state,
      conditions: conditionsAfter(c, now),
      lastOperation: { operation: saying.operation, lastUpdateTime: since },
      ...(dependents && synced(c, dependents)),
    },
    next:
      dependents?.next.is === 'again' ? { is: 'again' } : nextFor({ ...saying, sinceSeconds, requeue: world.requeue }),
  }
}
