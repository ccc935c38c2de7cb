// Decides which objects are ours: objects with the ownership label, and Secrets that were generated for the Garden. Also which of our objects
// no step declares any more, and which objects of other programs we do not take over.
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { isMap, mapOrEmpty, sameJson } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { ownershipLabel, prefixes } from '../desired/parts/names.ts'
import type { World } from '../world.ts'
import { findObject, type Objects } from './objects.ts'

const [[ownershipKey, owner] = ['', '']] = Object.entries(ownershipLabel)

const isGenerated = ({ kind, metadata: { labels } }: KubeObject): boolean =>
  kind === 'Secret' && labels?.['manager-identity'] === 'gardener-operator'

/** Includes objects that a resource manager applied for our ManagedResources. */
export const isOurs = (object: KubeObject): boolean =>
  object.metadata.labels?.[ownershipKey] === owner || isGenerated(object)

/** Evaluates managedFields. False for objects of ManagedResources, which a resource manager applies. */
const wasAppliedBy = (fieldManager: string, { metadata: { managedFields = [] } }: KubeObject): boolean =>
  managedFields.some(entry => isMap(entry) && entry.manager === fieldManager && entry.operation === 'Apply')

export const ourObjects = (objects: Objects): readonly KubeObject[] => [...objects.values()].flat().filter(isOurs)

/** A merge patch that removes our labels, so that the object is no longer ours. */
export const releasing = { metadata: { labels: { [ownershipKey]: null, 'manager-identity': null } } }

/** Deleting a Namespace or definition would also delete objects of other programs. Generated Secrets have their own rules. */
const isKept = ({ kind, metadata }: KubeObject): boolean =>
  ['CustomResourceDefinition', 'Namespace'].includes(kind) || metadata.labels?.['manager-identity'] !== undefined

/** Called only when all steps are ready, so that no running program loses objects that it reads. */
export const pruningSteps = (world: World, declared: readonly KubeObject[], fieldManager: string): Step[] => {
  const wanted = new Set(declared.map(object => refText(refOf(object))))
  return ourObjects(world.runtime)
    .filter(object => wasAppliedBy(fieldManager, object) && !isKept(object))
    .filter(object => !wanted.has(refText(refOf(object))))
    .map(target => ({ do: 'delete', target }))
}

/**
 * Objects of other programs that have our names are taken over, as in Gardener's operator, with two exceptions. A Secret with other content is not
 * overwritten: a user must move the content, or add our label. An immutable object whose data does not match the digest in its name is not used.
 * It cannot be applied, and a workload would mount content that is not ours.
 */
export const foreignContentFault = (runtime: Objects, wanted: KubeObject, fieldManager: string): string | undefined => {
  const isContent = wanted.kind === 'Secret' || wanted.immutable === true
  const live = isContent ? findObject(runtime, refOf(wanted)) : undefined
  if (!live || (sameJson(live.data, wanted.data) && live.binaryData === undefined)) return undefined
  // The name is a digest of the data. An apply would keep added keys, for example manifests for a resource manager.
  if (wanted.immutable) return `${refText(refOf(wanted))}: its data does not match the digest in its name; delete it`
  if (isOurs(live) || wasAppliedBy(fieldManager, live) || asksForToken(live)) return undefined
  return Object.keys(mapOrEmpty(live.data)).length > 0
    ? `${refText(refOf(wanted))}: does not belong to this Garden, and its data would be overwritten; move the data to a Secret with another name, then delete it`
    : undefined
}

/** The Secret requests a token from a resource manager. Its content can be created again, whoever created the Secret. */
const asksForToken = ({ metadata: { labels } }: KubeObject): boolean =>
  labels?.[`${prefixes.resources}/purpose`] === 'token-requestor'
