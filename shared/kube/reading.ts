// Turns reads of an API server into data, so that one that fails does not end the others beside it.
import { errorText } from '../core/error-text.ts'
import type { KubeObject, ObjectRef } from '../core/object.ts'
import type { Reading } from '../core/reading.ts'
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

/** All objects of a kind; undefined where the API server does not serve the kind, as opposed to an empty list. */
export const listIfServed = (
  reads: Pick<Reads, 'list'>,
  query: ListQuery,
): Promise<readonly KubeObject[] | undefined> => ifServed(reads.list(query))

/** The object; undefined when there is none, or when the API server does not serve the kind. */
export const getIfServed = (reads: Pick<Reads, 'get'>, ref: ObjectRef): Promise<KubeObject | undefined> =>
  ifServed(reads.get(ref))

const ifServed = async <T>(read: Promise<T>): Promise<T | undefined> => {
  try {
    return await read
  } catch (error) {
    if (isNotServed(error)) return undefined
    throw error
  }
}
