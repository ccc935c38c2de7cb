// Corrects a mesh resource. The spec is replaced; labels, annotations and owners from other programs stay.
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { type JsonMap, sameJson } from '../../../shared/core/json/json.ts'
import { mergePatchTo } from '../../../shared/core/json/merge-patch.ts'
import { groupOf, isDeleting, type KubeObject, type OwnerReference } from '../../../shared/core/objects/object.ts'
import type { ResourceFacts, ResourceRow } from '../desired/resources/resource-row.ts'

const { labels, module } = istioNames

type Found = { readonly live: KubeObject | undefined; readonly facts: ResourceFacts }

/** Deletes an unwanted resource unless another program created it. */
export const resourceSteps = (row: ResourceRow, { live, facts }: Found): Step[] => {
  if (!row.when(facts)) return live ? removalOf(live) : []
  const wanted = row.object(facts)
  // The installation may have defined the kind a moment ago.
  if (!live) return [{ do: 'create', object: wanted, isOfNewKind: true }]
  const merge = correction(live, wanted, facts.istio)
  return Object.keys(merge).length > 0 ? [{ do: 'patch', target: live, merge }] : []
}

export const isAsWanted = (row: ResourceRow, live: KubeObject, facts: ResourceFacts): boolean =>
  Object.keys(correction(live, row.object(facts), facts.istio)).length === 0

export const removalOf = (live: KubeObject): Step[] =>
  live.metadata.labels?.[labels.module] === module && !isDeleting(live) ? [{ do: 'delete', target: live }] : []

const correction = (live: KubeObject, wanted: KubeObject, istio: KubeObject): JsonMap => {
  const metadata = {
    ...missing('labels', live, wanted),
    ...missing('annotations', live, wanted),
    ...owners(live, wanted, istio),
  }
  return {
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(!sameJson(live.spec, wanted.spec) && { spec: mergePatchTo(live.spec ?? {}, wanted.spec) }),
  }
}

const missing = (texts: 'labels' | 'annotations', live: KubeObject, wanted: KubeObject): JsonMap => {
  const found = live.metadata[texts] ?? {}
  const entries = Object.entries(wanted.metadata[texts] ?? {}).filter(([key, value]) => found[key] !== value)
  return entries.length > 0 ? { [texts]: Object.fromEntries(entries) } : {}
}

/** Removes ownerReferences to other Istios, because the garbage collector would delete the object together with the other Istio. */
const owners = (live: KubeObject, wanted: KubeObject, istio: KubeObject): JsonMap => {
  const isIstio = ({ apiVersion, kind }: OwnerReference) =>
    kind === istio.kind && groupOf(apiVersion) === groupOf(istio.apiVersion)
  const found = live.metadata.ownerReferences ?? []
  const ours = wanted.metadata.ownerReferences ?? []
  if (sameJson(found.filter(isIstio), ours)) return {}
  return { ownerReferences: [...found.filter(owner => !isIstio(owner)), ...ours] }
}
