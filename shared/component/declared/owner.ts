// The owner of a dependent: the globally unique id of a component, and the hash of the id, which fits into a label.
import { createHash } from 'node:crypto'
import type { Key, KubeObject } from '../../core/objects/object.ts'

export type Owner = {
  /** `<uid of kube-system>/<namespace>/<name>` of the component. */
  readonly id: string
  /** Value of the owner label. */
  readonly hash: string
}

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
export const ownerText = (object: KubeObject, reconcilerName: string): string =>
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
