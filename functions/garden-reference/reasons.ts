// Reasons and messages of garden-reference. Reasons are API: alerts and runbooks name them.
import type { Reference } from '../../shared/api/garden/references.ts'
import { gardenNamespace } from '../../shared/api/garden.ts'
import type { EventNote } from '../../shared/core/decisions/plan.ts'

/** The Garden refers to an object that cannot be protected: it does not exist, or is being deleted. */
export const referencedObjectMissing = (reference: Reference): EventNote => ({
  type: 'Warning',
  reason: 'ReferencedObjectMissing',
  message: `${objectText(reference)}, named in ${reference.fields.join(', ')}, does not exist or is being deleted`,
})

/** What the next call waits for. */
export const missing = (references: readonly Reference[]): string => references.map(objectText).join(', ')

/** Why objects stay protected although the Garden is in deletion. */
export const heldByOthers = (finalizers: readonly string[]): string => `finalizers of others: ${finalizers.join(', ')}`

const objectText = ({ kind, name }: Reference): string => `${kind} ${gardenNamespace}/${name}`
