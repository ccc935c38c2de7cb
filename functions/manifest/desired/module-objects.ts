// The declared objects of a module in the runtime: the objects of its layer, with labels for users and tools, and the default object that
// configures the module.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { Item } from '../../../shared/component/item.ts'
import { isMap, type JsonMap, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { groupOf, type KubeObject, keyOf, keyText, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { isManager } from '../rules/readiness.ts'

/** The prefix of the engine's labels and annotations. */
export const engineName = 'manifest.operator.kyma-project.io'

type Made = {
  readonly layer: readonly KubeObject[]
  /** The Secret in the runtime for pulling images. Absent: no Secret is needed. */
  readonly pullSecret?: string
}

export const moduleObjects = (manifest: Manifest, { layer, pullSecret }: Made): KubeObject[] => {
  const resource = defaultObject(manifest)
  const { localizedImages = [] } = manifest.spec
  return [
    ...layer
      .map(object => pullingWith(localized(object, localizedImages), pullSecret, manifest))
      .map(object => marked(object, manifest, orderOf(object))),
    ...(resource ? [marked(resource, manifest, ofDefaultObject)] : []),
  ]
}

/** The object that is created once and then belongs to the user. undefined: the module has none, or we must not create it. */
export const defaultObject = ({ spec: { resource, customResourcePolicy } }: Manifest): KubeObject | undefined =>
  resource && customResourcePolicy !== 'Ignore' ? (resource as KubeObject) : undefined

/** The kind of custom objects that the module's operator handles. undefined: the kind is unknown. */
export const operatedKind = ({
  spec: { resource },
}: Manifest): { readonly group: string; readonly kind: string } | undefined =>
  resource ? { group: groupOf(String(resource.apiVersion)), kind: String(resource.kind) } : undefined

/** The declaration may omit the namespace of the default object, or have a namespace although the kind is cluster-scoped. */
export const isDefaultObject = (
  { group, kind, namespace, name }: Pick<Item, 'group' | 'kind' | 'namespace' | 'name'>,
  manifest: Manifest,
): boolean => {
  const { apiVersion = '', kind: declared, metadata } = defaultObject(manifest) ?? {}
  return (
    groupOf(apiVersion) === group &&
    declared === kind &&
    metadata?.name === name &&
    (namespace === '' || (metadata.namespace ?? namespace) === namespace)
  )
}

const { labels, managedBy, annotations } = kymaNames

/** The engine and tools recognize the module's objects by these labels. */
export const ourLabels = [labels.managedBy, labels.watchedBy, `${engineName}/owner-id`]

const disclaimer = 'This object belongs to a Kyma module: changes to it are undone.'

const marked = (object: KubeObject, manifest: Manifest, ofEngine: Record<string, string>): KubeObject => {
  const { metadata } = object
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: {
        ...metadata.labels,
        [labels.managedBy]: managedBy.runtime,
        [labels.watchedBy]: managedBy.runtime,
        'app.kubernetes.io/component': manifest.metadata.name,
        'app.kubernetes.io/part-of': 'Kyma',
      },
      annotations: {
        ...metadata.annotations,
        [annotations.ownedBy]: keyText(keyOf(manifest)),
        [annotations.disclaimer]: disclaimer,
        ...ofEngine,
      },
    },
  }
}

/** Overrides annotations of the module: the object is never recreated, because its content belongs to the user. */
const ofDefaultObject = {
  [`${engineName}/apply-order`]: '1',
  [`${engineName}/delete-order`]: '-1',
  [`${engineName}/reconcile-policy`]: 'once',
  [`${engineName}/update-policy`]: 'ssa-merge',
}

/** Kinds that are deleted last, in this order, because the module's operator needs them to clean up. */
const deletedLast = [
  'CustomResourceDefinition.apiextensions.k8s.io',
  'Namespace',
  'ServiceAccount',
  ...['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'].map(kind => `${kind}.rbac.authorization.k8s.io`),
  'Service',
  'Deployment.apps',
  'StatefulSet.apps',
  'DaemonSet.apps',
]

/** Priorities for the engine: the first kind of the list is deleted first. */
export const moduleDeletePriorities = Object.fromEntries(deletedLast.map((kind, place) => [kind, place]))

export const isDeletedLast = ({ group, kind }: { readonly group: string; readonly kind: string }): boolean =>
  deletedLast.includes(group ? `${kind}.${group}` : kind)

const orderOf = ({ apiVersion, kind }: KubeObject): Record<string, string> =>
  isDeletedLast({ group: groupOf(apiVersion), kind }) ? { [`${engineName}/delete-order`]: '1' } : {}

// Replaces images of a module with images of the installation's registry. Example: `europe.example/kyma/agent:1.2` replaces
// `docker.io/library/agent:1.2`, because name and tag are the same.

/** Replaces images of containers, and values of their variables, in Deployments and StatefulSets. */
const localized = (object: KubeObject, images: readonly string[]): KubeObject => {
  const byName = new Map(images.flatMap(image => nameAndTag(image).map(name => [name, image] as const)))
  const replaced = (text: unknown): unknown => {
    const [name] = typeof text === 'string' ? nameAndTag(text) : []
    return (name && byName.get(name)) ?? text
  }
  return byName.size === 0
    ? object
    : withPod(object, pod => withContainers(pod, one => localizedContainer(one, replaced)))
}

const localizedContainer = ({ image, env, ...container }: JsonMap, replaced: (text: unknown) => unknown): JsonMap => ({
  ...container,
  ...(image !== undefined && { image: replaced(image) }),
  ...(env !== undefined && {
    env: Array.isArray(env)
      ? env.map(one => (isMap(one) && 'value' in one ? { ...one, value: replaced(one.value) } : one))
      : env,
  }),
})

/** For example `agent:1.2` of `europe.example:5000/kyma/agent:1.2@sha256:…`. Empty for a name without a tag, whose version is unknown. */
const nameAndTag = (image: string): string[] => {
  const [name = ''] = image.split('@')
  return name
    .split('/')
    .slice(-1)
    .filter(last => last.includes(':'))
}

/** The Pod spec of a Deployment or StatefulSet. undefined for other kinds. */
const podOf = ({ apiVersion, kind, spec }: KubeObject): JsonMap | undefined =>
  groupOf(apiVersion) === 'apps' && (kind === 'Deployment' || kind === 'StatefulSet')
    ? mapOrEmpty(mapOrEmpty(mapOrEmpty(spec).template).spec)
    : undefined

/** Returns objects of other kinds unchanged. */
const withPod = (object: KubeObject, change: (pod: JsonMap) => JsonMap): KubeObject => {
  const pod = podOf(object)
  if (!pod) return object
  const spec = mapOrEmpty(object.spec)
  return { ...object, spec: { ...spec, template: { ...mapOrEmpty(spec.template), spec: change(pod) } } }
}

/** Changes all containers, including init containers. */
const withContainers = (pod: JsonMap, change: (container: JsonMap) => JsonMap): JsonMap => {
  const changed = (list: unknown) => (Array.isArray(list) ? list.map(one => (isMap(one) ? change(one) : one)) : list)
  const lists = (['containers', 'initContainers'] as const)
    .filter(field => pod[field] !== undefined)
    .map(field => [field, changed(pod[field])])
  return { ...pod, ...Object.fromEntries(lists) }
}

// Workloads of modules pull their images with a Secret that every runtime has. The kubelet finds the Secret through imagePullSecrets. The
// module's operator, which creates workloads itself, finds the Secret through an environment variable.

export const pullSecretVariable = 'SKR_IMG_PULL_SECRET'

/** Returns the object unchanged if it is not a workload, or if `name` is undefined. */
const pullingWith = (object: KubeObject, name: string | undefined, manifest: Manifest): KubeObject =>
  name === undefined
    ? object
    : withPod(object, ({ imagePullSecrets, ...pod }) => ({
        ...pod,
        imagePullSecrets: [...(Array.isArray(imagePullSecrets) ? imagePullSecrets : []), { name }],
        ...(isManager(object, manifest) && { containers: mapsIn(pod.containers).map(one => withVariable(one, name)) }),
      }))

/** The workloads that already set the variable. Espalier cannot know which value is right. */
export const variableTwice = (objects: readonly KubeObject[], manifest: Manifest): string[] =>
  objects
    .filter(object => isManager(object, manifest))
    .filter(object => mapsIn(podOf(object)?.containers).some(one => environment(one).some(isOurs)))
    .map(object => refText(refOf(object)))

const withVariable = (container: JsonMap, value: string): JsonMap => ({
  ...container,
  env: [...environment(container), { name: pullSecretVariable, value }],
})

const environment = ({ env }: JsonMap): unknown[] => (Array.isArray(env) ? env : [])

const isOurs = (variable: unknown): boolean => mapOrEmpty(variable).name === pullSecretVariable
