// What garden-reconcile tells in words that programs read: they are API.

export const reasons = {
  /** There are several Gardens, and nobody says which one counts: none is touched. */
  moreThanOneGarden: 'MoreThanOneGarden',
} as const
