// Turns reads of an API server into data, so that a failed read does not end other reads.
import type { Reading } from '../core/decisions/reading.ts'
import type { KubeObject, ObjectRef } from '../core/objects/object.ts'
import { errorText } from '../core/text/error-text.ts'
import type { ListQuery, Reads } from './client-types.ts'
import { isGone, isNotServed, nothingIf } from './errors.ts'

/** Never rejects. */
export const reading = async <T>(work: Promise<T>): Promise<Reading<T>> => {
  try {
    return { read: await work }
  } catch (error) {
    return { failed: errorText(error) }
  }
}

/** undefined when the object does not exist or the API server does not serve its kind. */
export const getIfServed = async (reads: Pick<Reads, 'get'>, ref: ObjectRef): Promise<KubeObject | undefined> =>
  reads.get(ref).catch(nothingIf(isNotServed))

/** undefined when the API server does not serve the kind. */
export const listIfServed = async (
  reads: Pick<Reads, 'list'>,
  query: ListQuery,
): Promise<readonly KubeObject[] | undefined> => reads.list(query).catch(nothingIf(isNotServed))

/** Reads once more if a list expires between two of its pages (410 Gone). */
export const againIfGone = async <T>(read: () => Promise<T>): Promise<T> => {
  try {
    return await read()
  } catch (error) {
    if (!isGone(error)) throw error
    return read()
  }
}

export const installedOf = async (reads: Pick<Reads, 'get'>, definitions: readonly string[]): Promise<string[]> => {
  const kind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', namespace: '' }
  const found = await Promise.all(definitions.map(name => reads.get({ ...kind, name }, { metadataOnly: true })))
  return found.flatMap(object => object?.metadata.name ?? [])
}
