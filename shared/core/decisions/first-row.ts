// Decisions as ordered tables: of the rows that apply, the first counts. A table ends with a row that always applies.
//
//   const replies = [
//     { when: (code: number) => code === 404, says: 'is not there' },
//     { when: (code: number) => code >= 500, says: 'is in trouble' },
//     { when: () => true, says: 'is well' },
//   ]
//   firstRow(replies, 503).says // 'is in trouble'
//
// Where it is all right that nothing applies, such as when faults are looked for, `checks` is the better word.

type When<About extends readonly unknown[]> = { readonly when: (...about: About) => boolean }

/** The first row that applies. Throws where none does: that is a defect of the table. */
export const firstRow = <About extends readonly unknown[], Row extends When<About>>(
  rows: readonly Row[],
  ...about: About
): Row => {
  const row = rows.find(({ when }) => when(...about))
  if (!row) throw new TypeError('no row of the table applies')
  return row
}
