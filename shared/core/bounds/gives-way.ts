// Decides which connection or body must give way when there is no room for all. The caller that takes most loses first, and of what it
// has the item with the least merit. Example: one small request keeps its place beside a caller with five hundred.

export type Guest = {
  /** Whose it is: the address a connection comes from, or the cluster an answer comes from. */
  readonly from: string
  readonly weight: number
  /** It is being worked on: to break it off would waste what is done. */
  readonly isBusy: boolean
}

/** undefined: all are busy. */
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
