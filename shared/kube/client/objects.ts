// Extracts objects from answers: checks their shape, and drops managedFields.
import { isMap, isText, type JsonMap, mapOrEmpty } from '../../core/json/json.ts'
import type { GroupVersionKind, KubeObject } from '../../core/objects/object.ts'
import { ConnectionError } from '../errors.ts'

/** Throws when the body is not an object. */
export const objectIn = (body: unknown): KubeObject => {
  if (isObject(body)) return withoutNulls(body)
  throw new ConnectionError('unreadable', 'NO_OBJECT', 'the response of the API server is not an object')
}

/** managedFields are often the largest part of an object, and only server-side apply needs them. */
export const withoutManagedFields = (object: KubeObject): KubeObject => {
  delete object.metadata.managedFields
  return object
}

/** Removes null fields: API servers usually omit empty fields, and null means the same as an absent field. */
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

/**
 * Sets apiVersion and kind. List items lack both fields, metadata-only items have the kind PartialObjectMetadata, and a hostile API server
 * may send anything.
 */
export const typed = (item: KubeObject, { apiVersion, kind, metadataOnly }: AskedKind): KubeObject => {
  if (metadataOnly) return { apiVersion, kind, metadata: item.metadata }
  return item.kind === kind && item.apiVersion === apiVersion ? item : { ...item, apiVersion, kind }
}

const isObject = (value: unknown): value is KubeObject =>
  hasMetadata(value) && isString(value.kind) && isString(value.apiVersion)

/**
 * True for objects and list items. Name, namespace, uid, version and generation must be short, because the relay keeps them in memory.
 * Other metadata must have the usual shape. Both checks protect us from a hostile API server of a remote cluster.
 */
export const hasMetadata = (value: unknown): value is KubeObject =>
  isMap(value) && isMap(value.metadata) && isIdentity(value.metadata) && isShaped(value.metadata)

/** Stored objects have names. Bookmarks and answers to reviews have none. */
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

/** Limit for names and versions. Names have at most 253 characters; versions may have any format. */
const charactersMost = 1024

const isShort = (text: unknown): boolean =>
  text === undefined || (typeof text === 'string' && text.length <= charactersMost)

/** The continue token; undefined after the last page. */
export const continueIn = (metadata: unknown): string | undefined =>
  isMap(metadata) && isText(metadata.continue) ? metadata.continue : undefined

type ListBody = { items: KubeObject[]; metadata: JsonMap }

export const listIn = (body: unknown): ListBody => {
  const { items, metadata } = mapOrEmpty(body)
  if (isMap(metadata) && isShort(metadata.resourceVersion) && (items === null || Array.isArray(items)))
    return { items: (items ?? []).filter(hasName).map(withoutNulls), metadata }
  throw new ConnectionError('unreadable', 'NO_LIST', 'the response of the API server is not a list')
}
