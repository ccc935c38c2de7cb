// Charts, kustomizations, values, schemas, layers and archives made to take forever or all memory, rendered as a host has them
// rendered. Their deadline comes as soon as they have begun, and most ends at once: what is shown is that they end, and as what.
import t, { type Test } from 'tap'
import { rendererProgram } from '../../../../shared/main/program.ts'
import type { Files } from '../../../../shared/render/generator.ts'
import type { Order, Packed, Recipe } from '../../../../shared/render/order.ts'
import { startRenderer } from '../../../../shared/runtime/renderer/process.ts'
import { Renderers } from '../../../../shared/runtime/renderer/renderers.ts'
import { rejects } from '../../../harness/matches.ts'
import { packed, tar } from '../../../make/artifact.ts'
import { chart, chartYaml } from '../../../make/component/chart.ts'
import { renderWork } from '../../../make/component/render-work.ts'

const usualMegabytes = 256
/** Enough for a renderer with nothing to do, and soon filled. */
const fewMegabytes = 160
const seconds = 30
const turn = { tenant: 'shop', id: 'shop/cart' }

/** A clock that stands still until the deadline of all renderings comes at once. */
const deadlines = () => {
  const due = new Set<() => void>()
  const after = (milliseconds: number, run: () => void) => {
    if (milliseconds === seconds * 1_000) due.add(run)
    return () => due.delete(run)
  }
  const come = () => {
    for (const run of due) run()
  }
  return { clock: { monotonic: () => 0, after }, come }
}

/** `until`: the deadline comes when a renderer has begun with this file. What the renderer says before it is killed comes too late. */
const ground = (t: Test, { until = '', megabytes = usualMegabytes } = {}) => {
  const { clock, come } = deadlines()
  const start = () => {
    const renderer = startRenderer({ path: rendererProgram, bytesMost: megabytes * 2 ** 20 })
    let isDue = false
    const ask: typeof renderer.ask = (request, at) =>
      renderer.ask(request, file => {
        if (isDue) return
        at(file)
        isDue = file === until
        if (isDue) come()
      })
    return Object.assign(Object.create(renderer), { ask, computedSeconds: async () => undefined })
  }
  const renderers = new Renderers({ start, limits: { seconds, megabytes }, clock })
  t.teardown(() => renderers.stop())
  const ordered = (order: Order) => renderers.render({ ...renderWork(), order }, turn)
  const render = (template: string, files: Readonly<Record<string, string>> = {}) => {
    const packed = chart({ 'templates/a.yaml': template, ...files })
    return renderers.render(renderWork({}, packed, template.slice(0, 100)), turn)
  }
  return { ordered, render }
}

/** Small in memory, and without end for whoever visits each list as often as it is in there. */
const twice =
  '{{ $x := list 1 }}{{ $y := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ $y = list $y $y }}{{ end }}'

const endless: Record<string, string> = {
  'a range over a billion': '{{ range 1000000000 }}{{ end }}',
  'lists of twice the same, compared in depth': `${twice}{{ deepEqual $x $y }}`,
  'passwords without end': '{{ range 100000 }}{{ bcrypt "x" }}{{ end }}',
}

for (const [name, template] of Object.entries(endless))
  t.test(`RE-26 CO-96 ${name}: an error at the deadline, with chart and file`, async t => {
    const { render } = ground(t, { until: 'orchard/templates/a.yaml' })
    const message = 'chart (ConfigMap shop): rendering took longer than 30 s, at orchard/templates/a.yaml'
    await rejects(t, render(template), {
      name: 'RenderError',
      message,
      blame: { kind: 'limit', file: 'orchard/templates/a.yaml' },
    })
  })

/** Each level is judged twice by the one above it, so the last of 40 a million million times. */
const twofoldSchema = JSON.stringify({
  $ref: '#/$defs/l0',
  $defs: {
    ...Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => {
        const next = { $ref: `#/$defs/l${n + 1}` }
        return [`l${n}`, { anyOf: [next, next] }]
      }),
    ),
    l40: { type: 'object' },
  },
})

const [manyLines, someLines] = ['- a\n'.repeat(1_000_000), 'a\n'.repeat(1_000_000)]
const filesOf = (files: Readonly<Record<string, string>>): Files =>
  new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]))
const patch = { target: { kind: 'ConfigMap' }, patch: '[{op: add, path: /data, value: {a: b}}]' }
const endlessTemplate = { 'templates/a.yaml': '{{ range 1000000000 }}{{ end }}' }

/** What no chart's template is at fault for: who is told of, and at which file. */
const elsewhere: readonly {
  readonly what: string
  readonly recipe: Recipe
  readonly packed: Packed
  readonly valuesFrom?: Order['valuesFrom']
  readonly told: readonly [subject: string, file: string]
}[] = [
  {
    what: 'a schema whose parts are judged twice each, level by level',
    recipe: { is: 'chart' },
    packed: { files: chart({ 'values.schema.json': twofoldSchema }) },
    told: ['chart', 'orchard/values.schema.json'],
  },
  {
    what: 'a text of values with a million lines',
    recipe: { is: 'chart' },
    packed: { files: chart() },
    valuesFrom: [{ text: manyLines, place: 'spec.valuesFrom[0] (Secret shop, key values.yaml)' }],
    told: ['chart', 'spec.valuesFrom[0] (Secret shop, key values.yaml)'],
  },
  {
    what: 'a packed chart',
    recipe: { is: 'chart' },
    packed: {
      archive: await packed({ 'Chart.yaml': JSON.stringify(chartYaml()), ...endlessTemplate }, 'x/'),
      as: 'chart',
    },
    told: ['chart', 'ConfigMap shop'],
  },
  {
    what: 'a template of a kustomization',
    recipe: { is: 'kustomization', path: 'shop' },
    packed: { files: filesOf({ 'shop/a.yaml': '{{ range 1000000000 }}{{ end }}' }) },
    told: ['kustomization', 'shop/a.yaml'],
  },
  {
    what: 'thousands of patches for thousands of objects',
    recipe: { is: 'kustomization', path: '' },
    packed: {
      files: filesOf({
        'a.yaml': '{{ range until 3000 }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a{{ . }}}{{ end }}\n',
        'kustomization.yaml': JSON.stringify({ resources: ['a.yaml'], patches: Array(3_000).fill(patch) }),
      }),
    },
    told: ['kustomization', 'kustomization.yaml'],
  },
  {
    what: "a module's layer with a million lines",
    recipe: { is: 'layer', type: 'oci-dir' },
    packed: { files: new Map([['layer', await tar([{ name: 'module.yaml', content: manyLines }])]]) },
    told: ['module', 'module.yaml'],
  },
]

for (const { what, recipe, packed, valuesFrom, told } of elsewhere)
  t.test(`RE-26 CO-96 ${what}: an error at the deadline, with who and which file`, async t => {
    const [subject, file] = told
    const { ordered } = ground(t, { until: file })
    const order = { recipe, artifact: { key: what, called: 'ConfigMap shop', packed }, valuesFrom }
    const message = `${subject} (ConfigMap shop): rendering took longer than 30 s, at ${file}`
    await rejects(t, ordered(order), { name: 'RenderError', message, blame: { kind: 'limit', file } })
  })

const large: Record<string, string> = {
  'a list that doubles': '{{ $l := list 1 }}{{ range 64 }}{{ $l = concat $l $l }}{{ end }}',
  'lists of lists of numbers': '{{ $l := list }}{{ range 1000 }}{{ $l = append $l (until 1000000) }}{{ end }}',
  'long texts, one after another':
    '{{ $s := repeat 10000000 "x" }}{{ $l := list }}{{ range until 1000 }}{{ $l = append $l (b64enc (print . $s)) }}{{ end }}',
}

for (const [name, template] of Object.entries(large))
  t.test(`RE-26 CO-96 ${name}: an error at the limit of memory`, async t => {
    const { render } = ground(t, { megabytes: fewMegabytes })
    const message = `chart (ConfigMap shop): rendering needed more than ${fewMegabytes} MB, at orchard/templates/a.yaml`
    await rejects(t, render(template), { name: 'RenderError', message })
  })

t.test(
  'RE-26 CO-96 a text of megabytes in a fault is cut, and an object or objects of many megabytes are refused',
  async t => {
    const { render } = ground(t)
    await rejects(t, render('{{ repeat 10000000 "x" | fail }}'), {
      name: 'RenderError',
      message: (text: unknown) => typeof text === 'string' && text.length === 32_768,
    })
    await rejects(t, render('{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, x: {{ repeat 3145728 "y" }}}'), {
      name: 'RenderError',
      message: 'ConfigMap a has more than 3145728 characters, more than API servers accept',
    })
    const lines = ['---', 'apiVersion: v1', 'kind: ConfigMap', 'metadata: {name: a{{ . }}}']
    const repeating = [...lines, 'data: {x: &x {{ repeat 50000 "y" }}, y: [*x, *x, *x, *x]}', ''].join('\n')
    await rejects(t, render(`{{ range until 150 }}${repeating}{{ end }}`), {
      name: 'RenderError',
      message: 'the rendered objects have more than 20971520 characters',
    })
  },
)

const largeFiles: readonly {
  readonly what: string
  readonly template: string
  readonly files: Readonly<Record<string, string>>
  readonly at: string
}[] = [
  {
    what: 'the lines of a file, again and again',
    template: '{{ $l := list }}{{ range 100 }}{{ $l = append $l ($.Files.Lines "large") }}{{ end }}',
    files: { large: someLines },
    at: 'orchard/templates/a.yaml',
  },
  {
    what: 'files as Secrets, again and again',
    template: '{{ $l := list }}{{ range 100 }}{{ $l = append $l $.Files.AsSecrets }}{{ end }}',
    files: { large: someLines },
    at: 'orchard/templates/a.yaml',
  },
  {
    what: 'default values of many small maps',
    template: '{{ len .Values }}',
    files: { 'values.yaml': Array.from({ length: 400_000 }, (_, n) => `k${n}: {a: {b: {c: {}}}}`).join('\n') },
    at: 'values.yaml',
  },
]

for (const { what, template, files, at } of largeFiles)
  t.test(`RE-26 ${what}: an error at the limit of memory, with chart and file, and the next chart renders`, async t => {
    const { render } = ground(t, { megabytes: fewMegabytes })
    const message = `chart (ConfigMap shop): rendering needed more than ${fewMegabytes} MB, at ${at}`
    await rejects(t, render(template, files), { name: 'RenderError', message, blame: { kind: 'limit', file: at } })
    t.strictSame(await render('{{/* nothing */}}'), { objects: [] })
  })
