// Decides which connection or body is dropped above a limit: the caller with the most weight loses the item with the least merit. Example:
// if one caller has five hundred requests, the single request of another caller is not dropped.

export type Guest = {
  /** Address of the caller, or name of the remote cluster. */
  readonly from: string
  readonly weight: number
  /** Whether the item is being processed. Dropping it would waste the work done. */
  readonly isBusy: boolean
}

/** The item to drop; undefined when all items are busy. */
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
