// Objects that several components declare. The component whose label such an object bears keeps it; the others take it as it is, and
// one of them gets it when its owner lets go. Example: the layers of two modules bring the same ConfigMap.
import type { Step } from '../../core/decisions/plan.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { type Owner, ownerHashOf, ownerKey } from '../declared/owner.ts'
import { objectKey } from '../inventory/item.ts'
import type { EngineInput } from '../world.ts'

type Input = Pick<EngineInput, 'settings' | 'shared'>

/** Another component keeps the object and declares it still: it is not adopted. */
export const isKeptByAnother = (live: KubeObject, input: Input): boolean => {
  const hash = ownerHashOf(live, input.settings.reconcilerName)
  return sharersOf(live, input).some(sharer => sharer.hash === hash)
}

/** The step that makes another component the owner of an object of ours; undefined: no other declares it. */
export const handingOver = (live: KubeObject, input: Input): Step | undefined => {
  const [next] = sharersOf(live, input)
  if (!next) return undefined
  const key = ownerKey(input.settings.reconcilerName)
  const metadata = { labels: { [key]: next.hash }, annotations: { [key]: next.id } }
  return { do: 'patch', target: live, merge: { metadata } }
}

const sharersOf = (live: KubeObject, { shared }: Input): readonly Owner[] => shared?.get(objectKey(live)) ?? []
