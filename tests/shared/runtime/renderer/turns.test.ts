// Whose turn it is to be rendered, who makes way for whom, and what becomes of those whose renderer dies: with renderers that do
// what a test says, on a clock that stands still.
import t from 'tap'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { RendererEnded, type Reply } from '../../../../shared/runtime/renderer/process.ts'
import type { Answer, RenderWork, Request } from '../../../../shared/runtime/renderer/renderer.ts'
import { Renderers } from '../../../../shared/runtime/renderer/renderers.ts'
import { matches, rejects } from '../../../harness/matches.ts'
import { renderWork } from '../../../make/component/render-work.ts'
import { fakeClock, settled } from '../../relay/fake-clock.ts'

/** Renderers that are asked, and answer when the test says so. */
const ground = ({ isSlow = false, tellsComputed = false, looks = Promise.resolve() } = {}) => {
  const clock = fakeClock()
  const asked: Asked[] = []
  let started = 0
  const ups: (() => void)[] = []
  const computed = new Map<number, number>()
  /** A process computes for so many seconds. */
  const compute = (process: number, seconds: number) => computed.set(process, (computed.get(process) ?? 0) + seconds)
  let ended = 0
  const start = () => {
    const number = ++started
    const under: { fail?: (error: Error) => void; end?: RendererEnded } = {}
    const die = (end: RendererEnded) => {
      if (!under.end) ended++
      under.end ??= end
      under.fail?.(under.end)
    }
    return {
      get isAlive() {
        return under.end === undefined
      },
      whenUp: (run: () => void) => (isSlow ? void ups.push(run) : run()),
      kill: () => die(new RendererEnded('SIGKILL', 'other')),
      resident: async () => (under.end ? undefined : 1_000),
      computedSeconds: async () => {
        await looks
        return tellsComputed ? (computed.get(number) ?? 0) : undefined
      },
      ask: ({ parameters }: Request, at: (file: string) => void) => {
        const { promise, resolve, reject } = Promise.withResolvers<Reply>()
        under.fail = reject
        if (under.end) reject(under.end)
        const answer = (given: Answer = nothing, bytes = 0) => resolve({ answer: given, bytes })
        asked.push({ name: String(parameters.name), process: number, at, answer, die })
        return promise
      },
    }
  }
  const renderers = new Renderers({ start, limits: { seconds: 30, megabytes: 100 }, clock })
  const outcomes: Record<string, string> = {}
  /** `tenant/name`. What becomes of it is told in `outcomes`; resolves with the seconds after which it is to come again, if it is. */
  const render = (id: string, signal?: AbortSignal, change: Partial<RenderWork> = {}): Promise<number | undefined> => {
    const [tenant = '', name = ''] = id.split('/')
    return renderers.render({ ...renderWork({ name }), ...change }, { tenant, id, signal }).then(
      () => {
        outcomes[id] = 'done'
        return undefined
      },
      error => {
        outcomes[id] = error.seconds === undefined ? error.message : `away for ${Math.round(error.seconds)} s`
        return error.seconds
      },
    )
  }
  return {
    clock,
    asked,
    renderers,
    render,
    compute,
    outcomes,
    ups,
    started: () => started,
    kept: () => started - ended,
  }
}

type Asked = {
  name: string
  process: number
  at: (file: string) => void
  answer(given?: Answer, bytes?: number): void
  die(end: RendererEnded): void
}

const nothing: Answer = { is: 'objects', texts: ['[]'] }
const names = (asked: readonly Asked[]) => asked.map(({ name, process }) => `${name} in ${process}`)

t.test(
  'RE-26 no renderer is started before something is to be rendered, and one serves all that come one by one',
  async t => {
    const { asked, render, outcomes, started, renderers } = ground()
    t.equal(started(), 0)
    for (const [index, id] of ['a/one', 'a/two', 'b/three'].entries()) {
      render(id)
      await settled()
      t.equal(await renderers.residentBytes(), 1_000)
      asked[index]?.answer()
      await settled()
    }
    t.strictSame(names(asked), ['one in 1', 'two in 1', 'three in 1'])
    t.strictSame(outcomes, { 'a/one': 'done', 'a/two': 'done', 'b/three': 'done' })
    renderers.stop()
  },
)

t.test('RE-92 two places serve the namespaces in turn, and in a namespace its Components', async t => {
  const { asked, render, kept } = ground()
  for (const id of ['a/one', 'a/two', 'a/three', 'a/six', 'b/four', 'c/five']) render(id)
  for (let done = 0; done < 6; done++) {
    await settled()
    asked[done]?.answer()
  }
  t.strictSame(
    asked.map(({ name }) => name),
    ['one', 'two', 'three', 'four', 'five', 'six'],
  )
  for (const id of ['a/busy', 'a/busier', 'a/one', 'a/new']) render(id)
  for (let done = 6; done < 10; done++) {
    await settled()
    asked[done]?.answer()
  }
  t.strictSame(
    asked.slice(6).map(({ name }) => name),
    ['busy', 'busier', 'new', 'one'],
    'the Component that was rendered before comes after the new one',
  )
  await settled()
  t.equal(kept(), 1, 'one of the two is kept')
})

t.test('RE-90 a rendering is slow once it computed for three seconds, however long it waited for a core', async t => {
  const { clock, asked, render, outcomes, compute } = ground({ tellsComputed: true })
  render('a/trivial')
  render('b/trivial')
  await clock.advance(299)
  compute(1, 2.9)
  await settled()
  t.strictSame(outcomes, {}, 'a busy machine ends neither')
  for (const one of asked) one.answer()
  await settled()
  t.strictSame(outcomes, { 'a/trivial': 'done', 'b/trivial': 'done' })
  t.equal(clock.timers, 0)
})

t.test('RE-90 the deadline of a rendering counts its CPU time, and ten times as much time ends it too', async t => {
  const { clock, asked, render, outcomes, compute } = ground({ tellsComputed: true })
  compute(1, 7)
  render('a/endless')
  await clock.advance(31)
  compute(1, 29.5)
  await clock.advance(60)
  t.strictSame(outcomes, {})
  compute(1, 0.5)
  await clock.advance(0.5)
  t.strictSame(outcomes, { 'a/endless': 'chart (ConfigMap shop): rendering took longer than 30 s' })
  render('b/starved')
  await clock.advance(299)
  t.equal(outcomes['b/starved'], undefined)
  await clock.advance(1)
  t.equal(outcomes['b/starved'], 'chart (ConfigMap shop): rendering took longer than 300 s on a busy machine')
  t.equal(asked.length, 2)
  t.equal(clock.timers, 0)
})

t.test(
  'RE-90 seconds count from when the process is up: a machine that starts it slowly makes no chart slow',
  async t => {
    const { clock, asked, render, outcomes, ups } = ground({ isSlow: true })
    render('a/quick')
    await clock.advance(60)
    t.equal(ups.length, 2, 'for three seconds and for the deadline')
    for (const up of ups) up()
    asked[0]?.answer()
    await settled()
    t.strictSame(outcomes, { 'a/quick': 'done' })
    render('a/quicker')
    await settled()
    asked[1]?.answer()
    await settled()
    for (const up of ups) up()
    t.equal(clock.timers, 0, 'nobody looks at a rendering that is over')
  },
)

t.test('RE-90 a look at the CPU time that ends after the rendering makes nothing slow', async t => {
  const { promise: looks, resolve: endLooks } = Promise.withResolvers<void>()
  const { clock, asked, render } = ground({ looks })
  render('a/quick')
  await clock.advance(3)
  asked[0]?.answer()
  await settled()
  endLooks()
  await settled()
  render('b/slow')
  await clock.advance(3)
  render('a/quick')
  await settled()
  t.equal(names(asked).at(-1)?.split(' ')[0], 'quick')
  for (const { answer } of asked) answer()
})

t.test('RE-91 a renderer that was killed is replaced at once: the next rendering waits for no start', async t => {
  const { clock, asked, render, started, renderers } = ground()
  render('a/endless')
  await clock.advance(30)
  t.equal(started(), 2)
  render('b/quick')
  await settled()
  t.strictSame(names(asked), ['endless in 1', 'quick in 2'])
  asked[1]?.answer()
  await settled()
  t.equal(started(), 2)
  render('b/quick')
  await settled()
  renderers.stop()
  await settled()
  t.equal(started(), 2, 'none replaces those of a host that ends')
})

t.test(
  'RE-92 a slow rendering holds one place; beside it others go on, and of two that found that out one comes again',
  async t => {
    const { clock, asked, render, outcomes } = ground()
    render('a/slow')
    render('b/slow')
    render('c/quick')
    await clock.advance(3)
    t.strictSame(names(asked), ['slow in 1', 'slow in 2', 'quick in 3'])
    matches(t, outcomes, { 'b/slow': /^away for \d+ s$/ })
    asked[2]?.answer()
    render('b/slow')
    render('c/quicker')
    await settled()
    t.strictSame(names(asked).slice(3), ['quicker in 3'], 'a Component that was slow waits for the place of slow ones')
    asked[0]?.answer()
    await settled()
    t.strictSame(names(asked).slice(4), ['slow in 1'])
    asked[3]?.answer()
    asked[4]?.answer()
    await settled()
    matches(t, outcomes, { 'a/slow': 'done', 'b/slow': 'done', 'c/quick': 'done', 'c/quicker': 'done' })
    render('b/slow')
    render('a/slow')
    await settled()
    t.equal(asked.length, 7, 'a Component that was quick the last time is slow no more')
  },
)

t.test(
  'RE-92 of the calls that wait for the place of slow renderings one stays: whose namespace waits longest',
  async t => {
    const { clock, asked, render, outcomes } = ground()
    const slowOnce = async (id: string) => {
      render(id)
      await clock.advance(4)
      asked.at(-1)?.answer()
      await settled()
    }
    for (const id of ['b/slow', 'a/slow', 'd/slow']) await slowOnce(id)
    render('d/slow')
    render('a/slow')
    await settled()
    t.equal(outcomes['a/slow'], 'done')
    render('b/slow')
    await settled()
    matches(t, outcomes['a/slow'], /^away for [3-6]\d s$/, 'the other was rendered before it')
    await clock.advance(29)
    t.equal(outcomes['b/slow'], 'done')
    asked.at(-1)?.answer()
    await clock.advance(1)
    t.equal(names(asked).at(-1)?.split(' ')[0], 'slow')
  },
)

t.test('RE-26 beside two hundred endless charts of a namespace a newcomer waits for three seconds at most', async t => {
  const { clock, asked, render, outcomes } = ground()
  for (let n = 0; n < 200; n++) render(`evil/endless-${n}`)
  await settled()
  render('good/new')
  await clock.advance(3)
  t.strictSame(names(asked), ['endless-0 in 1', 'endless-1 in 2', 'new in 3'])
  asked[2]?.answer()
  await settled()
  t.equal(outcomes['good/new'], 'done')
  t.equal(
    Object.values(outcomes).filter(outcome => outcome.startsWith('away for')).length,
    198,
    'one endless chart is rendered and one waits; no call waits in vain',
  )
  render('good/new')
  render('evil/new')
  await settled()
  t.strictSame(names(asked).slice(3), ['new in 3'], 'what is new in that namespace waits for the place of slow ones')
})

/** Tenants with an endless chart each. Whose call is sent away or at its limit comes again when it was told to, or half a minute later. */
const endlessTenants = (tenants: number) => {
  const { clock, asked, render, outcomes } = ground()
  const call = async (id: string): Promise<void> => {
    const seconds = await render(id)
    if (outcomes[id] !== 'done') clock.after((seconds ?? 30) * 1_000, () => void call(id))
  }
  const callAll = () => {
    for (let n = 0; n < tenants; n++) call(`evil-${n}/endless`)
  }
  /** How many seconds it takes until this one is rendered, which takes `own` seconds itself. */
  const secondsUntil = async (id: string, own = 0): Promise<number> => {
    const since = clock.monotonic()
    call(id)
    for (outcomes[id] = ''; outcomes[id] !== 'done'; await clock.advance(1))
      for (const { name, answer } of asked.splice(0)) if (id.endsWith(`/${name}`)) clock.after(own * 1_000, answer)
    return (clock.monotonic() - since) / 1_000
  }
  return { clock, callAll, secondsUntil }
}

t.test('RE-26 beside endless charts of sixty namespaces a quick chart waits for seconds', async t => {
  const { clock, callAll, secondsUntil } = endlessTenants(60)
  await secondsUntil('good/known')
  callAll()
  for (let calls = 0; calls < 4; calls++) {
    const seconds = await secondsUntil('good/known')
    t.ok(seconds <= 5, `${seconds} s`)
    await clock.advance(20)
  }
  await clock.advance(180)
  const seconds = await secondsUntil('better/new')
  t.ok(seconds <= 5, `a newcomer after each was tried once: ${seconds} s`)
})

t.test('RE-26 beside endless charts of twelve namespaces a slow chart waits until each had a turn', async t => {
  const { clock, callAll, secondsUntil } = endlessTenants(12)
  callAll()
  await clock.advance(60)
  const seconds = await secondsUntil('good/slow', 8)
  t.ok(seconds <= 12 * 30 + 60, `${seconds} s`)
})

t.test('RE-26 nobody waits for long: who called has others to call', async t => {
  const { clock, asked, render, outcomes, renderers } = ground({ tellsComputed: true })
  const ended = new AbortController()
  for (const id of ['a/first', 'b/second', 'c/third', 'd/fourth']) render(id)
  render('f/sixth', ended.signal)
  ended.abort()
  await settled()
  t.strictSame(outcomes, { 'f/sixth': 'away for 5 s' }, 'its call is over')
  await clock.advance(10)
  t.strictSame(outcomes, { 'f/sixth': 'away for 5 s', 'c/third': 'away for 8 s', 'd/fourth': 'away for 6 s' })
  t.equal(asked.length, 2)
  renderers.stop()
  render('g/late')
  await settled()
  matches(t, outcomes['g/late'], /^away for/, 'nothing is begun when the host ends')
  t.equal(asked.length, 2)
  t.equal(clock.timers, 0)
})

t.test(
  'RE-26 calls that wait hold 64 MiB of archives, each counted once; who would come last is sent away',
  async t => {
    const { asked, render, outcomes, renderers } = ground()
    const sixteen = () => new Uint8Array(16 * 2 ** 20)
    const shared = sixteen()
    const renderOf = (id: string, archive: Uint8Array) => {
      const artifact = { key: id, called: id, packed: { archive, as: 'chart' as const } }
      render(id, undefined, { order: { recipe: { is: 'chart' }, artifact } })
    }
    renderOf('a/begun', sixteen())
    renderOf('greedy/begun', sixteen())
    for (let n = 0; n < 9; n++) renderOf(`a/same-${n}`, shared)
    for (let n = 0; n < 4; n++) renderOf(`greedy/c${n}`, sixteen())
    await settled()
    t.strictSame(outcomes, { 'greedy/c3': 'away for 5 s' })
    render('modest/of-no-file', undefined, { order: { recipe: { is: 'parameters', text: '' } } })
    await settled()
    t.equal(Object.keys(outcomes).length, 1)
    t.equal(asked.length, 2)
    renderers.stop()
  },
)

t.test('RE-26 a renderer that dies takes along what it was at, and nothing that waits', async t => {
  const { asked, render, outcomes, renderers } = ground()
  for (const id of ['a/large', 'a/crash', 'a/rest', 'a/last']) render(id)
  await settled()
  asked[0]?.at('orchard/templates/a.yaml')
  asked[0]?.die(new RendererEnded('SIGABRT', 'memory'))
  await settled()
  asked[1]?.die(new RendererEnded('SIGSEGV', 'other'))
  await settled()
  asked[2]?.answer()
  asked[2]?.die(new RendererEnded('SIGKILL', 'other'))
  await settled()
  asked[3]?.answer()
  await settled()
  t.strictSame(outcomes, {
    'a/large': 'chart (ConfigMap shop): rendering needed more than 100 MB, at orchard/templates/a.yaml',
    'a/crash': 'chart (ConfigMap shop): rendering ended its process (SIGSEGV)',
    'a/rest': 'done',
    'a/last': 'done',
  })
  t.strictSame(
    names(asked),
    ['large in 1', 'crash in 2', 'rest in 3', 'last in 4'],
    'one that died while it rested is not asked',
  )
  renderers.stop()
})

t.test('RE-26 a renderer that holds much after its work does not go on: nobody pays for what another left', async t => {
  const { asked, render } = ground()
  render('a/one')
  render('a/two')
  await settled()
  asked[0]?.answer(nothing, 60 * 2 ** 20)
  await settled()
  asked[1]?.answer(nothing, 40 * 2 ** 20)
  render('a/three')
  await settled()
  t.strictSame(names(asked), ['one in 1', 'two in 2', 'three in 3'])
  asked[2]?.answer()
})

t.test('RE-26 many objects are read in pieces, between which others have their turn', async t => {
  const { asked, renderers } = ground()
  const rendered = renderers.render(renderWork(), { tenant: 'a', id: 'a/b' })
  let isOver = false
  rendered.finally(() => {
    isOver = true
  })
  await settled()
  asked[0]?.answer({ is: 'objects', texts: Array.from({ length: 50 }, (_, n) => `[{"n":${n}}]`) })
  let turns = 0
  for (; !isOver; turns++) await new Promise(setImmediate)
  t.ok(turns >= 49, `${turns} turns`)
  matches(t, await rendered, { objects: Array.from({ length: 50 }, (_, n) => ({ n })) })
  renderers.stop()
})

t.test('files are sent to who lacks them; what a renderer met is thrown here', async t => {
  const { asked, renderers } = ground()
  const rendered = renderers.render(renderWork(), { tenant: 'a', id: 'a/b' })
  await settled()
  asked[0]?.answer({ is: 'unknown' })
  await settled()
  const [made] = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }] as KubeObject[]
  asked[1]?.answer({ is: 'objects', texts: [JSON.stringify([made]), '[]', JSON.stringify([made])] })
  t.strictSame(await rendered, { objects: [made, made] })
  const failing = (answer: Answer) => {
    const failed = renderers.render(renderWork(), { tenant: 'a', id: 'a/b' })
    settled().then(() => asked.at(-1)?.answer(answer))
    return failed
  }
  const refusal = { message: 'no chart', blame: { kind: 'object', file: 'a.yaml' }, quotesNoValues: true } as const
  await rejects(t, failing({ is: 'refused', ...refusal }), { name: 'RenderError', ...refusal })
  await rejects(t, failing({ is: 'broken', message: 'ours', stack: 'there' }), { name: 'Error', stack: 'there' })
  renderers.stop()
})
