// Each file is told before it is worked on, so that one that never ends can be named. What never ends cannot be waited for here:
// instead one file of each work is at fault, so that it is the last one told.
import t from 'tap'
import type { Files } from '../../../../shared/render/generator.ts'
import type { Order, Packed, Recipe } from '../../../../shared/render/order.ts'
import { answering } from '../../../../shared/runtime/renderer/answering.ts'
import { requestOf } from '../../../../shared/runtime/renderer/renderer.ts'
import { packed, tar } from '../../../make/artifact.ts'
import { chart, chartYaml } from '../../../make/component/chart.ts'
import { renderWork } from '../../../make/component/render-work.ts'

type Work = {
  readonly packed: Packed
  readonly valuesFrom?: Order['valuesFrom']
  /** The file at fault. */
  readonly last: string
}

const files = (contents: Readonly<Record<string, string>>): Files =>
  new Map(Object.entries(contents).map(([path, text]) => [path, Buffer.from(text)]))

const object = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'
const fails = '{{ fail "no" }}'
const chartFile = JSON.stringify(chartYaml())
const noMap = [{ text: '- a', place: 'spec.valuesFrom[0] (Secret shop, key values.yaml)' }]

const inCharts: Readonly<Record<string, Work>> = {
  'an archive': { packed: { archive: Buffer.from('none'), as: 'chart' }, last: 'ConfigMap shop' },
  'a ConfigMap': {
    packed: {
      configMap: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shop' }, data: { '__..__a': '' } },
      as: 'chart',
    },
    last: 'ConfigMap shop',
  },
  'a file of metadata': { packed: { files: chart({ 'Chart.yaml': '- a' }) }, last: 'Chart.yaml' },
  'default values': { packed: { files: chart({ 'values.yaml': '- a' }) }, last: 'values.yaml' },
  'an archive in an archive': {
    packed: { archive: await packed({ 'Chart.yaml': chartFile, 'charts/sub.tgz': 'none' }, 'x/'), as: 'chart' },
    last: 'charts/sub.tgz',
  },
  'values of a reference': { packed: { files: chart() }, valuesFrom: noMap, last: noMap[0]?.place ?? '' },
  'a schema': { packed: { files: chart({ 'values.schema.json': 'false' }) }, last: 'orchard/values.schema.json' },
  'a template to be parsed': {
    packed: { files: chart({ 'templates/a.yaml': '{{ nothing' }) },
    last: 'orchard/templates/a.yaml',
  },
  'a template': {
    packed: { files: chart({ 'templates/a.yaml': object, 'templates/b.yaml': fails, 'templates/c.yaml': object }) },
    last: 'orchard/templates/b.yaml',
  },
  'what a template makes': {
    packed: { files: chart({ 'templates/a.yaml': object, 'templates/b.yaml': '- a', 'templates/c.yaml': object }) },
    last: 'orchard/templates/b.yaml',
  },
}

const inKustomizations: Readonly<Record<string, Work>> = {
  'its config': {
    packed: { files: files({ 'shop/.component-config.yaml': '- a' }) },
    last: 'shop/.component-config.yaml',
  },
  'what it ignores': {
    packed: { files: files({ 'shop/.component-ignore': '[', 'shop/a.yaml': object }) },
    last: 'shop/.component-ignore',
  },
  'a template to be parsed': { packed: { files: files({ 'shop/a.yaml': '{{ nothing' }) }, last: 'shop/a.yaml' },
  'a template': {
    packed: { files: files({ 'shop/a.yaml': object, 'shop/b.yaml': fails, 'shop/c.yaml': object }) },
    last: 'shop/b.yaml',
  },
  'one that it includes': {
    packed: {
      files: files({
        'shop/a.yaml': object,
        'shop/.component-config.yaml': 'includedKustomizations: [../other]',
        'other/a.yaml': '{{ nothing',
      }),
    },
    last: 'other/a.yaml',
  },
  'the kustomization': {
    packed: { files: files({ 'shop/kustomization.yaml': 'resources: [b.yaml]', 'shop/a.yaml': object }) },
    last: 'shop/kustomization.yaml',
  },
  'a base': {
    packed: {
      files: files({
        'shop/base/kustomization.yaml': 'resources: [b.yaml]',
        'shop/kustomization.yaml': 'resources: [base]',
      }),
    },
    last: 'shop/base/kustomization.yaml',
  },
}

const inLayers: Readonly<Record<string, Work>> = {
  'its first file': {
    packed: { files: new Map([['layer', await tar([{ name: 'module.yaml', content: '- a' }])]]) },
    last: 'module.yaml',
  },
}

const works: readonly (readonly [Recipe, Readonly<Record<string, Work>>])[] = [
  [{ is: 'chart' }, inCharts],
  [{ is: 'kustomization', path: 'shop' }, inKustomizations],
  [{ is: 'layer', type: 'oci-dir' }, inLayers],
]

for (const [recipe, rows] of works)
  for (const [what, { packed, valuesFrom, last }] of Object.entries(rows))
    t.test(`RE-26 ${recipe.is}: ${what} is told before it is worked on`, async t => {
      const order = { recipe, artifact: { key: what, called: 'ConfigMap shop', packed }, valuesFrom }
      const told: string[] = []
      const request = requestOf({ ...renderWork(), order }, { secondsMost: 30, withFiles: true })
      const answer = answering()(request, file => told.push(file))
      t.equal(answer.is, 'refused')
      t.equal(told.at(-1), last, told.join(', '))
    })
