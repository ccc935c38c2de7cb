// The filters of `on:` in serverless.yml, one row each. Only a few numbers of each object are kept in memory. Example: with `generation`, a
// changed status is no event. Creation and deletion always are events.
import { createHash } from 'node:crypto'
import type { WatchFilter } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { espalierAnnotations as names } from '../../core/objects/steering.ts'

export type ContentMark = string | number | undefined

type Row = (object: KubeObject) => ContentMark

const rows: Record<WatchFilter, Row> = {
  /** Kinds without generation, such as Secret, have no status, so all content counts. For metadata-only objects, each change counts. */
  generation: object => object.metadata.generation ?? contentMark(object),
  annotations: object => digest(object.metadata.annotations),
  labels: object => digest(object.metadata.labels),
  /** Metadata-only objects have no status, so each change counts. */
  status: object => (hasContent(object) ? digest(object.status) : anyMark(object)),
  /** During a deletion, changed finalizers count too, because functions wait for finalizers of other controllers. */
  deletion: ({ metadata }) => (metadata.deletionTimestamp === undefined ? 0 : (digest(metadata.finalizers) ?? 1)),
  any: object => anyMark(object),
}

const anyMark = (object: KubeObject): ContentMark => object.metadata.resourceVersion

export const marksOf = (object: KubeObject, filters: readonly WatchFilter[]): ContentMark[] =>
  filters.map(filter => rows[filter](object))

/** Digests of the annotations that suspend an object or request a call. */
export type Steering = { readonly suspended: ContentMark; readonly asked: ContentMark }

export const steeringOf = ({ metadata: { annotations } }: KubeObject): Steering | undefined => {
  const { [names.suspended]: suspended, [names.reconcileRequestedAt]: asked } = annotations ?? {}
  return suspended === undefined && asked === undefined
    ? undefined
    : { suspended: digest(suspended), asked: digest(asked) }
}

/** Whether these annotations changed, which passes all filters. The removal of a call request does not count. */
export const isSteered = (before: Steering | undefined, after: Steering | undefined): boolean =>
  before?.suspended !== after?.suspended || (after?.asked !== undefined && after.asked !== before?.asked)

export const changedFilters = (
  filters: readonly WatchFilter[],
  { before, after }: { before: readonly ContentMark[]; after: readonly ContentMark[] },
): WatchFilter[] => filters.filter((_, at) => before[at] !== after[at])

const hasContent = (object: KubeObject): boolean => Object.keys(object).length > 3

const contentMark = (object: KubeObject): ContentMark => {
  const { metadata: _metadata, ...content } = object
  if (hasContent(object)) return digest(isRestless(object) ? object.spec : content)
  return isRestless(object) ? undefined : anyMark(object)
}

/** Kinds without generation whose status changes all the time. */
const isRestless = ({ kind }: KubeObject): boolean => kind === 'HorizontalPodAutoscaler'

/** 48 bits are enough: at 1,000 changes a second, one change is missed in thousands of years, and the sweep finds the missed change. */
const digest = (value: unknown): ContentMark => {
  if (value === undefined) return undefined
  return createHash('sha1').update(JSON.stringify(value)).digest().readUIntBE(0, 6)
}
