// Corrects a mesh resource: its spec is ours alone; labels, annotations and owners that others added stay.
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { type JsonMap, sameJson } from '../../../shared/core/json/json.ts'
import { mergePatchTo } from '../../../shared/core/json/merge-patch.ts'
import { groupOf, isDeleting, type KubeObject, type OwnerReference } from '../../../shared/core/objects/object.ts'
import { kubeTime, skewSeconds } from '../../../shared/core/time/kube-time.ts'
import type { ResourceFacts, ResourceRow } from '../desired/resources/resource-row.ts'
import { changeTime } from './resource-changes.ts'

const { annotations, labels, module } = istioNames

type Found = { readonly live: KubeObject | undefined; readonly facts: ResourceFacts; readonly now: Date }

/**
 * The write that makes the resource as wanted; none where it already is. A resource that is not wanted is deleted, unless somebody else made
 * it.
 */
export const resourceSteps = (row: ResourceRow, { live, facts, now }: Found): Step[] => {
  if (!row.when(facts)) return live ? removalOf(live) : []
  if (isRepairPaused(row, { live, facts, now })) return []
  const object = row.object(facts)
  const wanted = isToBeTimed(row, object, { live, facts, now }) ? timed(object, now) : object
  if (!live) return [{ do: 'create', object: wanted }]
  const merge = correction(live, wanted, facts.istio)
  return Object.keys(merge).length > 0 ? [{ do: 'patch', target: live, merge }] : []
}

/** Whether the API server has it as the row wants it, but for the time of the change. */
export const isAsWanted = (row: ResourceRow, live: KubeObject, facts: ResourceFacts): boolean =>
  Object.keys(correction(live, row.object(facts), facts.istio)).length === 0

/**
 * Somebody changed it right after our last write: it is repaired at most once in ten seconds. Each repair has a new time, which is a change
 * that leads to another call; a webhook that changes what we write would have us write without end.
 */
export const isRepairPaused = (row: ResourceRow, { live, facts, now }: Found): boolean => {
  const changedAt = live && changeTime(live)
  if (row.predicates === undefined || changedAt === undefined || !row.when(facts)) return false
  const age = now.getTime() - changedAt
  return age >= 0 && age < repairPauseMilliseconds && !sameJson(live?.spec, row.object(facts).spec)
}

const repairPauseMilliseconds = 10_000

export const removalOf = (live: KubeObject): Step[] =>
  live.metadata.labels?.[labels.module] === module && !isDeleting(live) ? [{ do: 'delete', target: live }] : []

/**
 * The annotation with the change time is set anew: the spec changes, which running proxies must be restarted for; or the time is missing or
 * wrong. One to come, by more than clocks may differ, was not written by us; if it were kept, every new Pod would count as made before it.
 */
const isToBeTimed = (row: ResourceRow, object: KubeObject, { live, now }: Found): boolean => {
  if (row.predicates === undefined) return false
  const changedAt = live && changeTime(live)
  return (
    changedAt === undefined || changedAt > now.getTime() + skewSeconds * 1_000 || !sameJson(live?.spec, object.spec)
  )
}

const timed = ({ metadata, ...object }: KubeObject, now: Date): KubeObject =>
  ({
    ...object,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [annotations.updatedAt]: kubeTime(now) } },
  }) as KubeObject

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

/** Of ownerReferences to Istios only ours stays: for one whose Istio is gone the garbage collector would delete the object. */
const owners = (live: KubeObject, wanted: KubeObject, istio: KubeObject): JsonMap => {
  const isIstio = ({ apiVersion, kind }: OwnerReference) =>
    kind === istio.kind && groupOf(apiVersion) === groupOf(istio.apiVersion)
  const found = live.metadata.ownerReferences ?? []
  const ours = wanted.metadata.ownerReferences ?? []
  if (sameJson(found.filter(isIstio), ours)) return {}
  return { ownerReferences: [...found.filter(owner => !isIstio(owner)), ...ours] }
}
