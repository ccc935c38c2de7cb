// The objects of a module as they are declared in the runtime: those of its layer with the labels by which people and tools find
// them, and last the default object that the module is configured with.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { Item } from '../../../shared/component/inventory/item.ts'
import { isMap, type JsonMap, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { groupOf, type KubeObject, keyOf, keyText, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { isManager } from '../rules/readiness.ts'

/** Labels and annotations of the engine begin with it. */
export const engineName = 'manifest.operator.kyma-project.io'

type Made = {
  readonly layer: readonly KubeObject[]
  /** The Secret in the runtime that images are pulled with; absent: none is needed. */
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

/** The object that is created once and then the user's; undefined: there is none, or it is not ours to make. */
export const defaultObject = ({ spec: { resource, customResourcePolicy } }: Manifest): KubeObject | undefined =>
  resource && customResourcePolicy !== 'Ignore' ? (resource as KubeObject) : undefined

/** Of the custom objects that the module's operator looks after; undefined: nobody knows. */
export const operatedKind = ({
  spec: { resource },
}: Manifest): { readonly group: string; readonly kind: string } | undefined =>
  resource ? { group: groupOf(String(resource.apiVersion)), kind: String(resource.kind) } : undefined

/** Whether this is the default object of the Manifest, which may be declared without a namespace, or with one though its kind has none. */
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

/** By which the engine and tools know the module's objects. */
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

/** Whatever the module says: it is never made anew, since its content is the user's. */
const ofDefaultObject = {
  [`${engineName}/apply-order`]: '1',
  [`${engineName}/delete-order`]: '-1',
  [`${engineName}/reconcile-policy`]: 'once',
  [`${engineName}/update-policy`]: 'ssa-merge',
}

/** The module's operator needs these kinds to clean up, so they are deleted last, in this order. */
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

/** For the engine: the first of the list is deleted first. */
export const moduleDeletePriorities = Object.fromEntries(deletedLast.map((kind, place) => [kind, place]))

export const isDeletedLast = ({ group, kind }: { readonly group: string; readonly kind: string }): boolean =>
  deletedLast.includes(group ? `${kind}.${group}` : kind)

const orderOf = ({ apiVersion, kind }: KubeObject): Record<string, string> =>
  isDeletedLast({ group: groupOf(apiVersion), kind }) ? { [`${engineName}/delete-order`]: '1' } : {}

// Puts images of the installation's own registry in the place of those that a module names. Example: `europe.example/kyma/agent:1.2` in
// the place of `docker.io/library/agent:1.2`, since name and tag are the same.

/** Images of containers, and values of their variables, in Deployments and StatefulSets. */
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

/** `agent:1.2` of `europe.example:5000/kyma/agent:1.2@sha256:…`; none of a name without a tag, which may be any version. */
const nameAndTag = (image: string): string[] => {
  const [name = ''] = image.split('@')
  return name
    .split('/')
    .slice(-1)
    .filter(last => last.includes(':'))
}

/** The spec of the Pods of a Deployment or StatefulSet; undefined: it is none. */
const podOf = ({ apiVersion, kind, spec }: KubeObject): JsonMap | undefined =>
  groupOf(apiVersion) === 'apps' && (kind === 'Deployment' || kind === 'StatefulSet')
    ? mapOrEmpty(mapOrEmpty(mapOrEmpty(spec).template).spec)
    : undefined

/** The same object where it is no Deployment or StatefulSet. */
const withPod = (object: KubeObject, change: (pod: JsonMap) => JsonMap): KubeObject => {
  const pod = podOf(object)
  if (!pod) return object
  const spec = mapOrEmpty(object.spec)
  return { ...object, spec: { ...spec, template: { ...mapOrEmpty(spec.template), spec: change(pod) } } }
}

/** The Pods with each of their containers changed, those that run first included. */
const withContainers = (pod: JsonMap, change: (container: JsonMap) => JsonMap): JsonMap => {
  const changed = (list: unknown) => (Array.isArray(list) ? list.map(one => (isMap(one) ? change(one) : one)) : list)
  const lists = (['containers', 'initContainers'] as const)
    .filter(field => pod[field] !== undefined)
    .map(field => [field, changed(pod[field])])
  return { ...pod, ...Object.fromEntries(lists) }
}

// Workloads of modules pull their images with the Secret that every runtime has for that: the kubelet's by imagePullSecrets, and the
// module's own operator, which makes workloads itself, by a variable that names it.

export const pullSecretVariable = 'SKR_IMG_PULL_SECRET'

/** The same object where it is no workload, or `name` is undefined. */
const pullingWith = (object: KubeObject, name: string | undefined, manifest: Manifest): KubeObject =>
  name === undefined
    ? object
    : withPod(object, ({ imagePullSecrets, ...pod }) => ({
        ...pod,
        imagePullSecrets: [...(Array.isArray(imagePullSecrets) ? imagePullSecrets : []), { name }],
        ...(isManager(object, manifest) && { containers: mapsIn(pod.containers).map(one => withVariable(one, name)) }),
      }))

/** The workloads whose containers have the variable already: nobody could tell whose value is right. */
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
