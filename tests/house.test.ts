// The rules of the house, held against the tree, and each shown on a small bad example: a rule that cannot fail holds nothing.
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { functionNames, functionSettings, loadFunctions } from '../functions/index.ts'
import type { FunctionEvent, WatchMapping } from '../shared/api/serverless.ts'
import { flagOf, type Setting } from '../shared/core/settings/setting.ts'
import { readLandscape } from '../shared/deploy/landscape/landscape.ts'
import { relaySettings } from '../shared/http/settings/relay-settings.ts'
import { runtimeWatcherSettings } from '../shared/http/settings/runtime-watcher-settings.ts'
import { common } from '../shared/main/cli/command.ts'
import { commands } from '../shared/main/cli/commands.ts'
import { startSettings } from '../shared/main/start/start-settings.ts'
import type { FunctionDefinition } from '../shared/runtime/definition.ts'
import { hostTable } from './harness/host-table.ts'
import { rejects } from './harness/matches.ts'
import { cycleFaults } from './house/cycle-rules.ts'
import { commentFaults, documentFaults, headingsIn, type Known, type MarkdownFile } from './house/document-rules.ts'
import { eventFaults } from './house/event-rules.ts'
import { exportFaults, unusedExports } from './house/export-rules.ts'
import { type Fault, importFaults, importTable, tableFaults } from './house/import-rules.ts'
import { libraries, libraryFaults } from './house/library-rules.ts'
import { type Source, source } from './house/source.ts'
import { testNameFaults } from './house/test-name-rules.ts'
import { headerFaults, impureImports, textFaults } from './house/text-rules.ts'
import { tokensOf } from './house/tokens.ts'
import { crowdFaults, folderFaults, nameFaults, namingFaults, type Tree } from './house/tree-rules.ts'

const root = join(import.meta.dirname, '..')
const paths = globSync('{functions,shared,tests,bench,docs/generator}/**/*.*', { cwd: root }).sort()
const text = (path: string): string => readFileSync(join(root, path), 'utf8')
const sources = paths.filter(path => /\.(ts|cjs)$/.test(path)).map(path => source(path, text(path)))
const rooms = importTable(text('ARCHITECTURE.md'))
const importsOf = (file: Source): Fault[] => importFaults(rooms, file)
const settings: readonly Setting[] = [hostTable, relaySettings, runtimeWatcherSettings, startSettings].flatMap(table =>
  Object.values(table),
)
const lineCount = (text: string): number => text.trimEnd().split('\n').length

const faultsIn = (path: string, text: string, rule: (file: Source) => Fault[]): string[] =>
  rule(source(path, text)).map(({ fault }) => fault)

/** What only tests import, and why it is exported: it is tried there without what stands around it. */
const forTests = {
  idlePaths: 'the full sample of a Garden must have each field without effect',
  blockingResources: 'reads every kind of Istio; the rest of its file only logs',
  haveChanged: 'compares fields of any two Istios; the product compares with what is in force',
  sidecarFields: 'whose change restarts sidecars; the product has them for one version of Istio only',
  compatibility: 'is empty in this version of Istio',
  isGroupOf: 'patterns of groups have many cases, versions and kinds few',
  dropOldEvents: 'works at a given time, not once a minute',
  behaviourAnnotation: 'people write it into Pods, as tests do',
  indexesIn: 'reads what rangesText writes',
  plansOrRefusals: 'one function of several refuses, which real ones do together',
  isOwnershipConflict: 'tells the two conflicts of a write apart',
  isInner: 'judges one address; kubeconfigs have hosts, which are looked up first',
  lookupsInLanes: 'has a clock and a resolver of its own; the product has one for the process',
  istioProfiles: 'reads files of another folder, which are broken',
  credentialsIn: 'judges a file without what is asked of a registry',
  startTicking: 'one schedule, of which a relay has many',
  generatedManifests: 'gets a context that a test makes itself; a call makes it of what it has read',
  readByStage: 'goes through the stages of a world that a test holds',
}

t.test('the tree obeys every rule of the house', async t => {
  t.ok(sources.length > 50, 'there is something to look at')
  for (const rule of [importsOf, textFaults, impureImports, headerFaults]) {
    t.strictSame(sources.flatMap(rule), [], rule.name)
  }
  t.strictSame(tableFaults(rooms, paths), [], 'the table of rooms')
  t.strictSame(
    libraries.flatMap(library => libraryFaults(library, text(`${library}/README.md`), sources)),
    [],
    'what libraries use of the house',
  )
  t.strictSame(nameFaults(paths), [], 'names of files')
  t.strictSame(cycleFaults(sources), [], 'circles of imports')
  t.strictSame(exportFaults(sources), [], 'exported names')
  t.strictSame(unusedExports(sources, forTests), [], 'exports that nobody imports')
  t.strictSame(
    unusedExports(sources)
      .filter(({ fault }) => fault.endsWith('tests import'))
      .map(({ fault }) => fault.split(' ')[1]?.replace(',', ''))
      .sort(),
    Object.keys(forTests).sort(),
    'what is exported for tests',
  )
  t.strictSame(
    paths.filter(path => /^tests\/.*\.ts$/.test(path)).flatMap(path => testNameFaults(path, text(path))),
    [],
    'names of tests',
  )
  const tree: Tree = new Map(
    paths.filter(path => path.startsWith('functions/')).map(path => [path, lineCount(text(path))]),
  )
  t.strictSame(folderFaults(tree), [], 'folders of functions')
  t.strictSame(crowdFaults(sources.map(({ path }) => path)), [], 'folders')
})

const isDocument = (path: string): boolean => path.endsWith('.md') && !/^tests\//.test(path)
const documents: MarkdownFile[] = globSync('{*,{docs,functions,shared,bench,examples}/**/*}.md', { cwd: root })
  .filter(isDocument)
  .map(path => ({ path, text: text(path) }))

const commandOptions = commands.flatMap(({ options }) => Object.keys({ ...options, ...common }))

/** Packages that only tests and checks need, and fetch. */
const fetchedPackages = globSync('tests/harness/packages/*/package.json', { cwd: root }).flatMap(path =>
  Object.keys(JSON.parse(text(path)).dependencies),
)

const known: Known = {
  // What the build makes is there after it.
  files: [
    'dist/host.mjs',
    'dist/runtime-watcher.mjs',
    ...globSync('{*,{functions,shared,tests,bench,docs,examples,manifests,templates,.github}/**/*}.*', { cwd: root }),
  ],
  scripts: Object.keys(JSON.parse(text('package.json')).scripts),
  commands: [
    ...readdirSync(join(root, 'node_modules/.bin')),
    ...Object.keys(JSON.parse(text('package.json')).bin),
    ...fetchedPackages,
  ],
  // `espalier init` and `espalier generate` read their flags themselves.
  flags: [
    'help',
    'print-config',
    'remote',
    'check',
    ...settings.flatMap(setting => flagOf(setting) ?? []),
    ...commandOptions,
  ],
  variables: settings.map(({ env }) => env),
  headings: new Map(documents.map(({ path, text }) => [path, headingsIn(text)])),
}

/** What looks like a folder and is none: short for a prefix of labels, and a bucket with the prefix of its keys. */
const looksLikeFolder = ['op/', 'b/p/']

/** The functions that CONTRIBUTING.md and the tutorial add as examples. */
const example = [
  'functions/shop/index.ts',
  'functions/shop/desired.ts',
  'functions/shop/index.shopFunction',
  'kinds/shop.ts',
  'tests/shop.test.ts',
  'tests/shop.faults.test.ts',
  'tests/shop.remote.test.ts',
  'docs/settings.md',
  'tests/backup-check.faults.test.ts',
  'functions/order/index.ts',
  'kinds/order.ts',
  'samples/order.yaml',
  'tests/order.test.ts',
  'functions/backup-check/index.ts',
  'functions/backup-check/decide.ts',
  'kinds/backup-check.ts',
  'tests/backup-check.test.ts',
  'docs/behaviour/beacon.md',
  'functions/beacon/index.beaconFunction',
  'shared/api/beacon.ts',
  'tests/functions/beacon/decide.test.ts',
]

t.test('what documents and comments name is there', async t => {
  t.ok(documents.length > 10, 'there is something to read')
  t.strictSame(
    documents.flatMap(document =>
      documentFaults(document, { ...known, files: [...known.files, ...looksLikeFolder, ...example] }),
    ),
    [],
  )
  t.strictSame(
    sources.flatMap(file => commentFaults(file, known)),
    [],
  )
})

const landscape = readLandscape(join(root, 'serverless.yml'))
const functions = await loadFunctions()

t.test('functions/index.ts has the settings of each function', async t => {
  const declared = functions.flatMap(({ name, settings }) =>
    settings && name !== 'component' ? [[name, settings]] : [],
  )
  t.strictSame(functionSettings, Object.fromEntries(declared))
})

/** The runtime watcher runs in the runtimes of customers, in a program of its own. */
const isServedByHosts = (folder: string): boolean => folder !== 'runtime-watcher'

t.test('folders, serverless.yml, the list, roles and tests name the same functions', async t => {
  const folders = (path: string): string[] =>
    readdirSync(join(root, path), { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? [entry.name] : []))
  const roles = globSync('*.yaml', { cwd: join(root, 'manifests/rbac') }).map(file => file.replace('.yaml', ''))
  t.strictSame(
    namingFaults({
      functions: folders('functions').filter(isServedByHosts),
      'serverless.yml': Object.keys(landscape.functions),
      'functions/index.ts': functionNames,
      'manifests/rbac': roles.filter(name => !['relay', 'kustomization', 'namespace'].includes(name)),
      'tests/functions': folders('tests/functions').filter(isServedByHosts),
    }),
    [],
  )
})

t.test('a function has the name by which it is loaded', async t => {
  t.strictSame(
    functions.map(({ name }) => name),
    functionNames,
  )
  await rejects(t, () => loadFunctions(['orchard']), { message: 'functions/index.ts does not list orchard' })
})

t.test('what a function is in code fits its events in serverless.yml', async t => {
  t.strictSame(eventFaults(functions, landscape), [])
})

t.test('definitions and events that do not fit are found', async t => {
  const [definition] = functions.filter(({ does }) => does === 'reconcile')
  const settings = definition && landscape.functions[definition.name]
  if (definition?.does !== 'reconcile' || settings === undefined) throw new Error('no function that reconciles')
  const faultsWith = (change: object, events: FunctionEvent[]): string[] =>
    eventFaults([{ ...definition, ...change } as FunctionDefinition], {
      ...landscape,
      functions: { [definition.name]: { ...settings, events } },
    }).map(({ fault }) => fault)
  const kind = { apiVersion: 'example.org/v1', kind: 'Orchard' }
  const admission = { admission: {} } as FunctionEvent
  const watching = (map: WatchMapping): FunctionEvent => ({ watch: { ...kind, on: ['any'], map } })

  t.strictSame(faultsWith({ kind }, [watching('self')]), [])
  t.strictSame(faultsWith({ kind: { ...kind, kind: 'Vineyard' } }, [watching('self')]), [
    'maps Orchard to itself, but is called for Vineyard',
  ])
  t.strictSame(faultsWith({ kind, keys: undefined }, [watching('keys')]), [
    'asks for keys of Orchard, which it cannot tell',
  ])
  t.strictSame(faultsWith({ kind, keys: () => [] }, [watching('keys')]), [])
  t.strictSame(faultsWith({}, [admission]), ['reconciles, but has an admission event'])
  t.strictSame(faultsWith({ does: 'review' }, [admission]), [])
  t.strictSame(faultsWith({ does: 'review' }, [watching('self')]), ['reviews, but has no admission event'])
  const mutating = { admission: { type: 'mutating' } } as FunctionEvent
  t.strictSame(faultsWith({ does: 'review', mutate: () => {} }, [admission]), ['mutates, but has no mutating webhook'])
  t.strictSame(faultsWith({ does: 'review', mutate: () => {} }, [admission, mutating]), [])
})

t.test('imports go one way', async t => {
  const cases: [path: string, specifier: string, isFault: boolean][] = [
    ['shared/core/plan.ts', './object.ts', false],
    ['shared/core/plan.ts', '../api/garden.ts', false],
    ['shared/api/garden.ts', '../core/object.ts', true],
    ['shared/core/plan.ts', '../kube/client.ts', true],
    ['shared/component/applied/waves.ts', '../../core/object.ts', false],
    ['shared/component/applied/waves.ts', '../../kube/client.ts', true],
    ['shared/render/helm/helm.ts', '../../component/applied/waves.ts', true],
    ['shared/kube/client/client.ts', '../../outside/callback.ts', true],
    ['shared/runtime/reconcile.ts', '../kube/client.ts', false],
    ['shared/runtime/reconcile.ts', '../http/app.ts', true],
    ['shared/http/app.ts', '../runtime/reconcile.ts', false],
    ['shared/http/app.ts', '../relay/queue.ts', true],
    ['shared/relay/queue.ts', '../http/log.ts', true],
    ['shared/agent/agent.ts', '../http/readiness.ts', false],
    ['shared/agent/agent.ts', '../../functions/runtime-watcher/review.ts', true],
    ['shared/http/app.ts', '../agent/agent.ts', true],
    ['shared/kube/client/client.ts', '../../embedded/server.ts', true],
    ['shared/embedded/server.ts', '../deploy/landscape.ts', true],
    ['shared/main/start.ts', '../embedded/server.ts', false],
    ['functions/istio/decide.ts', './world.ts', false],
    ['functions/istio/desired/gateway.ts', '../world.ts', false],
    ['functions/istio/decide.ts', '../kyma/world.ts', true],
    ['functions/istio/decide.ts', '../../shared/core/plan.ts', false],
    ['functions/istio/decide.ts', '../../shared/kube/client/client.ts', true],
    ['functions/istio/decide.ts', '../../shared/runtime/definition.ts', true],
    ['functions/istio/index.ts', '../../shared/runtime/definition.ts', false],
    ['functions/istio/index.ts', '../../shared/http/app.ts', true],
    ['functions/istio/gather.ts', '../../shared/kube/client-types.ts', false],
    ['functions/istio/gather.ts', '../../shared/outside/oci.ts', true],
    ['functions/istio/gather/gateways.ts', '../../../shared/kube/client-types.ts', false],
    ['functions/istio/gather/gateways.ts', '../../../shared/outside/oci.ts', true],
    ['functions/istio/io/charts.ts', '../../../shared/outside/oci.ts', false],
    ['functions/istio/io/charts.ts', '../../../shared/http/app.ts', true],
    ['functions/istio/parts/gateways.ts', '../../../shared/kube/client-types.ts', true],
    ['functions/kyma/decide.ts', '../../shared/kyma/look-up.ts', false],
    ['shared/kyma/look-up.ts', '../kube/client-types.ts', true],
    ['shared/component/applied/waves.ts', '../../kyma/look-up.ts', true],
    ['functions/index.ts', './istio/index.ts', false],
    ['functions/index.ts', '../shared/http/app.ts', true],
    ['shared/kube/kubeconfigs/own-kubeconfig.ts', '@kubernetes/client-node', false],
    ['shared/http/app.ts', '@kubernetes/client-node', true],
    ['functions/istio/gather.ts', '@kubernetes/client-node/dist/config.js', true],
    ['tests/house.test.ts', '../shared/embedded/server.ts', false],
  ]
  for (const [path, specifier, isFault] of cases) {
    const spelled = [
      `import { a } from '${specifier}'`,
      `export type { A } from "${specifier}"`,
      `await import('${specifier}')`,
    ]
    const expected = isFault ? 1 : 0
    for (const text of spelled) t.equal(faultsIn(path, text, importsOf).length, expected, `${path}: ${text}`)
  }
  t.strictSame(faultsIn('shared/http/app.ts', 'await import(name)', importsOf), ['imports something computed'])
})

t.test('FN-205 only the performing of steps may give a client its writes back', async t => {
  const readOnly = 'shared/kube/clusters/read-only.ts'
  const fault = `imports writable of ${readOnly}, which only the performing of steps may`
  const from = (path: string, text: string): string[] => faultsIn(path, text, importsOf)
  const gather = 'functions/istio/gather.ts'
  t.strictSame(from(gather, `import { readOnly, writable } from '../../${readOnly}'`), [fault])
  t.strictSame(from(gather, `import { readOnly } from '../../${readOnly}'`), [])
  t.equal(from(gather, `import * as all from '../../${readOnly}'`).length, 1)
  t.strictSame(from('shared/runtime/pass.ts', `import { writable } from '../../${readOnly}'`), [])
})

t.test('the table of rooms has one row for each room', async t => {
  const row = (room: string, open: string) => `| \`shared/${room}\` | holds | ${open} |\n`
  const orchard = row('trees', 'soil') + row('soil', 'nothing')
  const paths = ['shared/trees/apple.ts', 'shared/soil/loam.ts']
  const faults = (text: string): string[] => tableFaults(importTable(text), paths).map(({ fault }) => fault)
  t.strictSame(faults(orchard), [])
  t.strictSame(faults(orchard + row('soil', 'trees')), ['has not one row for shared/soil'])
  t.strictSame(faults(row('trees', 'soil')), ['has not one row for shared/soil'])
  t.strictSame(faults(orchard + row('barn', 'trees')), ['has a row for `shared/barn`'])
  t.strictSame(faults(orchard.replace('nothing', 'barn')), ['opens shared/barn, which is not there'])
  const file = source('shared/soil/loam.ts', `import { a } from '../trees/apple.ts'`)
  t.strictSame(importFaults(importTable(orchard), file).length, 1)
  t.strictSame(importFaults(importTable(orchard.replace('nothing', 'trees')), file), [])
})

t.test('a library imports only the files of the house that its README lists', async t => {
  const faults = (readme: string, text: string): string[] =>
    libraryFaults('shared/orchard', readme, [source('shared/orchard/trees/apple.ts', text)]).map(({ fault }) => fault)
  const readme =
    '# Orchard\n## What it uses of the house\n| `shared/soil/loam.ts` | earth |\n## Limits\n`shared/barn.ts`'
  const apple = `import type { Loam } from '../../soil/loam.ts'\nimport { pear } from './pear.ts'`
  t.strictSame(faults(readme, apple), [])
  t.strictSame(faults(readme, `${apple}\nexport { barn } from '../../barn.ts'`), [
    'imports shared/barn.ts, which shared/orchard/README.md does not list',
  ])
  t.strictSame(faults(readme, ''), ['lists shared/soil/loam.ts, which nothing there imports'])
  t.strictSame(faults('# Orchard', apple).length, 1)
})

t.test('files that import one another in a circle are found, by types as by values', async t => {
  const cyclesOf = (files: Record<string, string>): string[] =>
    cycleFaults(Object.entries(files).map(([path, text]) => source(path, text))).map(
      ({ path, fault }) => `${path} ${fault}`,
    )
  const tree = {
    'shared/core/tree.ts': `import { bark } from './bark.ts'`,
    'shared/core/bark.ts': `import type { Moss } from './moss/moss.ts'`,
    'shared/core/moss/moss.ts': `import { join } from 'node:path'`,
  }
  t.strictSame(cyclesOf(tree), [])
  t.strictSame(cyclesOf({ ...tree, 'shared/core/moss/moss.ts': `import type { Tree } from '../tree.ts'` }), [
    'shared/core/bark.ts imports itself: shared/core/moss/moss.ts, shared/core/tree.ts, shared/core/bark.ts',
  ])
  t.strictSame(cyclesOf({ 'shared/core/tree.ts': `export * from './tree.ts'` }), [
    'shared/core/tree.ts imports itself: shared/core/tree.ts',
  ])
})

t.test('an export that no other file imports is found', async t => {
  const unused = (files: Record<string, string>, forTests = {}): string[] =>
    unusedExports(
      Object.entries(files).map(([path, text]) => source(path, text)),
      forTests,
    ).map(({ path, fault }) => `${path} ${fault}`)
  const tree = { 'shared/core/tree.ts': 'export const grow = () => 1\nexport type Age = 1\nconst grown = grow()' }
  const [grow, age] = ['grow', 'Age'].map(name => `shared/core/tree.ts exports ${name}, which no other file imports`)
  const byTests = { 'tests/tree.test.ts': `import { grow as g, type Age } from '../shared/core/tree.ts'` }
  t.strictSame(unused(tree), [grow, age])
  t.strictSame(unused({ ...tree, 'bench/tree.ts': `// grow\nconst Age = 'grow'` }), [grow, age], 'a word is no import')
  t.strictSame(unused({ ...tree, 'bench/tree.ts': `import { grow, Age } from '../shared/bush.ts'` }), [grow, age])
  t.strictSame(
    unused({ ...tree, 'bench/tree.ts': `import {\n  type Age,\n  grow,\n} from '../shared/core/tree.ts'` }),
    [],
  )
  t.strictSame(unused({ ...tree, 'shared/core/bush.ts': `import { grow } from './tree.ts'` }), [age])
  t.strictSame(
    unused({ ...tree, 'shared/core/bush.ts': `export const x = import('./tree.ts')` }).length,
    1,
    'all of it',
  )
  t.strictSame(unused({ ...tree, ...byTests }), ['shared/core/tree.ts exports grow, which only tests import'])
  t.strictSame(unused({ ...tree, ...byTests }, { grow: 'trees are slow' }), [])
})

t.test('an exported name has one meaning', async t => {
  const exporting = (files: Record<string, string>): string[] =>
    exportFaults(Object.entries(files).map(([path, text]) => source(path, text))).map(
      ({ path, fault }) => `${path} ${fault}`,
    )
  const tree = 'export type Tree = { age: number }'
  t.strictSame(
    exporting({ 'shared/core/tree.ts': tree, 'shared/kube/bush.ts': 'type Tree = 1\nexport const x = 1' }),
    [],
  )
  t.strictSame(exporting({ 'shared/core/tree.ts': tree, 'shared/kube/bush.ts': 'export class Tree {}' }), [
    'shared/kube/bush.ts exports Tree, as shared/core/tree.ts does',
  ])
  t.strictSame(
    exporting({ 'shared/core/tree.ts': tree, 'shared/render/tree.ts': tree }),
    [],
    'a library has its own words',
  )
  t.strictSame(
    exporting({ 'shared/render/helm/tree.ts': tree, 'shared/render/tree.ts': tree }),
    ['shared/render/tree.ts exports Tree, as shared/render/helm/tree.ts does'],
    'one meaning each',
  )
  const world = 'export type World = {}\nexport const decide = () => 1'
  t.strictSame(exporting({ 'functions/a/world.ts': world, 'functions/b/world.ts': world }), [], 'parts of functions')
  t.strictSame(exporting({ 'shared/a/world.ts': world, 'shared/b/world.ts': world }).length, 2)
})

t.test('names of what is not there are found in documents and comments', async t => {
  const orchard: Known = {
    files: ['README.md', 'docs/pruning.md', 'shared/orchard/trees/apple.ts', 'functions/care/decide.ts'],
    scripts: ['prune', 'host'],
    commands: ['graft'],
    flags: ['rows'],
    variables: ['ESPALIER_ROWS'],
    headings: new Map([['docs/pruning.md', headingsIn('# In winter\n## When it snows')]]),
  }
  const cases: [path: string, good: string, bad: string, missing: string][] = [
    ['README.md', '[how](docs/pruning.md)', '[how](docs/grafting.md)', 'docs/grafting.md'],
    ['docs/pruning.md', '[up](../README.md) [out](https://example.org/x)', '[up](README.md)', 'README.md'],
    [
      'README.md',
      '[how](docs/pruning.md#when-it-snows)',
      '[how](docs/pruning.md#it-rains)',
      'docs/pruning.md#it-rains',
    ],
    ['README.md', '`shared/orchard/trees` and shared/barn', '`shared/barn`', 'shared/barn'],
    ['docs/pruning.md', '`decide.ts`', '`report.ts`', 'report.ts'],
    ['shared/orchard/README.md', '`trees/` `apple.ts`', '`decide.ts`', 'decide.ts'],
    [
      'README.md',
      '`functions/x` `functions/<name>/decide.ts`',
      '`functions/<name>/report.ts`',
      'functions/<name>/report.ts',
    ],
    ['README.md', '`npm run prune`', '`npm run water`', 'water'],
    ['README.md', '`[a](b|c)` [how](docs/pruning.md)', '`[a](b|c)` [how](docs/grafting.md)', 'docs/grafting.md'],
    ['README.md', '```\nnpx graft\n```', '```\nnpx till\n```', 'till'],
    ['README.md', '`ESPALIER_ROWS`', '`ESPALIER_PLOTS`', 'ESPALIER_PLOTS'],
    ['README.md', '`--rows` `kubectl get --watch`', '`--plots 3`', 'plots'],
    ['README.md', '`npm start -- --rows 3`', '`npm run host -- --plots`', 'plots'],
  ]
  for (const [path, good, bad, missing] of cases) {
    t.strictSame(documentFaults({ path, text: good }, orchard), [], good)
    t.strictSame(
      documentFaults({ path, text: bad }, orchard),
      [{ path, fault: `names ${missing}, which is not there` }],
      bad,
    )
  }
  const comments = (text: string): string[] =>
    faultsIn('functions/care/decide.ts', text, f => commentFaults(f, orchard))
  t.strictSame(comments('// trees/apple.ts tells; *.ts too'), [])
  t.strictSame(comments('// pear.ts tells'), ['names pear.ts, which is not there'])
})

t.test('what may not stand in a file is found there, and nowhere else', async t => {
  const decide = 'functions/istio/decide.ts'
  const loose = 'compares loosely: tests/harness/matches.ts does not'
  const cases: [fault: string, path: string, bad: string, good: string][] = [
    ['is async', decide, 'export const decide = async () => {}', `export const decide = () => 'async'`],
    ['is async', 'shared/core/plan.ts', 'await x', '// await x'],
    ['asks for the time', decide, 'const now = Date.now()', 'const at = (now: Date) => now'],
    ['asks for the time', decide, 'const now = new Date()', 'const now = new Date(text)'],
    ['is random', 'functions/istio/desired/secret.ts', 'Math.random()', 'Math.max(1)'],
    ['is random', decide, `import { randomUUID } from 'node:crypto'`, `import { createHash } from 'node:crypto'`],
    ['knows the process', 'shared/component/applied/waves.ts', 'process.pid', 'preprocess(x)'],
    ['waits', decide, 'setTimeout(f, 1)', 'const setTimeoutSeconds = 1'],
    ['talks to the network', decide, 'fetch(url)', 'prefetch(url)'],
    ['reads the environment', 'shared/http/telemetry/log.ts', 'process.env.LEVEL', `'process.env'`],
    ['has a default export', 'shared/http/telemetry/log.ts', 'export default 1', 'export const standard = 1'],
    ['suppresses a warning', 'tests/x.test.ts', '// @ts-expect-error', `const name = '@ts-expect-error'`],
    ['suppresses a warning', 'shared/http/telemetry/log.ts', '/* biome-ignore lint: x */', '// biome checks'],
    ['claims with !', 'shared/http/telemetry/log.ts', 'const x = y!.z', 'const x = !y && a !== b'],
    ['claims with !', 'shared/http/telemetry/log.ts', 'f(map.get(1)!)', 'if (!x) f(!y)'],
    [loose, 'tests/x.test.ts', 't.match(found, [])', 'matches(t, found, [])'],
    [loose, 'tests/x.test.ts', 't.notMatch(text, /x/)', 'lacks(t, text, /x/)'],
    [loose, 'tests/harness/x.ts', 't\n.has(found, {})', 'text.match(/x/)'],
    [loose, 'tests/x.test.ts', 't.same(found, 1)', 't.strictSame(found, 1)'],
    [loose, 'tests/x.test.ts', 'await t.rejects(call, {})', 'await rejects(t, call, {})'],
    [loose, 'tests/harness/x.ts', 'check(t.matchOnly)', 'there.has(name)'],
    ['swallows an error', 'shared/http/telemetry/log.ts', 'try { f() } catch {\n}', 'try { f() } catch { return 1 }'],
    [
      'swallows an error',
      'shared/http/telemetry/log.ts',
      'f().catch(() => {}); try { f() } catch (e) { /* no */ }',
      'try { f() } catch (e) { g(e) }',
    ],
  ]
  for (const [fault, path, bad, good] of cases) {
    t.strictSame(faultsIn(path, bad, textFaults), [fault], `${fault}: ${bad}`)
    t.strictSame(faultsIn(path, good, textFaults), [], `not ${fault}: ${good}`)
  }
  t.strictSame(faultsIn('shared/http/settings/config.ts', 'process.env', textFaults), [], 'the one place that may')
  t.strictSame(faultsIn('shared/kube/client/client.ts', 'await f(Date.now())', textFaults), [], 'effects may')
})

t.test('pure files import only what computes', async t => {
  const cases: [text: string, isFault: boolean][] = [
    [`import { readFile } from 'node:fs/promises'`, true],
    [`import { request } from 'undici'`, true],
    [`import { createHash } from 'node:crypto'`, false],
    [`import type { Pool } from 'undici'`, false],
  ]
  for (const [text, isFault] of cases) {
    t.equal(faultsIn('functions/istio/decide.ts', text, impureImports).length, isFault ? 1 : 0, text)
    t.strictSame(faultsIn('shared/kube/client/client.ts', text, impureImports), [], 'elsewhere')
  }
})

t.test('files say what they are for', async t => {
  t.equal(faultsIn('shared/core/plan.ts', 'export const a = 1', headerFaults).length, 1)
  t.equal(faultsIn('functions/istio/decide.ts', `'use strict'\n// what it is for`, headerFaults).length, 1)
  t.strictSame(faultsIn('shared/core/plan.ts', '// What a function decides.\n', headerFaults), [])
  t.strictSame(faultsIn('shared/core/plan.ts', '/** What a function decides. */\n', headerFaults), [])
  t.strictSame(
    nameFaults(['shared/kube/utils.ts', 'functions/common/index.ts', 'shared/core/base.test.ts']).map(
      ({ path }) => path,
    ),
    ['shared/kube/utils.ts', 'functions/common/index.ts', 'shared/core/base.test.ts'],
  )
  t.strictSame(
    nameFaults(['shared/deploy/access/service-account.ts', 'functions/x/desired/service.ts', 'tests/harness/base.ts']),
    [],
  )
})

t.test('a folder of a function holds what it should and no more', async t => {
  const good = ['index.ts', 'README.md', 'decide.ts', 'desired/gateway.ts', 'rules/spec.ts'].map(
    file => `functions/x/${file}`,
  )
  const tree = (files: readonly string[]): Tree => new Map(files.map(file => [file, 40]))
  t.strictSame(folderFaults(tree(good)), [])
  t.strictSame(folderFaults(tree([...good, 'functions/x/parsing.ts'])), [
    { path: 'functions/x/parsing.ts', fault: 'does not belong here' },
  ])
  t.strictSame(folderFaults(tree(['functions/x/index.ts'])), [{ path: 'functions/x', fault: 'has no README.md' }])
  t.strictSame(folderFaults(new Map([...tree(good), ['functions/x/index.ts', 41]])), [
    { path: 'functions/x/index.ts', fault: 'has more than 40 lines' },
  ])
  const beside = (count: number) => Array.from({ length: count }, (_, at) => `shared/x/${at}.ts`)
  t.strictSame(crowdFaults([...beside(24), 'shared/x/y/0.ts']), [])
  t.strictSame(crowdFaults(beside(25)), [{ path: 'shared/x', fault: 'has 25 files side by side, more than 24' }])
  t.strictSame(namingFaults({ folders: ['a', 'b'], list: ['b', 'a'] }), [])
  t.strictSame(namingFaults({ folders: ['a', 'b'], list: ['a', 'c'] }), [
    { path: 'folders', fault: 'does not have c' },
    { path: 'list', fault: 'does not have b' },
  ])
})

t.test('a name of a test that says too little is found', async t => {
  const faults = (text: string): string[] => testNameFaults('tests/a.test.ts', text).map(({ fault }) => fault)
  t.strictSame(faults(`t.test('CO-73 a Pod is ready when it runs', f)`), [])
  t.strictSame(faults('t.test(`bad days`, f)'), ["the test 'bad days' says neither situation nor result"])
  t.strictSame(faults(`t.test(\`bad \${days}\`, f)`), [], 'it is computed')
  t.strictSame(faults(`t.test('CO-73 Pod', f)`), [`the test 'CO-73 Pod' says neither situation nor result`])
  t.strictSame(faults(`await t.test(\n  'bad days',\n  f)`), [`the test 'bad days' says neither situation nor result`])
  t.strictSame(faults(`t.test('CO-1 CO-2 K all fine', f)`).length, 1)
  t.strictSame(faults(`t.test('a Pod runs as CO-73 says', f)`).length, 1)
  t.strictSame(faults('t.test(`$' + '{row}`, f)'), [], 'computed')
})

t.test('text, code and comments are told apart', async t => {
  const kinds = (text: string): string[] => tokensOf(text).map(({ kind, text }) => `${kind}: ${text}`)
  const cases: [text: string, tokens: string[]][] = [
    [`a // b 'c'`, ['code: a ', `comment: // b 'c'`]],
    [`a = 'it\\'s // no' + b`, ['code: a = ', `string: 'it\\'s // no'`, 'code:  + b']],
    [`\`a \${b({ c: 1 })} // d\``, [`string: \`a \${`, 'code: b({ c: 1 })', 'string: } // d`']],
    [`\`\${\`\${a}\`}\``, [`string: \`\${`, `string: \`\${`, 'code: a', 'string: }`', 'string: }`']],
    [`a = /'\\/[/]/g.test(b)`, ['code: a = ', `string: /'\\/[/]/g`, 'code: .test(b)']],
    [`\`\${toString}\` + a`, [`string: \`\${`, 'code: toString', 'string: }`', 'code:  + a']],
    ['a / b / c', ['code: a / b / c']],
    ['f(a) / 2 // x', ['code: f(a) / 2 ', 'comment: // x']],
    ['/* a\n * b */ c', ['comment: /* a\n * b */', 'code:  c']],
  ]
  for (const [text, tokens] of cases) t.strictSame(kinds(text), tokens, text)
  const isWhole = (path: string): boolean =>
    tokensOf(text(path)).reduce((all, one) => all + one.text, '') === text(path)
  t.strictSame(
    sources.filter(({ path }) => !isWhole(path)),
    [],
    'nothing of any file is lost',
  )
})
