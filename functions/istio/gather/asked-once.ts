// Reads that are made once in a call, however many passes it has: of what this function never writes. Who changes it meanwhile causes
// another call.
import type { ObjectRef } from '../../../shared/core/object.ts'
import type { GetOptions, ListQuery, Reads } from '../../../shared/kube/client-types.ts'

/** The same question is answered from memory. `keep` is taken to be the same wherever kind, namespace and selectors are. */
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
