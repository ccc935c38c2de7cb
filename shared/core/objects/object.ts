// Kubernetes objects as plain JSON, and references to them, independent of kinds.

/** Unknown fields are kept unchanged. */
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

/** Identifies the object of a call. `namespace` is '' for cluster-scoped objects. */
export type Key = { namespace: string; name: string }

/** `namespace` is '' for cluster-scoped objects. */
export type ObjectRef = GroupVersionKind & Key

/** `local` is the cluster we run in. Other clusters are found by their access Secret. */
export type ClusterName = 'local' | (string & {})

/**
 * The kind, namespace and name of the object, without its content.
 *
 *   refOf(website).name // 'sample'
 */
export const refOf = (object: KubeObject): ObjectRef => ({
  apiVersion: object.apiVersion,
  kind: object.kind,
  namespace: object.metadata.namespace ?? '',
  name: object.metadata.name,
})

/**
 * Namespace and name of the object. Functions are called with this key.
 *
 *   keyOf(website) // { namespace: 'default', name: 'sample' }
 */
export const keyOf = (object: KubeObject): Key => ({
  namespace: object.metadata.namespace ?? '',
  name: object.metadata.name,
})

/** `namespace/name`, or `name` for cluster-scoped objects. */
export const keyText = (key: Key): string => (key.namespace ? `${key.namespace}/${key.name}` : key.name)

/**
 * `Kind namespace/name`, for messages.
 *
 *   refText(refOf(website)) // 'Website default/sample'
 */
export const refText = (ref: ObjectRef): string => `${ref.kind} ${keyText(ref)}`

/** Identifies one version of one object across clusters; undefined for an object that was never stored. */
export const versionText = ({ metadata: { uid, resourceVersion } }: KubeObject): string | undefined =>
  uid && resourceVersion ? `${uid} ${resourceVersion}` : undefined

export const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''

/** `apps/Deployment`, or `/Service` in the core group. */
export const groupAndKind = ({ apiVersion, kind }: GroupVersionKind): string => `${groupOf(apiVersion)}/${kind}`

/** `group` is '' for the core group. */
export const groupVersionOf = (apiVersion: string): { group: string; version: string } => {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return { group, version }
}

export const apiVersionOf = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  group ? `${group}/${version}` : version

/**
 * Whether the object is being deleted. Finalizers may delay the end of the deletion.
 *
 *   isDeleting(website) // false
 */
export const isDeleting = (object: KubeObject): boolean => object.metadata.deletionTimestamp !== undefined

/**
 * Whether the object has this finalizer.
 *
 *   hasFinalizer(website, 'website.example.org') // true
 */
export const hasFinalizer = (object: KubeObject, name: string): boolean =>
  object.metadata.finalizers?.includes(name) ?? false
