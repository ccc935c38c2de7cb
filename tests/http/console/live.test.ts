// Streams of events by which pages of the console refresh themselves.
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { contains, matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { type ConsoleHost, componentKind, condition, consoleGround, person } from './console-ground.ts'

const { admin, namespace, hostWith, everywhere, here, nowhere, page, objectPath } = await consoleGround(t)

/** A stream of events as it arrives. */
const stream = async (t: Test, url: string, token: string, on: ConsoleHost) => {
  const { port } = on.app.server.address() as { port: number }
  const ending = new AbortController()
  t.teardown(() => ending.abort())
  const answer = await fetch(`http://127.0.0.1:${port}${url}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: ending.signal,
  })
  let text = ''
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const reads = async () => {
    for await (const piece of answer.body ?? []) text += Buffer.from(piece).toString()
  }
  reads().then(resolve, () => resolve())
  return { status: answer.status, headers: answer.headers, text: () => text, ended, abort: () => ending.abort() }
}

t.test(
  'FN-92 a change is told to the open page, whose content then shows it; not to whom may not list the object',
  async t => {
    const own = hostWith()
    t.teardown(() => own.app.close())
    await own.app.listen({ host: '127.0.0.1', port: 0 })
    const all = await stream(t, '/events', everywhere, own)
    const [object, others] = await Promise.all(
      ['well', 'slow'].map(name => stream(t, `/events?of=${encodeURIComponent(objectPath(name).slice(8))}`, here, own)),
    )
    const blind = await stream(t, '/events', nowhere, own)
    matches(
      t,
      [all.status, all.headers.get('content-type'), all.headers.get('cache-control')],
      [200, 'text/event-stream', 'no-store'],
    )
    await eventually('all is read', async () => !/still being read/.test(await page('/', everywhere, own)))
    await wait(1_500)
    const before = [all, object, others, blind].map(one => one?.text().length)
    await admin.patch(
      { ...componentKind, namespace, name: 'well' },
      { type: 'merge', body: { status: { state: 'Error', ...condition('False', 'it broke just now') } } },
      { ...person, subresource: 'status' },
    )
    await eventually(
      'it is told',
      async () => /data: change/.test(all.text()) && /data: change/.test(object?.text() ?? ''),
    )
    t.strictSame(
      [others, blind].map(one => one?.text().length),
      before.slice(2),
    )
    contains(t, await page('/', everywhere, own), 'it broke just now')
  },
)

t.test('SEE-75 streams are bounded: ten of a user, and all end with the host', async t => {
  const own = hostWith()
  await own.app.listen({ host: '127.0.0.1', port: 0 })
  const streams = []
  for (let at = 0; at < 10; at++) streams.push(await stream(t, '/events', everywhere, own))
  const more = await stream(t, '/events', everywhere, own)
  t.strictSame([more.status, more.headers.get('retry-after')], [429, '5'])
  t.equal((await stream(t, '/events', here, own)).status, 200, 'another user')
  streams[0]?.abort()
  await eventually('there is room again', async () => (await stream(t, '/events', everywhere, own)).status === 200)
  await own.app.close()
  await Promise.all(streams.map(({ ended }) => ended))
})
