// Our build beside kubectl's: every kustomization of the corpus, faults one by one, and random ones.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import t from 'tap'
import { RenderError } from '../../../shared/render/generator.ts'
import { built } from '../../../shared/render/kustomize/kustomize.ts'
import { isQuick } from '../../harness/cpu-work.ts'
import { contains, matches } from '../../harness/matches.ts'
import { isThorough } from '../../harness/runner/behaviour.ts'
import { type Case, filesIn, filesOf, judge, type Verdict } from './kustomize-oracle.ts'
import { randomCase } from './kustomize-random.ts'

const corpus = fileURLToPath(new URL('../../corpus/kustomizations', import.meta.url))

/** Folders with overlays are built once for each of them, others at their root. */
const corpusCases = async (): Promise<(Case & { name: string })[]> => {
  const names = readdirSync(corpus).sort()
  const cases = names.map(async name => {
    const files = await filesIn(join(corpus, name))
    const overlays = new Set([...files.keys()].flatMap(path => /^overlays\/[^/]+/.exec(path)?.[0] ?? []))
    return [...(overlays.size > 0 ? overlays : [''])].map(path => ({ name: `${name}/${path}`, files, path }))
  })
  return (await Promise.all(cases)).flat()
}

const ours = ({ files, path }: Case): Verdict => {
  try {
    return { objects: JSON.parse(JSON.stringify(built(files, path))) }
  } catch (error) {
    if (error instanceof RenderError) return { complaint: error.message }
    throw error
  }
}

t.test('CO-76 every kustomization of the corpus gives the objects of kubectl in their order', async t => {
  const cases = await corpusCases()
  t.ok(cases.length >= 25, `${cases.length} kustomizations`)
  const verdicts = await judge(cases)
  for (const [index, one] of cases.entries()) {
    const expected = verdicts[index]
    t.ok(expected && 'objects' in expected, `${one.name} is built by kubectl`)
    t.strictSame(ours(one), expected, one.name)
  }
})

const configMap = (name: string, more = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${more}`

/** Each is refused by kubectl; the pattern is what our sentence must name. */
const faults: Readonly<Record<string, { files: Record<string, string>; names: RegExp }>> = {
  'no kustomization': { files: { 'a.yaml': configMap('a') }, names: /no kustomization file/ },
  'an empty kustomization': { files: { 'kustomization.yaml': '' }, names: /kustomization.yaml is empty/ },
  'two kustomization files': {
    files: { 'kustomization.yaml': 'namePrefix: a-', 'kustomization.yml': 'namePrefix: b-' },
    names: /multiple kustomization files/,
  },
  'an unknown field': { files: { 'kustomization.yaml': 'resource: [a]' }, names: /unknown field "resource"/ },
  'a value of another type': {
    files: { 'kustomization.yaml': 'commonLabels: {a: 1}' },
    names: /commonLabels.a must be a string/,
  },
  'a word that is a boolean': {
    files: { 'kustomization.yaml': 'namePrefix: yes' },
    names: /namePrefix must be a string/,
  },
  'another version': { files: { 'kustomization.yaml': 'apiVersion: v1\nnamePrefix: a' }, names: /apiVersion/ },
  'a missing resource': { files: { 'kustomization.yaml': 'resources: [gone.yaml]' }, names: /gone\.yaml/ },
  'the same object twice': {
    files: { 'kustomization.yaml': 'resources: [a.yaml, b.yaml]', 'a.yaml': configMap('a'), 'b.yaml': configMap('a') },
    names: /already registered id: ConfigMap/,
  },
  'a cluster-scoped object twice': {
    files: {
      'kustomization.yaml': 'resources: [a.yaml]',
      'a.yaml': ['x', 'y']
        .map(ns => `apiVersion: v1\nkind: Namespace\nmetadata: {name: n, namespace: ${ns}}`)
        .join('\n---\n'),
    },
    names: /already registered id: Namespace/,
  },
  'a namespace that makes two objects one': {
    files: {
      'kustomization.yaml': 'resources: [a.yaml]\nnamespace: one',
      'a.yaml': `${configMap('a')}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}`,
    },
    names: /ConfigMap/,
  },
  'no kind': {
    files: { 'kustomization.yaml': 'resources: [a.yaml]', 'a.yaml': 'metadata: {name: a}' },
    names: /a\.yaml: missing kind/,
  },
  'no name': {
    files: { 'kustomization.yaml': 'resources: [a.yaml]', 'a.yaml': 'apiVersion: v1\nkind: ConfigMap' },
    names: /missing metadata.name/,
  },
  'malformed YAML': {
    files: { 'kustomization.yaml': 'resources: [a.yaml]', 'a.yaml': 'a: b: c' },
    names: /a\.yaml: malformed YAML/,
  },
  'the end of a document before it began': {
    files: { 'kustomization.yaml': 'resources: [a.yaml]', 'a.yaml': `${configMap('a')}---\n...\n${configMap('b')}` },
    names: /a\.yaml: malformed YAML/,
  },
  'a repeated key': {
    files: { 'kustomization.yaml': 'resources: [a.yaml]', 'a.yaml': configMap('a', 'kind: Secret') },
    names: /malformed YAML/,
  },
  'a file from above': {
    files: {
      'a/kustomization.yaml': 'configMapGenerator: [{name: a, files: [../secret]}]',
      secret: 'x',
      'kustomization.yaml': 'resources: [a]',
    },
    names: /\.\.\/secret' is not in or below/,
  },
  'a cycle': {
    files: { 'kustomization.yaml': 'resources: [a]', 'a/kustomization.yaml': 'resources: [..]' },
    names: /cycle detected/,
  },
  'a component as a resource': {
    files: { 'kustomization.yaml': 'resources: [a]', 'a/kustomization.yaml': 'kind: Component\nnamePrefix: x' },
    names: /expected kind Kustomization/,
  },
  'a patch without an object': {
    files: { 'kustomization.yaml': `patches: [{patch: ${JSON.stringify(configMap('gone'))}}]` },
    names: /no resource matches ConfigMap.*gone/,
  },
  'a JSON patch without a target': {
    files: { 'kustomization.yaml': `patches: [{patch: '[{"op": "remove", "path": "/data"}]'}]` },
    names: /must have a target/,
  },
  'a JSON patch that does not apply': {
    files: {
      'kustomization.yaml': `resources: [a.yaml]\npatches: [{target: {kind: ConfigMap}, patch: '[{"op": "remove", "path": "/data"}]'}]`,
      'a.yaml': configMap('a'),
    },
    names: /\/data/,
  },
  'a patch of another shape': {
    files: {
      'kustomization.yaml': `resources: [a.yaml]\npatches: [{patch: ${JSON.stringify(configMap('a', 'data: [a]'))}}]`,
      'a.yaml': configMap('a', 'data: {a: b}'),
    },
    names: /wrong node kind/,
  },
  'a pattern that is none': {
    files: {
      'kustomization.yaml': `resources: [a.yaml]\npatches: [{target: {name: '('}, patch: ${JSON.stringify(configMap('a'))}}]`,
      'a.yaml': configMap('a'),
    },
    names: /not a valid regular expression/,
  },
  'replicas of nothing': { files: { 'kustomization.yaml': 'replicas: [{name: gone, count: 1}]' }, names: /gone/ },
  'a replacement from nothing': {
    files: { 'kustomization.yaml': 'replacements: [{source: {kind: Gone}, targets: [{select: {kind: X}}]}]' },
    names: /nothing selected by .*Gone/,
  },
  'a generator that merges into nothing': {
    files: { 'kustomization.yaml': 'configMapGenerator: [{name: gone, behavior: merge, literals: [a=b]}]' },
    names: /gone.* does not exist/,
  },
  'a repeated key of a generator': {
    files: { 'kustomization.yaml': 'configMapGenerator: [{name: a, literals: [k=1, k=2]}]' },
    names: /repeats the key 'k'/,
  },
  'an unknown sort order': {
    files: { 'kustomization.yaml': 'sortOptions: {order: up}\nresources: []' },
    names: /sortOptions.order/,
  },
  'a configuration whose spec contradicts a default': {
    files: {
      'kustomization.yaml': 'configurations: [c.yaml]\nresources: [a.yaml]',
      'a.yaml': configMap('a'),
      'c.yaml': 'commonLabels: [{path: metadata/labels, kind: Deployment}]',
    },
    names: /conflicting fieldspecs for metadata\/labels/,
  },
  'a configuration with a key twice': {
    files: {
      'kustomization.yaml': 'configurations: [c.yaml]\nresources: [a.yaml]',
      'a.yaml': configMap('a'),
      'c.yaml': 'namePrefix:\n- path: metadata/name\n  path: metadata/labels',
    },
    names: /c\.yaml: line 3: a key occurs twice/,
  },
  'an empty namespace of a subject': {
    files: {
      'kustomization.yaml': 'resources: [a.yaml]',
      'a.yaml':
        'apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\nsubjects:\n- kind: ServiceAccount\n  name: a\n  namespace:\n',
    },
    names: /namespace is blank for a subject/,
  },
  'a namespace of a subject that is a map': {
    files: {
      'kustomization.yaml': 'namespace: there\nresources: [a.yaml]',
      'a.yaml':
        'apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\nsubjects: [{kind: ServiceAccount, name: default, namespace: {a: b}}]',
    },
    names: /the namespace of a subject must be a scalar/,
  },
  'a variable without a source': {
    files: { 'kustomization.yaml': 'vars: [{name: V, objref: {apiVersion: v1, kind: Service, name: gone}}]' },
    names: /var 'V'/,
  },
  'a validator that changes something': {
    files: {
      'kustomization.yaml': 'resources: [a.yaml]\nvalidators: [v.yaml]',
      'a.yaml': configMap('a'),
      'v.yaml':
        'apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: v}\nlabels: {a: b}\nfieldSpecs: [{path: metadata/labels, create: true}]',
    },
    names: /validator/,
  },
  'an external plugin': {
    files: {
      'kustomization.yaml': 'transformers: [t.yaml]',
      't.yaml': 'apiVersion: example.com/v1\nkind: Exec\nmetadata: {name: t}',
    },
    names: /Exec/,
  },
}

t.test('CO-76 what kubectl refuses is refused, and named', async t => {
  const cases = Object.values(faults).map(({ files }) => ({ files: filesOf(files), path: '' }))
  const verdicts = await judge(cases)
  for (const [index, [what, { names }]] of Object.entries(faults).entries()) {
    const [one, verdict] = [cases[index], verdicts[index]]
    t.ok(verdict && 'complaint' in verdict, `kubectl refuses ${what}`)
    const our = one && ours(one)
    matches(t, our && 'complaint' in our ? our.complaint : '', names, what)
  }
})

const runs = isThorough ? 400 : 40

t.test('CO-76 random kustomizations give what kubectl gives', async t => {
  const cases = fc.sample(randomCase, { seed: 20261121, numRuns: runs })
  const verdicts = await judge(cases)
  let compared = 0
  for (const [index, one] of cases.entries()) {
    const verdict = verdicts[index] ?? { complaint: 'panic: never asked' }
    // Some combinations make kubectl itself panic: they say nothing.
    if ('complaint' in verdict && /^panic:/m.test(verdict.complaint)) continue
    const our = ours(one)
    const isRefused = 'complaint' in verdict
    if (!isRefused) compared++
    if (isRefused && 'complaint' in our) continue
    t.strictSame(our, verdict, `case ${index}: ${JSON.stringify(textsOf(one))}`)
  }
  t.ok(compared > runs / 4, `${compared} of ${runs} could be built`)
})

const textsOf = ({ files }: Case): unknown =>
  [...files].map(([path, content]) => [path, new TextDecoder().decode(content)])

t.test('RE-23 aliases that multiply are refused', async t => {
  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x]',
    ...'bcdefghi'.split('').map((name, index) => {
      const former = String.fromCharCode('a'.charCodeAt(0) + index)
      return `${name}: &${name} [${Array(9).fill(`*${former}`).join(', ')}]`
    }),
  ].join('\n')
  const places = {
    resource: { 'kustomization.yaml': 'resources: [a.yaml]', 'a.yaml': configMap('a', bomb) },
    kustomization: { 'kustomization.yaml': `resources: []\nmetadata:\n  ${bomb.replaceAll('\n', '\n  ')}` },
    patch: { 'kustomization.yaml': 'patches: [{path: p.yaml}]', 'p.yaml': configMap('a', bomb) },
  }
  for (const [what, files] of Object.entries(places)) {
    const refused = () => matches(t, ours({ files: filesOf(files), path: '' }), { complaint: /alias/ }, what)
    await isQuick(t, refused, what)
  }
})

t.test('RE-22 keys like __proto__ are keys', async t => {
  const files = filesOf({
    'kustomization.yaml': JSON.stringify({
      resources: ['a.yaml'],
      configMapGenerator: [{ name: 'g', literals: ['__proto__=x', 'constructor=y'] }],
      patches: [{ path: 'p.yaml' }],
      labels: [{ pairs: JSON.parse('{"__proto__": "l"}') }],
    }),
    'a.yaml': configMap('a', 'data: {__proto__: {polluted: "yes"}, toString: z}'),
    'p.yaml': configMap('a', 'data: {__proto__: {more: "1"}, constructor: {prototype: {polluted: "yes"}}}'),
  })
  const result = ours({ files, path: '' })
  t.equal(({} as Record<string, unknown>).polluted, undefined)
  const data =
    'objects' in result ? JSON.stringify(result.objects.map(object => (object as { data: unknown }).data)) : ''
  contains(t, data, '"__proto__":{"polluted":"yes","more":"1"}')
  contains(t, data, '"__proto__":"x"')
})
