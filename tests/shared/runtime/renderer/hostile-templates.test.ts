// Charts made to take forever or all memory, rendered as a host has them rendered. Their deadline comes as soon as they have begun, and
// most ends at once: what is shown is that they end, and as what.
import t, { type Test } from 'tap'
import { rendererProgram } from '../../../../shared/main/renderer-program.ts'
import { startRenderer } from '../../../../shared/runtime/renderer/process.ts'
import { Renderers } from '../../../../shared/runtime/renderer/renderers.ts'
import { rejects } from '../../../harness/matches.ts'
import { chart } from '../../../make/chart.ts'
import { renderWork } from '../../../make/render-work.ts'
import { fakeClock } from '../../relay/fake-clock.ts'

const usualMegabytes = 256
const turn = { tenant: 'shop', id: 'shop/cart' }

/** `reached`: when a renderer has begun with the template. */
const ground = (t: Test, megabytes = usualMegabytes) => {
  const clock = fakeClock()
  const reached = Promise.withResolvers<void>()
  const start = () => {
    const renderer = startRenderer({ path: rendererProgram, bytesMost: megabytes * 2 ** 20 })
    const ask: typeof renderer.ask = (request, at) =>
      renderer.ask(request, file => {
        at(file)
        if (file === 'orchard/templates/a.yaml') reached.resolve()
      })
    return Object.assign(Object.create(renderer), { ask })
  }
  const renderers = new Renderers({ start, limits: { seconds: 30, megabytes }, clock })
  t.teardown(() => renderers.stop())
  const render = (template: string, files: Readonly<Record<string, string>> = {}) => {
    const packed = chart({ 'templates/a.yaml': template, ...files })
    return renderers.render(renderWork({}, packed, template.slice(0, 100)), turn)
  }
  return { clock, reached: reached.promise, render, renderers }
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
    const { clock, reached, render } = ground(t)
    const rendering = render(template)
    await reached
    clock.advance(30)
    const message = 'chart (ConfigMap shop): rendering took longer than 30 s, at orchard/templates/a.yaml'
    await rejects(t, rendering, {
      name: 'RenderError',
      message,
      blame: { kind: 'limit', file: 'orchard/templates/a.yaml' },
    })
  })

const large: Record<string, string> = {
  'a list that doubles': '{{ $l := list 1 }}{{ range 64 }}{{ $l = concat $l $l }}{{ end }}',
  'lists of lists of numbers': '{{ $l := list }}{{ range 1000 }}{{ $l = append $l (until 1000000) }}{{ end }}',
  'long texts, one after another':
    '{{ $s := repeat 10000000 "x" }}{{ $l := list }}{{ range until 1000 }}{{ $l = append $l (b64enc (print . $s)) }}{{ end }}',
}

for (const [name, template] of Object.entries(large))
  t.test(`RE-26 CO-96 ${name}: an error at the limit of memory`, async t => {
    const { render } = ground(t)
    const message = `chart (ConfigMap shop): rendering needed more than ${usualMegabytes} MB, at orchard/templates/a.yaml`
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
      message: 'ConfigMap a has more than 3145728 characters, which no API server takes',
    })
    const lines = ['---', 'apiVersion: v1', 'kind: ConfigMap', 'metadata: {name: a{{ . }}}']
    const repeating = [...lines, 'data: {x: &x {{ repeat 50000 "y" }}, y: [*x, *x, *x, *x]}', ''].join('\n')
    await rejects(t, render(`{{ range until 150 }}${repeating}{{ end }}`), {
      name: 'RenderError',
      message: 'rendering gives objects of more than 20971520 characters',
    })
  },
)

/** Enough for a renderer with nothing to do, and soon filled. */
const fewMegabytes = 160
const manyLines = 'a\n'.repeat(1_000_000)

const largeFiles: readonly {
  readonly what: string
  readonly template: string
  readonly files: Readonly<Record<string, string>>
  readonly at: string
}[] = [
  {
    what: 'the lines of a file, again and again',
    template: '{{ $l := list }}{{ range 100 }}{{ $l = append $l ($.Files.Lines "large") }}{{ end }}',
    files: { large: manyLines },
    at: 'orchard/templates/a.yaml',
  },
  {
    what: 'files as Secrets, again and again',
    template: '{{ $l := list }}{{ range 100 }}{{ $l = append $l $.Files.AsSecrets }}{{ end }}',
    files: { large: manyLines },
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
    const { render } = ground(t, fewMegabytes)
    const message = `chart (ConfigMap shop): rendering needed more than ${fewMegabytes} MB, at ${at}`
    await rejects(t, render(template, files), { name: 'RenderError', message, blame: { kind: 'limit', file: at } })
    t.strictSame(await render('{{/* nothing */}}'), { objects: [] })
  })
