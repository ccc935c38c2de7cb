// Turns reads of an API server into data, so that one that fails does not end the others beside it.
import type { Reading } from '../core/decisions/reading.ts'
import type { KubeObject, ObjectRef } from '../core/objects/object.ts'
import { errorText } from '../core/text/error-text.ts'
import type { ListQuery, Reads } from './client-types.ts'
import { isNotServed } from './errors.ts'

/** What was read, or why it could not be read. Never rejects. */
export const reading = async <T>(work: Promise<T>): Promise<Reading<T>> => {
  try {
    return { read: await work }
  } catch (error) {
    return { failed: errorText(error) }
  }
}

/** The object; undefined, too, where the API server does not serve its kind. */
export const getIfServed = async (reads: Pick<Reads, 'get'>, ref: ObjectRef): Promise<KubeObject | undefined> => {
  try {
    return await reads.get(ref)
  } catch (error) {
    if (isNotServed(error)) return undefined
    throw error
  }
}

/** All objects of a kind; undefined where the API server does not serve the kind, as opposed to an empty list. */
export const listIfServed = async (
  reads: Pick<Reads, 'list'>,
  query: ListQuery,
): Promise<readonly KubeObject[] | undefined> => {
  try {
    return await reads.list(query)
  } catch (error) {
    if (isNotServed(error)) return undefined
    throw error
  }
}

export const installedOf = async (reads: Pick<Reads, 'get'>, definitions: readonly string[]): Promise<string[]> => {
  const kind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', namespace: '' }
  const found = await Promise.all(definitions.map(name => reads.get({ ...kind, name }, { metadataOnly: true })))
  return found.flatMap(object => object?.metadata.name ?? [])
}
