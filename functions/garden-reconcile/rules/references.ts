// The objects that an object needs, by kind, namespace and name: a table of fields per kind. If a Garden in deletion leaves an object in
// the cluster, it also leaves the objects that this object needs.
import { managedResourceKind } from '../../../shared/api/garden/kinds.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { isMap, isText, mapOrEmpty } from '../../../shared/core/json/json.ts'
import { type GroupVersionKind, type KubeObject, type ObjectRef, refOf } from '../../../shared/core/objects/object.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'
import { yamlOrNothing } from '../../../shared/core/yaml/read.ts'
import { kindText } from './objects.ts'

/** `to`: the kind of the named objects. `spec.secretRefs[].name` is the field `name` in each item of the list. */
type Fields = { readonly to: GroupVersionKind; readonly isClusterWide?: true; readonly at: readonly string[] }

const namespaceKind = { apiVersion: 'v1', kind: 'Namespace' } as const
const secretKind = { apiVersion: 'v1', kind: 'Secret' } as const
const configMapKind = { apiVersion: 'v1', kind: 'ConfigMap' } as const
const accountKind = { apiVersion: 'v1', kind: 'ServiceAccount' } as const
const priorityKind = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' } as const

const ofAll: readonly Fields[] = [{ to: namespaceKind, isClusterWide: true, at: ['metadata.namespace'] }]

const ofContainers = (...fields: readonly string[]): readonly string[] =>
  ['containers[]', 'initContainers[]'].flatMap(containers => fields.map(field => `${containers}.${field}`))

const inPods = (...fields: readonly string[]): readonly string[] => fields.map(field => `spec.template.spec.${field}`)

const ofPodTemplate: readonly Fields[] = [
  {
    to: secretKind,
    at: inPods(
      'volumes[].secret.secretName',
      'volumes[].projected.sources[].secret.name',
      ...ofContainers('env[].valueFrom.secretKeyRef.name', 'envFrom[].secretRef.name'),
      'imagePullSecrets[].name',
    ),
  },
  {
    to: configMapKind,
    at: inPods(
      'volumes[].configMap.name',
      'volumes[].projected.sources[].configMap.name',
      ...ofContainers('env[].valueFrom.configMapKeyRef.name', 'envFrom[].configMapRef.name'),
    ),
  },
  { to: accountKind, at: inPods('serviceAccountName') },
  { to: priorityKind, isClusterWide: true, at: inPods('priorityClassName') },
]

const ofManagedResource: readonly Fields[] = [{ to: secretKind, at: ['spec.secretRefs[].name'] }]

/** Kinds whose objects need more objects than their namespace. */
const rows: Readonly<Record<string, readonly Fields[]>> = {
  [kindText(managedResourceKind)]: ofManagedResource,
  'apps/v1 Deployment': ofPodTemplate,
  'apps/v1 StatefulSet': ofPodTemplate,
  'apps/v1 DaemonSet': ofPodTemplate,
}

/**
 * The candidates that these objects need. Candidates that are needed by manifests of ManagedResources are returned first and alone: they
 * must be released while the Secret with the manifests still exists.
 */
export const neededFirst = (by: readonly KubeObject[], candidates: readonly KubeObject[]): readonly KubeObject[] => {
  const others = candidates.filter(one => !by.includes(one))
  const direct = found(by.flatMap(references), others)
  const manifests = found(by.flatMap(manifestSecrets), others).flatMap(manifestsIn)
  const ofManifests = found(manifests.flatMap(references), others)
  return ofManifests.length > 0 ? ofManifests : direct
}

const found = (refs: readonly ObjectRef[], objects: readonly KubeObject[]): readonly KubeObject[] => {
  const wanted = new Set(refs.map(identity))
  return objects.filter(object => wanted.has(identity(refOf(object))))
}

const identity = (ref: ObjectRef): string => `${kindText(ref)} ${ref.namespace}/${ref.name}`

const references = (object: KubeObject): readonly ObjectRef[] =>
  referencesAt(object, [...ofAll, ...(rows[kindText(object)] ?? [])])

const manifestSecrets = (object: KubeObject): readonly ObjectRef[] =>
  kindText(object) === kindText(managedResourceKind) ? referencesAt(object, ofManagedResource) : []

const referencesAt = (object: KubeObject, fields: readonly Fields[]): readonly ObjectRef[] =>
  fields.flatMap(({ to, isClusterWide, at }) => {
    const namespace = isClusterWide ? '' : (object.metadata.namespace ?? '')
    const names = at.flatMap(path => valuesAt(object, path.split('.'))).filter(isText)
    return names.map(name => ({ apiVersion: to.apiVersion, kind: to.kind, namespace, name }))
  })

const valuesAt = (value: unknown, [field, ...rest]: readonly string[]): readonly unknown[] => {
  if (field === undefined) return [value]
  if (!field.endsWith('[]')) return valuesAt(valueAt(value, field), rest)
  const items = valueAt(value, field.slice(0, -2))
  return Array.isArray(items) ? items.flatMap(item => valuesAt(item, rest)) : []
}

/** One manifest per key. Text that is not valid YAML needs no object, because a resource manager cannot apply it either. */
const manifestsIn = (secret: KubeObject): KubeObject[] =>
  Object.keys(mapOrEmpty(secret.data))
    .map(key => yamlOrNothing(secretText(secret, key)))
    .filter(isObject)

const isObject = (value: unknown): value is KubeObject =>
  isMap(value) && isText(value.apiVersion) && isText(value.kind) && isMap(value.metadata)
