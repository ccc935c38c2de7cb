// Watches objects: one JSON event per line. Returns when the server or the caller ends the watch. Throws when events may be missing;
// needsRelist in errors.ts says which errors need a new list. A watch without a resourceVersion begins with all objects, if the API server
// can do that (Kubernetes 1.32 and later).
import { isMap, isText, parsedJson } from '../../core/json/json.ts'
import { hasMetadata, hasName, typed, withoutManagedFields, withoutNulls } from '../client/objects.ts'
import { metadataType } from '../client/reads.ts'
import { collectionPath, onResource, queryText, type Session } from '../client/session.ts'
import type { WatchEvent, WatchQuery } from '../client-types.ts'
import { apiErrorOf, checkParts } from '../connection/answers.ts'
import { OutOfRoom } from '../connection/received-bytes.ts'
import { openStream, shareOf } from '../connection/request.ts'
import { StreamError } from '../errors.ts'
import { Excess, type Limits } from '../limits.ts'
import { linesIn } from './lines.ts'

/** API servers send a bookmark about every minute. */
const idleSecondsMost = 150

export async function* watch(session: Session, query: WatchQuery): AsyncGenerator<WatchEvent> {
  const signal = eitherSignal(session.call.signal, query.signal)
  const idleMilliseconds = (query.idleSeconds ?? idleSecondsMost) * 1000
  let isInitial = query.resourceVersion === undefined
  try {
    const body = await opened({ ...session, call: { ...session.call, signal } }, query)
    const { limits, pace, connections } = session.through
    const { traffic } = connections
    const bounds = { idleMilliseconds, bytesMost: limits.answerBytes, share: shareOf(session.through) }
    const options = { ...bounds, pace, traffic, signal, isInitial: () => isInitial }
    for await (const line of linesIn(body, options)) {
      const event = eventIn(line, query, limits)
      if (isInitial && endsInitialEvents(event)) isInitial = false
      yield event
    }
  } catch (error) {
    if (!signal?.aborted) throw streamErrorOf(error, query)
  }
}

/** Whether the event follows the last of all objects, with which a watch without a resourceVersion begins. */
export const endsInitialEvents = ({ type, object: { metadata } }: WatchEvent): boolean =>
  type === 'BOOKMARK' &&
  metadata.annotations?.['k8s.io/initial-events-end'] === 'true' &&
  isText(metadata.resourceVersion)

const streamErrorOf = (error: unknown, { kind }: WatchQuery): unknown => {
  if (error instanceof Excess) return new StreamError('excess', `the watch of ${kind}: ${error.message}`)
  return error instanceof OutOfRoom ? new StreamError('dropped', `the watch of ${kind}: ${error.message}`) : error
}

const opened = (session: Session, query: WatchQuery) =>
  onResource(session, query, resource =>
    openStream(
      session.through,
      {
        verb: 'watch',
        method: 'GET',
        path: collectionPath(resource, query.namespace) + watchQuery(query),
        accept: query.metadataOnly ? metadataType : undefined,
        repeatability: 'read',
      },
      session.call,
    ),
  )

const watchQuery = (query: WatchQuery): string =>
  queryText({
    watch: true,
    allowWatchBookmarks: true,
    ...(query.resourceVersion === undefined ? initialEvents : { resourceVersion: query.resourceVersion }),
    timeoutSeconds: query.timeoutSeconds,
    labelSelector: query.labelSelector,
    fieldSelector: query.fieldSelector,
  })

/** Version 0: any state that the API server has in its cache, because the events after it follow. */
const initialEvents = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', resourceVersion: '0' }

const eventTypes: readonly string[] = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']

const isEventType = (type: unknown): type is WatchEvent['type'] => eventTypes.includes(String(type))

const eventIn = (line: Buffer, query: WatchQuery, { answerParts }: Limits): WatchEvent => {
  checkParts(line, answerParts)
  const event = parsedJson(line.toString())
  if (isMap(event) && event.type === 'ERROR') throw errorIn(event.object, query)
  const isWhole = isMap(event) && event.type === 'BOOKMARK' ? hasMetadata : hasName
  if (!isMap(event) || !isEventType(event.type) || !isWhole(event.object))
    throw new StreamError('garbage', `the watch of ${query.kind} received a line that is not an event`)
  return {
    type: event.type,
    object: withoutManagedFields(typed(withoutNulls(event.object), query)),
  }
}

/** The error of an ERROR event. The server sends such an event instead of an HTTP status, because the stream has already started. */
const errorIn = (status: unknown, query: WatchQuery) =>
  apiErrorOf(isMap(status) ? status : undefined, { code: 500, asked: `the watch of ${query.kind}` })

const eitherSignal = (a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined =>
  a && b ? AbortSignal.any([a, b]) : (a ?? b)
