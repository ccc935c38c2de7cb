// The forms an object can be answered in: whole, as metadata only, as rows of a table; chosen by the Accept header.
import { remembered } from '../../core/memory/remembered.ts'
import { apiVersionOf } from '../../core/objects/object.ts'
import type { Kind } from '../kinds/kind.ts'
import { notAcceptable } from '../status.ts'
import type { Stored } from '../storage/stored.ts'
import { tableOf } from '../tables/table.ts'
import type { ListReply } from '../verbs/call.ts'

export type ObjectForm = {
  readonly contentType: string
  readonly streamType: string
  /** The JSON of one object. */
  object(stored: Stored, kind: Kind): string
  list(list: ListReply, kind: Kind): string
  /** As it stands in a watch event; `revision` is that of the event. */
  eventObject(stored: Stored, kind: Kind, revision: number): string
  bookmark(object: Record<string, unknown>): string
}

const json = 'application/json'

/** Lists of custom kinds always say where they go on, if only nowhere. */
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

/** A deletion event of an object that merely stopped being selected carries the revision of that change. */
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

/** Made once for all who list or watch the object. */
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

const table = (include: IncludeObject): ObjectForm => ({
  contentType: json,
  streamType: json,
  object: (stored, kind) =>
    JSON.stringify(
      tableOf(kind, [stored.shown(kind)], { include, metadata: { resourceVersion: String(stored.revision) } }),
    ),
  list: (list, kind) =>
    JSON.stringify(
      tableOf(
        kind,
        list.items.map(stored => stored.shown(kind)),
        { include, metadata: listMetadata(list, kind) },
      ),
    ),
  eventObject: (stored, kind, revision) =>
    JSON.stringify(tableOf(kind, [stored.shown(kind)], { include, metadata: { resourceVersion: String(revision) } })),
  bookmark: object =>
    JSON.stringify({
      kind: 'Table',
      apiVersion: metaGroup,
      metadata: object.metadata,
      columnDefinitions: null,
      rows: [{ cells: [], object }],
    }),
})

const acceptable = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']

/** The form of the first media type of an Accept header that we can write. */
export const formFor = (accept: string | undefined, query: URLSearchParams): ObjectForm => {
  if (!accept || accept === json || accept === '*/*') return whole
  for (const part of accept.split(',')) {
    const [type = '', ...parameters] = part.split(';').map(word => word.trim())
    if (type !== json && type !== 'application/*' && type !== '*/*') continue
    const as = parameters.find(parameter => parameter.startsWith('as='))?.slice(3)
    const form = as === undefined ? whole : transformed(as, parameters, query)
    if (form) return form
  }
  throw notAcceptable(acceptable)
}

const transformed = (as: string, parameters: string[], query: URLSearchParams): ObjectForm | undefined => {
  const isV1 = parameters.includes('g=meta.k8s.io') && parameters.includes('v=v1')
  if (!isV1) return undefined
  if (as === 'Table') return table((query.get('includeObject') ?? 'Metadata') as IncludeObject)
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? metadataOnly : undefined
}
