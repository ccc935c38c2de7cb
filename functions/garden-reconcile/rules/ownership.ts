// What is ours: it carries the ownership label, or it is a Secret that was generated for the Garden.
import { isMap } from '../../../shared/core/json.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import { ownershipLabel } from '../desired/parts/names.ts'
import type { Objects } from './objects.ts'

const [[ownershipKey, owner] = ['', '']] = Object.entries(ownershipLabel)

const isGenerated = ({ kind, metadata: { labels } }: KubeObject): boolean =>
  kind === 'Secret' && labels?.['manager-identity'] === 'gardener-operator'

/** Whoever made it: contents of ManagedResources are ours, too. */
export const isOurs = (object: KubeObject): boolean =>
  object.metadata.labels?.[ownershipKey] === owner || isGenerated(object)

/** By its managedFields. Contents of ManagedResources are applied by a resource manager. */
export const wasAppliedBy = (fieldManager: string, { metadata: { managedFields = [] } }: KubeObject): boolean =>
  managedFields.some(entry => isMap(entry) && entry.manager === fieldManager && entry.operation === 'Apply')

/** All of ours that was read. */
export const ourObjects = (objects: Objects): readonly KubeObject[] => [...objects.values()].flat().filter(isOurs)

/** A merge patch after which the object is nobody's. */
export const releasing = { metadata: { labels: { [ownershipKey]: null, 'manager-identity': null } } }
