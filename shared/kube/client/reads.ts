// GET and LIST. A list is read in pages, so that memory holds one page and what the caller keeps.
import type { KubeObject, ObjectRef } from '../../core/objects/object.ts'
import type { GetOptions, ListPage, ListQuery } from '../client-types.ts'
import { isGone, isNotFound } from '../errors.ts'
import { mebibytes } from '../limits.ts'
import { continueIn, listIn, objectIn, typed, withoutManagedFields } from './objects.ts'
import { listExcess, type PageAsked, paged } from './paging.ts'
import { collectionPath, objectPath, queryText } from './paths.ts'
import { ask, onResource, type Session } from './session.ts'

const objectsPerPage = 500

/** An API server that cannot answer with metadata alone may answer with whole objects. */
export const metadataType = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json'
const metadataListType = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'

export const get = async (session: Session, ref: ObjectRef, options?: GetOptions): Promise<KubeObject | undefined> => {
  try {
    const accept = options?.metadataOnly ? metadataType : undefined
    const read = await onResource(session, ref, async resource =>
      objectIn(
        await ask(session, {
          verb: 'get',
          method: 'GET',
          path: objectPath(resource, ref),
          repeatability: 'read',
          accept,
        }),
      ),
    )
    const object = options?.metadataOnly ? typed(read, { ...ref, metadataOnly: true }) : read
    return options?.withManagedFields ? object : withoutManagedFields(object)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** All pages as one list. When the continue token expires, the list is read once more from its beginning: all pages show one moment. */
export const listObjects = async (session: Session, query: ListQuery): Promise<KubeObject[]> => {
  try {
    return await gathered(session, query)
  } catch (error) {
    if (!isGone(error)) throw error
    return gathered(session, query)
  }
}

const gathered = async (session: Session, query: ListQuery): Promise<KubeObject[]> => {
  const { listBytes } = session.through.limits
  const kept: KubeObject[] = []
  let keptBytes = 0
  for await (const { objects, bytes } of pages(session, query)) {
    for (const object of objects) kept.push(object)
    if (objects.length > 0) keptBytes += bytes
    if (keptBytes > listBytes)
      throw listExcess(session, { kind: query.kind, sentence: `it is larger than ${mebibytes(listBytes)}` })
  }
  return kept
}

/** Page by page. Throws a 410 when the continue token expired: the caller then forgets the pages it has got. */
export async function* pages(session: Session, query: ListQuery): AsyncGenerator<ListPage & { bytes: number }> {
  const { kind, pageSize: objects = objectsPerPage } = query
  const asking = { kind, objects, ask: (asked: PageAsked) => page(session, query, asked) }
  for await (const { items, metadata, bytes } of paged(session, asking)) {
    const objects = items.flatMap(item => keptOf(item, query))
    // This generator would keep the page while it waits for the next one, and a slow API server would fill our memory with pages.
    items.length = 0
    yield { objects, resourceVersion: String(metadata.resourceVersion ?? ''), bytes }
  }
}

const page = (session: Session, query: ListQuery, asked: PageAsked) =>
  onResource(session, query, async resource => {
    const list = listIn(
      await ask(session, {
        verb: 'list',
        method: 'GET',
        path: collectionPath(resource, query.namespace) + pageQuery(query, asked),
        accept: query.metadataOnly ? metadataListType : undefined,
        repeatability: 'read',
        tellSize: asked.tellSize,
      }),
    )
    return { ...list, continueToken: continueIn(list.metadata) }
  })

const pageQuery = (query: ListQuery, { objects, continueToken }: PageAsked): string =>
  queryText({
    limit: objects,
    continue: continueToken,
    labelSelector: query.labelSelector,
    fieldSelector: query.fieldSelector,
    // The API server refuses a resourceVersion beside a continue token. A page that was too large is asked for without it, because
    // old API servers ignore `limit` when they answer from their cache.
    resourceVersion: query.fromCache && !continueToken && isWhole(objects, query) ? '0' : undefined,
  })

const isWhole = (objects: number, { pageSize = objectsPerPage }: ListQuery): boolean => objects === pageSize

const keptOf = (item: KubeObject, query: ListQuery): KubeObject[] => {
  const read = typed(item, query)
  const object = query.withManagedFields ? read : withoutManagedFields(read)
  const kept = query.keep ? query.keep(object) : object
  return kept ? [kept] : []
}
