// Handles objects that several components declare. Only the component in the owner label writes the object. When this component no longer
// declares the object, another component becomes the owner. Example: two modules contain the same ConfigMap.
import type { Step } from '../../core/decisions/plan.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { type Owner, ownerHashOf, ownerKey } from '../declared/owner.ts'
import { objectKey } from '../inventory/item.ts'
import type { EngineInput } from '../world.ts'

type Input = Pick<EngineInput, 'settings' | 'shared'>

/** Whether another component owns the object and still declares it. If so, the object is not adopted. */
export const isKeptByAnother = (live: KubeObject, input: Input): boolean => {
  const hash = ownerHashOf(live, input.settings.reconcilerName)
  return sharersOf(live, input).some(sharer => sharer.hash === hash)
}

/** The step that makes another component the owner of our object; undefined when no other component declares it. */
export const handingOver = (live: KubeObject, input: Input): Step | undefined => {
  const [next] = sharersOf(live, input)
  if (!next) return undefined
  const key = ownerKey(input.settings.reconcilerName)
  const metadata = { labels: { [key]: next.hash }, annotations: { [key]: next.id } }
  return { do: 'patch', target: live, merge: { metadata } }
}

const sharersOf = (live: KubeObject, { shared }: Input): readonly Owner[] => shared?.get(objectKey(live)) ?? []
