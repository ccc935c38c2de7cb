// Decides the next steps for a Kyma: add label and finalizer, run the parts in parts/, or delete everything.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { type DecidedPart, decidedParts } from '../../shared/core/decisions/parts.ts'
import { type Plan, type Step, settled } from '../../shared/core/decisions/plan.ts'
import { hasFinalizer, isDeleting } from '../../shared/core/objects/object.ts'
import { type DeletionPlan, deletionPlan } from './parts/deletion.ts'
import { moduleCatalogue } from './parts/module-catalogue.ts'
import { modules } from './parts/modules.ts'
import type { KymaPart } from './parts/part.ts'
import { runtimeAgent } from './parts/runtime-agent.ts'
import { kymaCopyPart, pullSecret, runtimeCrds, runtimeNamespacePart } from './parts/runtime-objects.ts'
import { hasLabelAndFinalizer, isLabelled, isLeftAlone, type World } from './world.ts'

/** `next` only says whether another pass follows immediately. report.ts decides the next call. */
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

// The parts of a Kyma, in the order of their reports. All parts write at once. The `order` of a step makes it wait for steps of other
// parts.
const parts: readonly KymaPart[] = [
  modules,
  moduleCatalogue,
  runtimeCrds,
  runtimeNamespacePart,
  kymaCopyPart,
  runtimeAgent,
  pullSecret,
]

// The label and finalizer of a Kyma that we manage. The finalizer keeps the Kyma until its modules are gone.
const { labels, managedBy, finalizers } = kymaNames

/** The first write, before any object is created for the Kyma. */
const ownershipSteps = ({ kyma }: Pick<World, 'kyma'>): Step[] => {
  if (hasLabelAndFinalizer(kyma)) return []
  const metadata = {
    ...(!isLabelled(kyma) && { labels: { [labels.managedBy]: managedBy.controlPlane } }),
    ...(!hasFinalizer(kyma, finalizers.kyma) && {
      finalizers: [...(kyma.metadata.finalizers ?? []), finalizers.kyma],
    }),
  }
  return [{ do: 'patch', target: kyma, merge: { metadata } }]
}

export type KymaPlan = Plan & { readonly phase: Phase }

type Phase =
  | { readonly is: 'leftAlone' | 'ownership' }
  | { readonly is: 'deletion'; readonly deletion: DeletionPlan }
  | { readonly is: 'life'; readonly decided: readonly DecidedPart<KymaPart>[] }
