// Takes objects out of the body of an answer: checks that they are objects and drops managedFields.
import { isMap, isText, type JsonMap, mapOrEmpty } from '../../core/json/json.ts'
import type { GroupVersionKind, KubeObject } from '../../core/objects/object.ts'
import { ConnectionError } from '../errors.ts'

/** The object in the answer to a write or a GET. Throws when the body is no object. */
export const objectIn = (body: unknown): KubeObject => {
  if (isObject(body)) return withoutNulls(body)
  throw new ConnectionError('unreadable', 'NO_OBJECT', 'the API server answered something that is no object')
}

/** Without managedFields, which are often most of an object and concern only server-side apply. */
export const withoutManagedFields = (object: KubeObject): KubeObject => {
  delete object.metadata.managedFields
  return object
}

/** API servers leave out what is empty. One that writes null for it means the same. */
export const withoutNulls = (object: KubeObject): KubeObject => {
  const metadata = object.metadata as unknown as JsonMap
  for (const field of ofKnownShape) if (metadata[field] === null) delete metadata[field]
  return object
}

const ofKnownShape = [
  ...['labels', 'annotations', 'finalizers', 'ownerReferences', 'managedFields'],
  ...['generation', 'creationTimestamp', 'deletionTimestamp'],
]

type AskedKind = GroupVersionKind & { readonly metadataOnly?: boolean }

/** Sets apiVersion and kind: items of lists have none, metadata-only items say PartialObjectMetadata, a hostile API server anything. */
export const typed = (item: KubeObject, { apiVersion, kind, metadataOnly }: AskedKind): KubeObject => {
  if (metadataOnly) return { apiVersion, kind, metadata: item.metadata }
  return item.kind === kind && item.apiVersion === apiVersion ? item : { ...item, apiVersion, kind }
}

const isObject = (value: unknown): value is KubeObject =>
  hasMetadata(value) && isString(value.kind) && isString(value.apiVersion)

/**
 * True for objects and for items of a list. What the relay keeps in memory must be short: name, namespace, uid, version, generation. The
 * other metadata that we read must have its usual shape: a hostile API server behind a kubeconfig may answer with any other.
 */
export const hasMetadata = (value: unknown): value is KubeObject =>
  isMap(value) && isMap(value.metadata) && isIdentity(value.metadata) && isShaped(value.metadata)

/** An object that is stored has a name. Bookmarks of a watch and answers to reviews have none. */
export const hasName = (value: unknown): value is KubeObject => hasMetadata(value) && isText(value.metadata.name)

const isShaped = (metadata: JsonMap): boolean => {
  const { labels, annotations, finalizers, ownerReferences, managedFields } = metadata
  const { generation, creationTimestamp, deletionTimestamp } = metadata
  return (
    [labels, annotations].every(map => map == null || (isMap(map) && Object.values(map).every(isString))) &&
    isListOf(finalizers, isString) &&
    isListOf(ownerReferences, isOwner) &&
    isListOf(managedFields, isMap) &&
    (generation == null || typeof generation === 'number') &&
    [creationTimestamp, deletionTimestamp].every(time => time === null || isShort(time))
  )
}

const isOwner = (value: unknown): boolean =>
  isMap(value) && [value.apiVersion, value.kind, value.name, value.uid].every(isString)

const isListOf = (list: unknown, fits: (element: unknown) => boolean): boolean =>
  list == null || (Array.isArray(list) && list.every(fits))

const isString = (value: unknown): value is string => typeof value === 'string'

const isIdentity = ({ name, namespace, uid, resourceVersion }: JsonMap): boolean =>
  [name, namespace, uid, resourceVersion].every(isShort)

/** No API server has names of more than 253 characters; versions are opaque. */
const charactersMost = 1024

const isShort = (text: unknown): boolean =>
  text === undefined || (typeof text === 'string' && text.length <= charactersMost)

/** Where the next page begins; undefined after the last one. */
export const continueIn = (metadata: unknown): string | undefined =>
  isMap(metadata) && isText(metadata.continue) ? metadata.continue : undefined

type ListBody = { items: KubeObject[]; metadata: JsonMap }

export const listIn = (body: unknown): ListBody => {
  const { items, metadata } = mapOrEmpty(body)
  if (isMap(metadata) && isShort(metadata.resourceVersion) && (items === null || Array.isArray(items)))
    return { items: (items ?? []).filter(hasName).map(withoutNulls), metadata }
  throw new ConnectionError('unreadable', 'NO_LIST', 'the API server answered something that is no list')
}
