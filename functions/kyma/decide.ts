// The next move of kyma: add label and finalizer, keep the parts in order, or delete everything. The parts are in parts/, what they mean for
// the Kyma is judged in report.ts.
import { decidedParts } from '../../shared/core/decisions/parts.ts'
import { type Step, settled } from '../../shared/core/decisions/plan.ts'
import { isDeleting } from '../../shared/core/objects/object.ts'
import { parts } from './parts/all-parts.ts'
import { deletionPlan } from './parts/deletion.ts'
import { ownershipSteps } from './parts/ownership.ts'
import type { KymaPlan } from './rules/phase.ts'
import { isLeftAlone, type World } from './world.ts'

/** The report says what comes next; here it only matters whether there is another pass at once. */
export const decide = (world: World, now: Date): KymaPlan => {
  if (isLeftAlone(world.kyma)) return planOf({ is: 'leftAlone' }, [])
  if (isDeleting(world.kyma)) {
    const deletion = deletionPlan(world, now)
    return planOf({ is: 'deletion', deletion }, [...new Set(deletion.rows.flatMap(({ steps }) => steps))])
  }
  const steps = ownershipSteps(world)
  if (steps.length > 0) return planOf({ is: 'ownership' }, steps)
  const decided = decidedParts(parts, world, now)
  return planOf(
    { is: 'life', decided },
    decided.flatMap(one => one.steps),
  )
}

const planOf = (phase: KymaPlan['phase'], steps: readonly Step[]): KymaPlan => ({
  phase,
  steps,
  status: {},
  events: [],
  next: phase.is === 'ownership' ? { is: 'again' } : settled,
})
