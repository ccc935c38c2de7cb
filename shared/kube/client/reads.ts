// GET and LIST. A list is read in pages, so that memory holds one page and what the caller keeps.

import { isMap, isText } from '../../core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../core/objects/object.ts'
import type { GetOptions, ListPage, ListQuery, NamesQuery } from '../client-types.ts'
import { isGone, isNotFound } from '../errors.ts'
import { mebibytes } from '../limits.ts'
import { continueIn, listIn, objectIn, typed, withoutManagedFields } from './objects.ts'
import { listExcess, type PageAsked, paged } from './paging.ts'
import { ask, collectionPath, objectPath, onResource, queryText, type Session } from './session.ts'

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

// Lists the names of objects and nothing else. The client asks for the table that `kubectl get` prints: a page of it costs the API
// server half of what a page of metadata costs, and is a tenth as long.
const namesPerPage = 2_000

/** An API server that serves no tables may answer with a list instead. */
const tableType = 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json'

/** Throws a 410 when the continue token expired. */
export async function* names(session: Session, query: NamesQuery): AsyncGenerator<string[]> {
  const ask = async (asked: PageAsked) => pageIn(await answer(session, query, asked))
  for await (const { names } of paged(session, { kind: query.kind, objects: namesPerPage, ask })) {
    if (names === undefined) return yield* namesOfPages(session, query)
    yield names
  }
}

const answer = (
  session: Session,
  query: NamesQuery,
  { objects, continueToken, tellSize }: PageAsked,
): Promise<unknown> =>
  onResource(session, query, resource =>
    ask(session, {
      verb: 'list',
      method: 'GET',
      path:
        collectionPath(resource, query.namespace) +
        queryText({ limit: objects, includeObject: 'None', continue: continueToken }),
      accept: tableType,
      repeatability: 'read',
      tellSize,
    }),
  )

/** `names` is undefined where the table does not hold them. */
type NamesPage = { names: string[] | undefined; continueToken: string | undefined }

/** Throws when it is neither table nor list. */
const pageIn = (body: unknown): NamesPage => {
  if (!isMap(body) || body.kind !== 'Table') {
    const { items, metadata } = listIn(body)
    return { names: items.map(item => item.metadata.name), continueToken: continueIn(metadata) }
  }
  const { columnDefinitions: columns, rows, metadata } = body
  const column = Array.isArray(columns) ? columns.findIndex(one => isMap(one) && one.format === 'name') : -1
  if (column < 0) return { names: undefined, continueToken: undefined }
  const cells = (Array.isArray(rows) ? rows : []).map(
    row => isMap(row) && Array.isArray(row.cells) && row.cells[column],
  )
  return { names: cells.filter(isText), continueToken: continueIn(metadata) }
}

async function* namesOfPages(session: Session, query: NamesQuery): AsyncGenerator<string[]> {
  for await (const { objects } of pages(session, { ...query, metadataOnly: true }))
    yield objects.map(({ metadata }) => metadata.name)
}
