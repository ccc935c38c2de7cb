// The type of a mesh resource: an object that istio maintains in addition to the charts' objects (resource-rows.ts).

import { istioNames } from '../../../../shared/api/istio/names.ts'
import type { KubeObject, ObjectMeta, ObjectRef, OwnerReference } from '../../../../shared/core/objects/object.ts'

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

// The metadata of mesh resources: labels, owner, and a disclaimer for users who want to edit them.

type Labels = Readonly<Record<string, string>>

/** `own` overrides the default labels. */
export const resourceMetadata = (
  { name, namespace }: ObjectRef,
  facts: ResourceFacts,
  own: Labels = {},
): ObjectMeta => ({
  name,
  namespace,
  labels: { ...moduleLabels(facts), ...own },
  ...markedAsOurs(namespace, facts),
})

/** Metadata whose labels are only the module's labels and `own`. */
export const plainMetadata = ({ name, namespace }: ObjectRef, facts: ResourceFacts, own: Labels): ObjectMeta => ({
  name,
  namespace,
  labels: { [istioNames.labels.module]: istioNames.module, ...own },
  ...markedAsOurs(namespace, facts),
})

const moduleLabels = ({ version }: ResourceFacts): Record<string, string> => ({
  [istioNames.labels.module]: istioNames.module,
  'app.kubernetes.io/component': 'operator',
  'app.kubernetes.io/part-of': 'istio',
  'app.kubernetes.io/name': 'istio-operator',
  'app.kubernetes.io/instance': 'istio-operator-default',
  'app.kubernetes.io/version': version,
})

const markedAsOurs = (
  namespace: string,
  { istio }: ResourceFacts,
): Pick<ObjectMeta, 'annotations' | 'ownerReferences'> => ({
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
