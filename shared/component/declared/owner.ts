// The owner of a dependent: the id of a component, unique across clusters, its hash, which fits into a label, and how both
// are read from a live object.
import { createHash } from 'node:crypto'
import type { Key, KubeObject } from '../../core/objects/object.ts'

export type Owner = {
  /** Uid of the cluster's kube-system, then namespace and name of the component. */
  readonly id: string
  /** Stands in the label. */
  readonly hash: string
}

/** `clusterUid`: of the namespace kube-system where the component lives. */
export const ownerOf = (clusterUid: string, { namespace, name }: Key): Owner => {
  const id = `${clusterUid}/${namespace}/${name}`
  return { id, hash: base32(createHash('sha256').update(id).digest()) }
}

/** Another component in the cluster of this one. */
export const ownerBeside = ({ id }: Owner, key: Key): Owner => ownerOf(id.slice(0, id.indexOf('/')), key)

/** The key of our label and of our annotation. Manifests cannot set them. */
export const ownerKey = (reconcilerName: string): string => `${reconcilerName}/owner-id`

export const ownerSelector = (input: { settings: { reconcilerName: string }; owner: Owner }): string =>
  `${ownerKey(input.settings.reconcilerName)}=${input.owner.hash}`

/** The annotation with the digest that was applied last. Manifests cannot set it. */
export const digestKey = (reconcilerName: string): string => `${reconcilerName}/digest`

export const ownerHashOf = (object: KubeObject, reconcilerName: string): string | undefined =>
  object.metadata.labels?.[ownerKey(reconcilerName)] || undefined

/** The owner in messages: its id if the object has the annotation, else the hash. */
export const ownerText = (object: KubeObject, reconcilerName: string): string =>
  object.metadata.annotations?.[ownerKey(reconcilerName)] || (ownerHashOf(object, reconcilerName) ?? 'nobody')

export const writtenDigestOf = (object: KubeObject, reconcilerName: string): string | undefined =>
  object.metadata.annotations?.[digestKey(reconcilerName)]

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** Lower-case, unpadded. */
const base32 = (bytes: Uint8Array): string => {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map(group => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}
