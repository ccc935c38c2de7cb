// Deletes objects that no step declares any more, such as the ManagedResource of a disabled component, or a Secret with old content.
// Objects are deleted only when all steps are ready, so that no running program loses objects that it reads.
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { World } from '../world.ts'
import { ourObjects, wasAppliedBy } from './ownership.ts'

/** Deleting a Namespace or definition would also delete objects of other programs. Generated Secrets have their own rules. */
const isKept = ({ kind, metadata }: KubeObject): boolean =>
  ['CustomResourceDefinition', 'Namespace'].includes(kind) || metadata.labels?.['manager-identity'] !== undefined

export const pruningSteps = (world: World, declared: readonly KubeObject[], fieldManager: string): Step[] => {
  const wanted = new Set(declared.map(object => refText(refOf(object))))
  return ourObjects(world.runtime)
    .filter(object => wasAppliedBy(fieldManager, object) && !isKept(object))
    .filter(object => !wanted.has(refText(refOf(object))))
    .map(target => ({ do: 'delete', target }))
}
