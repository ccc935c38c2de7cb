// Reads of an API server of which some may fail: each has a result of its own.
import { errorText } from '../core/error-text.ts'
import type { KubeObject } from '../core/object.ts'
import type { Reading } from '../core/reading.ts'
import type { ListQuery, Reads } from './client-types.ts'
import { isNotServed } from './errors.ts'

/** What a read came to. It never rejects, so that one that fails is no end of those beside it. */
export const reading = async <T>(work: Promise<T>): Promise<Reading<T>> => {
  try {
    return { read: await work }
  } catch (error) {
    return { failed: errorText(error) }
  }
}

/** All objects of a kind; undefined where the API server serves no such kind, which is not the same as that there are none. */
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
