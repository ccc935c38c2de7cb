// Decides which connection or body is dropped when there is no room for all: of the caller with the most weight, the item with the least
// merit. Example: one small request keeps its place beside a caller with five hundred requests.

export type Guest = {
  /** Address of the caller, or name of the remote cluster. */
  readonly from: string
  readonly weight: number
  /** Whether the item is being processed. Dropping it would waste the work done. */
  readonly isBusy: boolean
}

/** undefined when all are busy. */
export const givesWay = <G extends Guest>(guests: Iterable<G>, merit: (guest: G) => number): G | undefined => {
  const all = [...guests]
  const weights = new Map<string, number>()
  for (const { from, weight } of all) weights.set(from, (weights.get(from) ?? 0) + weight)
  const weightOf = ({ from }: Guest): number => weights.get(from) ?? 0
  const isWorse = (one: G, other: G): boolean =>
    weightOf(one) === weightOf(other) ? merit(one) < merit(other) : weightOf(one) > weightOf(other)
  const free = all.filter(({ isBusy }) => !isBusy)
  return free.reduce<G | undefined>((worst, guest) => (worst && !isWorse(guest, worst) ? worst : guest), undefined)
}
