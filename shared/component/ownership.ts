// The owner of an object: the component whose hash is in the owner label. Decides whether a component may adopt an object, and hands over
// an object that several components declare. Example: two modules contain the same ConfigMap.
import { createHash } from 'node:crypto'
import type { Step } from '../core/decisions/plan.ts'
import { type Key, type KubeObject, refOf, refText } from '../core/objects/object.ts'
import { type AdoptionPolicy, objectKey } from './item.ts'
import type { EngineInput, Owner } from './world.ts'

/** `clusterUid`: uid of the namespace kube-system in the component's cluster. */
export const ownerOf = (clusterUid: string, { namespace, name }: Key): Owner => {
  const id = `${clusterUid}/${namespace}/${name}`
  return { id, hash: base32(createHash('sha256').update(id).digest()) }
}

/** The owner for another component in the same cluster. */
export const ownerBeside = ({ id }: Owner, key: Key): Owner => ownerOf(id.slice(0, id.indexOf('/')), key)

/** Key of the owner label and the owner annotation. Manifests cannot set them. */
export const ownerKey = (reconcilerName: string): string => `${reconcilerName}/owner-id`

export const ownerSelector = (input: { settings: { reconcilerName: string }; owner: Owner }): string =>
  `${ownerKey(input.settings.reconcilerName)}=${input.owner.hash}`

/** Annotation with the last applied digest. Manifests cannot set it. */
export const digestKey = (reconcilerName: string): string => `${reconcilerName}/digest`

export const ownerHashOf = (object: KubeObject, reconcilerName: string): string | undefined =>
  object.metadata.labels?.[ownerKey(reconcilerName)] || undefined

/** The owner for messages: the id from the annotation, or else the hash from the label. */
const ownerText = (object: KubeObject, reconcilerName: string): string =>
  object.metadata.annotations?.[ownerKey(reconcilerName)] || (ownerHashOf(object, reconcilerName) ?? 'nobody')

export const writtenDigestOf = (object: KubeObject, reconcilerName: string): string | undefined =>
  object.metadata.annotations?.[digestKey(reconcilerName)]

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** Lower case, without padding. */
const base32 = (bytes: Uint8Array): string => {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map(group => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

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

/**
 * Call only before the first write. Otherwise two components with the policy `always` would take the object from each other forever.
 */
export const adoptionFault = (live: KubeObject, policy: AdoptionPolicy, input: EngineInput): string | undefined => {
  if (isComponentItself(live, input)) return `${refText(refOf(live))} is the component itself`
  const possession = possessionOf(live, input)
  if (adoptable[policy].includes(possession)) return undefined
  return possession === 'foreign' ? ownedFault(live, input) : `${refText(refOf(live))} already exists and has no owner`
}

export const ownedFault = (live: KubeObject, { settings }: EngineInput): string =>
  `${refText(refOf(live))} is owned by ${ownerText(live, settings.reconcilerName)}`

type Sharing = Pick<EngineInput, 'settings' | 'shared'>

/** Whether another component owns the object and still declares it. If so, the object is not adopted. */
export const isKeptByAnother = (live: KubeObject, input: Sharing): boolean => {
  const hash = ownerHashOf(live, input.settings.reconcilerName)
  return sharersOf(live, input).some(sharer => sharer.hash === hash)
}

/** The step that makes another component the owner of our object; undefined when no other component declares it. */
export const handingOver = (live: KubeObject, input: Sharing): Step | undefined => {
  const [next] = sharersOf(live, input)
  if (!next) return undefined
  const key = ownerKey(input.settings.reconcilerName)
  const metadata = { labels: { [key]: next.hash }, annotations: { [key]: next.id } }
  return { do: 'patch', target: live, merge: { metadata } }
}

const sharersOf = (live: KubeObject, { shared }: Sharing): readonly Owner[] => shared?.get(objectKey(live)) ?? []
