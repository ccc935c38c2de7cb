// Writes finalizers, annotations and statuses for stand-ins. Every change is bound to the object that was read.
import { type JsonMap, mapOrEmpty, sameJson } from '../../core/json/json.ts'
import { hasFinalizer, type KubeObject, refOf } from '../../core/objects/object.ts'
import type { Client } from '../../kube/client-types.ts'
import { isNotFound } from '../../kube/errors.ts'
import { type Condition, conditionsOf, withConditions } from '../conditions.ts'
import { nowText } from '../time.ts'

export type Writer = { readonly client: Client; readonly manager: string }

export const patched = ({ client, manager }: Writer, object: KubeObject, body: JsonMap): Promise<KubeObject> => {
  const { uid, resourceVersion } = object.metadata
  const metadata = { uid, resourceVersion, ...mapOrEmpty(body.metadata) }
  return client.patch(refOf(object), { type: 'merge', body: { ...body, metadata } }, { fieldManager: manager })
}

export const withFinalizer = async (writer: Writer, object: KubeObject, name: string): Promise<KubeObject> => {
  if (hasFinalizer(object, name)) return object
  return patched(writer, object, { metadata: { finalizers: [...(object.metadata.finalizers ?? []), name] } })
}

/** Does nothing if the object is gone. */
export const finalizerRemoved = async (writer: Writer, object: KubeObject, name: string): Promise<void> => {
  if (!hasFinalizer(object, name)) return
  const finalizers = object.metadata.finalizers?.filter(each => each !== name)
  await patched(writer, object, { metadata: { finalizers } }).catch(error => {
    if (!isNotFound(error)) throw error
  })
}

/** Keeps the other fields of the status. Sends no request if all fields are equal. */
export const statusWritten = async (
  { client, manager }: Writer,
  object: KubeObject,
  status: JsonMap,
): Promise<KubeObject> => {
  const now = mapOrEmpty(object.status)
  if (Object.entries(status).every(([field, value]) => sameJson(now[field], value))) return object
  const { uid } = object.metadata
  const options = { fieldManager: manager, subresource: 'status' }
  return client.patch(refOf(object), { type: 'merge', body: { metadata: { uid }, status } }, options)
}

export const withStandInConditions = (object: KubeObject, wanted: readonly Condition[]): JsonMap[] =>
  withConditions(conditionsOf(object), wanted, { lastUpdateTime: nowText() })
