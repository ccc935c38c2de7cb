// Whether an object that is not ours may become ours. It is asked before the first write to it, never afterwards: two
// components that may always adopt would take it from each other for ever.
import { type KubeObject, refOf, refText } from '../../core/object.ts'
import { ownerHashOf, ownerText } from '../declared/owner.ts'
import type { AdoptionPolicy } from '../declared/policies.ts'
import type { EngineInput } from '../world.ts'

type Possession = 'ours' | 'unowned' | 'foreign'

export const possessionOf = (live: KubeObject, { settings, owner }: EngineInput): Possession => {
  const hash = ownerHashOf(live, settings.reconcilerName)
  if (hash === undefined) return 'unowned'
  return hash === owner.hash ? 'ours' : 'foreign'
}

export const isOwnedByUs = (live: KubeObject, question: EngineInput): boolean => possessionOf(live, question) === 'ours'

const adoptable: Record<AdoptionPolicy, readonly Possession[]> = {
  Never: ['ours'],
  IfUnowned: ['ours', 'unowned'],
  Always: ['ours', 'unowned', 'foreign'],
}

/** A sentence naming object and owner when it must not be adopted. */
export const adoptionFault = (live: KubeObject, policy: AdoptionPolicy, question: EngineInput): string | undefined => {
  const possession = possessionOf(live, question)
  if (adoptable[policy].includes(possession)) return undefined
  return possession === 'foreign'
    ? ownedFault(live, question)
    : `${refText(refOf(live))} exists already, and is owned by nobody`
}

/** What is said of an object that somebody else owns. */
export const ownedFault = (live: KubeObject, { settings }: EngineInput): string =>
  `${refText(refOf(live))} is owned by ${ownerText(live, settings.reconcilerName)}`
