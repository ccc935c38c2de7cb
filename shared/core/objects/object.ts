// Kubernetes objects as plain JSON, and the ways we name them. Nothing here knows a particular kind.

/** Any object an API server stores. Unknown fields are kept as they came. */
export type KubeObject = {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  [field: string]: unknown
}

export type ObjectMeta = {
  name: string
  namespace?: string
  generateName?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: OwnerReference[]
  managedFields?: unknown[]
}

export type OwnerReference = {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

export type GroupVersionKind = { apiVersion: string; kind: string }

/** Names the object of a call. `namespace` is '' for cluster-scoped objects. */
export type Key = { namespace: string; name: string }

/** One object, wherever it is. `namespace` is '' for cluster-scoped objects. */
export type ObjectRef = GroupVersionKind & Key

/** A cluster by name: `local` is the one we run in; any other is found through its access Secret. */
export type ClusterName = 'local' | (string & {})

export const refOf = (object: KubeObject): ObjectRef => ({
  apiVersion: object.apiVersion,
  kind: object.kind,
  namespace: object.metadata.namespace ?? '',
  name: object.metadata.name,
})

export const keyOf = (object: KubeObject): Key => ({
  namespace: object.metadata.namespace ?? '',
  name: object.metadata.name,
})

/** `namespace/name`, or `name` alone for cluster-scoped objects: how people and logs spell a key. */
export const keyText = (key: Key): string => (key.namespace ? `${key.namespace}/${key.name}` : key.name)

/** `Kind namespace/name`, for sentences. */
export const refText = (ref: ObjectRef): string => `${ref.kind} ${keyText(ref)}`

/** Identifies one state of one object in any cluster, by uid and resourceVersion; undefined for an object that was never stored. */
export const versionText = ({ metadata: { uid, resourceVersion } }: KubeObject): string | undefined =>
  uid && resourceVersion ? `${uid} ${resourceVersion}` : undefined

export const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''

/** `apps/Deployment`, or `/Service` in the core group. */
export const groupAndKind = ({ apiVersion, kind }: GroupVersionKind): string => `${groupOf(apiVersion)}/${kind}`

/** The parts of an apiVersion; the core group has no name. */
export const groupVersionOf = (apiVersion: string): { group: string; version: string } => {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return { group, version }
}

export const apiVersionOf = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  group ? `${group}/${version}` : version

export const isDeleting = (object: KubeObject): boolean => object.metadata.deletionTimestamp !== undefined

export const hasFinalizer = (object: KubeObject, name: string): boolean =>
  object.metadata.finalizers?.includes(name) ?? false
