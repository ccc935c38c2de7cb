// `kustomize(files)`: templates before the build, what configures them, what they may read, and what is refused.
import t from 'tap'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { type Lookup, lookupKey, type Rendering } from '../../../shared/render/generator.ts'
import { type KustomizeOptions, kustomize } from '../../../shared/render/kustomize/kustomize.ts'
import { kustomized, parametersFrom } from '../../../shared/render/transformers.ts'
import { matches, throws } from '../../harness/matches.ts'
import { renderContext } from '../../make/component/render-context.ts'
import { filesOf } from './kustomize-oracle.ts'

type Texts = Readonly<Record<string, string>>

const render = (
  texts: Texts,
  parameters: JsonMap = {},
  options: KustomizeOptions = {},
  context = renderContext(),
): Rendering => kustomize(filesOf(texts), options)(context, parameters)

const objects = (...args: Parameters<typeof render>): readonly KubeObject[] => {
  const rendering = render(...args)
  if ('needs' in rendering) throw new Error(`needs ${JSON.stringify(rendering.needs)}`)
  return rendering.objects
}

/** The data of the one ConfigMap that comes out. */
const data = (...args: Parameters<typeof render>): unknown =>
  objects(...args).find(({ kind }) => kind === 'ConfigMap')?.data

const configMap = (content: string, name = 'a'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  key: ${content}\n`

t.test('CO-86 every file is a template that sees the parameters, rendered before the build', async t => {
  const files = {
    'kustomization.yaml': 'resources: [a.yaml]\nnamePrefix: {{ .prefix }}-\n',
    '_helpers.tpl': '{{ define "greeting" }}hello {{ .who }}{{ end }}',
    'a.yaml': configMap('{{ include "greeting" . }}'),
  }
  const [object] = objects(files, { prefix: 'p', who: 'you' })
  matches(t, object, { metadata: { name: 'p-a' }, data: { key: 'hello you' } })
})

t.test('CO-86 with a suffix only files that end so are templates, and lose it', async t => {
  const files = {
    'kustomization.yaml':
      'configMapGenerator:\n- name: g\n  files: [kept.txt, README]\n  options: {disableNameSuffixHash: true}\n',
    'README.tpl': 'The foo is {{ .foo }}',
    'kept.txt': '{{ .foo }}',
  }
  t.strictSame(data(files, { foo: 'bar' }, { templateSuffix: '.tpl' }), {
    README: 'The foo is bar',
    'kept.txt': '{{ .foo }}',
  })
})

t.test('CO-86 delimiters are the caller’s, and .component-config.yaml wins over them', async t => {
  const options = { leftTemplateDelimiter: '<<', rightTemplateDelimiter: '>>' }
  t.strictSame(data({ 'a.yaml': configMap('"<< .v >> {{ .v }}"') }, { v: 1 }, options), { key: '1 {{ .v }}' })
  const config = 'leftTemplateDelimiter: "{%"\nrightTemplateDelimiter: "%}"\n'
  const files = { 'a.yaml': configMap('"<< .v >> {% .v %}"'), '.component-config.yaml': config }
  t.strictSame(data(files, { v: 1 }, options), { key: '<< .v >> 1' })
  throws(t, () => render({ ...files, '.component-config.yaml': 'suffix: x' }), {
    message: /\.component-config\.yaml.*suffix/,
  })
})

t.test('CO-86 default values lie under the parameters', async t => {
  const files = {
    '.component-config.yaml': 'values: {image: {repository: app, tag: "1"}, gone: x}',
    'a.yaml': configMap('"{{ .image.repository }}:{{ .image.tag }}{{ .gone }}"'),
  }
  t.strictSame(data(files), { key: 'app:1x' })
  t.strictSame(data(files, { image: { tag: '2' }, gone: null }), { key: 'app:2' })
})

t.test('CO-86 ignored files are only readable', async t => {
  const files = {
    '.component-ignore': '# notes\n/docs/\n*.bak\n!keep.bak\nb.yaml\n',
    'a.yaml': configMap('{{ readFile "docs/broken.yaml" | quote }}'),
    'b.yaml': configMap('never', 'b'),
    'docs/broken.yaml': '{{ no template',
    'sub/old.bak': '{{ neither',
    'keep.bak': 'a template again',
  }
  t.strictSame(
    objects(files).map(({ metadata, data }) => [metadata.name, data]),
    [['a', { key: '{{ no template' }]],
  )
  throws(t, () => render({ ...files, 'keep.bak': '{{ bad' }), { message: /keep\.bak/ })
})

t.test('CO-86 without a kustomization file one is made of all YAML that is not hidden', async t => {
  const files = {
    'b.yml': configMap('1', 'b'),
    'sub/a.yaml': configMap('2', 'a'),
    '.hidden.yaml': configMap('3', 'hidden'),
    '.git/c.yaml': configMap('4', 'c'),
    'notes.txt': 'none',
  }
  t.strictSame(
    objects(files).map(({ metadata }) => metadata.name),
    ['a', 'b'],
  )
})

const demo = {
  version: '1.2.3\n',
  'config/dev.yaml': 'logLevel: debug',
  'bases/default/.component-config.yaml': 'includedFiles: [../../version]\nvalues: {own: base}',
  'bases/default/configmap.yaml': configMap('{{ readFile "../../version" | trim }}-{{ .own }}-{{ .stage }}', 'version'),
  'component/.component-config.yaml':
    'leftTemplateDelimiter: "{%"\nrightTemplateDelimiter: "%}"\nincludedFiles: [../config]\nincludedKustomizations: [../bases/default]',
  'component/kustomization.yaml': 'resources: [own.yaml, ../bases/default]\nnamePrefix: x-',
  'component/own.yaml': configMap(
    '{% (printf "../config/%s.yaml" .stage | readFile | fromYaml).logLevel %} {% listFiles "../config/*" | len %}',
    'own',
  ),
}

t.test('CO-87 included files are readable, included kustomizations are rendered with their own config', async t => {
  const all = objects(demo, { stage: 'dev' }, { path: 'component' })
  t.strictSame(
    all.map(({ metadata, data }) => [metadata.name, data]),
    [
      ['x-own', { key: 'debug 1' }],
      ['x-version', { key: '1.2.3-base-dev' }],
    ],
  )
})

t.test('CO-87 inclusions that lead inside, nowhere, out of the artifact or in a circle are refused', async t => {
  const including = (line: string, more: Texts = {}) => ({
    'c/.component-config.yaml': line,
    'c/a.yaml': configMap('x'),
    ...more,
  })
  const refused: readonly [string, Texts, RegExp][] = [
    ['inside', including('includedFiles: [sub]', { 'c/sub/x': '' }), /sub is inside the kustomization/],
    ['itself', including('includedKustomizations: [.]'), /is inside the kustomization/],
    ['absolute', including('includedFiles: [/etc/passwd]'), /\/etc\/passwd is an absolute path/],
    ['outside', including('includedFiles: [../../x]'), /\.\.\/\.\.\/x leads outside the artifact/],
    ['nowhere', including('includedFiles: [../gone]'), /\.\.\/gone is not in the artifact/],
    ['no folder', including('includedKustomizations: [../gone]'), /'gone' is not a folder of the artifact/],
    ['what it lies in', including('includedKustomizations: [..]'), /cycle detected: c includes/],
    [
      'a circle',
      including('includedKustomizations: [../d]', { 'd/.component-config.yaml': 'includedKustomizations: [../c]' }),
      /cycle detected: c includes d includes c/,
    ],
  ]
  for (const [what, files, message] of refused)
    throws(t, () => render(files, {}, { path: 'c' }), { name: 'RenderError', message }, what)
})

t.test('CO-95 templates read nothing that is not theirs', async t => {
  for (const path of ['../secret', '/etc/passwd', 'sub/../../secret', 'gone']) {
    const files = { secret: 's', 'c/a.yaml': configMap(`{{ readFile "${path}" }}`) }
    throws(t, () => render(files, {}, { path: 'c' }), { message: /readFile/ }, path)
  }
  const files = {
    secret: 's',
    'c/a.yaml': configMap('"{{ existsFile "../secret" }} {{ existsFile "./a.yaml" }} {{ listFiles "**" }}"'),
  }
  t.strictSame(data(files, {}, { path: 'c' }), { key: 'false true [a.yaml]' })
})

t.test('CO-88 what would leave the artifact is refused by name', async t => {
  const refused: readonly [string, string, RegExp][] = [
    [
      'a remote base',
      'resources: ["https://example.com/base?ref=v1"]',
      /'https:\/\/example\.com\/base\?ref=v1' is remote/,
    ],
    ['a repository', 'resources: ["github.com/example/repo//base"]', /'github\.com\/example\/repo\/\/base' is remote/],
    [
      'a repository by ssh',
      'components: ["git@example.com:org/repo.git"]',
      /'git@example\.com:org\/repo\.git' is remote/,
    ],
    [
      'a remote patch',
      'patches: [{path: "https://example.com/p.yaml"}]',
      /'https:\/\/example\.com\/p\.yaml' is remote/,
    ],
    ['helmCharts', 'helmCharts: [{name: x, repo: "https://example.com"}]', /helmCharts is not supported/],
    ['an inflator', 'helmChartInflationGenerator: [{chartName: x}]', /helmChartInflationGenerator is not supported/],
    [
      'an exec plugin',
      'generators: ["apiVersion: example.com/v1\\nkind: Exec\\nmetadata: {name: run}"]',
      /external plugin Exec\.v1\.example\.com\/run/,
    ],
    [
      'IAMPolicyGenerator',
      'generators: ["apiVersion: builtin\\nkind: IAMPolicyGenerator\\nmetadata: {name: a}"]',
      /IAMPolicyGenerator is not a built-in plugin for this field/,
    ],
    [
      'ValueAddTransformer',
      'transformers: ["apiVersion: builtin\\nkind: ValueAddTransformer\\nmetadata: {name: a}"]',
      /ValueAddTransformer is not a built-in plugin for this field/,
    ],
    ['a path outside', 'resources: [../../elsewhere]', /'\.\.\/\.\.\/elsewhere' leads outside the artifact/],
    [
      'an absolute path',
      'resources: [/etc/passwd]',
      /'\/etc\/passwd' is an absolute path; expected a path in the artifact/,
    ],
    [
      'a file outside',
      'configMapGenerator: [{name: a, files: [../../../etc/passwd]}]',
      /etc\/passwd' leads outside the artifact/,
    ],
  ]
  for (const [what, text, message] of refused)
    throws(t, () => render({ 'k/kustomization.yaml': text }, {}, { path: 'k' }), { name: 'RenderError', message }, what)
})

t.test('CO-78 functions tell what the kustomization is rendered for', async t => {
  const lines = [
    'namespace',
    'name',
    'componentDigest',
    'componentRevision',
    'component.metadata.name',
    'kubernetesVersion.GitVersion',
    'kubernetesVersion.Major',
  ]
  const calls = lines.map(line => `{{ ${line.includes('.') ? `(${line.replace('.', ').')}` : line} }}`).join(' ')
  const served = '{{ range apiResources }}{{ .GroupVersion }}{{ range .APIResources }}+{{ .Kind }}{{ end }} {{ end }}'
  const context = renderContext({
    revision: 7,
    cluster: { version: 'v1.36.3', apiVersions: ['v1', 'apps/v1', 'apps/v1/Deployment'] },
  })
  t.strictSame(data({ 'a.yaml': configMap(`"${calls} ${served}"`) }, {}, {}, context), {
    key: 'shop demo c0ffee 7 demo v1.36.3 1 apps/v1+Deployment v1 ',
  })
})

t.test('CO-82 what templates look up is asked for before anything is built', async t => {
  const files = { 'a.yaml': configMap('{{ (lookup "v1" "Secret" "shop" "s").data.k }}') }
  const question: Lookup = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 's', in: 'target' }
  matches(t, render(files), { needs: [question] })
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { k: 'found' } }
  const found = new Map([[lookupKey(question), secret]])
  t.strictSame(data(files, {}, {}, renderContext({ found })), { key: 'found' })
})

t.test('CO-14 patches and images change objects as in a kustomization; a patch without target is refused', async t => {
  const deployment = (name: string): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { template: { spec: { containers: [{ name: 'c', image: 'app:1' }] } } },
  })
  const patches = [
    { target: { kind: 'Deployment', name: 'a' }, patch: '[{"op": "add", "path": "/spec/replicas", "value": 3}]' },
    { target: { kind: 'Deployment' }, patch: JSON.stringify({ ...deployment('x'), spec: { paused: true } }) },
  ]
  const [a, b] = kustomized({ patches, images: [{ name: 'app', newTag: '2' }] })([deployment('a'), deployment('b')])
  matches(t, a, { spec: { replicas: 3, paused: true, template: { spec: { containers: [{ image: 'app:2' }] } } } })
  matches(t, b, { spec: { paused: true, replicas: undefined } })
  throws(t, () => kustomized({ patches: [{ patch: '{}' }] }), { message: /no target/ })
})

t.test('CO-14 parameters made by a template: lookups come first, and what is no map is refused', async t => {
  const made = parametersFrom('size: {{ (lookup "v1" "ConfigMap" "shop" "sizes").data.size }}')
  const lookup = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'sizes', in: 'target' } as const
  t.strictSame(made(renderContext(), {}), { needs: [lookup] }, 'what fails for want of an answer is asked for')
  const sizes = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'sizes' }, data: { size: '3' } }
  matches(t, made(renderContext({ found: new Map([[lookupKey(lookup), sizes]]) }), {}), {
    objects: [{ parameters: { size: 3 } }],
  })
  for (const [text, message] of [
    ['- 1', /does not result in a map/],
    ['a: [', /results in invalid YAML: line 1/],
  ] as const)
    throws(t, () => parametersFrom(text)(renderContext(), {}), { name: 'RenderError', message })
})
