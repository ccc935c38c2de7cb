// The npm package `espalier` in the hands of somebody who has nothing else of this project.
import { globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { stringify } from 'yaml'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import { install, installation } from '../../../shared/main/start/install.ts'
import { done, fetchedProgram, installedIn, packedPackage, project, shell } from '../../harness/framework/package.ts'
import { matches } from '../../harness/matches.ts'
import { chartFiles, component, configMap } from '../../make/component/component.ts'

const { folder, tarball } = await packedPackage()
const elsewhere = await installedIn(t, tarball)
const consumer = join(import.meta.dirname, 'consumer.txt')

t.test(
  'FW-01 each entry of the installed package can be imported and has types, and nothing else can be imported',
  async t => {
    writeFileSync(join(elsewhere, 'consumer.ts'), readFileSync(consumer))
    writeFileSync(
      join(elsewhere, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: { strict: true, noEmit: true, module: 'nodenext', target: 'es2024', types: ['node'] },
        files: ['consumer.ts'],
      }),
    )
    const compiler = await fetchedProgram('checks', 'tsc')
    t.equal(
      await done(elsewhere, compiler, '--project', elsewhere),
      '',
      'declarations are checked too: no skipLibCheck',
    )
    const { code, text } = await shell(elsewhere, 'node', 'consumer.ts')
    t.equal(text.trim().split('\n').at(-1), 'ConfigMap shop/shop-greeting: hello from the embedded cluster')
    t.equal(code, 0)
    for (const inner of ['espalier/cli.mjs', 'espalier/types/shared/exports/index.js', 'espalier/chunk']) {
      const { text } = await shell(elsewhere, 'node', '--input-type=module', '--eval', `import '${inner}'`)
      matches(t, text, /ERR_PACKAGE_PATH_NOT_EXPORTED/, inner)
    }
  },
)

t.test('FW-01 a type that does not fit is refused by the declarations of the package', async t => {
  const wrong = readFileSync(consumer, 'utf8').replace(
    'replicas: defaulted(int32, 1)',
    "replicas: defaulted(int32, 'one')",
  )
  writeFileSync(join(elsewhere, 'consumer.ts'), wrong)
  const compiler = await fetchedProgram('checks', 'tsc')
  matches(t, await shell(elsewhere, compiler, '--project', elsewhere), { code: 1, text: /'string' is not assignable/ })
})

type Exported = { readonly entry: string; readonly file: string; readonly isType: boolean }

/** Where each name that an entry exports is declared, as its declarations say. */
const exportedBy = (entry: string, file: string): [name: string, at: Exported][] => {
  const text = readFileSync(file, 'utf8')
  const at = (path: string): string => join(file, '..', path.replace(/\.js$/, '.d.ts'))
  const named = [...text.matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)'/g)].flatMap(
    ([, names = '', path = '']) => {
      const passed = new Map(exportedBy(entry, at(path)))
      const listed = names.split(',').map(one => one.trim().replace(/^type /, ''))
      return listed.flatMap((name): [string, Exported][] => {
        const found = passed.get(name)
        return found ? [[name, found]] : []
      })
    },
  )
  const all = [...text.matchAll(/export \* (?:as (\w+) )?from '([^']+)'/g)].flatMap(
    ([, as, path = '']): [string, Exported][] =>
      as ? [[as, { entry, file: at(path), isType: false }]] : exportedBy(entry, at(path)),
  )
  const own = [...text.matchAll(/export (?:declare )?(type|const|function|class) (\w+)/g)].map(
    ([, keyword, name = '']): [string, Exported] => [name, { entry, file, isType: keyword === 'type' }],
  )
  return [...named, ...all, ...own]
}

/** What examples use without saying where it comes from. */
const given: Readonly<Record<string, string>> = {
  website: `const website: espalier.KubeObject = {
  apiVersion: 'example.org/v1alpha1', kind: 'Website',
  metadata: { namespace: 'default', name: 'sample', finalizers: ['website.example.org'] },
  spec: { greeting: 'hello' },
  status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Applied', message: '' }] },
}`,
  secret: `const secret: espalier.KubeObject = {
  apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'default', name: 'access' },
  data: { password: 'b3BlbiBzZXNhbWU=' },
}`,
  now: `const now = new Date('2026-01-01T12:00:00Z')`,
  files: `declare const files: import('espalier/render').Files`,
  client: `declare const client: import('espalier/kube').Client`,
  assert: `import assert from 'node:assert/strict'`,
  readFile: `import { readFile } from 'node:fs/promises'`,
  writeFile: `import { writeFile } from 'node:fs/promises'`,
}

/** `isTrue(condition) // true` */
const statedValue = /^(\S.*?) \/\/ (.+)$/m

/** A module with the example. A value that is said behind an expression is compared with it. */
const moduleOf = (code: string, names: ReadonlyMap<string, Exported>): string => {
  const checked = code.replaceAll(new RegExp(statedValue, 'gm'), 'assert.deepEqual($1, $2)')
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(checked)
  const isDeclared = (name: string) => new RegExp(`const \\[?${name}\\b`).test(checked)
  const free = (name: string) => isUsed(name) && !isDeclared(name)
  const imports = [...names]
    .filter(([name]) => free(name))
    .map(([name, { entry, isType }]) => `import { ${isType ? 'type ' : ''}${name} } from '${entry}'`)
  const values = Object.entries(given).flatMap(([name, text]) => (free(name) ? [text] : []))
  return [`import type * as espalier from 'espalier'`, ...imports, ...values, checked, 'export {}', ''].join('\n')
}

t.test(
  'FW-32 each public function has a comment with an example, and the examples compile and say what is',
  async t => {
    const types = join(elsewhere, 'node_modules', 'espalier', 'types', 'shared', 'exports')
    const entries = globSync('*.d.ts', { cwd: types }).map(file => file.replace('.d.ts', ''))
    t.equal(entries.length, 6)
    const specifier = (entry: string) => (entry === 'index' ? 'espalier' : `espalier/${entry}`)
    const names = new Map(entries.flatMap(entry => exportedBy(specifier(entry), join(types, `${entry}.d.ts`))))
    const examples = join(elsewhere, 'examples')
    mkdirSync(examples)
    const modules = new Map<string, string>()
    const stating: string[] = []
    const functions = async (entry: string) => {
      const values = await import(join(elsewhere, 'node_modules', 'espalier', `${entry}.mjs`))
      const file = (name: string) => names.get(name)?.file ?? ''
      return Object.entries<object>(values).flatMap(([name, value]) =>
        name === 'shapes'
          ? Object.entries(value).map(([shape, made]) => ({ name: shape, value: made, file: file(name) }))
          : [{ name, value, file: file(name) }],
      )
    }
    const all = (await Promise.all(entries.map(functions))).flat().filter(({ value }) => typeof value === 'function')
    t.ok(all.length > 60)
    for (const { name, file } of all) {
      const comment = new RegExp(
        `/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*export declare (?:const|function|class) ${name}\\b`,
      )
      const [, text = ''] = comment.exec(readFileSync(file, 'utf8')) ?? []
      const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(text.replaceAll(/^[ \t]*\* ?/gm, '')) ?? []
      t.ok(code, `${name} has an example`)
      modules.set(name, moduleOf(code, names))
      if (statedValue.test(code)) stating.push(name)
    }
    for (const [name, text] of modules) writeFileSync(join(examples, `${name}.ts`), text)
    t.ok(stating.length > 20)
    const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2024', types: ['node'] }
    writeFileSync(join(examples, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }))
    t.equal(await done(elsewhere, await fetchedProgram('checks', 'tsc'), '--project', examples), '')
    writeFileSync(join(examples, 'run.mjs'), stating.map(name => `import './${name}.ts'\n`).join(''))
    t.equal(await done(examples, 'node', 'run.mjs'), '')
  },
)

t.test('FW-02 publint and arethetypeswrong find nothing in the package, and it needs no other', async t => {
  matches(t, await done(elsewhere, await fetchedProgram('publishing', 'publint'), folder), /All good!/)
  const types = await shell(elsewhere, await fetchedProgram('publishing', 'attw'), tarball, '--profile', 'esm-only')
  matches(t, types, { code: 0, text: /espalier\/testing/ })
  const { dependencies, peerDependenciesMeta, engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  t.strictSame(
    [dependencies, peerDependenciesMeta, engines],
    [undefined, { '@types/node': { optional: true } }, { node: '>=24' }],
  )
  const declarations = globSync('types/**/*.ts', { cwd: folder })
  const isTold = (file: string): boolean => /\.d\.ts$/.test(file)
  t.strictSame(
    declarations.filter(file => !isTold(file)),
    [],
  )
  t.notOk(
    declarations.some(file => file.includes('/embedded/storage/')),
    'of the inside of the cluster nothing is told',
  )
  const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter(one => one.isFile())
  const unpacked = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  t.ok(statSync(tarball).size < 2.5e6 && unpacked < 11e6, `${statSync(tarball).size} bytes, ${unpacked} unpacked`)
})

t.test('FW-32 npm run reference adds the comments as pages to the package, with their examples', async t => {
  await done(
    project,
    'npm',
    'run',
    '--silent',
    'reference',
    '--',
    '--package',
    folder,
    '--into',
    join(folder, 'reference'),
  )
  const pages = globSync('reference/**/*.md', { cwd: folder }).sort()
  const names = ['embedded.md', 'index/README.md', 'kube.md', 'render.md', 'schema.md', 'testing.md']
  for (const name of names) {
    t.ok(pages.includes(`reference/${name}`), name)
    matches(t, readFileSync(join(folder, 'reference', name), 'utf8'), /#+ Example\n\n```ts\n/, name)
  }
  t.strictSame(globSync('types/**/*.json', { cwd: folder }), [], 'nothing else is left in the package')
})

/** The first block of TypeScript in a document that imports the package. */
const blockOf = (path: string): string =>
  [...readFileSync(join(project, path), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].find(([text]) =>
    text.includes(`from 'espalier/`),
  )?.[1] ?? ''

t.test('FW-31 the embedded cluster and the renderers work alone, as their READMEs show', async t => {
  symlinkSync(join(project, 'node_modules', '@kubernetes'), join(elsewhere, 'node_modules', '@kubernetes'))
  mkdirSync(join(elsewhere, 'chart', 'templates'), { recursive: true })
  writeFileSync(join(elsewhere, 'chart', 'Chart.yaml'), 'apiVersion: v2\nname: shop\nversion: 1.0.0\n')
  const web = 'apiVersion: v1\nkind: Service\nmetadata: {name: {{ .Release.Name }}-{{ .Values.replicas }}}\n'
  writeFileSync(join(elsewhere, 'chart', 'templates', 'web.yaml'), web)
  const saysOf: [readme: string, says: RegExp][] = [
    ['shared/embedded/README.md', /^\[ '[a-z-]+' \]\n$/],
    ['shared/render/README.md', /^Service shop-3\n$/],
  ]
  for (const [readme, says] of saysOf) {
    writeFileSync(join(elsewhere, 'alone.ts'), blockOf(readme))
    matches(t, await done(elsewhere, 'node', 'alone.ts'), says, readme)
  }
})

t.test('FW-03 an older Node is told which one the command needs', async t => {
  const bin = readFileSync(join(folder, 'bin.mjs'), 'utf8')
  writeFileSync(join(elsewhere, 'old.mjs'), bin.replace('process.versions', "{ node: '20.19.0' }"))
  t.strictSame(await shell(elsewhere, 'node', 'old.mjs'), {
    code: 2,
    text: 'espalier: this is Node 20.19.0, and Espalier needs Node 24 or newer\n',
  })
})

t.test('FN-184 FW-40 the installed command answers as its sources do, without other packages', async t => {
  const person = { fieldManager: 'person' }
  const cluster = await startEmbeddedCluster()
  t.teardown(() => cluster.stop())
  const credentials = { ca: cluster.caCert, token: cluster.adminToken }
  const client = createClient({ server: cluster.url, credentials: () => credentials })
  t.teardown(() => client.close())
  const landscape = readLandscape(join(project, 'serverless.yml'))
  await install(client, installation(landscape, { withWebhooks: false }))
  const kubeconfig = join(elsewhere, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig)
  const program = join(elsewhere, 'node_modules', '.bin', 'espalier')
  const answer = (...args: string[]) => shell(elsewhere, program, ...args, '--kubeconfig', kubeconfig)
  const charted = { source: { helm: { configMapRef: { name: 'packed-chart' } } } }
  const metadata = { namespace: 'default', name: 'packed' }
  const data = Object.fromEntries(Object.entries(chartFiles).map(([path, text]) => [path.replaceAll('/', '__'), text]))
  await client.create({ ...configMap('packed-chart', data), metadata: { ...metadata, name: 'packed-chart' } }, person)
  const file = join(elsewhere, 'component.yaml')
  writeFileSync(file, stringify(component(metadata, charted)))
  matches(t, await answer('plan', '-f', file), { code: 1, text: /create ConfigMap default\/packed/ })
  await client.create(component(metadata, charted), person)
  matches(t, await answer('get'), { code: Number, text: /packed/ })
  const elsewhereText =
    /no function for website; expected .*; functions of your own are found in the folder of their serverless/
  matches(t, await answer('plan', 'website', 'sample'), { code: 2, text: elsewhereText })
  matches(t, await answer('why', 'component', 'packed', '-n', 'default'), { code: Number, text: /packed/ })
})
