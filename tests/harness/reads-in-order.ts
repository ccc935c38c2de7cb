// Reads that note which list was asked for, and answered, in which order. No answer comes before all that is asked at once was asked.
import { setImmediate } from 'node:timers/promises'
import type { Reads } from '../../shared/kube/client-types.ts'

export const readsInOrder = (reads: Reads): { readonly reads: Reads; readonly lists: readonly string[] } => {
  const lists: string[] = []
  const list: Reads['list'] = async query => {
    lists.push(`${query.kind} asked`)
    await setImmediate()
    const found = await reads.list(query)
    lists.push(`${query.kind} answered`)
    return found
  }
  return { reads: { ...reads, list }, lists }
}
