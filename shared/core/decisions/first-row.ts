// Decides by an ordered table: the first row that applies counts. The last row of a table must always apply.
// Use `checks` if it is fine that no row applies, for example to search for faults.

type When<About extends readonly unknown[]> = { readonly when: (...about: About) => boolean }

/**
 * Returns the first row that applies. Throws when no row applies, because then the table is wrong.
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
