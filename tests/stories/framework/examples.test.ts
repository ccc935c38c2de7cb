// The operators of examples/: short, made of what everybody gets, and at work.
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { done, project } from '../../harness/framework/package.ts'
import { matches } from '../../harness/matches.ts'

const examples = readdirSync(join(project, 'examples'), { withFileTypes: true }).filter(entry => entry.isDirectory())

const sourcesIn = (folder: string, ...globs: string[]): string[] =>
  globSync(globs, { cwd: folder }).map(file => readFileSync(join(folder, file), 'utf8'))

const linesMost = 150

const entries = Object.keys(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).exports)

const isOpenToAll = (specifier: string): boolean =>
  /^(node:|\.\.?\/)/.test(specifier) || entries.includes(specifier.replace(/^espalier/, '.'))

t.ok(examples.length > 1, 'there is something to look at')

for (const { name } of examples)
  t.test(`FW-14 examples/${name} is short, is made of what everybody gets, and works`, async t => {
    const folder = join(project, 'examples', name)
    const own = sourcesIn(folder, 'functions/**/*.ts', 'kinds/*.ts')
    const lines = own.reduce((sum, text) => sum + text.trimEnd().split('\n').length, 0)
    t.ok(lines < linesMost, `${lines} lines`)
    const imported = [...own, ...sourcesIn(folder, 'tests/*.ts')].flatMap(text =>
      [...text.matchAll(/ from '([^']+)'/g)].map(([, specifier = '']) => specifier),
    )
    t.ok(imported.length > 0)
    t.strictSame(
      imported.filter(specifier => !isOpenToAll(specifier)),
      [],
    )
    matches(t, await done(folder, 'node', '--test'), /pass [1-9]\d*\n[\s\S]*fail 0\n/)
  })
