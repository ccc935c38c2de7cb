// Charts of a few lines, each for what one row says; that real charts come out as from Helm is shown in helm-corpus.test.ts.
import { once } from 'node:events'
import { createServer } from 'node:http'
import t, { type Test } from 'tap'
import { isMap, type JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { type Findings, lookupKey, type RenderContext } from '../../../shared/render/generator.ts'
import { helm } from '../../../shared/render/helm/helm.ts'
import { helmRun, objectsIn } from '../../corpus/helm-oracle.ts'
import { isQuick } from '../../harness/cpu-work.ts'
import { matches, throws } from '../../harness/matches.ts'
import { packed, tgz } from '../../make/artifact.ts'
import { chart, chartYaml } from '../../make/component/chart.ts'
import { renderContext } from '../../make/component/render-context.ts'

type Contents = Readonly<Record<string, unknown>>

const rendered = (
  files: Contents,
  values: JsonMap = {},
  context: Partial<RenderContext> = {},
): readonly KubeObject[] => {
  const rendering = helm(chart(files))(renderContext(context), values)
  if ('needs' in rendering) throw new Error(`it needs ${JSON.stringify(rendering.needs)}`)
  return rendering.objects
}

const names = (objects: readonly KubeObject[]): string[] => objects.map(({ metadata }) => metadata.name)

/** A template of one ConfigMap, whose data are the pipelines' results; a template stays as it is. */
const configMap = (pipelines: Readonly<Record<string, string>>, name = 'found'): string =>
  [
    ...['apiVersion: v1', 'kind: ConfigMap', `metadata: {name: ${name}}`, 'data:'],
    ...Object.entries(pipelines).map(([key, pipeline]) =>
      pipeline.includes('{{') ? `  ${key}: "${pipeline}"` : `  ${key}: {{ ${pipeline} | toString | quote }}`,
    ),
  ].join('\n')

/** The data of the first object. */
const data = (objects: readonly KubeObject[]): unknown => objects[0]?.data

const sub = (name: string, files: Contents = {}, parts: object = {}): Contents =>
  Object.fromEntries(
    Object.entries({
      'Chart.yaml': chartYaml({ name, version: '1.2.3', ...parts }),
      'templates/name.yaml': configMap({ values: 'omit .Values "global" | toJson' }, '{{ .Chart.Name }}'),
      ...files,
    }).map(([path, content]) => [`charts/${name}/${path}`, content]),
  )

t.test('CO-79 conditions win over tags, and an alias is a subchart of its own', async t => {
  const files = {
    'Chart.yaml': chartYaml({
      dependencies: [
        { name: 'web', version: '^1', condition: 'web.enabled', tags: ['front'] },
        { name: 'web', version: '1.x', alias: 'admin', tags: ['front', 'internal'] },
        { name: 'cache', version: '>=1.0.0 <2', condition: 'absent,cache.enabled' },
      ],
    }),
    ...sub('web'),
    ...sub('cache'),
  }
  const rows: [sentence: string, values: JsonMap, expected: string[]][] = [
    ['all without a word', {}, ['cache', 'web', 'admin']],
    ['a tag is off', { tags: { front: false } }, ['cache']],
    ['one tag of two is on', { tags: { front: false, internal: true } }, ['cache', 'admin']],
    ['a condition wins over a tag', { tags: { front: false }, web: { enabled: true } }, ['cache', 'web']],
    ['the first path that leads somewhere counts', { cache: { enabled: false } }, ['web', 'admin']],
    ['what is no boolean decides nothing', { cache: { enabled: 'no' } }, ['cache', 'web', 'admin']],
  ]
  for (const [sentence, values, expected] of rows)
    t.strictSame(names(rendered(files, values)).sort(), expected.toSorted(), sentence)
  t.strictSame(rendered(files, { admin: { a: 1 } }).find(({ metadata }) => metadata.name === 'admin')?.data, {
    values: '{"a":1}',
  })
})

t.test('CO-79 values are imported, globals reach subcharts, and a library gives no objects', async t => {
  const files = {
    'Chart.yaml': chartYaml({
      dependencies: [
        { name: 'web', version: '*', 'import-values': ['ports', { child: 'limits.cpu', parent: 'cpu' }] },
        { name: 'lib', version: '*' },
      ],
    }),
    'values.yaml': { http: 80, global: { domain: 'example.org' } },
    'templates/own.yaml': configMap({
      http: '.Values.http',
      metrics: '.Values.metrics',
      cpu: '.Values.cpu.request',
      lent: 'include "lib.lent" .',
    }),
    ...sub('web', {
      'values.yaml': { exports: { ports: { http: 8080, metrics: 9100 } }, limits: { cpu: { request: '1' } } },
      'templates/name.yaml': configMap({ domain: '.Values.global.domain', own: 'include "lib.lent" .' }, 'web'),
    }),
    ...sub(
      'lib',
      { 'templates/_lent.tpl': '{{ define "lib.lent" }}lent to {{ .Chart.Name }}{{ end }}' },
      { type: 'library' },
    ),
  }
  const [own, web, ...more] = rendered(files).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  t.strictSame(own?.data, { http: '80', metrics: '9100', cpu: '1', lent: 'lent to orchard' }, 'a text is exports.x')
  t.strictSame(web?.data, { domain: 'example.org', own: 'lent to web' })
  t.strictSame(more, [], 'a library gives no objects')
  throws(t, () => helm(chart({ 'Chart.yaml': chartYaml({ type: 'library' }) })), /orchard is a library/)
})

const common = { child: 'labels', parent: 'common' }

/** Subcharts that lend their labels to one place of the chart. */
const lending = (labels: Record<string, object>): Contents => ({
  'Chart.yaml': chartYaml({
    dependencies: Object.keys(labels).map(name => ({ name, version: '*', 'import-values': [common] })),
  }),
  'templates/own.yaml': configMap({ values: '.Values.common | toJson' }, 'own'),
  ...Object.assign({}, ...Object.entries(labels).map(([name, own]) => sub(name, { 'values.yaml': { labels: own } }))),
})

const dataByName = (objects: readonly KubeObject[]) =>
  Object.fromEntries(objects.map(({ metadata, data }) => [metadata.name, data]))

t.test('CO-79 what is imported into an import that was empty does not come to its subchart', async t => {
  const files = lending({ db: {}, web: { tier: 'front' } })
  t.strictSame(dataByName(rendered(files)), {
    own: { values: '{"tier":"front"}' },
    db: { values: '{"labels":{}}' },
    web: { values: '{"labels":{"tier":"front"}}' },
  })
})

t.test(
  'CO-79 a null that one subchart lends takes away what another one lends under that name, as in helm',
  async t => {
    const files = lending({
      db: { tier: null, deep: { a: null } },
      web: { tier: 'front', zone: 'a', deep: { a: 1, b: 2 } },
    })
    const found = dataByName(rendered(files))
    t.strictSame(found, dataByName((await objectsIn((await helmRun(chart(files))).stdout)) as KubeObject[]))
    t.strictSame(found.web, { values: '{"labels":{"deep":{"b":2},"zone":"a"}}' })
  },
)

t.test('CO-79 in a chart that lists no dependencies, aliases further down mean nothing to imports either', async t => {
  const dependencies = [{ name: 'db', version: '*', alias: 'store', 'import-values': ['ports'] }]
  const files = {
    ...sub('web', {}, { dependencies }),
    'charts/web/charts/db/Chart.yaml': chartYaml({ name: 'db', version: '1.2.3' }),
    'charts/web/charts/db/values.yaml': { exports: { ports: { sql: 5432 } } },
  }
  const values = '{"db":{"exports":{"ports":{"sql":5432}},"global":{}},"sql":5432}'
  t.strictSame(data(rendered(files)), { values })
})

t.test('CO-79 requirements.yaml of the first version', async t => {
  const files = {
    'Chart.yaml': { name: 'orchard', version: '0.1.0' },
    'requirements.yaml': { dependencies: [{ name: 'web', version: '1.2.3', condition: 'web.on' }] },
    ...sub('web', {}, { apiVersion: 'v1' }),
  }
  t.strictSame(names(rendered(files)), ['web'])
  t.strictSame(names(rendered(files, { web: { on: false } })), [])
})

const withMetadata = (metadata: string): Contents => ({
  'templates/a.yaml': `apiVersion: v1\nkind: Pod\nmetadata: ${metadata}`,
})

t.test('CO-79 what cannot be rendered is an error that names it', async t => {
  const dependencies = [{ name: 'nowhere', version: '1' }]
  const schema = { properties: { replicas: { type: 'integer' } }, required: ['owner'] }
  const rows: [sentence: string, files: Contents, says: RegExp][] = [
    [
      'a dependency that is not there',
      { 'Chart.yaml': chartYaml({ dependencies }) },
      /missing in charts\/ directory: nowhere/,
    ],
    ['another Kubernetes', { 'Chart.yaml': chartYaml({ kubeVersion: '>=1.99' }) }, />=1\.99 .* v1\.35\.0/],
    [
      'values that do not fit',
      { 'values.schema.json': JSON.stringify(schema) },
      /orchard: .*'owner'.*replicas.*integer/,
    ],
    ['a schema that is none', { 'values.schema.json': '{' }, /values\.schema\.json/],
    ['a schema elsewhere', { 'values.schema.json': '{"$ref":"https://example.org/x"}' }, /https:\/\/example\.org\/x/],
    ['no Chart.yaml in a subchart', { 'charts/web/values.yaml': 'a: 1' }, /charts\/web\/Chart\.yaml is missing/],
    ['values.yaml that is no YAML', { 'values.yaml': 'a: 1\nb: [' }, /values\.yaml: line 2/],
    ['a name with a slash', { 'Chart.yaml': chartYaml({ name: 'a/b' }) }, /name "a\/b" is invalid/],
    ['a version that is none', { 'Chart.yaml': chartYaml({ version: 'one' }) }, /version "one" is invalid/],
    ['a broken template', { 'templates/a.yaml': 'a\n{{ if }}' }, /orchard\/templates\/a\.yaml:2/],
    [
      'a template that is no YAML',
      { 'templates/a.yaml': '# one\n---\nb: 2\nc: }' },
      /orchard\/templates\/a\.yaml: line 4/,
    ],
    ['an object without kind', { 'templates/a.yaml': 'apiVersion: v1' }, /a\.yaml: line 1: an object has no kind/],
    [
      'an annotation that is no text',
      withMetadata('{name: a, annotations: {note: 1}}'),
      /metadata of Pod: annotation note is not a string/,
    ],
    ['a name that is no text', withMetadata('{name: 1}'), /metadata of Pod: name is not a string/],
  ]
  for (const [sentence, files, says] of rows)
    throws(t, () => rendered(files, { replicas: 'many' }), { name: 'RenderError', message: says }, sentence)
})

t.test('RE-24 packed subcharts unpack to so much, together', async t => {
  const bomb = await packed({ 'Chart.yaml': 'name: bomb\nversion: 1.0.0', zeros: '0'.repeat(20 * 2 ** 20) }, 'bomb/')
  t.ok(bomb.length < 100_000, 'it is small when packed')
  const files = new Map([...chart(), ['charts/one.tgz', bomb] as const])
  t.ok(helm(files), 'one is taken')
  throws(t, () => helm(new Map([...files, ['charts/two.tgz', bomb]])), {
    name: 'RenderError',
    message: /charts\/two\.tgz/,
  })
  const evil = await packed({ '../../Chart.yaml': 'name: x' }, 'evil/')
  throws(t, () => helm(new Map([...chart(), ['charts/evil.tgz', evil]])), {
    message: /charts\/evil\.tgz.*leads out/,
  })
})

t.test('RE-24 an archive within an archive within an archive ends somewhere', async t => {
  let inside: Record<string, string | Buffer> = {}
  for (let depth = 0; depth < 60; depth++) {
    const entries = Object.entries({ 'Chart.yaml': 'name: doll\nversion: 1.0.0', ...inside })
    inside = {
      'charts/doll-1.0.0.tgz': await tgz(entries.map(([path, content]) => ({ name: `doll/${path}`, content }))),
    }
  }
  const files = new Map([
    ...chart(),
    ...Object.entries(inside).map(([path, bytes]) => [path, Buffer.from(bytes)] as const),
  ])
  throws(t, () => helm(files), { name: 'RenderError', message: /nested too deeply/ })
})

t.test('RE-23 patterns that a chart brings take no longer than the text is long', async t => {
  const stars = `${'*a'.repeat(30)}b`
  const path = `notes/${'a'.repeat(900)}`
  const schema = { properties: { text: { pattern: '^(a+)+$' } } }
  const files = {
    '.helmignore': stars,
    [path]: 'x',
    'values.schema.json': JSON.stringify(schema),
    'templates/a.yaml': configMap({ found: `.Files.Glob "notes/${stars}" | len`, all: '.Files.Glob "**" | len' }),
  }
  const found = () => t.strictSame(data(rendered(files, { text: 'aaa' })), { found: '0', all: '2' })
  await isQuick(t, found, 'stars in .helmignore and globs')
  await isQuick(
    t,
    () => throws(t, () => rendered(files, { text: `${'a'.repeat(5_000)}!` }), /'\/text': must match pattern/),
    'a pattern in a schema',
  )
  const unfit = { 'Chart.yaml': chartYaml({ kubeVersion: `>=1${' '.repeat(5_000)}!` }) }
  await isQuick(t, () => throws(t, () => rendered(unfit), /requires kubeVersion/), 'a constraint')
})

t.test('CO-80 ignored files, packed subcharts, .yml templates, definitions', async t => {
  const definition = (name: string): string =>
    `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ${name}}`
  const inside = { 'Chart.yaml': 'name: wheel\nversion: 1.0.0', 'templates/w.yml': configMap({ x: '1' }, 'wheel') }
  const files = chart({
    '.helmignore': '# temporary things\n*.bak\n/drafts/\nnotes-[0-9].md',
    'drafts/x.md': 'a draft',
    'notes-1.md': 'ignored',
    'notes-a.md': 'seen',
    'templates/old.yaml.bak': '{{ not a template',
    'templates/NOTES.txt': 'not: an: object {{ .Release.Name }}',
    'templates/_partial.yaml': '{{ define "x" }}{{ end }}not an object',
    'templates/a.yml': configMap({ seen: '{{ range $path, $_ := .Files }}{{ $path }} {{ end }}' }, 'yml'),
    'crds/one.yaml': `${definition('"{{ raw }}"')}\n---\n${definition('second')}`,
    'crds/README.md': '- no object',
  })
  const all = new Map([...files, ['charts/wheel-1.0.0.tgz', await packed(inside, 'wheel/')] as const])
  const rendering = helm(all)(renderContext(), {})
  t.ok('objects' in rendering)
  if (!('objects' in rendering)) return
  t.strictSame(names(rendering.objects).slice(0, 2), ['{{ raw }}', 'second'], 'definitions come first, unrendered')
  t.strictSame(names(rendering.objects).slice(2).sort(), ['wheel', 'yml'])
  const seen = rendering.objects.find(({ metadata }) => metadata.name === 'yml')?.data
  t.strictSame(seen, { seen: '.helmignore crds/README.md crds/one.yaml notes-a.md ' })
})

t.test('CO-80 a text at the end of a document ends with one line break, whatever follows it', async t => {
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  text: |\n    last'
  for (const [after, name] of Object.entries({
    '': 'nothing',
    '\n': 'a line',
    '\n\n': 'an empty line',
    ' \n---\n': 'a blank',
  }))
    t.strictSame(data(rendered({ 'templates/a.yaml': text + after })), { text: 'last\n' }, name)
})

t.test('CO-80 definitions of a subchart that is used twice are there once', async t => {
  const dependencies = ['left', 'right'].map(alias => ({ name: 'web', version: '*', alias }))
  const crd = 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: webs}'
  const files = { 'Chart.yaml': chartYaml({ dependencies }), ...sub('web', { 'crds/web.yaml': crd }) }
  t.strictSame(names(rendered(files)), ['webs', 'left', 'right'])
})

t.test('CO-81 null takes a default away, and other shapes replace maps', async t => {
  const files = {
    'values.yaml': { gone: 1, map: { a: 1, b: 2 }, list: [1, 2], text: 'x', deep: { er: { a: 1, b: 2 } } },
    'templates/a.yaml': configMap({ values: 'toJson .Values' }),
  }
  const rows: [values: JsonMap, expected: JsonMap][] = [
    [{}, { gone: 1, map: { a: 1, b: 2 }, list: [1, 2], text: 'x', deep: { er: { a: 1, b: 2 } } }],
    [
      { gone: null, deep: { er: { a: null } } },
      { map: { a: 1, b: 2 }, list: [1, 2], text: 'x', deep: { er: { b: 2 } } },
    ],
    [
      { gone: null, map: 5, list: [], text: { a: 1 }, deep: null },
      { map: 5, list: [], text: { a: 1 } },
    ],
    [
      { gone: null, map: [1], list: null, text: null, deep: { er: 'x' } },
      { map: [1], deep: { er: 'x' } },
    ],
  ]
  for (const [values, expected] of rows) {
    const { values: found = '' } = data(rendered(files, values)) as { values?: string }
    t.strictSame(JSON.parse(found), expected, JSON.stringify(values))
  }
})

t.test('RE-22 names of Object’s methods are values like others', async t => {
  const values = JSON.parse(
    '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 2}}, "toString": "x"}',
  )
  const files = {
    'values.yaml': '__proto__: {other: 1}\nglobal: {__proto__: {g: 1}}',
    'templates/a.yaml': configMap({ found: 'toJson .Values' }),
    ...sub('web'),
  }
  const [, found] = rendered(files, values)
  t.strictSame(
    isMap(found?.data) && found.data.found,
    '{"__proto__":{"other":1,"polluted":1},"constructor":{"prototype":{"polluted":2}},"global":{"__proto__":{"g":1}},"toString":"x","web":{"global":{"__proto__":{"g":1}}}}',
  )
  t.equal(({} as JsonMap).polluted, undefined)
  t.equal(({} as JsonMap).other, undefined)
})

const secret = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'shop', labels },
  data: { key: 'dmFsdWU=' },
})

t.test('CO-82 lookups are asked for first, then answered', async t => {
  const pipelines = {
    one: '(lookup "v1" "Secret" "shop" "here").data.key',
    none: 'lookup "v1" "Secret" "shop" "absent" | toJson',
    list: '{{ range (lookup `v1` `Secret` `shop` ``).items }}{{ .metadata.name }},{{ end }}',
    labelled: '{{ range (lookupList `v1` `Secret` `shop` `tier=front`).items }}{{ .metadata.name }},{{ end }}',
  }
  const render = helm(chart({ 'templates/a.yaml': configMap(pipelines) }))
  const lookups = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', in: 'target' } as const
  const first = render(renderContext(), {})
  const asked = [
    { ...lookups, name: 'here' },
    { ...lookups, name: 'absent' },
    { ...lookups, name: '' },
    { ...lookups, name: '', labelSelector: 'tier=front' },
  ]
  t.ok('needs' in first)
  if (!('needs' in first)) return
  // The first pipeline fails for want of an answer, so that it takes several tries to learn of all questions.
  t.strictSame(first.needs.slice(0, 1), asked.slice(0, 1))
  const answers = [secret('here'), undefined, [secret('a'), secret('b')], [secret('b')]]
  const found: Findings = new Map(asked.map((lookup, index) => [lookupKey(lookup), answers[index]]))
  const second = render(renderContext({ found }), {})
  t.strictSame('objects' in second && data(second.objects), {
    one: 'dmFsdWU=',
    none: '{}',
    list: 'a,b,',
    labelled: 'b,',
  })
})

/** What helm makes of a template that looks up the only object of a cluster: the data of its object. */
const helmData = async (t: Test, template: string, found: KubeObject): Promise<unknown> => {
  const kinds = [{ name: 'configmaps', singularName: 'configmap', namespaced: true, kind: 'ConfigMap', verbs: ['get'] }]
  const answers: JsonMap = {
    '/version': { major: '1', minor: '35', gitVersion: 'v1.35.0' },
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
    '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: kinds },
    [`/api/v1/namespaces/shop/configmaps/${found.metadata.name}`]: found,
    '/api/v1/namespaces/shop/configmaps': { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items: [found] },
  }
  const missing = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }
  const server = createServer(({ url = '' }, response) => {
    const answer = answers[url.replace(/\?.*/, '')]
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? missing))
  })
  t.teardown(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const args = ['--dry-run=server', '--disable-openapi-validation', `--kube-apiserver=http://127.0.0.1:${port}`]
  const { stdout } = await helmRun(chart({ 'templates/a.yaml': template }), args)
  return (await objectsIn(stdout)).map(object => (isMap(object) ? object.data : undefined))[0]
}

t.test('CO-82 whole numbers of what was looked up are integers, as in helm', async t => {
  const numbers = { big: 1_000_650_000, three: 3, half: 1.5, negative: -7, wide: 2 ** 53, huge: 1e20, list: [1, 2.5] }
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'shop' }, spec: numbers }
  const paths = [...Object.keys(numbers).map(key => `.spec.${key}`), '.spec']
  const one = '(lookup "v1" "ConfigMap" "shop" "web")'
  const writings = ['toString', 'kindOf', 'toJson', 'toYaml', 'printf "%v"', 'typeOf', 'deepCopy | quote | trimAll `"`']
  const pipelines = Object.fromEntries([
    ...paths.flatMap((path, at) => writings.map((writing, index) => [`p${at}w${index}`, `${one}${path} | ${writing}`])),
    ['equal', `eq ${one}.spec.three 3`],
    ['less', `lt ${one}.spec.negative 0`],
    ['sum', `add ${one}.spec.big 1`],
    ['index', `index (list 1 2 3 4) ${one}.spec.three`],
    ['listed', '(first (lookup "v1" "ConfigMap" "shop" "").items).spec.big'],
    ['read', '(fromJson `{"a": 3000000}`).a | kindOf'],
  ])
  const template = configMap(pipelines)
  const question = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', in: 'target' } as const
  const found: Findings = new Map<string, KubeObject | KubeObject[]>([
    [lookupKey({ ...question, name: 'web' }), object],
    [lookupKey({ ...question, name: '' }), [object]],
  ])
  const theirs = await helmData(t, template, object)
  t.strictSame(data(rendered({ 'templates/a.yaml': template }, {}, { found })), theirs)
  matches(t, theirs, { equal: 'true', listed: '1000650000', read: 'float64' })
})

t.test('CO-82 mustLookup of a missing object is an error', async t => {
  const files = { 'templates/a.yaml': configMap({ x: 'mustLookup "v1" "Secret" "shop" "absent"' }) }
  const lookup = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'absent', in: 'target' } as const
  t.ok('needs' in helm(chart(files))(renderContext(), {}), 'not before it has been looked up')
  throws(t, () => rendered(files, {}, { found: new Map([[lookupKey(lookup), undefined]]) }), /absent/)
})

t.test('CO-83 what templates know of cluster, release, chart, template and files', async t => {
  const pipelines = {
    kube: 'printf "%s %s.%s" .Capabilities.KubeVersion.Version .Capabilities.KubeVersion.Major .Capabilities.KubeVersion.Minor',
    git: '.Capabilities.KubeVersion.GitVersion',
    version: '.Capabilities.APIVersions.Has "apps/v1"',
    kind: '.Capabilities.APIVersions.Has "apps/v1/Deployment"',
    other: '.Capabilities.APIVersions.Has "apps/v1/Nothing"',
    release: 'toJson .Release',
    chart: 'printf "%s %s %s" .Chart.Name .Chart.Version .Chart.AppVersion',
    template: 'printf "%s in %s" .Template.Name .Template.BasePath',
    files: '{{ range $path, $_ := .Files }}{{ $path }} {{ end }}',
  }
  const files = {
    'Chart.yaml': chartYaml({ appVersion: 1.1 }),
    'Chart.lock': 'digest: x',
    'values.yaml': '{}',
    'values.schema.json': '{}',
    'notes/a.txt': 'x',
    'charts/.gitkeep': '',
    'templates/deep/a.yaml': configMap(pipelines),
  }
  const cluster = { version: 'v1.36.3-eks-1', apiVersions: ['v1', 'apps/v1', 'apps/v1/Deployment'] }
  const first = {
    kube: 'v1.36.3-eks-1 1.36',
    git: 'v1.36.3-eks-1',
    version: 'true',
    kind: 'true',
    other: 'false',
    release: '{"IsInstall":true,"IsUpgrade":false,"Name":"demo","Namespace":"shop","Revision":1,"Service":"Helm"}',
    chart: 'orchard 1.0.0 1.1',
    template: 'orchard/templates/deep/a.yaml in orchard/templates',
    files: 'notes/a.txt ',
  }
  t.strictSame(data(rendered(files, {}, { cluster })), first)
  t.strictSame(data(rendered(files, {}, { cluster, revision: 7 })), {
    ...first,
    release: '{"IsInstall":false,"IsUpgrade":true,"Name":"demo","Namespace":"shop","Revision":7,"Service":"Helm"}',
  })
})

t.test('CO-83 numbers of Chart.yaml become the texts that helm makes of them', async t => {
  const spellings = [
    ...[
      '20240101',
      '20240101.1',
      '1234567e8',
      '10000000000000000000000',
      '1.0',
      '0x10',
      '0X1f',
      '1_000',
      '010',
      '08',
      '0o17',
    ],
    ...[
      '12345678901234567890',
      '-12345678901234567',
      '+5',
      '1e3',
      '2024.0101e2',
      'true',
      'yes',
      '.5',
      '1.25',
      '-0',
      '1e30',
    ],
    ...[
      '16777217',
      '16777217.0',
      '0.1',
      '3.14159265358979',
      '1e-7',
      '12345.678',
      '2_0.5',
      '0b101',
      '"7"',
      '2024-01-01',
    ],
    ...['99999.99', '1e40', '~', '33554431.9', '1.17549435e-38', '999999.9', '1000000.5'],
  ]
  const files = chart(
    Object.fromEntries(
      spellings.flatMap((spelling, index) => [
        [`charts/v${index}/Chart.yaml`, `name: v${index}\nversion: 1.0.0\nappVersion: ${spelling}`],
        [`charts/v${index}/templates/a.yaml`, configMap({ app: '.Chart.AppVersion' }, '{{ .Chart.Name }}')],
      ]),
    ),
  )
  const versions = (objects: readonly unknown[]): string[] =>
    objects.map(object => (isMap(object) ? JSON.stringify([object.metadata, object.data]) : '')).sort()
  const theirs = await objectsIn((await helmRun(files)).stdout)
  t.equal(theirs.length, spellings.length)
  const rendering = helm(files)(renderContext(), {})
  t.strictSame(versions('objects' in rendering ? rendering.objects : []), versions(theirs))
})

t.test('CO-95 files outside the chart are empty, and the environment is not there', async t => {
  const files = {
    'templates/a.yaml': configMap({
      up: '.Files.Get "../x"',
      absolute: '.Files.Get "/etc/passwd"',
      own: '.Files.Get "Chart.yaml"',
      lines: '.Files.Lines "../x" | len',
      glob: '.Files.Glob "/etc/*" | len',
      host: 'getHostByName "example.org"',
    }),
  }
  t.strictSame(data(rendered(files)), { up: '', absolute: '', own: '', lines: '0', glob: '0', host: '' })
  for (const name of ['env', 'expandenv'])
    throws(t, () => rendered({ 'templates/a.yaml': configMap({ x: `${name} "HOME"` }) }), {
      message: new RegExp(`function "${name}" not defined`),
    })
})

const hooked = (annotations: Record<string, string | null>): Contents => ({
  'templates/hook.yaml': { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'hook', annotations } },
})

const hook = (events: string, parts: Record<string, string> = {}): Contents =>
  hooked({
    'helm.sh/hook': events,
    ...Object.fromEntries(Object.entries(parts).map(([key, value]) => [`helm.sh/hook-${key}`, value])),
  })

/** The annotations of each object, without the reconciler's name. */
const annotationsOf = (objects: readonly KubeObject[]): JsonMap[] =>
  objects.map(({ metadata: { annotations = {} } }) =>
    Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key.replace('shop.example.io/', ''), value])),
  )

t.test('CO-84 hooks become orders and policies', async t => {
  const recreated = { 'update-policy': 'recreate' }
  const once = { 'reconcile-policy': 'once' }
  const again = { 'reconcile-policy': 'on-object-or-component-change' }
  const succeeded = { 'delete-policy': 'hook-succeeded' }
  const rows: [sentence: string, files: Contents, revision: number, expected: JsonMap[]][] = [
    ['before', hook('pre-install'), 1, [{ 'apply-order': '-101', ...once, ...recreated }]],
    ['before, weighed', hook('pre-install', { weight: '-100' }), 1, [{ 'apply-order': '-201', ...once, ...recreated }]],
    ['after', hook('post-install', { weight: '5' }), 1, [{ 'apply-order': '106', ...once, ...recreated }]],
    ['before and after', hook('pre-install,post-install'), 1, [{ 'apply-order': '-101', ...once, ...recreated }]],
    ['an install hook stays', hook('pre-install'), 3, [{ 'apply-order': '-101', ...once, ...recreated }]],
    ['upgrades, at first', hook('pre-upgrade'), 1, []],
    ['upgrades, later', hook('post-upgrade'), 2, [{ 'apply-order': '101', ...again, ...recreated }]],
    ['both, at first', hook('pre-install, Pre-Upgrade'), 1, [{ 'apply-order': '-101', ...once, ...recreated }]],
    ['both, later', hook('pre-install,pre-upgrade'), 2, [{ 'apply-order': '-101', ...again, ...recreated }]],
    ['succeeded before', hook('pre-install', succeeded), 1, [{ 'apply-order': '-101', ...once, 'purge-order': '-1' }]],
    ['succeeded after', hook('post-install', succeeded), 1, [{ 'apply-order': '101', ...once, 'purge-order': '201' }]],
    [
      'succeeded, both',
      hook('pre-install,post-install', { 'delete-policy': 'before-hook-creation, hook-succeeded' }),
      1,
      [{ 'apply-order': '-101', ...once, ...recreated, 'purge-order': '201' }],
    ],
    [
      'failed',
      hook('pre-install', { 'delete-policy': 'hook-failed' }),
      1,
      [{ 'apply-order': '-101', ...once, ...recreated }],
    ],
    [
      'at deletion',
      hook('pre-delete', { weight: '7' }),
      1,
      [{ 'delete-hook': 'pre-delete', 'apply-order': '7', ...recreated }],
    ],
    ['at deletion, succeeded', hook('pre-delete', succeeded), 1, [{ 'delete-hook': 'pre-delete', 'apply-order': '0' }]],
    [
      'around deletion',
      hook('post-delete,pre-delete'),
      2,
      [{ 'delete-hook': 'pre-delete,post-delete', 'apply-order': '0', ...recreated }],
    ],
    [
      'at installation and deletion',
      hook('post-install,pre-delete'),
      1,
      [
        { 'apply-order': '101', ...once, ...recreated },
        { 'delete-hook': 'pre-delete', 'apply-order': '0', ...recreated },
      ],
    ],
    ['tests', hook('test'), 1, []],
    ['rollbacks', hook('pre-rollback,post-rollback'), 2, []],
    ['a rollback too', hook('pre-install,post-rollback'), 1, [{ 'apply-order': '-101', ...once, ...recreated }]],
    ['kept', hooked({ 'helm.sh/resource-policy': 'keep', other: 'x' }), 1, [{ 'delete-policy': 'orphan', other: 'x' }]],
    [
      'kept if a value says so, and none does',
      hooked({ 'helm.sh/resource-policy': null, other: 'x' }),
      1,
      [{ other: 'x' }],
    ],
    ['an empty policy', hooked({ 'helm.sh/resource-policy': ' ' }), 1, [{}]],
    ['an empty weight', hook('pre-install', { weight: '' }), 1, [{ 'apply-order': '-101', ...once, ...recreated }]],
    ['own words', hooked({ 'shop.example.io/apply-order': '3' }), 1, [{ 'apply-order': '3' }]],
    [
      'own words and keep',
      hooked({ 'helm.sh/resource-policy': 'keep', 'shop.example.io/delete-policy': 'delete' }),
      1,
      [{ 'delete-policy': 'delete' }],
    ],
  ]
  for (const [sentence, files, revision, expected] of rows)
    t.strictSame(annotationsOf(rendered(files, {}, { revision })), expected, sentence)
})

t.test('CO-84 what Helm’s annotations say of a list is said of its items', async t => {
  const list = (annotations: Record<string, string>): Contents => {
    const item = (name: string, own?: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, ...own } })
    const items = [item('a'), item('b', { annotations: { 'helm.sh/resource-policy': '', other: 'x' } })]
    return { 'templates/list.yaml': { apiVersion: 'v1', kind: 'List', metadata: { annotations }, items } }
  }
  t.strictSame(annotationsOf(rendered(list({ 'helm.sh/resource-policy': 'keep', of: 'list' }))), [
    { 'delete-policy': 'orphan' },
    { other: 'x' },
  ])
  const hooks = annotationsOf(rendered(list({ 'helm.sh/hook': 'pre-install', 'helm.sh/hook-weight': '-7' })))
  t.strictSame(
    hooks.map(({ 'apply-order': order }) => order),
    ['-108', '-108'],
  )
})

/** Hooks of these weights, of the chart's install unless said otherwise. */
const weighed = (weights: readonly string[], event = 'pre-install', parts: Record<string, string> = {}): Contents =>
  Object.fromEntries(
    weights.map((weight, index) => [`templates/${index}.yaml`, Object.values(hook(event, { weight, ...parts }))[0]]),
  )

t.test('CO-84 hooks of any weight keep their order, before or after the chart’s own objects', async t => {
  const rows: [sentence: string, files: Contents, orders: string[], purge?: string][] = [
    ['light enough for all', weighed(['-100', '0', '100']), ['-201', '-101', '-1']],
    ['before, and too heavy', weighed(['200', '0', '-5']), ['-1', '-201', '-206']],
    ['after, and too light', weighed(['-1005', '0'], 'post-install'), ['1', '1006']],
    ['at deletion', weighed(['-1005', '200'], 'pre-delete'), ['-1005', '200']],
    ['the heaviest that are orders', weighed(['16383', '-16383']), ['-1', '-32767']],
    ['heavier', weighed(['2000000000', '-16384', '-3', '-16384']), ['-101', '-103', '-102', '-103']],
    ['heavier, after', weighed(['2000000000', '0', '-3'], 'post-install'), ['102', '101', '100']],
  ]
  for (const [sentence, files, orders] of rows)
    t.strictSame(
      annotationsOf(rendered(files)).map(({ 'apply-order': order }) => order),
      orders,
      sentence,
    )
  const [one] = annotationsOf(rendered(weighed(['200'], 'post-install', { 'delete-policy': 'hook-succeeded' })))
  t.strictSame(one, { 'apply-order': '401', 'reconcile-policy': 'once', 'purge-order': '401' })
})

t.test('CO-84 what is not known of hooks is an error', async t => {
  const rows: [files: Contents, says: RegExp][] = [
    [hook('pre-instal'), /Pod hook: annotation helm\.sh\/hook has the unknown value "pre-instal"/],
    [hook('crd-install'), /crd-install/],
    [hook(' , '), /hook has the unknown value ""/],
    [hook('pre-install', { weight: 'heavy' }), /hook-weight has the unknown value "heavy"/],
    [hook('pre-install', { weight: '1.5' }), /hook-weight has the unknown value "1\.5"/],
    [hook('pre-install', { weight: '9'.repeat(20) }), /hook-weight has the unknown value "9+"/],
    [
      hook('pre-install', { 'delete-policy': 'hook-succeeded,never' }),
      /hook-delete-policy has the unknown value "never"/,
    ],
    [hooked({ 'helm.sh/resource-policy': 'keeep' }), /resource-policy has the unknown value "keeep"/],
    [hooked({ 'helm.sh/hook': 'test', 'shop.example.io/apply-order': '1' }), /shop\.example\.io\/apply-order/],
  ]
  for (const [files, says] of rows) throws(t, () => rendered(files), { name: 'RenderError', message: says })
})

t.test('CO-85 what looks random is the same within a revision, and new in the next', async t => {
  const files = {
    'templates/a.yaml': configMap({
      password: 'randAlphaNum 24',
      second: 'randAlphaNum 24',
      authority: '(genCA "orchard" 365).Cert',
      now: 'now | date "2006-01-02T15:04:05Z07:00"',
      uuid: 'uuidv4',
    }),
  }
  const later = { revision: 2, now: new Date('2026-11-22T12:00:00Z') }
  const [first, again, next] = [rendered(files), rendered(files), rendered(files, {}, later)].map(data) as JsonMap[]
  t.strictSame(first, again)
  t.not(first?.password, first?.second, 'each call has bytes of its own')
  for (const key of ['password', 'authority', 'now', 'uuid']) t.not(first?.[key], next?.[key], key)
})
