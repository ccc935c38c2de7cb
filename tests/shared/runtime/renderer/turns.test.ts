// Whose turn it is to be rendered, who makes way for whom, and what becomes of those whose renderer dies: with renderers that do
// what a test says, on a clock that stands still.
import t from 'tap'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { Answer, Request } from '../../../../shared/runtime/renderer/messages.ts'
import { RendererEnded, type Reply } from '../../../../shared/runtime/renderer/process.ts'
import type { RenderWork } from '../../../../shared/runtime/renderer/renderer.ts'
import { Renderers } from '../../../../shared/runtime/renderer/renderers.ts'
import { matches, rejects } from '../../../harness/matches.ts'
import { renderWork } from '../../../make/component/render-work.ts'
import { fakeClock, settled } from '../../relay/fake-clock.ts'

/** Renderers that are asked, and answer when the test says so. */
const ground = ({ isSlow = false } = {}) => {
  const clock = fakeClock()
  const asked: Asked[] = []
  let started = 0
  const ups: (() => void)[] = []
  const start = () => {
    const number = ++started
    const under: { fail?: (error: Error) => void; end?: RendererEnded } = {}
    const die = (end: RendererEnded) => {
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
  /** Its call ends before its turn comes. */
  const abandoned = async (id: string): Promise<void> => {
    const call = new AbortController()
    render(id, call.signal)
    await settled()
    call.abort()
    await settled()
  }
  return { clock, asked, renderers, render, abandoned, outcomes, ups, started: () => started }
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
  'RE-26 no renderer is started before something is to be rendered, and one serves all that are quick',
  async t => {
    const { asked, render, outcomes, started, renderers } = ground()
    t.equal(started(), 0)
    for (const id of ['a/one', 'a/two', 'b/three']) render(id)
    for (const index of [0, 1, 2]) {
      await settled()
      t.equal(await renderers.residentBytes(), 1_000)
      asked[index]?.answer()
    }
    await settled()
    t.strictSame(names(asked), ['one in 1', 'two in 1', 'three in 1'])
    t.strictSame(outcomes, { 'a/one': 'done', 'a/two': 'done', 'b/three': 'done' })
    renderers.stop()
  },
)

t.test('RE-26 who takes long makes way: the next begin in another renderer, and wait for it no more', async t => {
  const { clock, asked, render, outcomes } = ground()
  render('a/slow')
  render('b/quick')
  await clock.advance(2)
  t.strictSame(names(asked), ['slow in 1'])
  await clock.advance(1)
  t.strictSame(names(asked), ['slow in 1', 'quick in 2'])
  asked[1]?.answer()
  render('b/quicker')
  await settled()
  t.strictSame(names(asked).slice(2), ['quicker in 2'])
  asked[0]?.answer()
  asked[2]?.answer()
  await settled()
  render('a/slow')
  await settled()
  t.strictSame(names(asked).slice(3), ['slow in 1'], 'of two that are free one is kept')
  t.strictSame(outcomes, { 'a/slow': 'done', 'b/quick': 'done', 'b/quicker': 'done' })
})

t.test(
  'RE-26 seconds count from when the process is up: a machine that starts it slowly makes no chart slow',
  async t => {
    const { clock, asked, render, outcomes, ups } = ground({ isSlow: true })
    render('a/quick')
    await clock.advance(20)
    t.equal(ups.length, 1)
    ups[0]?.()
    asked[0]?.answer()
    await settled()
    render('a/quick')
    render('a/other')
    await settled()
    t.strictSame(names(asked), ['quick in 1', 'quick in 1'], 'it is still taken for quick')
    asked[1]?.answer()
    await settled()
    t.strictSame(outcomes, { 'a/quick': 'done' })
    t.strictSame(names(asked).slice(2), ['other in 1'])
  },
)

t.test(
  'RE-26 beside there is room for one; who finds it taken comes again, the later the more it has used',
  async t => {
    const { clock, asked, render, outcomes, abandoned } = ground()
    render('a/slow')
    await clock.advance(3)
    render('b/slow')
    await clock.advance(3)
    t.strictSame(outcomes, { 'b/slow': 'away for 5 s' }, 'it has had three seconds')
    render('b/slow')
    await settled()
    t.strictSame(
      names(asked),
      ['slow in 1', 'slow in 2'],
      'who is known to take long does not begin before there is room',
    )
    asked[0]?.answer()
    await clock.advance(12)
    t.strictSame(names(asked), ['slow in 1', 'slow in 2', 'slow in 1'])
    asked[2]?.die(new RendererEnded('SIGKILL', 'other'))
    render('c/slow')
    await clock.advance(3)
    await abandoned('b/slow')
    t.equal(outcomes['b/slow'], 'away for 24 s')
  },
)

t.test('RE-26 who has used a whole deadline more than another gives way to it', async t => {
  const { clock, asked, render, outcomes } = ground()
  render('a/endless')
  await clock.advance(30)
  t.equal(outcomes['a/endless'], 'chart (ConfigMap shop): rendering took longer than 30 s')
  render('a/endless')
  await clock.advance(10)
  render('b/slow')
  await clock.advance(4)
  t.equal(outcomes['a/endless'], 'away for 42 s')
  asked.at(-1)?.answer()
  await settled()
  t.equal(outcomes['b/slow'], 'done')
  render('a/other')
  await clock.advance(3)
  render('a/endless')
  await settled()
  matches(t, names(asked).at(-1), /^other/, 'of one tenant that counts which has used less itself')
  asked.at(-1)?.answer()
})

t.test('RE-26 turns go to tenants that have used least, and what is used is forgotten in time', async t => {
  const { clock, asked, render } = ground()
  const begun = () => asked.map(({ name }) => name)
  render('greedy/a')
  await clock.advance(2)
  render('greedy/b')
  render('modest/c')
  asked[0]?.answer()
  await settled()
  t.strictSame(begun(), ['a', 'c'])
  await clock.advance(1)
  asked[1]?.answer()
  await settled()
  asked[2]?.answer()
  await clock.advance(6_000)
  render('modest/d')
  await clock.advance(2)
  render('modest/e')
  render('greedy/f')
  asked[3]?.answer()
  await settled()
  t.strictSame(begun().slice(3), ['d', 'f'])
})

t.test('RE-26 nobody waits for long: who called has others to call', async t => {
  const { clock, asked, render, outcomes, renderers } = ground()
  const ended = new AbortController()
  for (const id of ['a/first', 'b/second', 'c/third', 'd/fourth', 'e/fifth']) render(id)
  render('f/sixth', ended.signal)
  await clock.advance(3)
  asked[0]?.answer()
  ended.abort()
  await clock.advance(0)
  t.equal(outcomes['f/sixth'], 'away for 5 s', 'its call is over')
  await clock.advance(7)
  t.strictSame(
    names(asked),
    ['first in 1', 'second in 2', 'third in 1', 'fourth in 3', 'fifth in 4'].slice(0, asked.length),
  )
  t.equal(outcomes['e/fifth'], 'away for 6 s', 'not at the same time as the other')
  renderers.stop()
  render('g/late')
  await settled()
  t.equal(outcomes['g/late'], 'away for 5 s', 'nothing is begun when the host ends')
  t.equal(clock.timers, 0)
})

t.test(
  'RE-26 of a tenant whose charts take long, one that was never tried waits, one for the second place, and no others',
  async t => {
    const { clock, asked, render, outcomes } = ground()
    const many = Array.from({ length: 9 }, (_, n) => `evil/endless-${n}`)
    render('good/known')
    await settled()
    asked[0]?.answer()
    render('evil/first')
    await clock.advance(3)
    for (const id of many) render(id)
    await settled()
    t.strictSame(names(asked).slice(1), ['first in 1', 'endless-0 in 2'])
    t.strictSame(
      many.filter(id => outcomes[id]?.startsWith('away for')),
      many.slice(2),
      'one of them waits to be tried, one for the second place, and no call that nobody could be made in place of',
    )
    render('good/known')
    render('good/new')
    await clock.advance(3)
    t.strictSame(names(asked).slice(3), ['known in 3'], 'others wait no longer than one is tried')
    asked[3]?.answer()
    await settled()
    asked[4]?.answer()
    await settled()
    t.strictSame([outcomes['good/known'], outcomes['good/new']], ['done', 'done'])
    render('evil/quick')
    await settled()
    asked[5]?.answer()
    await settled()
    t.equal(outcomes['evil/quick'], 'done', 'who shares a tenant with them is tried as well')
    render('evil/quick')
    render('evil/quicker')
    await settled()
    t.strictSame(names(asked).slice(6), ['quick in 3'], 'and is quick from then on')
    asked[6]?.answer()
  },
)

t.test(
  'RE-26 a newcomer beside two hundred endless charts of another waits for one that is tried, three seconds',
  async t => {
    const { clock, asked, render, outcomes } = ground()
    for (let n = 0; n < 200; n++) render(`evil/endless-${n}`)
    await clock.advance(3)
    render('good/new')
    await clock.advance(3)
    t.strictSame(names(asked), ['endless-0 in 1', 'endless-1 in 2', 'new in 3'])
    asked[2]?.answer()
    await settled()
    t.equal(outcomes['good/new'], 'done')
  },
)

/** Tenants with an endless chart each. Whose call is sent away or at its limit comes again when it was told to, or half a minute later. */
const endlessTenants = (tenants = 60) => {
  const { clock, asked, render, outcomes } = ground()
  const call = async (id: string): Promise<void> => {
    const seconds = await render(id)
    if (outcomes[id] !== 'done') clock.after((seconds ?? 30) * 1_000, () => void call(id))
  }
  const callAll = (name: string) => {
    for (let n = 0; n < tenants; n++) call(`evil-${n}/${name}`)
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

t.test('RE-26 beside endless charts of many tenants one that is known to be quick waits for seconds', async t => {
  const { clock, callAll, secondsUntil } = endlessTenants()
  t.ok((await secondsUntil('good/known')) <= 1)
  callAll('endless')
  const waits: number[] = []
  for (let calls = 0; calls < 4; calls++) {
    waits.push(await secondsUntil('good/known'))
    await clock.advance(20)
  }
  t.ok(Math.max(...waits) <= 15, `${waits} s`)
})

t.test('RE-26 beside endless charts of many tenants a newcomer waits until each was tried once, no longer', async t => {
  const { clock, callAll, secondsUntil } = endlessTenants()
  callAll('endless')
  const seconds = await secondsUntil('good/first')
  t.ok(seconds <= 60 * 3 + 20, `${seconds} s`)
  await clock.advance(60 * 3)
  callAll('another')
  t.ok((await secondsUntil('better/first')) <= 5, 'whatever else they bring')
})

t.test('RE-26 beside endless charts of many tenants one that is known to be slow waits for one of them', async t => {
  const { clock, callAll, secondsUntil } = endlessTenants()
  t.ok((await secondsUntil('good/slow', 8)) <= 10)
  callAll('endless')
  for (let calls = 0; calls < 2; calls++) {
    await clock.advance(41)
    const seconds = await secondsUntil('good/slow', 8)
    t.ok(seconds <= 40, `${seconds} s: what is in the second place has thirty, and it takes eight itself`)
  }
})

t.test(
  'RE-26 beside endless charts of many tenants a slow newcomer waits until each had its time once, no longer',
  async t => {
    const { clock, callAll, secondsUntil } = endlessTenants(12)
    callAll('endless')
    await clock.advance(60)
    const seconds = await secondsUntil('good/slow', 8)
    t.ok(seconds <= 12 * 30 + 8, `${seconds} s`)
  },
)

t.test('RE-26 of those that ask for the second place one waits: who will have used least', async t => {
  const { clock, asked, render, outcomes } = ground()
  const took = async (id: string, seconds: number) => {
    render(id)
    await clock.advance(seconds)
    asked.at(-1)?.answer()
    await settled()
  }
  await took('a/long', 20)
  await took('a/short', 4)
  await took('b/less', 12)
  await took('c/least', 5)
  render('d/endless')
  await clock.advance(3)
  render('b/less')
  render('a/short')
  await settled()
  t.equal(outcomes['a/short'], 'away for 23 s', 'it is short itself, but its tenant has used much')
  render('c/least')
  await settled()
  t.equal(outcomes['b/less'], 'away for 19 s', 'who comes first takes its place')
  t.equal(names(asked).length, 5, 'and none of them begins yet')
  await clock.advance(27)
  t.equal(outcomes['d/endless'], 'chart (ConfigMap shop): rendering took longer than 30 s')
  t.equal(asked.at(-1)?.name, 'least')
  asked.at(-1)?.answer()
})

t.test('RE-26 who waits for the second place holds up nobody for the first, but its files count', async t => {
  const { clock, asked, render, outcomes } = ground()
  render('a/endless')
  await clock.advance(30)
  render('b/slow')
  await clock.advance(12)
  asked[1]?.answer()
  await settled()
  render('c/endless')
  await clock.advance(3)
  const archived = (id: string, mebibytes: number) => {
    const packed = { archive: new Uint8Array(mebibytes * 2 ** 20), as: 'chart' as const }
    render(id, undefined, { order: { recipe: { is: 'chart' }, artifact: { key: id, called: id, packed } } })
  }
  archived('b/slow', 60)
  render('a/new')
  render('d/new')
  archived('e/new', 5)
  await settled()
  t.equal(asked.at(-1)?.name, 'new')
  t.strictSame(Object.keys(outcomes), ['a/endless', 'b/slow', 'e/new'])
  for (const one of asked.slice(3)) one.answer()
})

t.test('RE-26 what was counted when a rendering made way is not counted again at its end', async t => {
  const { clock, asked, render, outcomes, abandoned } = ground()
  for (let n = 0; n < 4; n++) {
    render('a/long')
    await clock.advance(20)
    asked[n]?.answer()
    await settled()
  }
  render('b/long')
  await clock.advance(3)
  await abandoned('a/long')
  t.equal(outcomes['a/long'], 'away for 77 s', 'of four times twenty, halved every ten minutes')
  asked[4]?.answer()
})

t.test('RE-26 the three seconds before a rendering made way count once when it is to give way', async t => {
  const { clock, asked, render, outcomes } = ground()
  render('a/first')
  await clock.advance(10)
  asked[0]?.answer()
  await settled()
  render('a/second')
  await clock.advance(18)
  render('b/slow')
  await clock.advance(3)
  t.strictSame(outcomes, { 'a/first': 'done', 'b/slow': 'away for 5 s' }, 'it has used 28 s more than the other')
  asked[1]?.answer()
})

t.test(
  'RE-26 calls that wait hold 64 MiB of archives, each counted once; who would come last is sent away',
  async t => {
    const { clock, asked, render, outcomes } = ground()
    const sixteen = () => new Uint8Array(16 * 2 ** 20)
    const shared = sixteen()
    const renderOf = (id: string, archive: Uint8Array) => {
      const artifact = { key: id, called: id, packed: { archive, as: 'chart' as const } }
      render(id, undefined, { order: { recipe: { is: 'chart' }, artifact } })
    }
    render('greedy/before')
    await clock.advance(2)
    asked[0]?.answer()
    render('a/before')
    await settled()
    asked[1]?.answer()
    await settled()
    renderOf('a/begun', sixteen())
    for (let n = 0; n < 9; n++) renderOf(`a/same-${n}`, shared)
    for (let n = 0; n < 4; n++) renderOf(`greedy/c${n}`, sixteen())
    await settled()
    t.strictSame(outcomes, { 'greedy/before': 'done', 'a/before': 'done', 'greedy/c3': 'away for 5 s' })
    renderOf('modest/new', sixteen())
    await settled()
    t.equal(outcomes['greedy/c2'], 'away for 8 s', 'whoever has used more')
    render('modest/of-no-file', undefined, { order: { recipe: { is: 'parameters', text: '' } } })
    await settled()
    t.equal(Object.keys(outcomes).length, 4)
    asked[2]?.answer()
  },
)

t.test('RE-26 nobody waits behind renderings that take longer than it would wait', async t => {
  const { clock, asked, render, outcomes } = ground()
  const ids = Array.from({ length: 7 }, (_, n) => `evil/c${n}`)
  for (const [n, id] of ids.entries()) {
    render(id)
    await clock.advance(2.9)
    asked[n]?.answer()
    await settled()
  }
  for (const id of ids) render(id)
  await settled()
  t.strictSame(
    ids.filter(id => outcomes[id]?.startsWith('away for')),
    ids.slice(5),
    'one is rendered, and four wait',
  )
  render('good/new')
  asked[7]?.answer()
  await settled()
  t.equal(asked[8]?.name, 'new', 'who has used less still waits, and comes first')
  asked[8]?.answer()
})

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
  t.strictSame(names(asked), ['one in 1', 'two in 2', 'three in 2'])
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
