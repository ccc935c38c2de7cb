// Decides which objects are ours: objects with the ownership label, and Secrets that were generated for the Garden.
import { isMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { ownershipLabel } from '../desired/parts/names.ts'
import type { Objects } from './objects.ts'

const [[ownershipKey, owner] = ['', '']] = Object.entries(ownershipLabel)

const isGenerated = ({ kind, metadata: { labels } }: KubeObject): boolean =>
  kind === 'Secret' && labels?.['manager-identity'] === 'gardener-operator'

/** Includes objects that a resource manager applied for our ManagedResources. */
export const isOurs = (object: KubeObject): boolean =>
  object.metadata.labels?.[ownershipKey] === owner || isGenerated(object)

/** Evaluates managedFields. False for objects of ManagedResources, which a resource manager applies. */
export const wasAppliedBy = (fieldManager: string, { metadata: { managedFields = [] } }: KubeObject): boolean =>
  managedFields.some(entry => isMap(entry) && entry.manager === fieldManager && entry.operation === 'Apply')

export const ourObjects = (objects: Objects): readonly KubeObject[] => [...objects.values()].flat().filter(isOurs)

/** A merge patch that removes our labels, so that the object is no longer ours. */
export const releasing = { metadata: { labels: { [ownershipKey]: null, 'manager-identity': null } } }
