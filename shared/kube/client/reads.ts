// GET and LIST. Lists come in pages, so that memory holds one page and what the caller keeps.
import type { KubeObject, ObjectRef } from '../../core/object.ts'
import type { GetOptions, ListPage, ListQuery } from '../client-types.ts'
import { isGone, isNotFound } from '../errors.ts'
import { mebibytes } from '../limits.ts'
import { continueIn, listIn, objectIn, typed, withoutManagedFields } from './objects.ts'
import { listExcess, type PageAsked, paged } from './paging.ts'
import { collectionPath, objectPath, queryText } from './paths.ts'
import { ask, onResource, type Session } from './session.ts'

const objectsPerPage = 500

/** API servers of others may know whole objects only. */
export const metadataType = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json'
const metadataListType = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'

/** undefined when the object does not exist. */
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
    const object = options?.metadataOnly ? typed(read, ref, true) : read
    return options?.withManagedFields ? object : withoutManagedFields(object)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** All pages as one list. A list that outlives its continue token begins once more, so that it shows one moment. */
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

/** Page by page. Throws a 410 when the continue token expired: what came before is then to be forgotten. */
export async function* pages(session: Session, query: ListQuery): AsyncGenerator<ListPage & { bytes: number }> {
  const { kind, pageSize: objects = objectsPerPage } = query
  const asking = { kind, objects, ask: (asked: PageAsked) => page(session, query, asked) }
  for await (const { items, metadata, bytes } of paged(session, asking)) {
    const objects = items.flatMap(item => keptOf(item, query))
    // A generator that waits for the next page holds this one: an API server that lets it wait would fill our memory.
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
        came: asked.came,
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
    // A page after the first belongs to the moment its token names; the API server refuses both at once. A page that was
    // too large is not asked for so again: old API servers take no notice of a limit then.
    resourceVersion: query.fromCache && !continueToken && isWhole(objects, query) ? '0' : undefined,
  })

const isWhole = (objects: number, { pageSize = objectsPerPage }: ListQuery): boolean => objects === pageSize

const keptOf = (item: KubeObject, query: ListQuery): KubeObject[] => {
  const object = withoutManagedFields(typed(item, query, query.metadataOnly))
  const kept = query.keep ? query.keep(object) : object
  return kept ? [kept] : []
}
