// Combines pure checks into a chain that returns the first fault, and decides by an ordered table. Later checks may rely on earlier ones.
// A chain is a check itself.

/** Returns a fault, such as a sentence; undefined or false when there is none. */
export type Check<About extends readonly unknown[], Fault> = (...about: About) => Fault | false | undefined

/**
 * Returns the fault of the first check that finds a fault. Later checks are not run.
 *
 *   const fault = checks(
 *     (object: KubeObject) => object.metadata.namespace === 'kube-system' && 'kube-system is not ours',
 *     object => object.spec === undefined && 'there is no spec',
 *   )
 *   fault(secret) // 'there is no spec'
 */
export const checks =
  <About extends readonly unknown[], Fault>(
    ...chain: readonly Check<About, Fault>[]
  ): ((...about: About) => Fault | undefined) =>
  (...about) => {
    for (const check of chain) {
      const fault = check(...about)
      if (fault !== undefined && fault !== false) return fault
    }
    return undefined
  }

type When<About extends readonly unknown[]> = { readonly when: (...about: About) => boolean }

/**
 * Returns the first row of an ordered table that applies. The last row must always apply: throws when no row applies.
 *
 *   const replies = [
 *     { when: (code: number) => code >= 500, says: 'is in trouble' },
 *     { when: () => true, says: 'is well' },
 *   ]
 *   firstRow(replies, 503).says // 'is in trouble'
 */
export const firstRow = <About extends readonly unknown[], Row extends When<About>>(
  rows: readonly Row[],
  ...about: About
): Row => {
  const row = rows.find(({ when }) => when(...about))
  if (!row) throw new TypeError('no row of the table applies')
  return row
}
