// Label and finalizer of a Kyma that we manage. The finalizer keeps the Kyma until its modules are gone.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { hasFinalizer } from '../../../shared/core/objects/object.ts'
import type { World } from '../world.ts'

const { labels, managedBy, finalizers } = kymaNames

/** One write, before anything else is made for the Kyma. */
export const ownershipSteps = ({ kyma }: Pick<World, 'kyma'>): Step[] => {
  const isLabelled = kyma.metadata.labels?.[labels.managedBy] === managedBy.controlPlane
  const isHeld = hasFinalizer(kyma, finalizers.kyma)
  if (isLabelled && isHeld) return []
  const metadata = {
    ...(!isLabelled && { labels: { [labels.managedBy]: managedBy.controlPlane } }),
    ...(!isHeld && { finalizers: [...(kyma.metadata.finalizers ?? []), finalizers.kyma] }),
  }
  return [{ do: 'patch', target: kyma, merge: { metadata } }]
}
