// Decisions as ordered tables: of the rows that fit, the first counts.

/** The last row of a table must fit always. */
export const firstRow = <C, R extends { readonly when: (c: C) => boolean }>(rows: readonly R[], c: C): R => {
  const row = rows.find(({ when }) => when(c))
  if (!row) throw new TypeError('no row of the table fits')
  return row
}
