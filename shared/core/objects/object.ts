// Kubernetes objects as plain JSON, references to them, and the resources of kinds.

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

/** Whether the object is being deleted and no finalizer holds it. A Pod or a Namespace may exist for some time in this state. */
export const isLetGo = (object: KubeObject): boolean =>
  isDeleting(object) && (object.metadata.finalizers ?? []).length === 0

/**
 * Whether the object has this finalizer.
 *
 *   hasFinalizer(website, 'website.example.org') // true
 */
export const hasFinalizer = (object: KubeObject, name: string): boolean =>
  object.metadata.finalizers?.includes(name) ?? false

/** `plural` for irregular kinds, such as `redis` for Redis. */
export type NamedKind = GroupVersionKind & { readonly plural?: string }

export type GroupResource = { group: string; resource: string }

/**
 * Derives the resource without an API server, for manifests and access reviews: `Garden` in `operator.gardener.cloud/v1alpha1` → `gardens` in
 * `operator.gardener.cloud`. landscape-faults.ts compares the resource of a watch with `access` in serverless.yml.
 */
export const groupResourceOf = ({ apiVersion, kind, plural }: NamedKind): GroupResource => ({
  group: groupOf(apiVersion),
  resource: plural ?? resourceOf(kind),
})

const resourceOf = (kind: string): string => {
  const singular = kind.toLowerCase()
  const [ending, plural] = endings.find(([pattern]) => pattern.test(singular)) ?? regular
  return irregular[singular] ?? singular.replace(ending, plural)
}

const irregular: Record<string, string> = { endpoints: 'endpoints' }

const regular: [RegExp, string] = [/$/, 's']

const endings: [RegExp, string][] = [
  [/(?<![aeiou])y$/, 'ies'],
  [/(?<=s|x|z|ch|sh)$/, 'es'],
]
