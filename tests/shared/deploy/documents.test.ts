// The documents that `npm run generate` makes of code and schemas.
import { join } from 'node:path'
import t from 'tap'
import { kindsPage } from '../../../docs/generator/kinds.ts'
import { entriesIn, reasonTables, stateTable } from '../../../docs/generator/reasons.ts'
import { settingsPage } from '../../../docs/generator/settings.ts'
import { relaySettings } from '../../../shared/http/settings/relay-settings.ts'
import { runtimeWatcherSettings } from '../../../shared/http/settings/runtime-watcher-settings.ts'
import { hostTable } from '../../harness/host-table.ts'
import { contains, throws } from '../../harness/matches.ts'

const project = join(import.meta.dirname, '..', '..', '..')

t.test('FN-179 each reason and message has its comment as meaning, and placeholders for what is filled in', t => {
  const source = `
/** The layer cannot be had. */
export const layerFault = (because: string): string => \`no layer: \${because}\`

/** Each reason with what it says. */
export const reasons = {
  Failed: { ...ready, message: 'It has failed' },
}

export const words = {
  /** There are several. */
  tooMany: 'TooMany',
} as const

/** Not for people. */
export const most = 20
`
  t.strictSame(entriesIn(source), [
    { name: 'layerFault', means: 'The layer cannot be had.', texts: ['no layer: «BECAUSE»'] },
    { name: 'Failed', means: 'It has failed', texts: ['Failed'] },
    { name: 'TooMany', means: 'There are several.', texts: ['TooMany'] },
  ])
  t.end()
})

t.test('FN-179 a reason without a remedy, and a remedy without a reason, are refused', t => {
  throws(t, () => reasonTables(project, {}), { message: /remedies\.yaml, [a-z-]+: \w+ is missing/ })
  throws(t, () => stateTable(project, { Ready: ['', ''] }), { message: /component: Error, FirstSeen, Suspended, / })
  t.end()
})

t.test('FN-179 the reference has every setting and every field', t => {
  const settings = settingsPage()
  const names = [hostTable, relaySettings, runtimeWatcherSettings].flatMap(table =>
    Object.values(table).map(({ env }) => env),
  )
  for (const name of names) contains(t, settings, `\`${name}\``)
  const kinds = kindsPage()
  for (const row of [
    '| **`source`** | object |  | ',
    '| `source.helm.oci.repository` |',
    '| `virtualCluster.kubernetes.version` |',
    '| `config.authorizers[].name` |',
    '| `modules[].channel` |',
  ])
    contains(t, kinds.replaceAll('**', ''), row.replaceAll('**', ''))
  contains(t, kinds, '**`source`**', 'a field that must be set')
  t.end()
})
