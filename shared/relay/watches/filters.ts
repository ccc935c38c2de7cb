// What `on:` of serverless.yml compares, one row per filter. Of each object a few numbers are kept. Example: under `generation`, a changed
// status is no event. A created or deleted object always is one.
import { createHash } from 'node:crypto'
import type { WatchFilter } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { espalierAnnotations as names } from '../../core/objects/steering.ts'

export type ContentMark = string | number | undefined

type Row = (object: KubeObject) => ContentMark

const rows: Record<WatchFilter, Row> = {
  /** Kinds without a generation, such as Secret, have no status: all content counts. Of metadata-only objects every change counts. */
  generation: object => object.metadata.generation ?? contentMark(object),
  annotations: object => digest(object.metadata.annotations),
  labels: object => digest(object.metadata.labels),
  /** A metadata-only object does not show its status, so every change counts. */
  status: object => (hasContent(object) ? digest(object.status) : anyMark(object)),
  /** Once deletion has begun the finalizers count too, because functions wait for the finalizers of others to go. */
  deletion: ({ metadata }) => (metadata.deletionTimestamp === undefined ? 0 : (digest(metadata.finalizers) ?? 1)),
  any: object => anyMark(object),
}

const anyMark = (object: KubeObject): ContentMark => object.metadata.resourceVersion

export const marksOf = (object: KubeObject, filters: readonly WatchFilter[]): ContentMark[] =>
  filters.map(filter => rows[filter](object))

/** What people ask of functions by annotations: whether the object is suspended, and when they asked for a call. Digests of their texts. */
export type Steering = { readonly suspended: ContentMark; readonly asked: ContentMark }

export const steeringOf = ({ metadata: { annotations } }: KubeObject): Steering | undefined => {
  const { [names.suspended]: suspended, [names.reconcileRequestedAt]: asked } = annotations ?? {}
  return suspended === undefined && asked === undefined
    ? undefined
    : { suspended: digest(suspended), asked: digest(asked) }
}

/** Such a change passes every filter. That a function has removed the request for a call is none. */
export const isSteered = (before: Steering | undefined, after: Steering | undefined): boolean =>
  before?.suspended !== after?.suspended || (after?.asked !== undefined && after.asked !== before?.asked)

export const changedFilters = (
  filters: readonly WatchFilter[],
  { before, after }: { before: readonly ContentMark[]; after: readonly ContentMark[] },
): WatchFilter[] => filters.filter((_, at) => before[at] !== after[at])

/** Metadata-only objects have three fields. */
const hasContent = (object: KubeObject): boolean => Object.keys(object).length > 3

const contentMark = (object: KubeObject): ContentMark => {
  const { metadata: _metadata, ...content } = object
  if (hasContent(object)) return digest(isRestless(object) ? object.spec : content)
  return isRestless(object) ? undefined : anyMark(object)
}

/** Without a generation, though its status changes all the time. */
const isRestless = ({ kind }: KubeObject): boolean => kind === 'HorizontalPodAutoscaler'

/** 48 bits: at 1,000 changes a second one is overlooked in thousands of years, and the sweep finds it. */
const digest = (value: unknown): ContentMark => {
  if (value === undefined) return undefined
  return createHash('sha1').update(JSON.stringify(value)).digest().readUIntBE(0, 6)
}
