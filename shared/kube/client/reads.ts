// GET and LIST. Lists are read in pages, so memory holds one page and the objects that the caller keeps.
import { isMap, isText } from '../../core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../core/objects/object.ts'
import type { GetOptions, ListPage, ListQuery, NamesQuery } from '../client-types.ts'
import { connectionErrorOf } from '../connection/connection-errors.ts'
import { ConnectionError, isNotFound, nothingIf } from '../errors.ts'
import { Excess, type ExcessCode, type Limits, mebibytes } from '../limits.ts'
import { againIfGone } from '../reading.ts'
import { continueIn, listIn, objectIn, typed, withoutManagedFields } from './objects.ts'
import { ask, collectionPath, objectPath, onResource, queryText, type Session } from './session.ts'

const objectsPerPage = 500

/** Accepts whole objects, too, because an API server may not support metadata-only answers. */
export const metadataType = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json'
const metadataListType = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'

export const get = async (session: Session, ref: ObjectRef, options?: GetOptions): Promise<KubeObject | undefined> => {
  const accept = options?.metadataOnly ? metadataType : undefined
  const asked = { verb: 'get', method: 'GET', repeatability: 'read', accept } as const
  const read = await onResource(session, ref, async resource =>
    objectIn(await ask(session, { ...asked, path: objectPath(resource, ref) })),
  ).catch(nothingIf(isNotFound))
  if (!read) return undefined
  const object = options?.metadataOnly ? typed(read, { ...ref, metadataOnly: true }) : read
  return options?.withManagedFields ? object : withoutManagedFields(object)
}

/** All pages as one list. If the continue token expires, the list is read once more from the start, so that all pages show one moment. */
export const listObjects = (session: Session, query: ListQuery): Promise<KubeObject[]> =>
  againIfGone(() => gathered(session, query))

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

/** Throws a 410 when the continue token has expired. The caller must then drop all pages. */
export async function* pages(session: Session, query: ListQuery): AsyncGenerator<ListPage & { bytes: number }> {
  const { kind, pageSize: objects = objectsPerPage } = query
  const asking = { kind, objects, ask: (asked: PageAsked) => page(session, query, asked) }
  for await (const { items, metadata, bytes } of paged(session, asking)) {
    const objects = items.flatMap(item => keptOf(item, query))
    // Empties the page. Otherwise the generator would keep the page during the next request, and slow API servers would fill our memory.
    items.length = 0
    yield { objects, resourceVersion: String(metadata.resourceVersion ?? ''), bytes }
  }
}

const listing = { verb: 'list', method: 'GET', repeatability: 'read' } as const

const page = (session: Session, query: ListQuery, asked: PageAsked) =>
  onResource(session, query, async resource => {
    const path = collectionPath(resource, query.namespace) + pageQuery(query, asked)
    const accept = query.metadataOnly ? metadataListType : undefined
    const list = listIn(await ask(session, { ...listing, path, accept, tellSize: asked.tellSize }))
    return { ...list, continueToken: continueIn(list.metadata) }
  })

const pageQuery = (query: ListQuery, { objects, continueToken }: PageAsked): string =>
  queryText({
    limit: objects,
    continue: continueToken,
    labelSelector: query.labelSelector,
    fieldSelector: query.fieldSelector,
    // The API server refuses a resourceVersion with a continue token. A smaller page after a too large page is requested without a
    // resourceVersion, because old API servers ignore `limit` when they use their cache.
    resourceVersion: query.fromCache && !continueToken && isWhole(objects, query) ? '0' : undefined,
  })

const isWhole = (objects: number, { pageSize = objectsPerPage }: ListQuery): boolean => objects === pageSize

const keptOf = (item: KubeObject, query: ListQuery): KubeObject[] => {
  const read = typed(item, query)
  const object = query.withManagedFields ? read : withoutManagedFields(read)
  const kept = query.keep ? query.keep(object) : object
  return kept ? [kept] : []
}

// Lists only names. Requests the table that `kubectl get` prints. A table costs the API server half as much as metadata, and is a tenth as
// long.
const namesPerPage = 2_000

/** Accepts a list, too, because an API server may not support tables. */
const tableType = 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json'

export async function* names(session: Session, query: NamesQuery): AsyncGenerator<string[]> {
  const ask = async (asked: PageAsked) => pageIn(await answer(session, query, asked))
  for await (const { names } of paged(session, { kind: query.kind, objects: namesPerPage, ask })) {
    if (names === undefined) return yield* namesOfPages(session, query)
    yield names
  }
}

const answer = (session: Session, query: NamesQuery, { objects, continueToken, tellSize }: PageAsked) =>
  onResource(session, query, resource => {
    const search = queryText({ limit: objects, includeObject: 'None', continue: continueToken })
    const path = collectionPath(resource, query.namespace) + search
    return ask(session, { ...listing, path, accept: tableType, tellSize })
  })

/** `names` is undefined when the table has no column for names. */
type NamesPage = { names: string[] | undefined; continueToken: string | undefined }

/** Throws when the body is neither a table nor a list. */
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

// Reads a list page by page. A page that is too large is requested again with fewer objects. limits.ts limits the number of pages.

/** The requested page. `ask` reports the size of the answer to `tellSize`. */
type PageAsked = {
  readonly objects: number
  readonly continueToken: string | undefined
  readonly tellSize: (bytes: number) => void
}

type Paging<Page> = {
  readonly kind: string
  readonly objects: number
  ask(page: PageAsked): Promise<Page>
}

type Continued = { readonly continueToken: string | undefined }

/** Throws a ConnectionError when the list has too many pages or takes too long. */
async function* paged<Page extends Continued>(
  session: Session,
  { kind, objects: objectsMost, ask }: Paging<Page>,
): AsyncGenerator<Page & { bytes: number }> {
  const { limits } = session.through
  const until = performance.now() + limits.listSeconds * 1000
  let at: { objects: number; continueToken: string | undefined } = { objects: objectsMost, continueToken: undefined }
  for (let pages = 1; ; pages++) {
    let bytes = 0
    const tellSize = (size: number): void => {
      bytes = size
    }
    const { page, objects } = await fitting(at.objects, fewer => ask({ ...at, objects: fewer, tellSize }))
    yield { ...page, bytes }
    if (!page.continueToken) return
    at = {
      objects: isSmall(bytes, limits) ? Math.min(2 * objects, objectsMost) : objects,
      continueToken: page.continueToken,
    }
    if (pages === limits.listPages) throw listExcess(session, { kind, sentence: `it has more than ${pages} pages` })
    if (performance.now() > until)
      throw listExcess(session, { kind, sentence: `it takes longer than ${limits.listSeconds} s` })
  }
}

/** After a small answer, the next page gets larger again, because small objects may follow large objects. */
const isSmall = (bytes: number, { answerBytes }: Limits): boolean => 4 * bytes < answerBytes

const listExcess = ({ through }: Session, { kind, sentence }: { kind: string; sentence: string }): unknown =>
  connectionErrorOf(new Excess('TOO_MANY', sentence), { method: 'LIST', path: kind, place: through.connections.place })

/** Requests a too large page again with an eighth of the objects, down to one object. */
const fitting = async <Page>(
  objects: number,
  ask: (objects: number) => Promise<Page>,
): Promise<{ page: Page; objects: number }> => {
  try {
    return { page: await ask(objects), objects }
  } catch (error) {
    if (!isTooMuch(error) || objects === 1) throw error
    return fitting(Math.ceil(objects / 8), ask)
  }
}

const codes: ReadonlySet<string> = new Set<ExcessCode>(['TOO_LARGE', 'TOO_INTRICATE'])

const isTooMuch = (error: unknown): boolean =>
  error instanceof ConnectionError && error.loss === 'excess' && codes.has(error.code)
