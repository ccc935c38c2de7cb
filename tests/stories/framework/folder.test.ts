// The programs of the command `espalier` in a folder of one's own.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { ownSamples } from '../../../shared/main/own/own-cluster.ts'
import { going, project, type Ran, shell } from '../../harness/framework/package.ts'
import { contains, lacks, matches } from '../../harness/matches.ts'

type Folder = {
  readonly path: (file: string) => string
  readonly write: (file: string, text: string) => void
  readonly espalier: (...args: string[]) => Promise<Ran>
}

const folderIn = (t: Test): Folder => {
  const root = t.testdir()
  const path = (file: string) => join(root, file)
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(path(file)), { recursive: true })
    writeFileSync(path(file), text)
  }
  const program = join(project, 'shared', 'main', 'espalier.ts')
  return { path, write, espalier: (...args) => shell(root, 'node', program, ...args) }
}

/** An operator with what it imports. */
const operatorIn = (t: Test): Folder => {
  const folder = folderIn(t)
  mkdirSync(folder.path('node_modules'))
  symlinkSync(project, folder.path('node_modules/espalier'))
  for (const part of ['serverless.yml', 'functions', 'kinds'])
    cpSync(join(project, 'examples', 'redis', part), folder.path(part), { recursive: true })
  return folder
}

const testThat = (name: string, body: string): string =>
  `import { test } from 'node:test'\ntest('${name}', () => {${body}})\n`

t.test(
  'FW-18 espalier test runs all tests of the folder, or the named ones, and its exit code says how they ended',
  async t => {
    const { espalier, write } = folderIn(t)
    write('functions/shop/shop.test.ts', testThat('is elsewhere', ''))
    t.strictSame(await espalier('test'), {
      code: 2,
      text: 'test: there are no tests in tests: expected files *.test.ts, as espalier init writes them\n',
    })
    write('tests/shop.test.ts', testThat('a shop opens', ''))
    write('tests/faults/shop.test.ts', testThat('a shop burns', "throw new Error('fire')"))
    write('tests/shop.ts', testThat('is no test', ''))
    write('notes.txt', '')
    const cases: [args: string[], code: number, says: RegExp][] = [
      [[], 1, /a shop burns[\s\S]*tests 2\n[\s\S]*pass 1\n[\s\S]*fail 1\n/],
      [['tests/shop.test.ts'], 0, /tests 1\n[\s\S]*pass 1\n/],
      [['tests/faults'], 1, /tests 1\n[\s\S]*fail 1\n/],
      [['functions', 'tests/shop.test.ts'], 0, /is elsewhere[\s\S]*tests 2\n[\s\S]*pass 2\n/],
      [['--name', '^a shop op'], 0, /^(?![\s\S]*burns)[\s\S]*a shop opens/],
      [['kinds'], 2, /^test: kinds does not exist: expected a file such as [^\n]*\n$/],
      [['notes.txt'], 2, /^test: notes\.txt holds no tests: expected a file such as [^\n]*\n$/],
      [['--name', '('], 2, /^test: --name is \(: expected a regular expression: [^\n]*\n$/],
      [['--help'], 0, /Examples:\n {2}espalier test\n {2}espalier test tests\/website/],
    ]
    for (const [args, code, says] of cases)
      matches(t, await espalier('test', ...args), { code, text: says }, args.join(' '))
  },
)

t.test('FW-18 a function or serverless.yml with a fault: one sentence without a stack', async t => {
  const { espalier, path, write } = operatorIn(t)
  write('tests/shop.test.ts', testThat('a shop opens', ''))
  const index = readFileSync(path('functions/redis/index.ts'), 'utf8')
  write('functions/redis/index.ts', `${index}const\n`)
  matches(t, await espalier('test'), {
    code: 2,
    text: /^test: functions\/redis\/index\.ts cannot be loaded: [^\n]+\n$/,
  })
  write('functions/redis/index.ts', index)
  const whole = readFileSync(path('serverless.yml'), 'utf8')
  write('serverless.yml', whole.replace('timeout: 60', 'timeout: soon'))
  matches(t, await espalier('test'), { code: 2, text: /^test: [^\n]*serverless\.yml is refused:\n {2}[^\n]+\n$/ })
  write('serverless.yml', whole)
  matches(t, await espalier('test'), { code: 0, text: /pass 1\n/ })
})

t.test('FW-38 a sample that is no YAML or no object is refused before a cluster starts', async t => {
  const { espalier, write } = operatorIn(t)
  for (const [sample, says] of [
    ['kind: Redis\nspec: {', /^start: samples\/redis\.yaml is not valid YAML: [^\n]+/],
    [
      'kind: Redis\n',
      /^start: samples\/redis\.yaml: document 1 is not an object with apiVersion, kind\s+and\s+metadata\.name\n$/,
    ],
    ['apiVersion: v1\nkind: List\nitems: []\n', /^start: samples\/redis\.yaml: document 1 is not an object/],
    [
      'apiVersion: v1\nkind: ConfigMap\nmetadata: { generateName: a- }\n',
      /^start: samples\/redis\.yaml: document 1 is not an object/,
    ],
  ] as const) {
    write('samples/redis.yaml', sample)
    matches(t, await espalier('start', '--port', '0'), { code: 1, text: says }, sample)
  }
})

t.test('FW-38 samples that are commented out are no fault', async t => {
  const { path, write } = operatorIn(t)
  const sample = readFileSync(join(project, 'examples/redis/samples/redis.yaml'), 'utf8')
  write('samples/empty.yaml', '')
  write('samples/marker.yaml', '---\n# nothing\n')
  write('samples/redis.yaml', sample.replaceAll(/^/gm, '# '))
  t.strictSame(await ownSamples(path('.')), [])
  write('samples/other.yaml', sample)
  t.strictSame(
    (await ownSamples(path('.'))).map(({ kind }) => kind),
    ['Redis'],
  )
})

/** A start with this code ends when the file `hold` is gone, at most a minute later. Then it writes the file `ended`. */
const heldAtExit = `import { existsSync, writeFileSync } from 'node:fs'
const cell = new Int32Array(new SharedArrayBuffer(4))
process.on('exit', () => {
  for (let look = 0; look < 1_200 && existsSync('hold'); look++) Atomics.wait(cell, 0, 0, 50)
  writeFileSync('ended', '')
})
`

t.test('FW-24 FW-39 espalier dev waits for a saved file after a signal, and ends after a wrong flag', async t => {
  const { path, write, espalier } = operatorIn(t)
  const saysAlone = (start: string) => new RegExp(`^start: ${start}(?![\\s\\S]*waits)`)
  matches(t, await espalier('dev', '--prot', '0'), { code: 1, text: saysAlone("Unknown option '--prot'") })
  matches(t, await espalier('dev', '--port', 'x'), { code: 1, text: saysAlone('--port is "x": expected') })
  const file = 'functions/redis/index.ts'
  const index = readFileSync(path(file), 'utf8')
  mkdirSync(path('node_modules/.bin'))
  symlinkSync(join(project, 'shared/main/espalier.mjs'), path('node_modules/.bin/espalier'))
  const running = going(t, path('.'), 'dev', '--port', '0')
  await running.says(/ready after/)
  write(file, `process.kill(process.pid, 'SIGKILL')\n${index}`)
  await running.says(/restarting[\s\S]*\nwaits {6}until a file is saved/)
  write(file, index)
  lacks(t, await running.says(/waits {6}until[\s\S]*restarting[\s\S]*ready after/), /waits[\s\S]*waits/)
  write('hold', '')
  write(file, `${heldAtExit}${index}`)
  await running.says(/(?:restarting[\s\S]*){3}ready after/)
  write(file, index)
  await running.says(/(?:stopping[\s\S]*){3}/)
  write(file, `${index}\n`)
  await running.says(/(?:restarting[\s\S]*){5}/)
  rmSync(path('hold'))
  await running.says(/(?:restarting[\s\S]*){5}ready after/)
  t.ok(existsSync(path('ended')), 'the second saved file did not end the start at once')
  t.equal(await running.interrupt(), 0)
})

t.test('FW-20 what espalier generate no longer writes is removed, and files of people stay', async t => {
  const { espalier, path, write } = operatorIn(t)
  const index = readFileSync(path('functions/redis/index.ts'), 'utf8')
  const shape = "{ says: 'a text', read: text => ({ value: text }) }"
  const settings = `settings: { unit: { sentence: 'Words', shape: ${shape}, default: 'a' } }, `
  write('functions/redis/index.ts', index.replace('component({', `component({ ${settings}`))
  contains(t, (await espalier('generate')).text, 'docs/settings.md is rewritten')
  const mine = ['manifests/helm/templates/mine.yaml', 'docs/mine.md', 'manifests/mine.yaml']
  for (const file of mine) write(file, 'mine: yes\n')
  t.strictSame(await espalier('generate', '--check'), { code: 0, text: '' }, 'files of people are no difference')
  // As if an earlier Espalier had one more template.
  const list = readFileSync(path('manifests/generated.txt'), 'utf8')
  const old = 'manifests/helm/templates/old.yaml'
  write(old, '{{ fail "old" }}\n')
  const others = ['serverless.yml', 'manifests/helm/../../docs/mine.md', 'manifests/helm/templates']
  write('manifests/generated.txt', `${old}\n${others.join('\n')}\n${list}`)
  write('functions/redis/index.ts', index)
  const left = [old, 'docs/settings.md', 'manifests/rbac/gone.yaml']
  write('manifests/rbac/gone.yaml', '# Written by `npm run generate` from serverless.yml. Changes belong there.\n')
  const check = await espalier('generate', '--check')
  t.equal(check.code, 1)
  for (const file of left) contains(t, check.text, `${file} is left over`)
  const { text } = await espalier('generate')
  for (const file of left) {
    contains(t, text, `${file} is removed`)
    t.notOk(existsSync(path(file)), file)
  }
  for (const file of others) t.ok(existsSync(path(file)), file)
  for (const file of mine) t.equal(readFileSync(path(file), 'utf8'), 'mine: yes\n', file)
  lacks(t, readFileSync(path('manifests/generated.txt'), 'utf8'), /old|settings\.md/)
  t.strictSame(await espalier('generate', '--check'), { code: 0, text: '' })
})

t.test('FW-26 a namespace that is part of another name is refused, because the chart replaces it', async t => {
  const { espalier, path, write } = operatorIn(t)
  const whole = readFileSync(path('serverless.yml'), 'utf8')
  const inNamespace = (namespace: string) => whole.replaceAll('redis-operator-system', namespace)
  for (const namespace of ['redis-operator', 'redis', 'operator', 'host']) {
    write('serverless.yml', inNamespace(namespace))
    const { code, text } = await espalier('generate')
    t.equal(code, 1)
    const allowed = 'allowed: a name that is no part of another one, such as redis-operator-system'
    contains(t, text, `provider.namespace: found "${namespace}"; ${allowed}`)
    t.notOk(existsSync(path('manifests')), 'nothing is written')
  }
  write('serverless.yml', inNamespace('caches'))
  t.equal((await espalier('generate')).code, 0)
})
