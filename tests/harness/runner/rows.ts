// The rows of docs/behaviour and what proves them. A row is a line of a table that begins with its ID and its marks: `| RE-01 K |`, `| FN-13 figure
// |`, `| KY-183 figure missed |`. docs/behaviour/README.md explains the marks. Pure: the caller brings the texts.

const marks = ['K', 'figure', 'missed', 'later'] as const
type Mark = (typeof marks)[number]

export type Row = { readonly id: string; readonly marks: readonly Mark[] }

export type Evidence = {
  /** TAP of the tests on the embedded cluster and of those on the real control plane. */
  readonly unit: string
  readonly cluster: string
  /** bench/RESULTS.md, whose lines `- met: FN-13 …` and `- **missed**: FN-13 …` judge figures. */
  readonly figures: string
}

export type Verdict = {
  readonly proved: readonly string[]
  /** Required, but without proof. */
  readonly open: readonly string[]
  /** Not built yet. */
  readonly later: readonly string[]
  /** The figure was measured and misses the value of the row, as its mark says. */
  readonly missed: readonly string[]
  /** A test with the ID failed, or a figure belongs to no row, or a missed figure has no mark. */
  readonly failed: readonly string[]
  /** IDs in tests that no page has. */
  readonly unknown: readonly string[]
}

/** Excludes names of standards, such as UTF-8 and DNS-1035. */
export const idPattern = String.raw`\b(?!UTF-|SHA-|DNS-)[A-Z]{2,3}-\d+\b`
const ids = new RegExp(idPattern, 'g')

/** Throws if an ID is in two rows, or has an unknown mark. */
export const rowsOf = (pages: readonly string[]): Row[] => {
  const rows = pages.flatMap(page => page.split('\n').flatMap(rowOfLine))
  const twice = rows.find(({ id }, at) => rows.findIndex(row => row.id === id) !== at)
  if (twice) throw new Error(`${twice.id} stands in two rows`)
  return rows
}

/** The IDs of the rows with this mark. */
export const marked = (rows: readonly Row[], mark: Mark): ReadonlySet<string> =>
  new Set(rows.filter(({ marks }) => marks.includes(mark)).map(({ id }) => id))

/** Whether the text, such as the name of a test or a test file, contains one of these IDs. */
export const carriesOneOf = (text: string, wanted: ReadonlySet<string>): boolean =>
  [...text.matchAll(ids)].some(([id]) => wanted.has(id))

const rowOfLine = (line: string): Row[] => {
  const [, id, words = ''] = /^\|\s*([A-Z]{2,3}-\d+)\b([^|]*)\|/.exec(line) ?? []
  return id === undefined ? [] : [{ id, marks: (words.match(/\S+/g) ?? []).map(word => markOf(id, word)) }]
}

const markOf = (id: string, word: string): Mark => {
  const found = marks.find(mark => mark === word)
  if (found === undefined) throw new Error(`${id} has the mark "${word}": only ${marks.join(', ')} are known`)
  return found
}

export const judgedRows = (rows: readonly Row[], evidence: Evidence): Verdict => {
  const tests = testsIn(`${evidence.unit}\n${evidence.cluster}`)
  const [cluster, figures] = [testsIn(evidence.cluster), figuresIn(evidence.figures)]
  const wanted = ({ marks }: Row): Outcomes[] => {
    const special = [...(marks.includes('K') ? [cluster] : []), ...(marks.includes('figure') ? [figures] : [])]
    return special.length > 0 ? special : [tests]
  }
  const isLater = ({ marks }: Row): boolean => marks.includes('later')
  const isMissed = ({ id, marks }: Row): boolean => marks.includes('missed') && figures.failed.has(id)
  const failing = (row: Row): boolean => wanted(row).some(({ failed }) => failed.has(row.id))
  const isFailed = (row: Row): boolean => tests.failed.has(row.id) || (failing(row) && !isMissed(row))
  const isProved = (row: Row): boolean =>
    wanted(row).every(({ passed }) => passed.has(row.id)) && !isFailed(row) && !failing(row)
  const figureRows = marked(rows, 'figure')
  const unowed = [...figures.failed].filter(id => !figureRows.has(id))
  const named = (among: readonly Row[]): string[] => among.map(({ id }) => id)
  const unproved = rows.filter(row => !isProved(row))
  return {
    proved: named(rows.filter(isProved)),
    open: named(unproved.filter(row => !isLater(row) && !isMissed(row))),
    later: named(unproved.filter(isLater)),
    missed: named(unproved.filter(isMissed)),
    failed: [...new Set([...named(rows.filter(isFailed)), ...unowed])],
    unknown: [...new Set([...tests.passed, ...tests.failed])].filter(id => !rows.some(row => row.id === id)),
  }
}

type Outcomes = { readonly passed: ReadonlySet<string>; readonly failed: ReadonlySet<string> }

/** Skipped and planned tests are neither. */
const testsIn = (tap: string): Outcomes =>
  outcomesIn(tap, /^\s*(not )?ok \d+(.*)$/, rest => !/#\s*(skip|todo)/i.test(rest))

const figuresIn = (results: string): Outcomes => outcomesIn(results, /^- (?:met|(\*\*missed\*\*)):(.*)$/, () => true)

/** The first group of a line exists if it reports a failure; the second has the IDs. */
const outcomesIn = (text: string, shape: RegExp, counts: (rest: string) => boolean): Outcomes => {
  const [passed, failed] = [new Set<string>(), new Set<string>()]
  for (const line of text.split('\n')) {
    const [, failure, rest = ''] = shape.exec(line) ?? []
    if (counts(rest)) for (const [id] of rest.matchAll(ids)) (failure ? failed : passed).add(id)
  }
  return { passed, failed }
}
