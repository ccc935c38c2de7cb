// Renderers as processes: what they may take, how they end, and that whoever started them goes on.
import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { rendererProgram } from '../../../../shared/main/program.ts'
import { type RendererProcess, startRenderer } from '../../../../shared/runtime/renderer/process.ts'
import { requestOf } from '../../../../shared/runtime/renderer/renderer.ts'
import { Renderers } from '../../../../shared/runtime/renderer/renderers.ts'
import { rejects } from '../../../harness/matches.ts'
import { chart } from '../../../make/component/chart.ts'
import { renderWork } from '../../../make/component/render-work.ts'
import { fakeClock, settled } from '../../relay/fake-clock.ts'

const hostile = join(import.meta.dirname, 'hostile-program.ts')
const isLinux = process.platform === 'linux'
const turn = { tenant: 'shop', id: 'shop/cart' }
const megabytes = 256

type Ground = {
  readonly renderers: Renderers
  /** Resolves with the next file that a renderer says it is at. */
  reached(): Promise<string>
  readonly started: readonly RendererProcess[]
}

/** The deadline comes when the clock is moved. */
const ground = (t: Test, path: string, clock = fakeClock()): Ground => {
  const started: RendererProcess[] = []
  let heard = Promise.withResolvers<string>()
  const start = (): RendererProcess => {
    const process = startRenderer({ path, bytesMost: megabytes * 2 ** 20 })
    started.push(process)
    return {
      ...process,
      get isAlive() {
        return process.isAlive
      },
      computedSeconds: async () => undefined,
      ask: (request, at) =>
        process.ask(request, file => {
          at(file)
          heard.resolve(file)
        }),
    }
  }
  const renderers = new Renderers({ start, limits: { seconds: 30, megabytes }, clock })
  t.teardown(() => renderers.stop())
  return {
    renderers,
    started,
    reached: () => {
      heard = Promise.withResolvers()
      return heard.promise
    },
  }
}

t.test('RE-26 a chart is rendered in a process of its own, once it is sent and then by its key alone', async t => {
  const { renderers, started } = ground(t, rendererProgram)
  t.strictSame(started, [], 'nothing is started before')
  const files = chart({ 'templates/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Values.name }}}' })
  const named = async (name: string, sent = files) => {
    const rendering = await renderers.render(renderWork({ name }, sent), turn)
    return 'objects' in rendering ? rendering.objects.map(({ metadata }) => metadata.name) : []
  }
  t.strictSame(await named('first'), ['first'])
  t.strictSame(await named('second', new Map()), ['second'], 'the files are not looked at any more')
  await rejects(t, renderers.render(renderWork({}, chart({ 'templates/a.yaml': '{{ fail "no" }}' }), 'shop 2'), turn), {
    name: 'RenderError',
    message: /no$/,
  })
  t.equal(started.length, 1)
  t.ok((await renderers.residentBytes()) > 20 * 2 ** 20, 'its memory is told')
})

t.test('RE-26 what never ends is ended at the deadline, and names chart, file and limit', async t => {
  const clock = fakeClock()
  const { renderers, reached, started } = ground(t, hostile, clock)
  const at = reached()
  const endless = renderers.render(renderWork({ attack: 'endless' }), turn)
  t.equal(await at, 'orchard/templates/endless.yaml')
  await settled()
  clock.advance(30)
  await rejects(t, endless, {
    name: 'RenderError',
    message: 'chart (ConfigMap shop): rendering took longer than 30 s, at orchard/templates/endless.yaml',
  })
  t.equal(started[0]?.isAlive, false)
  t.ok(await renderers.render(renderWork({ attack: 'nothing' }), { tenant: 'b', id: 'b/b' }), 'others go on')
})

const tooMuch = { name: 'RenderError', message: `chart (ConfigMap shop): rendering needed more than ${megabytes} MB` }

for (const attack of [
  'small objects',
  'large lists',
  'a large map',
  'texts in the heap',
  'texts outside the heap',
  'bytes outside the heap',
])
  t.test(`RE-26 ${attack} take a renderer, never its host`, async t => {
    const { renderers } = ground(t, hostile)
    const before = process.memoryUsage.rss()
    await rejects(t, renderers.render(renderWork({ attack }), turn), tooMuch)
    t.ok(process.memoryUsage.rss() - before < 100 * 2 ** 20, 'it is not the memory of the host')
  })

t.test('RE-26 a renderer that ends for whatever reason ends no more than what it was at', async t => {
  const { renderers } = ground(t, hostile)
  const ended = (how: string) => ({
    name: 'RenderError',
    message: `chart (ConfigMap shop): rendering ended its process (${how})`,
  })
  await rejects(t, renderers.render(renderWork({ attack: 'an end of its own' }), turn), ended('code 3'))
  await rejects(t, renderers.render(renderWork({ attack: 'an internal error' }), turn), ended('SIGSEGV'))
  t.ok(await renderers.render(renderWork({ attack: 'nothing' }), turn))
})

t.test('RE-26 a renderer knows nothing of the environment of its host', async t => {
  const { renderers } = ground(t, hostile)
  const rendering = await renderers.render(renderWork({ attack: 'a look around' }), turn)
  const names = 'objects' in rendering ? Object.keys(rendering.objects[0] ?? {}) : ['nothing was told']
  t.strictSame(
    names.filter(name => name !== 'NODE_COMPILE_CACHE'),
    [],
    'but for where both keep what they have compiled',
  )
})

t.test('RE-26 where both want a core, a renderer gives way to its host', { skip: !isLinux }, async t => {
  const { renderers } = ground(t, rendererProgram)
  await renderers.render(renderWork(), turn)
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean)
  t.ok(children.some(child => getPriority(Number(child)) === Math.min(19, getPriority() + 5)))
})

t.test('RE-26 a renderer whose host is gone ends by itself, also in the midst of something endless', async t => {
  const renderer = startRenderer({ path: rendererProgram, bytesMost: megabytes * 2 ** 20 })
  t.teardown(renderer.kill)
  const files = chart({ 'templates/a.yaml': '{{ range 3000 }}{{ range 3000 }}{{ end }}{{ end }}' })
  const request = requestOf(renderWork({}, files), { secondsMost: 0.2, withFiles: true })
  await rejects(
    t,
    renderer.ask(request, () => {}),
    { name: 'RendererEnded', how: 'code 1' },
  )
})

t.test("a renderer that cannot be started is nobody else's fault", async t => {
  const { renderers } = ground(t, join(import.meta.dirname, 'not-there.ts'))
  await rejects(t, renderers.render(renderWork(), turn), {
    name: 'RendererEnded',
    message: 'the renderer ended (code 1)',
  })
})
