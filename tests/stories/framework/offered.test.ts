// What functions/ import from shared/: what the entries of the package export, and besides what docs/decisions/offered.md tells.
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import t from 'tap'
import { project } from '../../harness/framework/package.ts'

const textOf = (file: string): string => readFileSync(join(project, file), 'utf8')

/** `shared/core/objects/object.ts refOf`: the names that a file passes on or imports, `*` for all of a module. */
const namesIn = (file: string, keyword: 'export' | 'import'): string[] => {
  const from = (path: string): string => posix.join(posix.dirname(file), path)
  const listed = new RegExp(`^${keyword} (?:type )?\\{([^}]*)\\} from '(\\.[^']+)'`, 'gm')
  const whole = new RegExp(`^${keyword} \\*(?: as \\w+)? from '(\\.[^']+)'`, 'gm')
  return [
    ...[...textOf(file).matchAll(listed)].flatMap(([, names = '', path = '']) =>
      [...names.matchAll(/(?:type )?(\w+)(?: as \w+)?,?/g)].map(([, name]) => `${from(path)} ${name}`),
    ),
    ...[...textOf(file).matchAll(whole)].map(([, path = '']) => `${from(path)} *`),
  ]
}

/** With the modules that a passed-on name comes from. */
const offered = new Set(globSync('shared/exports/*.ts', { cwd: project }).flatMap(file => namesIn(file, 'export')))
for (const one of offered) {
  const [file = '', name] = one.split(' ')
  for (const passed of namesIn(file, 'export'))
    if (name === '*' || passed.endsWith(` ${name}`) || passed.endsWith(' *'))
      offered.add(passed.replace(/\*$/, name ?? ''))
}

const isOffered = (one: string): boolean => offered.has(one) || offered.has(one.replace(/\w+$/, '*'))

t.test('FW-19 what our functions import and the package does not export is told, with the reason', t => {
  const imported = globSync('functions/**/*.ts', { cwd: project }).flatMap(file => namesIn(file, 'import'))
  const shared = imported.filter(one => one.startsWith('shared/'))
  t.ok(shared.filter(isOffered).length > 100, 'much is offered')
  const folders = new Set(shared.filter(one => !isOffered(one)).map(one => posix.dirname(one.split(' ')[0] ?? '')))
  const rows = textOf('docs/decisions/offered.md').matchAll(/^\| (`shared\/[^|]*) \| ([^|]+) \| ([^|]+) \|$/gm)
  const told = [...rows].flatMap(([, names = '']) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name))
  t.strictSame(told.toSorted(), [...folders].toSorted())
  t.end()
})
