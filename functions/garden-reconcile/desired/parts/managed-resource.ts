// ManagedResources: objects in a Secret that a resource manager applies, in the runtime cluster or in the virtual garden.
//
//   managedResource('etcd-druid', { where: 'runtime', objects: [deployment, serviceAccount] }) // [its Secret, the ManagedResource]
import { managedResourceKind } from '../../../../shared/api/garden/kinds.ts'
import { BoundedCache } from '../../../../shared/core/memory/bounded-cache.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'
import { configSecret, isCollectable, referencesTo } from './config-object.ts'
import { namespace as garden, ownershipLabel, role, withOwnership } from './names.ts'

type Contents = {
  readonly where: 'runtime' | 'virtual'
  readonly objects: readonly KubeObject[]
  /** What was applied stays when the ManagedResource goes. */
  readonly keepObjects?: boolean
  readonly namespace?: string
}

export const managedResource = (
  name: string,
  { where, objects, keepObjects = false, namespace = garden }: Contents,
): KubeObject[] => {
  const texts = Object.fromEntries(objects.map(object => [keyOf(object), textOf(withOwnership(object))]))
  const secret = configSecret(`managedresource-${name}`, texts, { namespace })
  const of = destinations[where]
  const spec = { ...of.spec, keepObjects, secretRefs: [{ name: secret.metadata.name }] }
  const labels = { ...ownershipLabel, ...of.labels }
  const annotations = referencesTo([secret, ...objects.filter(isCollectable)])
  const metadata = { name, namespace, labels, annotations }
  return [secret, { ...managedResourceKind, metadata, spec }]
}

/** Half of what a call computed was to write the same texts again. */
const textOf = (object: KubeObject): string => {
  const key = JSON.stringify(object)
  const text = texts.get(key) ?? yamlOf(object)
  texts.set(key, text)
  return text
}

/** Of a Garden there are a few hundred, of some 2,000 characters. */
const texts = new BoundedCache<string, string>(1_000)

const destinations = {
  runtime: { labels: role('seed-system-component'), spec: { class: 'seed' } },
  virtual: {
    labels: { origin: 'gardener' },
    spec: { injectLabels: { 'shoot.gardener.cloud/no-cleanup': 'true' } },
  },
} as const

/** `deployment__garden__etcd-druid.yaml` */
const keyOf = ({ kind, metadata }: KubeObject): string =>
  `${kind.toLowerCase()}__${metadata.namespace ?? ''}__${metadata.name.replaceAll(':', '_')}.yaml`
