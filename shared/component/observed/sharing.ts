// Objects that several components declare. The component whose label such an object bears keeps it; the others take it as it stands, and
// one of them gets it when its owner lets go. Example: the layers of two modules bring the same ConfigMap.
import type { Step } from '../../core/decisions/plan.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { type Owner, ownerHashOf, ownerKey } from '../declared/owner.ts'
import { objectKey } from '../inventory/item.ts'
import type { EngineInput } from '../world.ts'

type Input = Pick<EngineInput, 'settings' | 'shared'>
type Returning = Pick<EngineInput, 'settings' | 'owner' | 'returned'>

/** Another component keeps the object and declares it still: it is not adopted. */
export const isKeptByAnother = (live: KubeObject, input: Input): boolean => {
  const hash = ownerHashOf(live, input.settings.reconcilerName)
  return sharersOf(live, input).some(sharer => sharer.hash === hash)
}

/** The step that makes another component the owner of an object of ours; undefined: no other declares it. */
export const handingOver = (live: KubeObject, input: Input): Step | undefined => {
  const [heir] = sharersOf(live, input)
  return heir && givingTo(heir, live, input)
}

/** The step that makes us the owner of an object again, because its heir is gone; undefined: it is another's. */
export const takingBack = (live: KubeObject, input: Returning): Step | undefined =>
  input.returned?.has(objectKey(live)) ? givingTo(input.owner, live, input) : undefined

const givingTo = ({ hash, id }: Owner, live: KubeObject, { settings }: Pick<EngineInput, 'settings'>): Step => {
  const key = ownerKey(settings.reconcilerName)
  const metadata = { labels: { [key]: hash }, annotations: { [key]: id } }
  return { do: 'patch', target: live, merge: { metadata } }
}

const sharersOf = (live: KubeObject, { shared }: Input) => shared?.get(objectKey(live)) ?? []
