// Writes responses: replies, errors as Status objects, warnings. The Accept header chooses the form of objects: whole, metadata only, or
// rows of a table.
import type { ServerResponse } from 'node:http'
import { remembered } from '../../core/memory/remembered.ts'
import { apiVersionOf, type KubeObject } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import type { Kind } from '../kinds/kind.ts'
import { internal, notAcceptable, StatusError } from '../status.ts'
import { Stored } from '../storage/store.ts'
import { tableOf } from '../tables/table.ts'
import type { Call, ListReply, Reply } from '../verbs/call.ts'

export const respondJson = (
  response: ServerResponse,
  code: number,
  text: string,
  contentType = 'application/json',
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(code, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-cache, private',
    ...headers,
  })
  response.end(text)
}

export const respondText = (response: ServerResponse, code: number, text: string): void =>
  respondJson(response, code, text, 'text/plain; charset=utf-8')

export const respondReply = (response: ServerResponse, reply: Reply, form: ObjectForm): void => {
  if (reply.is === 'list') respondJson(response, 200, form.list(reply.list, reply.kind), form.contentType)
  else if (reply.is === 'stored')
    respondJson(response, reply.code, form.object(reply.stored, reply.kind), form.contentType)
  else if (!reply.kind) respondJson(response, reply.code, JSON.stringify(reply.object))
  else {
    const object = { kind: reply.kind.kind, apiVersion: apiVersionOf(reply.kind), ...reply.object } as KubeObject
    respondJson(response, reply.code, form.object(new Stored(object, 0), reply.kind), form.contentType)
  }
}

/** If all warnings together are longer, each warning is cut. */
const warningCharactersMost = { together: 4_096, each: 256 }

const withinBounds = (warnings: readonly string[]): string[] => {
  const { together, each } = warningCharactersMost
  if (warnings.join('').length <= together) return [...warnings]
  return warnings.slice(0, together / each).map(warning => warning.slice(0, each))
}

export const addWarnings = (response: ServerResponse, warnings: Iterable<string>): void => {
  const lines = withinBounds([...warnings]).map(
    warning => `299 - ${JSON.stringify(warning.replace(/[^\x20-\x7e]/g, '?'))}`,
  )
  if (lines.length) response.setHeader('warning', lines)
}

/** An error that is not a StatusError is a defect of this server, and becomes a 500. */
export const respondError = (response: ServerResponse, error: unknown): void => {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const known = error instanceof StatusError ? error : internal(errorText(error))
  const { retryAfterSeconds } = known.details ?? {}
  if (retryAfterSeconds) response.setHeader('retry-after', String(retryAfterSeconds))
  respondJson(response, known.code, JSON.stringify(known.toStatus()))
}

export type ObjectForm = {
  readonly contentType: string
  readonly streamType: string
  object(stored: Stored, kind: Kind): string
  list(list: ListReply, kind: Kind): string
  eventObject(stored: Stored, kind: Kind, revision: number): string
  bookmark(object: Record<string, unknown>): string
}

const json = 'application/json'

/** Lists of custom kinds always contain `continue`. */
const listMetadata = (list: ListReply, kind: Kind): Record<string, unknown> => ({
  resourceVersion: String(list.revision),
  ...((list.continueToken || kind.custom) && { continue: list.continueToken ?? '' }),
  ...(list.remaining !== undefined && { remainingItemCount: list.remaining }),
})

const listOf = (
  list: ListReply,
  kind: Kind,
  names: { kind: string; apiVersion: string },
  item: (stored: Stored) => string,
): string =>
  `{"kind":"${names.kind}","apiVersion":"${names.apiVersion}","metadata":${JSON.stringify(listMetadata(list, kind))},"items":[${list.items.map(item).join(',')}]}`

/** When an object is no longer selected, its deletion event has the revision of the change. */
const atRevision = (stored: Stored, kind: Kind, revision: number): Record<string, unknown> => {
  const object = stored.shown(kind)
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }
}

const whole: ObjectForm = {
  contentType: json,
  streamType: json,
  object: (stored, kind) => stored.json(kind),
  list: (list, kind) =>
    listOf(list, kind, { kind: kind.listKind, apiVersion: apiVersionOf(kind) }, stored => stored.itemJson(kind)),
  eventObject: (stored, kind, revision) =>
    revision === stored.revision ? stored.json(kind) : JSON.stringify(atRevision(stored, kind, revision)),
  bookmark: object => JSON.stringify(object),
}

const metaGroup = 'meta.k8s.io/v1'

const metadataOf = remembered((object: Record<string, unknown>): string =>
  JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion: metaGroup, metadata: object.metadata }),
)

const metadataOnly: ObjectForm = {
  contentType: json,
  streamType: json,
  object: (stored, kind) => metadataOf(stored.shown(kind)),
  list: (list, kind) =>
    listOf(list, kind, { kind: 'PartialObjectMetadataList', apiVersion: metaGroup }, stored =>
      metadataOf(stored.shown(kind)),
    ),
  eventObject: (stored, kind, revision) => metadataOf(atRevision(stored, kind, revision)),
  bookmark: metadataOf,
}

type IncludeObject = 'None' | 'Metadata' | 'Object'

/** A form for one request, because only the first event of a watch contains the columns. */
const table = (include: IncludeObject, apiVersion: string): ObjectForm => {
  const rows = (kind: Kind, objects: readonly KubeObject[], metadata: Record<string, unknown>) =>
    JSON.stringify(tableOf(kind, objects, { include, metadata, apiVersion }))
  let isFirstEvent = true
  return {
    contentType: json,
    streamType: json,
    object: (stored, kind) => rows(kind, [stored.shown(kind)], { resourceVersion: String(stored.revision) }),
    list: (list, kind) => {
      const objects = list.items.map(stored => stored.shown(kind))
      return rows(kind, objects, listMetadata(list, kind))
    },
    eventObject: (stored, kind, revision) => {
      const metadata = { resourceVersion: String(revision) }
      const event = tableOf(kind, [stored.shown(kind)], { include, metadata, apiVersion })
      if (!isFirstEvent) event.columnDefinitions = null
      isFirstEvent = false
      return JSON.stringify(event)
    },
    bookmark: object => {
      const { metadata } = object
      return JSON.stringify({
        kind: 'Table',
        apiVersion,
        metadata,
        columnDefinitions: null,
        rows: [{ cells: [], object }],
      })
    },
  }
}

const acceptable = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']

/** The form for the first supported media type of an Accept header. */
export const formFor = (accept: string | undefined, asked: Pick<Call, 'kind' | 'query'>): ObjectForm => {
  if (!accept || accept === json || accept === '*/*') return whole
  for (const part of accept.split(',')) {
    const [type = '', ...parameters] = part.split(';').map(word => word.trim())
    if (type !== json && type !== 'application/*' && type !== '*/*') continue
    const as = parameters.find(parameter => parameter.startsWith('as='))?.slice(3)
    const form = as === undefined ? whole : transformed(as, parameters, asked)
    if (form) return form
  }
  throw notAcceptable(acceptable)
}

const transformed = (
  as: string,
  parameters: string[],
  { kind, query }: Pick<Call, 'kind' | 'query'>,
): ObjectForm | undefined => {
  const version = ['v1', 'v1beta1'].find(each => parameters.includes(`v=${each}`))
  if (!version || !parameters.includes('g=meta.k8s.io')) return undefined
  // Reviews have no columns.
  if (as === 'Table' && !kind.verbs.includes('get')) return undefined
  if (as === 'Table')
    return table((query.get('includeObject') ?? 'Metadata') as IncludeObject, `meta.k8s.io/${version}`)
  if (version !== 'v1') return undefined
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? metadataOnly : undefined
}
