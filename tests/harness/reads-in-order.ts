// Reads that note in which order lists were asked for and answered. No answer comes before all requests of the same moment were made.
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
