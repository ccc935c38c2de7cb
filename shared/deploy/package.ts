// Makes the npm package: a bundle without dependencies, because Node runs no TypeScript below node_modules. The package contains the
// command, its programs, and the entries for users' functions. All of them share modules, so that host and functions use the same classes.
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Landscape } from '../api/serverless.ts'
import { writeBundle } from './bundle.ts'

type PackageFacts = {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
}

type Package = PackageFacts & {
  readonly root: string
  readonly into: string
  readonly landscape: Landscape
  /** Writes a .d.ts for each of these files and all their imports into a folder. */
  writeTypes(files: readonly string[], into: string): Promise<void>
}

/** `index` is imported as `espalier`, all other entries as `espalier/NAME`. Other files cannot be imported. */
const entries = ['index', 'schema', 'render', 'kube', 'embedded', 'testing']

const sourceOf = (entry: string): string => `shared/exports/${entry}.ts`

/** Data files of the embedded cluster, by target. The cluster looks in the folder of its code. In the package, all code is in one folder. */
const dataFiles: Readonly<Record<string, string>> = {
  'shared/embedded/kinds/kinds.ndjson': 'kinds.ndjson',
  'shared/embedded/kinds/schemas.ndjson': 'schemas.ndjson',
  'shared/embedded/kinds/descriptions.ndjson.br': 'descriptions.ndjson.br',
  'shared/embedded/authorization/bootstrap.ndjson': 'authorization/bootstrap.ndjson',
}

/** The sources of the charts that `espalier generate` writes. */
const chartSources = ['templates', 'values.schema.json', 'files/test.mjs']

export const writePackage = async ({ root, into, landscape, writeTypes, ...facts }: Package): Promise<void> => {
  const programs = {
    cli: 'shared/main/espalier.ts',
    ...Object.fromEntries(['host', 'relay', 'renderer'].map(name => [name, `shared/main/${name}.ts`])),
  }
  const libraries = Object.fromEntries(entries.map(entry => [entry, sourceOf(entry)]))
  await writeBundle({ root, into, landscape, entries: { ...programs, ...libraries } })
  for (const [from, to] of Object.entries(dataFiles)) cpSync(join(root, from), join(into, to))
  rmSync(join(into, 'types'), { recursive: true, force: true })
  await writeTypes(entries.map(sourceOf), join(into, 'types'))
  keepReachable(join(into, 'types'))
  writeFileSync(join(into, 'package.json'), `${JSON.stringify({ ...facts, ...manifest }, null, 2)}\n`)
  writeFileSync(join(into, 'bin.mjs'), bin, { mode: 0o755 })
  for (const folder of ['templates', 'helm']) rmSync(join(into, folder), { recursive: true, force: true })
  for (const path of ['LICENSE', 'README.md', 'templates'])
    cpSync(join(root, path), join(into, path), { recursive: true })
  for (const path of chartSources)
    cpSync(join(root, 'manifests', 'helm', path), join(into, 'helm', path), { recursive: true })
}

/** Removes declarations that no entry uses. The remaining declarations get undici's types from @types/node. */
const keepReachable = (folder: string): void => {
  const files = globSync('**/*.d.ts', { cwd: folder })
  const reached = new Set<string>()
  for (const open = entries.map(entry => sourceOf(entry).replace(/\.ts$/, '.d.ts')); open.length > 0; ) {
    const file = open.pop() ?? ''
    if (reached.has(file)) continue
    reached.add(file)
    const text = readFileSync(join(folder, file), 'utf8')
    writeFileSync(
      join(folder, file),
      withExamples(text.replaceAll(typeScriptImport, '$1.js').replaceAll(`'undici'`, `'undici-types'`)),
    )
    open.push(
      ...[...text.matchAll(typeScriptImport)].map(([, , to = '']) => posix.join(posix.dirname(file), `${to}.d.ts`)),
    )
  }
  for (const file of files.filter(file => !reached.has(file))) rmSync(join(folder, file))
}

/** Converts indented lines of comments to blocks of code. Otherwise editors and typedoc would show them as prose. */
const withExamples = (declarations: string): string =>
  declarations.replaceAll(/(?<=\*\n)(?:[ \t]*\* {3}.*\n|[ \t]*\*\n(?=[ \t]*\* {3}))+/g, lines => {
    const [, indent = ''] = /^([ \t]*)/.exec(lines) ?? []
    const code = lines.replaceAll(/^([ \t]*\*) {3}/gm, '$1 ')
    return `${indent}* @example\n${indent}* \`\`\`ts\n${code}${indent}* \`\`\`\n`
  })

/** Declarations import `.ts` like the sources, but users' compilers only find `.d.ts` for `.js`. */
const typeScriptImport = /((?:from |import\()['"](\.[^'"]*))\.ts(?=['"])/g

const neededNode = 24

const manifest = {
  type: 'module',
  bin: { espalier: 'bin.mjs' },
  engines: { node: `>=${neededNode}` },
  exports: {
    ...Object.fromEntries(
      entries.map(entry => [
        entry === 'index' ? '.' : `./${entry}`,
        { types: `./types/shared/exports/${entry}.d.ts`, default: `./${entry}.mjs` },
      ]),
    ),
    './package.json': './package.json',
  },
  peerDependencies: { '@types/node': `>=${neededNode}` },
  peerDependenciesMeta: { '@types/node': { optional: true } },
}

const bin = `#!/usr/bin/env node
// Functions in TypeScript need Node ${neededNode}.
const { node } = process.versions
if (Number.parseInt(node, 10) >= ${neededNode}) await import('./cli.mjs')
else {
  process.stderr.write(\`espalier: this is Node \${node}, and Espalier needs Node ${neededNode} or newer\\n\`)
  process.exitCode = 2
}
`
