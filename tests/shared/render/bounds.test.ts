// What a chart or kustomization makes of little: patterns that can be read in many ways, texts to be looked through again from each of
// their signs, and whatever doubles again and again. Each ends at once, or in an error that says what there was too much of.
import t from 'tap'
import { stringify } from 'yaml'
import { isMap, type JsonMap } from '../../../shared/core/json/json.ts'
import type { Files } from '../../../shared/render/generator.ts'
import { globMatcher } from '../../../shared/render/glob.ts'
import { fits } from '../../../shared/render/helm/chart.ts'
import { helm } from '../../../shared/render/helm/helm.ts'
import { withoutIgnored } from '../../../shared/render/helm/ignore.ts'
import { plainKubeVersion } from '../../../shared/render/helm/scope.ts'
import { kustomize } from '../../../shared/render/kustomize/kustomize.ts'
import { throws } from '../../harness/matches.ts'
import { chart, chartYaml } from '../../make/component/chart.ts'
import { renderContext } from '../../make/component/render-context.ts'

const files = (contents: Readonly<Record<string, unknown>>): Files =>
  new Map(
    Object.entries(contents).map(([path, content]) => [
      path,
      Buffer.from(typeof content === 'string' ? content : stringify(content)),
    ]),
  )

const built = (contents: Readonly<Record<string, unknown>>) => kustomize(files(contents))(renderContext(), {})

/** More than any time that grows with the square of it leaves unnoticed. */
const many = 2_000_000

t.test('RE-26 a constraint whose blanks can be read in many ways is read at once', async t => {
  // Each can be read in two to the power of a hundred ways and more, each of which a pattern of JavaScript's would try.
  t.equal(fits('1.2.3', `${'1, '.repeat(100)}!`), false)
  t.equal(fits('1.2.3', `${'1   '.repeat(100)}!`), false)
  t.equal(fits('1.2.3', `${' '.repeat(many / 100)}!`), false)
  t.equal(fits('1.30.0', '>=1.20.0-0   , < 1.31 ||  2.x'), true)
  t.equal(fits('9'.repeat(many), '*'), false, 'nor are digits without end a number')
})

t.test('RE-26 a version that a cluster tells is cut at once, however long', async t => {
  t.equal(plainKubeVersion(`v1.36.3${'-'.repeat(many)}\n`), 'v1.36.3')
  t.equal(plainKubeVersion('v1.36.3+k3s1'), 'v1.36.3')
})

t.test('RE-26 brackets without end make a pattern none at once', async t => {
  t.equal(globMatcher('['.repeat(many)), undefined)
  t.equal(globMatcher('[a-c]*.{yaml,yml}')?.('b1.yml'), true)
  throws(t, () => withoutIgnored(new Map(), '['.repeat(many)), {
    name: 'RenderError',
    message: /is not a valid pattern$/,
  })
  t.strictSame([...withoutIgnored(files({ a1: '', b1: '' }), '[a]?').keys()], ['b1'])
})

t.test('RE-26 values are found to be unique at once, however many', async t => {
  const render = (list: readonly unknown[], $schema?: string) => {
    const schema = { $schema, properties: { list: { uniqueItems: true } } }
    return helm(chart({ 'values.schema.json': JSON.stringify(schema) }))(renderContext(), { list })
  }
  const maps = Array.from({ length: 20_000 }, (_, n) => ({ a: { n }, b: [n] }))
  for (const draft of [
    undefined,
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2019-09/schema',
  ]) {
    t.ok(render(maps, draft))
    throws(t, () => render([...maps, { b: [7], a: { n: 7 } }], draft), {
      message: /at '\/list': must NOT have duplicate items/,
    })
  }
  t.ok(render([1, '1', true, 'true', null, 'null', [], {}, '']), 'of different kinds they are different')
})

const configMap = (more: JsonMap = {}): JsonMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a' },
  ...more,
})

const doubling = { kind: 'ConfigMap', name: 'a' }
const copies = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ op: 'copy', from: '/data', path: `/data/copy${n}` }))

t.test('RE-26 copies of a JSON patch that double each time are too many at some time', async t => {
  const patched = (patches: readonly unknown[]) =>
    built({
      'kustomization.yaml': { resources: ['a.yaml'], patches },
      'a.yaml': configMap({ data: { text: 'x'.repeat(100) } }),
    })
  const patch = (operations: unknown) => ({ target: doubling, patch: JSON.stringify(operations) })
  throws(t, () => patched([patch(copies(26))]), {
    name: 'RenderError',
    message: 'unable to complete the copy of /data: all copies together exceed 20971520 characters',
  })
  throws(t, () => patched(copies(26).map(copy => patch([copy]))), {
    name: 'RenderError',
    message: /(a patched object has more than|all copies together exceed)/,
  })
  const once = patched([patch(copies(3))])
  t.ok('objects' in once && isMap(once.objects[0]?.data))
})

t.test('RE-26 replacements that double each time are too many at some time', async t => {
  const select = { kind: 'ConfigMap' }
  const replacements = Array.from({ length: 40 }, (_, n) => ({
    source: { kind: 'ConfigMap', fieldPath: 'data' },
    targets: [{ select, fieldPaths: [`data.copy${n}`], options: { create: true } }],
  }))
  const replaced = (count: number) =>
    built({
      'kustomization.yaml': { resources: ['a.yaml'], replacements: replacements.slice(0, count) },
      'a.yaml': configMap({ data: { text: 'x'.repeat(100) } }),
    })
  throws(t, () => replaced(40), { name: 'RenderError', message: /replacements write more than 20971520 characters$/ })
  t.ok('objects' in replaced(3))
})

/** Two at each level, each of which leads to both of the next level. */
const levels = (depth: number, leaf: object, next: (names: readonly string[]) => object): Record<string, unknown> =>
  Object.fromEntries(
    Array.from({ length: depth }, (_, n) => n).flatMap(n =>
      ['a', 'b'].map(side => [
        `${side}${n}/kustomization.yaml`,
        { ...(n === depth - 1 ? leaf : next([`../a${n + 1}`, `../b${n + 1}`])), nameSuffix: `-${side}${n}` },
      ]),
    ),
  )

t.test('RE-26 bases that lead to two bases each are too many at some time', async t => {
  const contents = levels(40, { resources: [] }, resources => ({ resources }))
  throws(t, () => built({ 'kustomization.yaml': { resources: ['a0', 'b0'] }, ...contents }), {
    name: 'RenderError',
    message: /the build reads more than 1000 kustomizations$/,
  })
  const few = levels(5, { configMapGenerator: [{ name: 'a' }] }, resources => ({ resources }))
  const some = built({ 'kustomization.yaml': { resources: ['a0'] }, ...few })
  t.equal('objects' in some && some.objects.length, 16)
})

t.test('RE-26 kustomizations that include two kustomizations each are too many at some time', async t => {
  const contents = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => n).flatMap(n =>
      ['a', 'b'].map(side => [
        `${side}${n}/.component-config.yaml`,
        n === 39 ? { values: {} } : { includedKustomizations: [`../a${n + 1}`, `../b${n + 1}`] },
      ]),
    ),
  )
  throws(t, () => kustomize(files(contents), { path: 'a0' }), {
    name: 'RenderError',
    message: 'more than 1000 kustomizations are included',
  })
})

t.test('RE-26 a subchart under two names, which has one under two names, is too many at some time', async t => {
  const aliased = (depth: number): Record<string, unknown> =>
    Object.assign(
      {},
      ...Array.from({ length: depth }, (_, n) => {
        const folder = Array.from({ length: n }, (_, level) => `charts/c${level}/`).join('')
        const dependencies = ['x', 'y'].map(alias => ({ name: `c${n}`, version: '1.0.0', alias: `${alias}${n}` }))
        const name = n === 0 ? 'orchard' : `c${n - 1}`
        return { [`${folder}Chart.yaml`]: chartYaml({ name, ...(n < depth - 1 && { dependencies }) }) }
      }),
    )
  throws(t, () => helm(chart(aliased(30)))(renderContext(), {}), {
    name: 'RenderError',
    message: 'the chart uses more than 1000 charts (each alias counts as a chart)',
  })
  t.ok('objects' in helm(chart(aliased(6)))(renderContext(), {}))
})

t.test('thousands of files are taken one by one into a kustomization', async t => {
  const names = Array.from({ length: 9_000 }, (_, n) => `f${n}.yaml`)
  const contents = Object.fromEntries(
    names.map((file, n) => [file, `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a${n}}\n`]),
  )
  const made = built({ 'kustomization.yaml': { resources: names }, ...contents })
  t.equal('objects' in made && made.objects.length, 9_000)
})
