// Every way found to make a rendering fail on the text of a value: what is told of it where the value is a secret names chart or
// kustomization, file, line and kind of fault, and no part of the value.
import t from 'tap'
import { blameText, type Render, RenderError } from '../../../shared/render/generator.ts'
import { helm } from '../../../shared/render/helm/helm.ts'
import { kustomize } from '../../../shared/render/kustomize/kustomize.ts'
import { parametersFrom } from '../../../shared/render/transformers.ts'
import { lacks } from '../../harness/matches.ts'
import { chart } from '../../make/component/chart.ts'
import { renderContext } from '../../make/component/render-context.ts'

const canary = 'c4n4ry'

const faultOf = (render: () => unknown): RenderError => {
  try {
    render()
  } catch (error) {
    if (error instanceof RenderError) return error
    throw error
  }
  throw new Error('nothing was wrong')
}

const run = (render: Render, secret: unknown) => render(renderContext(), Object.freeze({ secret }))

/** Of the file in `files`, or of a chart whose template has this text in its third line. */
const chartOf = (files: string | Readonly<Record<string, unknown>>) =>
  helm(chart(typeof files === 'string' ? { 'templates/a.yaml': `# one\n# two\n${files}\n` } : files))

const object = (rest: string) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, ${rest}}`

const execution = (name: string) => `orchard/templates/a.yaml, line 3: cannot be executed (function ${name})`

type Row = readonly [template: string, secret: unknown, told: string]

const noYaml = 'orchard/templates/a.yaml, line 3: results in invalid YAML'
const noObject = 'orchard/templates/a.yaml, line 1: results in a document that is not a Kubernetes object'

/** Templates of a chart by what is wrong with them. */
const inTemplates: Readonly<Record<string, Row>> = {
  fail: ['{{ fail .Values.secret }}', canary, 'orchard/templates/a.yaml, line 3: stops the rendering (function fail)'],
  'fail with printf': [
    '{{ fail (printf "wrong password %s" .Values.secret) }}',
    canary,
    'orchard/templates/a.yaml, line 3: stops the rendering (function fail)',
  ],
  required: [
    '{{ required .Values.secret nil }}',
    canary,
    'orchard/templates/a.yaml, line 3: stops the rendering (function required)',
  ],
  'fail in an included template': [
    '{{ define "x" }}\n{{ fail . }}{{ end }}{{ include "x" .Values.secret }}',
    canary,
    'orchard/templates/a.yaml, line 4: stops the rendering (function fail)',
  ],
  'fail in tpl': [
    '{{ tpl "{{ fail .Values.secret }}" . }}',
    canary,
    'orchard/templates/a.yaml, line 3: stops the rendering (function fail)',
  ],
  'a text for tpl that is no template': ['{{ tpl .Values.secret . }}', `{{ ${canary}`, execution('tpl')],
  'a function that is none in tpl': ['{{ tpl .Values.secret . }}', `{{ ${canary} 1 }}`, execution('tpl')],
  'a field that is none in tpl': ['{{ tpl .Values.secret . }}', `{{ .Values.${canary}.x.y }}`, execution('tpl')],
  'a template named in tpl': [
    '{{ tpl .Values.secret . }}',
    `{{ define "${canary}" }}{{ fail "x" }}{{ end }}{{ template "${canary}" }}`,
    'orchard/templates/a.yaml, line 3: stops the rendering (function fail)',
  ],
  'a template of that name': ['{{ include .Values.secret . }}', canary, execution('include')],
  'a regular expression': ['{{ mustRegexMatch .Values.secret "a" }}', `(${canary}`, execution('mustRegexMatch')],
  'a replacement with one': [
    '{{ mustRegexReplaceAll .Values.secret "a" "b" }}',
    `[${canary}`,
    execution('mustRegexReplaceAll'),
  ],
  base64: [
    '{{ b64dec .Values.secret | fail }}',
    `${canary}!`,
    'orchard/templates/a.yaml, line 3: stops the rendering (function fail)',
  ],
  base32: [
    '{{ b32dec .Values.secret | fail }}',
    `${canary}!`,
    'orchard/templates/a.yaml, line 3: stops the rendering (function fail)',
  ],
  JSON: ['{{ mustFromJson .Values.secret }}', `{"${canary}`, execution('mustFromJson')],
  YAML: ['{{ mustFromYaml .Values.secret }}', `*${canary}`, execution('mustFromYaml')],
  'JSON told by the author': [
    '{{ (fromJson .Values.secret).Error | fail }}',
    `{${canary}`,
    'orchard/templates/a.yaml, line 3: stops the rendering (function fail)',
  ],
  'a semantic version': ['{{ semver .Values.secret }}', canary, execution('semver')],
  'a version constraint': ['{{ semverCompare .Values.secret "1.0.0" }}', `>${canary}`, execution('semverCompare')],
  'a date': ['{{ mustToDate "2006-01-02" .Values.secret }}', canary, execution('mustToDate')],
  'a duration': ['{{ mustDateModify .Values.secret now }}', canary, execution('mustDateModify')],
  'a certificate': ['{{ buildCustomCert .Values.secret "a" }}', canary, execution('buildCustomCert')],
  'a key': [
    '{{ genCAWithKey "a" 1 .Values.secret }}',
    `-----BEGIN ${canary} KEY-----\nYQ==\n-----END ${canary} KEY-----\n`,
    execution('genCAWithKey'),
  ],
  'encrypted text': ['{{ decryptAES "a" .Values.secret }}', `${canary}#`, execution('decryptAES')],
  'a URL': ['{{ urlParse .Values.secret }}', `http://[${canary}`, execution('urlParse')],
  'an address': ['{{ parseIPv4Address .Values.secret }}', canary, execution('parseIPv4Address')],
  'an address of a certificate': [
    '{{ genSelfSignedCert "a" (list .Values.secret) nil 1 }}',
    canary,
    execution('genSelfSignedCert'),
  ],
  'a kind of key': [
    '{{ genPrivateKey .Values.secret | fail }}',
    canary,
    'orchard/templates/a.yaml, line 3: stops the rendering (function fail)',
  ],
  TOML: [
    '{{ (fromToml .Values.secret).Error | fail }}',
    `${canary} = [`,
    'orchard/templates/a.yaml, line 3: stops the rendering (function fail)',
  ],
  'a user of htpasswd': [
    '{{ htpasswd .Values.secret "a" | fail }}',
    `${canary}:x`,
    'orchard/templates/a.yaml, line 3: stops the rendering (function fail)',
  ],
  'a text to be merged': [
    '{{ merge .Values.secret (dict) }}',
    canary,
    'orchard/templates/a.yaml, line 3: cannot be executed',
  ],
  'a number': ['{{ mulf .Values.secret "x" | div 1 }}', canary, execution('div')],
  'a comparison': ['{{ eq .Values.secret 1 }}', canary, execution('eq')],
  'another comparison': ['{{ lt .Values.secret (list .Values.secret) }}', canary, execution('lt')],
  'a map for a text': [
    '{{ upper .Values.secret }}',
    { [canary]: canary },
    'orchard/templates/a.yaml, line 3: cannot be executed',
  ],
  'a field of a text': ['{{ .Values.secret.a.b }}', canary, 'orchard/templates/a.yaml, line 3: cannot be executed'],
  'a loop over a number': [
    '{{ range .Values.secret }}{{ end }}',
    1.5,
    'orchard/templates/a.yaml, line 3: cannot be executed',
  ],
  'a loop over a text': [
    '{{ range .Values.secret }}{{ end }}',
    canary,
    'orchard/templates/a.yaml, line 3: cannot be executed',
  ],
  'an index that is none': ['{{ index (list 1) .Values.secret }}', canary, execution('index')],
  'a key that is no text': [
    '{{ dict .Values.secret | len | fail }}',
    { [canary]: 1 },
    'orchard/templates/a.yaml, line 3: cannot be executed',
  ],
  'a slice': ['{{ slice .Values.secret 100 200 }}', canary, execution('slice')],
  'an anchor': [object('data: {a: {{ .Values.secret }}}'), `*${canary}`, noYaml],
  'a flow map': [
    object('data: {a: {{ .Values.secret }}}'),
    `{${canary}`,
    'orchard/templates/a.yaml, line 4: results in invalid YAML',
  ],
  'a tag': [object('data: {a: {{ .Values.secret }}}'), `!!int ${canary}`, noYaml],
  'a tag of its own': [object('data: {a: {{ .Values.secret }}}'), `!<${canary} x`, noYaml],
  'a number that JSON lacks': [object('data: {a: {{ .Values.secret }}}'), '.inf', noYaml],
  'an escape': [object('data: {a: "{{ .Values.secret }}"}'), `\\q${canary}`, noYaml],
  'a quote': [object("data: {a: '{{ .Values.secret }}'}"), `it's ${canary}`, noYaml],
  'a colon': ['a: {{ .Values.secret }}', `x: ${canary}`, noYaml],
  'a merge key': [object('data: {<<: {{ .Values.secret }}}'), canary, noYaml],
  'a key that is a list': [object('data: {? [{{ .Values.secret }}] : 1}'), canary, noYaml],
  'no object': ['{{ .Values.secret }}', canary, noObject],
  'no kind': ['{{ .Values.secret }}: 1', canary, noObject],
  'metadata that is no map': ['{apiVersion: v1, kind: {{ .Values.secret }}, metadata: 1}', canary, noObject],
  'an annotation that is no text': [
    '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {{ "{" }}{{ .Values.secret }}: 1}}}',
    canary,
    noObject,
  ],
  'a hook': [
    '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {helm.sh/hook: {{ .Values.secret }}}}}',
    canary,
    'orchard/templates/a.yaml, line 1: sets a Helm annotation to an unknown value',
  ],
  'an annotation of the engine on a hook': [
    '{apiVersion: v1, kind: Job, metadata: {name: a, annotations: {helm.sh/hook: test, shop.example.io/{{ .Values.secret }}: x}}}',
    canary,
    'orchard/templates/a.yaml, line 1: sets an annotation that cannot be combined with a Helm hook',
  ],
  'a resource policy': [
    '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {helm.sh/resource-policy: {{ .Values.secret }}}}}',
    canary,
    'orchard/templates/a.yaml, line 1: sets a Helm annotation to an unknown value',
  ],
  'a weight of a hook in the second document': [
    `${object('x: 1')}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: b, annotations: {helm.sh/hook: test, helm.sh/hook-weight: "{{ .Values.secret }}"}}}`,
    canary,
    'orchard/templates/a.yaml, line 5: sets a Helm annotation to an unknown value',
  ],
}

const schema = (parts: object) => ({ 'values.schema.json': JSON.stringify({ properties: { secret: parts } }) })

/** Schemas of values, and subcharts. */
const inSchemas: Readonly<
  Record<string, readonly [files: Readonly<Record<string, unknown>>, secret: unknown, told: string]>
> = {
  'a pattern': [
    schema({ pattern: '^[0-9]+$' }),
    canary,
    'values.schema.json: does not allow these values: orchard #/properties/secret/pattern',
  ],
  'a key that is not allowed': [
    schema({ additionalProperties: false }),
    { [canary]: 1 },
    'values.schema.json: does not allow these values: orchard #/properties/secret/additionalProperties',
  ],
  'a value below such a key': [
    schema({ additionalProperties: { type: 'integer' } }),
    { [canary]: canary },
    'values.schema.json: does not allow these values: orchard #/properties/secret/additionalProperties/type',
  ],
  'the name of a key': [
    schema({ propertyNames: { maxLength: 2 } }),
    { [canary]: 1 },
    'values.schema.json: does not allow these values: orchard #/properties/secret/propertyNames/maxLength, orchard #/properties/secret/propertyNames',
  ],
}

t.test('RE-29 a chart that fails on a value tells file, line and kind, and nothing of the value', async t => {
  const quoting: string[] = []
  const cases = [
    ...Object.entries(inTemplates).map(([what, [text, ...rest]]) => [what, chartOf(text), ...rest] as const),
    ...Object.entries(inSchemas).map(([what, [files, ...rest]]) => [what, chartOf(files), ...rest] as const),
  ]
  for (const [what, render, secret, told] of cases) {
    const { message, blame, quotesNoValues } = faultOf(() => run(render, secret))
    t.equal(blameText(blame), `the chart cannot be rendered: ${told}`, what)
    lacks(t, JSON.stringify(blame), canary, `${what}: no part of it`)
    t.notOk(quotesNoValues && message.includes(canary), `${what}: its message is not to be told`)
    if (message.includes(canary)) quoting.push(what)
  }
  t.ok(quoting.length >= 20, `${quoting.length} of ${cases.length} messages quote the value`)
})

const kustomization = (files: Readonly<Record<string, string>>) =>
  kustomize(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])))

const resource = (rest: string) => ({ 'a.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n${rest}\n` })

const inKustomizations: Readonly<
  Record<string, readonly [files: Record<string, string>, secret: unknown, told: string]>
> = {
  'an anchor': [resource('data: {a: {{ .secret }}}'), `*${canary}`, 'a.yaml, line 4: results in invalid YAML'],
  'a flow map': [resource('data: {a: {{ .secret }}}'), `{${canary}`, 'a.yaml, line 5: results in invalid YAML'],
  'a number that JSON lacks': [resource('data: {a: {{ .secret }}}'), '.inf', 'a.yaml, line 4: results in invalid YAML'],
  'an anchor in the third document': [
    { 'a.yaml': `${object('x: 1')}\n---\n# no object\n\n---\n\n${object('data: {a: {{ .secret }}}')}\n` },
    `*${canary}`,
    'a.yaml, line 7: results in invalid YAML',
  ],
  'the end of a document': [
    { 'a.yaml': `${object('x: 1')}\n---\n${object('x: 1')}\n--- {{ .secret }}\n` },
    canary,
    'a.yaml, line 4: results in invalid YAML',
  ],
  'no name': [
    { 'a.yaml': '\napiVersion: v1\nkind: ConfigMap\ndata: {a: {{ .secret }}}\n' },
    canary,
    'a.yaml, line 2: does not contain valid objects',
  ],
  'no name in the second document': [
    { 'a.yaml': `${object('x: 1')}\n---\nkind: {{ .secret }}\n` },
    canary,
    'a.yaml, line 3: does not contain valid objects',
  ],
  'an item of a list without one': [
    { 'a.yaml': '# two\nkind: List\nitems: [{kind: {{ .secret }}}]\n' },
    canary,
    'a.yaml, line 1: does not contain valid objects',
  ],
  'a list of a kind that has no items': [
    { 'a.yaml': '\nkind: ConfigMapList\nitems: {{ .secret }}\n' },
    canary,
    'a.yaml, line 2: does not contain valid objects',
  ],
  'a field of the kustomization': [
    { 'kustomization.yaml': '{{ .secret }}: a\n' },
    canary,
    'kustomization.yaml: is not a valid kustomization',
  ],
  'no YAML of it': [
    { 'kustomization.yaml': 'namePrefix: {{ .secret }}\n' },
    `*${canary}`,
    'kustomization.yaml, line 1: results in invalid YAML',
  ],
  'a file that is none': [
    { 'kustomization.yaml': 'resources: [{{ .secret }}]\n' },
    canary,
    'kustomization.yaml: is not a valid kustomization',
  ],
  'a way to a file that is one': [
    { ...resource('data: {a: *b}'), 'kustomization.yaml': 'resources: ["{{ .secret }}"]\n' },
    `${canary}/../a.yaml`,
    'a.yaml, line 4: results in invalid YAML',
  ],
  'a literal': [
    { 'kustomization.yaml': 'configMapGenerator: [{name: a, literals: ["{{ .secret }}"]}]\n' },
    canary,
    'kustomization.yaml: is not a valid kustomization',
  ],
  'a patch': [
    { ...resource(''), 'kustomization.yaml': 'resources: [a.yaml]\npatches: [{patch: "{{ .secret }}"}]\n' },
    `${canary}: [`,
    'kustomization.yaml: is not a valid kustomization',
  ],
  'a patch in a file of its own': [
    {
      ...resource(''),
      'patch.yaml': 'kind: ConfigMap\nmetadata: {name: a}\ndata: {{ .secret }}\n',
      'kustomization.yaml': 'resources: [a.yaml]\npatches: [{path: patch.yaml}]\n',
    },
    `*${canary}`,
    'patch.yaml, line 3: results in invalid YAML',
  ],
  'a patch by the name of a file': [
    {
      ...resource(''),
      'patch.yaml': 'kind: ConfigMap\nmetadata: {name: a}\ndata: {{ .secret }}\n',
      'kustomization.yaml': 'resources: [a.yaml]\npatchesStrategicMerge: [patch.yaml]\n',
    },
    `*${canary}`,
    'patch.yaml, line 3: results in invalid YAML',
  ],
  'a JSON patch in a file of its own': [
    {
      ...resource(''),
      'patch.yaml': '- op: add\n- {{ .secret }}\n',
      'kustomization.yaml': 'resources: [a.yaml]\npatchesJson6902: [{target: {name: a}, path: patch.yaml}]\n',
    },
    `*${canary}`,
    'patch.yaml, line 2: results in invalid YAML',
  ],
  'a JSON patch': [
    {
      ...resource(''),
      'kustomization.yaml':
        'resources: [a.yaml]\npatchesJson6902: [{target: {name: a}, patch: "- op: add\\n- {{ .secret }}"}]\n',
    },
    `*${canary}`,
    'kustomization.yaml: is not a valid kustomization',
  ],
  'replacements in a file of their own': [
    {
      'base/kustomization.yaml': 'resources: [../a]\nreplacements: [{path: more.yaml}]\n',
      'base/more.yaml': '\nsource: {{ .secret }}\n',
      'a/kustomization.yaml': 'configMapGenerator: [{name: a}]\n',
      'kustomization.yaml': 'resources: [base]\n',
    },
    `*${canary}`,
    'base/more.yaml, line 2: results in invalid YAML',
  ],
  'fields in a file of their own': [
    {
      'base/kustomization.yaml': 'configurations: [more.yaml]\n',
      'base/more.yaml': '\nnamePrefix: {{ .secret }}\n',
      'kustomization.yaml': 'resources: [base]\n',
    },
    `*${canary}`,
    'base/more.yaml, line 2: results in invalid YAML',
  ],
  'definitions in a file of their own': [
    {
      'base/kustomization.yaml': 'crds: [more.yaml]\n',
      'base/more.yaml': '\na: {{ .secret }}\n',
      'kustomization.yaml': 'resources: [base]\n',
    },
    `*${canary}`,
    'base/more.yaml, line 2: results in invalid YAML',
  ],
  'a schema in a file of its own': [
    {
      'base/kustomization.yaml': 'openapi: {path: more.yaml}\n',
      'base/more.yaml': '\na: {{ .secret }}\n',
      'kustomization.yaml': 'resources: [base]\n',
    },
    `*${canary}`,
    'base/more.yaml, line 2: results in invalid YAML',
  ],
  'a selector': [
    {
      ...resource(''),
      'kustomization.yaml':
        'resources: [a.yaml]\npatches: [{target: {labelSelector: "{{ .secret }}"}, patch: "{a: 1}"}]\n',
    },
    `${canary} ==`,
    'kustomization.yaml: is not a valid kustomization',
  ],
  'a base': [
    { 'kustomization.yaml': 'resources: [base]\n', 'base/kustomization.yaml': 'nameSuffix: [{{ .secret }}]\n' },
    canary,
    'base/kustomization.yaml: is not a valid kustomization',
  ],
  'a template': [{ 'a.yaml': '\n{{ fail .secret }}' }, canary, 'a.yaml, line 2: stops the rendering (function fail)'],
  'a file to be read': [
    { 'a.yaml': '{{ readFile .secret }}' },
    canary,
    'a.yaml, line 1: cannot be executed (function readFile)',
  ],
  'a pattern of files': [
    { 'a.yaml': '{{ listFiles .secret }}' },
    `[${canary}`,
    'a.yaml, line 1: cannot be executed (function listFiles)',
  ],
}

t.test('RE-29 a kustomization that fails on a value tells file and line, and nothing of the value', async t => {
  for (const [what, [files, secret, told]] of Object.entries(inKustomizations)) {
    const { blame, message } = faultOf(() => run(kustomization(files), secret))
    t.equal(blameText(blame), `the kustomization cannot be rendered: ${told}`, `${what}: ${message}`)
    lacks(t, JSON.stringify(blame), canary, `${what}: no part of it`)
  }
})

t.test('RE-29 a template of parameters that fails on a value tells the line, and nothing of the value', async t => {
  const { blame } = faultOf(() => run(parametersFrom('a: {{ .secret }}'), `*${canary}`))
  t.equal(blameText(blame), 'the template of the parameters, line 1: results in invalid YAML')
})

t.test('RE-29 what is wrong with an artifact alone is told in full', async t => {
  const faults: readonly (readonly [what: string, fault: RenderError, message: RegExp])[] = [
    ['no chart', faultOf(() => helm(new Map())), /Chart\.yaml is missing/],
    ['no template', faultOf(() => run(chartOf('{{ nothing'), '')), /parse error at \(orchard\/templates\/a\.yaml:3\)/],
    [
      'a cluster that does not fit',
      faultOf(() =>
        run(chartOf({ 'Chart.yaml': { apiVersion: 'v2', name: 'a', version: '1.0.0', kubeVersion: '>9' } }), ''),
      ),
      /requires kubeVersion: >9/,
    ],
    ['no kustomization', faultOf(() => kustomize(new Map(), { path: 'x' })), /'x' is not a folder/],
  ]
  for (const [what, { quotesNoValues, message }, expected] of faults) {
    t.ok(quotesNoValues, what)
    t.ok(expected.test(message), message)
  }
})

t.test('RE-29 where no value is a secret the message says file and line too', async t => {
  const hook = '{apiVersion: v1, kind: Job, metadata: {name: a, annotations: {helm.sh/hook: {{ .Values.secret }}}}}'
  t.equal(
    faultOf(() => run(chartOf(hook), 'never')).message,
    'orchard/templates/a.yaml: line 1: Job a: annotation helm.sh/hook has the unknown value "never"',
  )
  t.equal(
    faultOf(() => run(kustomization({ 'a.yaml': `${object('x: 1')}\n---\na: {{ .secret }}\n` }), '*b')).message,
    'a.yaml: malformed YAML: line 3: unknown anchor',
  )
})

t.test('RE-29 the config of a kustomization is named with its line', async t => {
  const config = (text: string) => new Map([['shop/.component-config.yaml', Buffer.from(text)]])
  const { blame } = faultOf(() => kustomize(config('\na: *b'), { path: 'shop' }))
  t.strictSame(blame, { kind: 'yaml', file: 'shop/.component-config.yaml', line: 2 })
})
