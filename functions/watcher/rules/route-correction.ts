// What a VirtualService lacks of what a Watcher wants, as a merge patch.
import { sameJson } from '../../../shared/core/json/json.ts'
import { mergePatchTo } from '../../../shared/core/json/merge-patch.ts'
import { groupOf, type KubeObject, type OwnerReference } from '../../../shared/core/objects/object.ts'

/** Owners, labels and annotations of others stay; in the spec nothing does. */
export const routeCorrection = ({ metadata, spec }: KubeObject, wanted: KubeObject): Record<string, unknown> => {
  const before = metadata.ownerReferences ?? []
  const ownerReferences = owners(before, wanted.metadata.ownerReferences ?? [])
  return {
    ...(!sameJson(before, ownerReferences) && { metadata: { ownerReferences } }),
    spec: mergePatchTo(spec ?? {}, wanted.spec),
  }
}

/** An API server takes one controller only: a former Watcher of the same name goes, and beside another controller the Watcher is an owner. */
const owners = (found: readonly OwnerReference[], wanted: readonly OwnerReference[]): readonly OwnerReference[] => {
  const isOf = (one: OwnerReference, other: OwnerReference) =>
    one.name === other.name && one.kind === other.kind && groupOf(one.apiVersion) === groupOf(other.apiVersion)
  const others = found.filter(owner => !wanted.some(ours => owner.uid !== ours.uid && isOf(owner, ours)))
  const missing = wanted.filter(({ uid }) => !others.some(owner => owner.uid === uid))
  const isControlled = others.some(({ controller }) => controller)
  return [...others, ...missing.map(({ controller, ...owner }) => (isControlled ? owner : { ...owner, controller }))]
}
