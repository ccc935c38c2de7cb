// The review of a watched object. The request is always allowed; the review only decides whether the control plane gets an event.
import {
  fullSyncEvent,
  type ResourcePart,
  type RuntimeEvent,
  type WatchedPart,
} from '../../shared/api/kyma/runtime-event.ts'
import { checks } from '../../shared/core/decisions/checks.ts'
import { isMap, isText, type JsonMap, mapOrEmpty, sameJson } from '../../shared/core/json/json.ts'
import { operations, reviewFault } from '../../shared/core/objects/admission-review.ts'
import { groupVersionOf, type Key, type KubeObject, keyText } from '../../shared/core/objects/object.ts'
import { textOr } from './decide.ts'

/** The answer to a review, and the change to report if the API server accepts the request. */
type Reviewed =
  | { readonly code: 200; readonly body: object; readonly change?: ReviewedChange }
  | { readonly code: 400; readonly body: { readonly message: string } }

type ReviewedChange = { readonly event: RuntimeEvent; readonly resource: ResourcePart }

export const reviewWatched = (body: unknown): Reviewed => {
  const { apiVersion, request } = mapOrEmpty(body)
  const fault = reviewFault(mapOrEmpty(body)) ?? requestFault(mapOrEmpty(request))
  if (fault !== undefined) return { code: 400, body: { message: fault } }
  const { uid, ...change } = request as JsonMap & { uid: string }
  const silence = silenceOf(change)
  const response = { uid, allowed: true, ...(silence !== undefined && { status: { code: 200, message: silence } }) }
  const answer = { code: 200, body: { apiVersion, kind: 'AdmissionReview', response } } as const
  return silence === undefined ? { ...answer, change: { event: eventOf(change), resource: partOf(change) } } : answer
}

/** Why the request is invalid. undefined: the request is valid. */
const requestFault = checks<[JsonMap], string>(
  ({ operation }) => !operations.includes(operation) && 'the AdmissionReview has an unknown operation',
  ({ subResource }) => !isWordOrNothing(subResource) && 'request.subResource is not a name',
  ({ name }) => !isWordOrNothing(name) && 'request.name is not a name',
  ({ operation, object }) => isOneOf(operation, 'CREATE', 'UPDATE') && objectFault('object', object),
  ({ operation, oldObject }) => isOneOf(operation, 'UPDATE', 'DELETE') && objectFault('oldObject', oldObject),
)

const isOneOf = (operation: unknown, ...names: readonly string[]): boolean => names.some(name => name === operation)

const objectFault = (field: string, value: unknown): string | false => {
  const { apiVersion, kind, metadata } = mapOrEmpty(value)
  const { namespace, name } = mapOrEmpty(metadata)
  const isNamed = isWordOrNothing(namespace) && isWordOrNothing(name)
  return !(isWord(apiVersion) && isWord(kind) && isMap(metadata) && isNamed) && `request.${field} is not an object`
}

/** No name in Kubernetes is longer. Any client in the runtime may send a review, and a thousand events are stored, so a limit is needed. */
const charactersMost = 512

const isWord = (value: unknown): value is string => isText(value) && value.length <= charactersMost

const isWordOrNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || isWord(value)

/** Why no event is needed. undefined: an event is needed. */
const silenceOf = checks<[JsonMap], string>(
  ({ dryRun }) => dryRun === true && 'a dry run changes nothing',
  ({ operation }) => operation === 'CONNECT' && 'connecting changes nothing',
  ({ subResource }) => !watchedParts.includes(subResource) && `the subresource ${String(subResource)} is not watched`,
  change =>
    change.operation === 'UPDATE' &&
    !isChanged(change) &&
    `no change detected on watched resource ${keyText(keyOfSubject(change))}`,
)

const watchedParts: readonly unknown[] = [undefined, '', 'status']

/** An object without a spec, such as a ConfigMap, counts as changed after every update. */
const isChanged = (change: JsonMap): boolean => {
  const { part } = partOf(change)
  const { object, oldObject } = change
  const [before, after] = [mapOrEmpty(oldObject)[part], mapOrEmpty(object)[part]]
  const hasNoSpec = part === 'spec' && before === undefined && after === undefined
  return hasNoSpec || !sameJson(before, after)
}

const partOf = ({ resource: asked, subResource }: JsonMap): ResourcePart => {
  const { group, resource } = mapOrEmpty(asked)
  const part: WatchedPart = subResource === 'status' ? 'status' : 'spec'
  return { group: textOr(group), resource: textOr(resource), part }
}

const subjectOf = ({ operation, object, oldObject }: JsonMap): KubeObject =>
  (operation === 'DELETE' ? oldObject : object) as KubeObject

const keyOfSubject = (change: JsonMap): Key => {
  const { namespace, name } = subjectOf(change).metadata
  return { namespace: textOr(namespace), name: textOr(name) || textOr(change.name) }
}

/** An object without a name causes a full sync, because its event could not name the object. */
const eventOf = (change: JsonMap): RuntimeEvent => {
  const { apiVersion, kind } = subjectOf(change)
  const { namespace, name } = keyOfSubject(change)
  if (name === '') return fullSyncEvent
  return {
    watched: { Namespace: namespace, Name: name },
    watchedGvk: { ...groupVersionOf(apiVersion), kind },
  }
}
