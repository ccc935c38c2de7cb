// docs/guides/from-component-operator-runtime.md shows code that runs: that of examples/, whose tests are in examples.test.ts.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import * as framework from '../../../shared/exports/index.ts'
import { configurationInterfaces } from '../../../shared/runtime/component/definition/definition.ts'
import { component } from '../../../shared/runtime/component.ts'
import { project } from '../../harness/framework/package.ts'
import { throws } from '../../harness/matches.ts'

const page = readFileSync(join(project, 'docs/guides/from-component-operator-runtime.md'), 'utf8')

const sources = globSync('examples/*/{functions,kinds}/**/*.ts', { cwd: project }).map(file =>
  readFileSync(join(project, file), 'utf8'),
)

t.test('FW-16 all TypeScript of the guide is code of the examples', t => {
  const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text = '']) => text.trimEnd())
  t.ok(blocks.length > 8)
  t.strictSame(
    blocks.filter(block => !sources.some(text => text.includes(block))),
    [],
  )
  t.end()
})

/** The words in code of a column of the table below a heading. */
const columnOf = (heading: string, column: number): string[] => {
  const [, section = ''] = page.split(`## ${heading}\n`)
  const [rows = ''] = section.split('\n## ')
  return [...rows.matchAll(/^\|(?! ?-)(.*)\|$/gm)]
    .slice(1)
    .flatMap(([, row = '']) => [...(row.split(' | ')[column] ?? '').matchAll(/`(\w+)/g)].map(([, word = '']) => word))
}

t.test('FW-16 every option, interface and transformer that the guide names exists', t => {
  const names = columnOf('Options', 1)
  t.ok(names.length > 6)
  const kind = { group: 'example.org', version: 'v1', kind: 'Shop', plural: 'shops' }
  const generator = () => []
  for (const name of names) {
    const given = { name: 'shop.example.org', kind, generator, options: { [name]: Symbol(name) } }
    throws(t, () => component(given as never), { message: new RegExp(`options\\.${name} is [^n]`) }, name)
  }
  t.strictSame(columnOf('Configuration', 1).sort(), configurationInterfaces.toSorted())
  for (const name of columnOf('Transformers', 1).filter(one => !/^with|^map|^selector/.test(one)))
    t.ok(name in framework, name)
  t.end()
})
