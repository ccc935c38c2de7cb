// Reads of what this function never writes, such as Nodes. They are made once in a call, however many passes the call has. If somebody
// changes such an object meanwhile, its event calls the function again.
import type { ObjectRef } from '../../../shared/core/objects/object.ts'
import type { GetOptions, ListQuery, Reads } from '../../../shared/kube/client-types.ts'

/**
 * Answers a repeated read from memory. Two lists count as the same read if all but `keep` is equal: callers must not differ in `keep` alone.
 */
export const askedOnce = (reads: Reads): Reads => {
  const answers = new Map<string, Promise<unknown>>()
  const once = <T>(question: readonly unknown[], ask: () => Promise<T>): Promise<T> => {
    const key = JSON.stringify(question)
    const answer = (answers.get(key) as Promise<T> | undefined) ?? ask()
    answers.set(key, answer)
    return answer
  }
  return {
    get: (ref: ObjectRef, options?: GetOptions) => once(['get', ref, options], () => reads.get(ref, options)),
    list: (query: ListQuery) => once(['list', query], () => reads.list(query)),
  }
}
