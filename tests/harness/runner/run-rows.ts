// `npm run rows`: which rows of docs/behaviour the last runs of `npm test` and `npm run test:cluster` and the figures of
// bench/RESULTS.md prove. Fails when a row has no proof and no mark that says why, or when one failed.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { behaviourRows } from './behaviour.ts'
import { judgedRows } from './rows.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const text = (path: string): string => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '')

const rows = behaviourRows()
const evidence = {
  unit: text('.espalier/tap/unit.tap'),
  cluster: text('.espalier/tap/cluster.tap'),
  figures: text('bench/RESULTS.md'),
}
const verdict = judgedRows(rows, evidence)

if (evidence.unit === '') say('there is no .espalier/tap/unit.tap: run npm test first')
if (evidence.cluster === '')
  say('there is no .espalier/tap/cluster.tap: run npm run test:cluster for the rows marked K')
for (const prefix of new Set(rows.map(({ id }) => id.replace(/-.*/, '')))) {
  const of = (list: readonly string[]): string[] => list.filter(id => id.startsWith(`${prefix}-`))
  const { proved, open, later, missed } = verdict
  say(
    `${prefix}: ${of(proved).length} of ${of(rows.map(({ id }) => id)).length} rows proved, ${of(later).length} not built yet${listed('missed', of(missed))}${listed('open', of(open))}`,
  )
}
if (verdict.failed.length > 0) say(`failed: ${verdict.failed.join(' ')}`)
if (verdict.unknown.length > 0) say(`in names of tests, but in no page: ${verdict.unknown.join(' ')}`)
process.exitCode = verdict.open.length + verdict.failed.length + verdict.unknown.length > 0 ? 1 : 0

function listed(what: string, list: readonly string[]): string {
  return list.length > 0 ? `; ${what}: ${list.join(' ')}` : ''
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
