// GET and LIST. Lists come in pages, so that memory holds one page and what the caller keeps.
import type { KubeObject, ObjectRef } from '../core/object.ts'
import type { GetOptions, ListPage, ListQuery } from './client-types.ts'
import { isGone, isNotFound } from './errors.ts'
import { continueIn, listIn, objectIn, typed, withoutManagedFields } from './objects.ts'
import { collectionPath, objectPath, queryText } from './paths.ts'
import { ask, onResource, type Session } from './session.ts'

const objectsPerPage = 500

/** API servers of others may know whole objects only. */
const metadataListType = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'

/** undefined when the object does not exist. */
export const get = async (session: Session, ref: ObjectRef, options?: GetOptions): Promise<KubeObject | undefined> => {
  try {
    const object = await onResource(session, ref, async resource =>
      objectIn(
        await ask(session, { verb: 'get', method: 'GET', path: objectPath(resource, ref), repeatability: 'read' }),
      ),
    )
    return options?.withManagedFields ? object : withoutManagedFields(object)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** All pages as one list. A list that outlives its continue token begins once more, so that it shows one moment. */
export const list = async (session: Session, query: ListQuery): Promise<KubeObject[]> => {
  try {
    return await gathered(session, query)
  } catch (error) {
    if (!isGone(error)) throw error
    return gathered(session, query)
  }
}

const gathered = async (session: Session, query: ListQuery): Promise<KubeObject[]> => {
  const kept: KubeObject[] = []
  for await (const page of pages(session, query)) for (const object of page.objects) kept.push(object)
  return kept
}

/** Page by page. Throws a 410 when the continue token expired: what came before is then to be forgotten. */
export async function* pages(session: Session, query: ListQuery): AsyncGenerator<ListPage> {
  let continueToken: string | undefined
  do {
    const { items, metadata } = await page(session, query, continueToken)
    const objects = items.flatMap(item => keptOf(item, query))
    yield { objects, resourceVersion: String(metadata.resourceVersion ?? '') }
    continueToken = continueIn(metadata)
  } while (continueToken)
}

const page = (session: Session, query: ListQuery, continueToken: string | undefined) =>
  onResource(session, query, async resource =>
    listIn(
      await ask(session, {
        verb: 'list',
        method: 'GET',
        path: collectionPath(resource, query.namespace) + pageQuery(query, continueToken),
        accept: query.metadataOnly ? metadataListType : undefined,
        repeatability: 'read',
      }),
    ),
  )

const pageQuery = (query: ListQuery, continueToken: string | undefined): string =>
  queryText({
    limit: query.pageSize ?? objectsPerPage,
    continue: continueToken,
    labelSelector: query.labelSelector,
    fieldSelector: query.fieldSelector,
    // A page after the first belongs to the moment its token names; the API server refuses both at once.
    resourceVersion: query.fromCache && !continueToken ? '0' : undefined,
  })

const keptOf = (item: KubeObject, query: ListQuery): KubeObject[] => {
  const object = withoutManagedFields(typed(item, query, query.metadataOnly))
  const kept = query.keep ? query.keep(object) : object
  return kept ? [kept] : []
}
