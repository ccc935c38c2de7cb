// What a benchmark prints on standard output: a section of Markdown, ready for RESULTS.md. Progress goes to standard error.
import { cpus, loadavg } from 'node:os'
import { relative } from 'node:path'

export type Cell = string | number
export type Row = Readonly<Record<string, Cell>>

/** What the project wants of itself, and what came of it in this run. */
export type Goal = { readonly asks: string; readonly found: string; readonly isMet: boolean }

export type Report = {
  readonly title: string
  /** What was measured against what; a paragraph. */
  readonly about: string
  readonly tables: readonly (readonly Row[])[]
  readonly goals?: readonly Goal[]
}

export const print = (report: Report): void => {
  process.stdout.write(`${markdown(report)}\n`)
}

/** One line of progress, for whoever waits. */
export const progress = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

/** Three significant figures: no benchmark here is more exact. */
export const figures = (value: number): string => {
  if (!Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}

/** `1.25 ×`; how one figure compares with that of the thing beside it. */
export const ratio = (ours: number, beside: number): string => `${figures(ours / beside)} ×`

const markdown = ({ title, about, tables, goals = [] }: Report): string =>
  [`## ${title}`, `${circumstances()}\\\n\`${command()}\``, about, ...tables.map(table), goals.map(goalText).join('\n')]
    .filter(part => part !== '')
    .join('\n\n')

/** How busy others kept the machine; read when the benchmark is loaded, before it adds a load of its own. */
const [loadBefore = 0] = loadavg()

const circumstances = (): string => {
  const cores = `${cpus().length} cores (${cpus()[0]?.model.trim() || process.arch})`
  const day = new Date().toISOString().slice(0, 10)
  return `${day}, Node ${process.version}, ${cores}, load of the machine before: ${figures(loadBefore)}`
}

const command = (): string => {
  const name = process.env.npm_lifecycle_event
  const args = process.argv.slice(2)
  if (name === undefined) return ['node', relative('', process.argv[1] ?? ''), ...args].join(' ')
  return ['npm run', name, ...(args.length > 0 ? ['--', ...args] : [])].join(' ')
}

const goalText = ({ asks, found, isMet }: Goal): string => `- ${isMet ? 'met' : '**missed**'}: ${asks} — ${found}`

/** The first row names the columns. */
const table = (rows: readonly Row[]): string => {
  const columns = Object.keys(rows[0] ?? {})
  const aligned = columns.map(column => (typeof rows[0]?.[column] === 'number' ? '---:' : '---'))
  const lines = rows.map(row => columns.map(column => cellText(row[column])))
  return [columns, aligned, ...lines].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

const cellText = (cell: Cell = ''): string => (typeof cell === 'number' ? figures(cell) : cell)
