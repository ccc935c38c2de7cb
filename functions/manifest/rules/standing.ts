// How far a Manifest has come, as its own fields tell: its finalizers, and whether its default object was ever created.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { Item } from '../../../shared/component/inventory/item.ts'
import { itemsOf } from '../../../shared/component/inventory/stored-inventory.ts'
import { groupOf, type KubeObject } from '../../../shared/core/object.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { defaultObject } from '../desired/module-objects.ts'

const { finalizers } = kymaNames
const always = [finalizers.manifest, finalizers.labelRemoval]
const ours: readonly string[] = [...always, finalizers.defaultResource]

/** Those that hold the Manifest until its module is gone. */
export const wantedFinalizers = (manifest: Manifest): readonly string[] => (defaultObject(manifest) ? ours : always)

export const ownFinalizers = ({ metadata }: Manifest): string[] =>
  (metadata.finalizers ?? []).filter(name => ours.includes(name))

export const othersFinalizers = ({ metadata }: Manifest): string[] =>
  (metadata.finalizers ?? []).filter(name => !ours.includes(name))

/** The condition ModuleCR remembers it: whoever deletes the default object afterwards shall not find it again. */
export const isCreated = ({ status }: Manifest): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'ModuleCR' && status === 'True') ?? false

/** The default object as an item that was applied, when the status says so. `isClusterScoped`: its kind has no namespaces. */
export const createdItems = (manifest: Manifest, isClusterScoped: (resource: KubeObject) => boolean): Item[] => {
  const resource = defaultObject(manifest)
  if (!resource || !isCreated(manifest)) return []
  const { apiVersion, kind, metadata } = resource
  const entry = {
    ...{ group: groupOf(apiVersion), version: apiVersion.split('/').at(-1), kind, name: metadata.name },
    namespace: isClusterScoped(resource) ? '' : (metadata.namespace ?? ''),
    ...{ reconcilePolicy: 'Once', digest: '__once__', phase: 'Ready', status: 'Current' },
    ...{ applyOrder: 1, deleteOrder: -1, lastAppliedAt: manifest.metadata.creationTimestamp },
  }
  return itemsOf([entry])
}

export const isDefaultItem = ({ group, kind, name }: Item, manifest: Manifest): boolean => {
  const resource = defaultObject(manifest)
  return resource?.kind === kind && groupOf(resource.apiVersion) === group && resource.metadata.name === name
}
