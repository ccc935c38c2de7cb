// Decides whether the component may take over an existing object. The check is made only before the first write. Otherwise two components
// with the policy `always` would take the object from each other forever.
import { type KubeObject, refOf, refText } from '../../core/objects/object.ts'
import { ownerHashOf, ownerText } from '../declared/owner.ts'
import type { AdoptionPolicy } from '../declared/policies.ts'
import type { EngineInput } from '../world.ts'

type Possession = 'ours' | 'unowned' | 'foreign'

export const possessionOf = (live: KubeObject, { settings, owner }: EngineInput): Possession => {
  const hash = ownerHashOf(live, settings.reconcilerName)
  if (hash === undefined) return settings.inherits?.(live) ? 'ours' : 'unowned'
  return hash === owner.hash ? 'ours' : 'foreign'
}

export const isOwnedByUs = (live: KubeObject, input: EngineInput): boolean => possessionOf(live, input) === 'ours'

/** A component may render itself, for example if its own file is in its kustomization. */
export const isComponentItself = ({ metadata }: KubeObject, { self }: EngineInput): boolean =>
  self !== undefined && metadata.uid === self.uid

const adoptable: Record<AdoptionPolicy, readonly Possession[]> = {
  Never: ['ours'],
  IfUnowned: ['ours', 'unowned'],
  Always: ['ours', 'unowned', 'foreign'],
}

export const adoptionFault = (live: KubeObject, policy: AdoptionPolicy, input: EngineInput): string | undefined => {
  if (isComponentItself(live, input)) return `${refText(refOf(live))} is the component itself`
  const possession = possessionOf(live, input)
  if (adoptable[policy].includes(possession)) return undefined
  return possession === 'foreign' ? ownedFault(live, input) : `${refText(refOf(live))} already exists and has no owner`
}

export const ownedFault = (live: KubeObject, { settings }: EngineInput): string =>
  `${refText(refOf(live))} is owned by ${ownerText(live, settings.reconcilerName)}`
