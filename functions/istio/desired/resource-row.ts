// The type of a mesh resource: an object that istio maintains in addition to the charts' objects (resource-rows.ts). A correction of a live
// mesh resource replaces the spec; labels, annotations and owners from other programs stay.
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { type JsonMap, sameJson } from '../../../shared/core/json/json.ts'
import { mergePatchTo } from '../../../shared/core/json/merge-patch.ts'
import {
  groupOf,
  isDeleting,
  type KubeObject,
  type ObjectMeta,
  type ObjectRef,
  type OwnerReference,
} from '../../../shared/core/objects/object.ts'

const { labels, module } = istioNames

export type ResourceRow = {
  readonly ref: ObjectRef
  /** If false, the resource is removed. */
  readonly when: (facts: ResourceFacts) => boolean
  readonly object: (facts: ResourceFacts) => KubeObject
}

export type ResourceFacts = {
  readonly istio: KubeObject
  /** Espalier's version, for label `app.kubernetes.io/version`. */
  readonly version: string
  readonly deployment: string
  readonly apiPort: number
  readonly isVpaServed: boolean
  readonly hasControlPlaneVpas: boolean
  readonly hasNetworkPolicies: boolean
  readonly needsProxyProtocol: boolean
}

type Described = Pick<ResourceRow, 'when'> & {
  readonly kind: { readonly apiVersion: string; readonly kind: string }
  readonly name: string
  readonly namespace?: string
  readonly spec: (facts: ResourceFacts) => object
  /** Absent: resourceMetadata. */
  readonly metadata?: (ref: ObjectRef, facts: ResourceFacts) => ObjectMeta
}

export const resourceRow = ({ kind, name, when, spec, ...row }: Described): ResourceRow => {
  const { namespace = istioNames.namespaces.mesh, metadata = resourceMetadata } = row
  const ref = { ...kind, namespace, name }
  return { ref, when, object: facts => ({ ...kind, metadata: metadata(ref, facts), spec: spec(facts) }) }
}

/** For example `EnvoyFilter/proxy-protocol`. */
export const resourceName = ({ kind, name }: Pick<ObjectRef, 'kind' | 'name'>): string => `${kind}/${name}`

type Labels = Readonly<Record<string, string>>

/** Labels, owner, and a disclaimer for users who want to edit the resource. `own` overrides the default labels. */
export const resourceMetadata = (ref: ObjectRef, facts: ResourceFacts, own: Labels = {}): ObjectMeta =>
  plainMetadata(ref, facts, {
    'app.kubernetes.io/component': 'operator',
    'app.kubernetes.io/part-of': 'istio',
    'app.kubernetes.io/name': 'istio-operator',
    'app.kubernetes.io/instance': 'istio-operator-default',
    'app.kubernetes.io/version': facts.version,
    ...own,
  })

/** Metadata whose labels are only the module's label and `own`. */
export const plainMetadata = ({ name, namespace }: ObjectRef, { istio }: ResourceFacts, own: Labels): ObjectMeta => ({
  name,
  namespace,
  labels: { [labels.module]: module, ...own },
  annotations: { [istioNames.annotations.disclaimer]: istioNames.disclaimer },
  ...(namespace === istio.metadata.namespace && { ownerReferences: [ownerReference(istio)] }),
})

/** Used only in the Istio's namespace. In another namespace the garbage collector does not find the owner, and deletes the resource. */
const ownerReference = ({ apiVersion, kind, metadata: { name, uid = '' } }: KubeObject): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
})

/** Deletes an unwanted resource unless another program created it. */
export const resourceSteps = (
  row: ResourceRow,
  { live, facts }: { readonly live: KubeObject | undefined; readonly facts: ResourceFacts },
): Step[] => {
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
