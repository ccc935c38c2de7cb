// Finds overlapping networks of two lists. The time is the time for sorting the lists.
import type { Network } from '../../../shared/core/network/cidr.ts'

type Overlap<Listed extends Network> = { readonly one: Listed; readonly other: Listed }

/**
 * Generates overlaps one by one, because there may be as many as the product of both lengths. Two networks are either disjoint, or one
 * contains the other. In the order of first addresses, a network is therefore contained in all networks that started before and have not
 * ended.
 */
export function* overlaps<Listed extends Network>(
  ones: readonly Listed[],
  others: readonly Listed[],
): Generator<Overlap<Listed>, undefined> {
  const all = [...ones.map(network => ({ network, is: 'one' })), ...others.map(network => ({ network, is: 'other' }))]
  const open: Open<Listed> = { one: [], other: [] }
  for (const { network, is } of all.sort((a, b) => byPlace(a.network, b.network))) {
    close(open.one, network)
    close(open.other, network)
    if (is === 'one') for (const other of open.other) yield { one: network, other }
    else for (const one of open.one) yield { one, other: network }
    open[is === 'one' ? 'one' : 'other'].push(network)
  }
  return undefined
}

type Open<Listed> = { readonly one: Listed[]; readonly other: Listed[] }

/** The order by family, first address, and width, with wider networks first. */
const byPlace = (a: Network, b: Network): number => {
  if (a.family !== b.family) return a.family < b.family ? -1 : 1
  if (a.first !== b.first) return a.first < b.first ? -1 : 1
  return a.prefix - b.prefix
}

const close = (open: Network[], next: Network): void => {
  for (let last = open.at(-1); last && !reaches(last, next); last = open.at(-1)) open.pop()
}

const reaches = ({ family, first, prefix }: Network, next: Network): boolean => {
  const hostBits = BigInt((family === 'IPv4' ? 32 : 128) - prefix)
  return family === next.family && next.first >> hostBits === first >> hostBits
}
