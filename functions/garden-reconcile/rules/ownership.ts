// Which objects are ours: those with the ownership label, and Secrets that were generated for the Garden.
import { isMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { ownershipLabel } from '../desired/parts/names.ts'
import type { Objects } from './objects.ts'

const [[ownershipKey, owner] = ['', '']] = Object.entries(ownershipLabel)

const isGenerated = ({ kind, metadata: { labels } }: KubeObject): boolean =>
  kind === 'Secret' && labels?.['manager-identity'] === 'gardener-operator'

/** Also objects that a resource manager applied for our ManagedResources. */
export const isOurs = (object: KubeObject): boolean =>
  object.metadata.labels?.[ownershipKey] === owner || isGenerated(object)

/** By its managedFields. Not so objects of ManagedResources, which a resource manager applies. */
export const wasAppliedBy = (fieldManager: string, { metadata: { managedFields = [] } }: KubeObject): boolean =>
  managedFields.some(entry => isMap(entry) && entry.manager === fieldManager && entry.operation === 'Apply')

export const ourObjects = (objects: Objects): readonly KubeObject[] => [...objects.values()].flat().filter(isOurs)

/** A merge patch that takes our labels from an object: it is not ours any more. */
export const releasing = { metadata: { labels: { [ownershipKey]: null, 'manager-identity': null } } }
