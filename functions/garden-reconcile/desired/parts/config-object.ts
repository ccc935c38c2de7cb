// Immutable Secrets and ConfigMaps whose names end in a digest of their data: changed content gets a new name. ManagedResources: objects in
// such a Secret that a resource manager applies, in the runtime cluster or in the virtual garden.
//
//   const config = configMap('etcd-druid-config', { 'config.yaml': text })
//   metadata: { annotations: referencesTo([config]) } // on whoever mounts it, so that it is not collected as garbage
//   managedResource('etcd-druid', { where: 'runtime', objects: [deployment, serviceAccount] }) // [its Secret, the ManagedResource]
import { managedResourceKind } from '../../../../shared/api/garden/kinds.ts'
import { sha256Hex } from '../../../../shared/core/digest.ts'
import { canonicalJson, type JsonMap, mapOrEmpty } from '../../../../shared/core/json/json.ts'
import { BoundedCache } from '../../../../shared/core/memory/bounded-cache.ts'
import { keptOrMade } from '../../../../shared/core/memory/remembered.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { encodedTexts } from '../../../../shared/core/objects/secret-text.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'
import { namespace as garden, ownershipLabel, prefixes, role, withOwnership } from './names.ts'

type Texts = Readonly<Record<string, string>>
type Options = { readonly namespace?: string; readonly labels?: Texts }

export const configMap = (name: string, data: Texts, options: Options = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: configMetadata(name, data, options),
  immutable: true,
  data,
})

/** `texts`: the data as plain text. */
export const configSecret = (name: string, texts: Texts, options: Options = {}): KubeObject => {
  const data = encodedTexts(texts)
  const metadata = configMetadata(name, data, options)
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', immutable: true, data }
}

/** Annotations for an object and its Pods that protect the config objects from garbage collection. */
export const referencesTo = (objects: readonly KubeObject[]): Record<string, string> =>
  Object.fromEntries(
    objects.map(({ kind, metadata: { name } }) => [
      `${prefixes.reference}/${kind.toLowerCase()}-${sha256Hex(name).slice(0, 8)}`,
      name,
    ]),
  )

/** Whether the object is garbage collected when no other object refers to it. */
const isCollectable = ({ metadata }: KubeObject): boolean => metadata.labels?.[collectable] === 'true'

const collectable = `${prefixes.resources}/garbage-collectable-reference`

const configMetadata = (name: string, data: Texts, { namespace = garden, labels }: Options) => ({
  name: `${name}-${sha256Hex(canonicalJson(mapOrEmpty(data))).slice(0, 8)}`,
  namespace,
  labels: { ...labels, ...ownershipLabel, [collectable]: 'true' },
})

type Contents = {
  readonly where: 'runtime' | 'virtual'
  readonly objects: readonly KubeObject[]
  /** Applied objects stay in the cluster when the ManagedResource is deleted. */
  readonly keepObjects?: boolean
  /**
   * The Garden condition that this ManagedResource affects. Default in the virtual garden: VirtualComponentsHealthy. Default in the runtime
   * cluster: the condition in garden-care's list.
   */
  readonly condition?: 'VirtualComponentsHealthy' | 'ObservabilityComponentsHealthy'
  readonly namespace?: string
}

export const managedResource = (
  name: string,
  { where, objects, condition, keepObjects = false, namespace = garden }: Contents,
): KubeObject[] => {
  const texts = Object.fromEntries(objects.map(object => [keyOf(object), textOf(withOwnership(object))]))
  const secret = configSecret(`managedresource-${name}`, texts, { namespace })
  const destination = destinations[where]
  const spec = { ...destination.spec, keepObjects, secretRefs: [{ name: secret.metadata.name }] }
  const labels = { ...ownershipLabel, ...destination.labels, ...(condition && { [conditionLabel]: condition }) }
  const annotations = referencesTo([secret, ...objects.filter(isCollectable)])
  const metadata = { name, namespace, labels, annotations }
  return [secret, { ...managedResourceKind, metadata, spec }]
}

/** The texts are cached, because serializing the same objects again took half of a call's time. */
const textOf = (object: KubeObject): string => keptOrMade(texts, JSON.stringify(object), () => yamlOf(object))

/** A Garden has a few hundred texts of about 2,000 characters. */
const texts = new BoundedCache<string, string>(1_000)

const conditionLabel = 'care.gardener.cloud/condition-type'

const destinations = {
  runtime: { labels: role('seed-system-component'), spec: { class: 'seed' } },
  virtual: {
    labels: { origin: 'gardener', [conditionLabel]: 'VirtualComponentsHealthy' },
    spec: { injectLabels: { 'shoot.gardener.cloud/no-cleanup': 'true' } },
  },
} as const

/** `deployment__garden__etcd-druid.yaml` */
const keyOf = ({ kind, metadata }: KubeObject): string =>
  `${kind.toLowerCase()}__${metadata.namespace ?? ''}__${metadata.name.replaceAll(':', '_')}.yaml`

export const kubeconfigText = (name: string, cluster: JsonMap, user: JsonMap): string =>
  yamlOf({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    users: [{ name, user }],
  })
