// What a Manifest says after its steps were tried, and when it is looked at again.
import { afterSteps } from '../../shared/component/applied/after-steps.ts'
import type { DependentsStatus } from '../../shared/component/told/dependents-status.ts'
import { isDeleting } from '../../shared/core/object.ts'
import type { Next, StatusChange, StepResult } from '../../shared/core/plan.ts'
import { requeueSeconds } from '../../shared/kyma/requeue.ts'
import type { ManifestPlan } from './decide.ts'
import { conditionsAfter } from './rules/conditions.ts'
import { isDefaultItem } from './rules/standing.ts'
import { type Case, type Saying, sayingOf } from './rules/states.ts'
import type { World } from './world.ts'

export const report = (world: World, plan: ManifestPlan, results: readonly StepResult[], now: Date): Told => {
  const { found, manifest } = world
  if (found.is === 'leftAlone') return { status: {}, next: { is: 'settled' } }
  if (found.is === 'postponed')
    return { status: {}, next: { is: 'waiting', seconds: found.seconds, for: found.because } }
  const own = results.filter(({ step }) => step.on === undefined && 'target' in step && step.target === manifest)
  // The loop answers a conflict or a failure of a write to the Manifest itself; the next call begins anew.
  if (own.some(({ error }) => error)) return { status: {} }
  if (own.length > 0 && (isDeleting(manifest) || !plan.dependents)) return { status: {}, next: { is: 'again' } }
  return reported({ world, plan, results: results.filter(result => !own.includes(result)), now })
}

/** As the loop takes it (shared/runtime/definition.ts). */
type Told = { readonly status: StatusChange; readonly next?: Next }

type Tried = {
  readonly world: World
  readonly plan: ManifestPlan
  readonly results: readonly StepResult[]
  readonly now: Date
}

const reported = ({ world, plan, results, now }: Tried): Told => {
  const { found, manifest } = world
  if (found.is !== 'installed' || !plan.dependents) return told({ world, now })
  const tried = { plan: plan.dependents, results }
  const dependents = afterSteps(found.dependents, tried, now)
  const c = { world, now, dependents }
  // The keys must be saved before anything is created; what there is to say comes with the next pass.
  if (plan.steps.length === 0 && dependents.next.is === 'again')
    return { status: { ...begun(manifest), ...synced(c, dependents) }, next: { is: 'again' } }
  // What follows when all is done follows in the next pass.
  if (dependents.ready && !plan.dependents.ready) return { ...told(c), next: { is: 'again' } }
  return told(c)
}

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
  const isSame = before?.operation === saying.operation
  const since = (isSame && before?.lastUpdateTime) || now.toISOString().replace(/\.\d+Z$/, 'Z')
  const status = {
    state: saying.state,
    conditions: conditionsAfter(c, now),
    lastOperation: { operation: saying.operation, lastUpdateTime: since },
    ...(dependents && synced(c, dependents)),
  }
  return { status, next: dependents?.next.is === 'again' ? { is: 'again' } : nextOf(c, saying, since) }
}

const nextOf = ({ world, now }: Case, { state, operation, isOutside }: Saying, since: string): Next => {
  const seconds = requeueSeconds({ state, since, now }, world.requeue)
  if (state === 'Ready') return { is: 'settled', againSeconds: seconds }
  return isOutside ? { is: 'failed', seconds, reason: operation } : { is: 'waiting', seconds, for: operation }
}
