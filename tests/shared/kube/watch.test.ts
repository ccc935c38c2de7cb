// Watches when the stream is well, broken, silent or garbage, and what each means for who follows it.
import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { createClient } from '../../../shared/kube/client/client.ts'
import type { Client, WatchEvent, WatchQuery } from '../../../shared/kube/client-types.ts'
import { isGone, isTrouble, needsRelist } from '../../../shared/kube/errors.ts'
import { endsInitialEvents } from '../../../shared/kube/watch/watch.ts'
import { matches } from '../../harness/matches.ts'
import { configMap, json, type Script, scriptedServer, status } from './scripted-server.ts'

type Test = { teardown(cleanUp: () => unknown): unknown }

const query: WatchQuery = { apiVersion: 'v1', kind: 'ConfigMap', resourceVersion: '7' }

const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`

/** A server that streams what `write` gives it, and a client that watches it. */
const watching = async (t: Test, write: (answer: ServerResponse) => void, change: Partial<WatchQuery> = {}) => {
  const server = await scriptedServer(t, (_, answer) => {
    answer.writeHead(200, { 'content-type': 'application/json' })
    answer.flushHeaders()
    write(answer)
  })
  const client = createClient(server.access)
  t.teardown(client.close)
  return { server, client, events: client.watch({ ...query, ...change }) }
}

/** All events, and what ended them. `heard` is told of each when its reader waits for the next one. */
const followed = async (
  events: AsyncIterable<WatchEvent>,
  heard?: () => void,
): Promise<{ seen: string[]; end: unknown }> => {
  const seen: string[] = []
  try {
    for await (const { type, object } of events) {
      seen.push(`${type} ${object.metadata.name ?? ''}`.trim())
      if (heard) void turn().then(heard)
    }
    return { seen, end: 'quiet' }
  } catch (end) {
    return { seen, end }
  }
}

/** Patience runs out when the test says so: a machine that stops for a moment is no silent server. */
const standingClock = (t: Test) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  return { pass: (seconds: number) => mock.timers.tick(seconds * 1000) }
}

t.test('events come as objects of the watched kind, wherever the stream was cut into pieces', async t => {
  const text =
    line('ADDED', { ...configMap('a'), data: { text: 'žluťoučký kůň 🐎' } }) +
    line('MODIFIED', configMap('b')) +
    line('DELETED', configMap('c'))
  const bytes = Buffer.from(text)
  for (const size of [1, 7, 64, bytes.length]) {
    const { events } = await watching(t, async answer => {
      for (let at = 0; at < bytes.length; at += size) {
        answer.write(bytes.subarray(at, at + size))
        if (size > 1) await new Promise(setImmediate)
      }
      answer.end()
    })
    const all: WatchEvent[] = []
    for await (const event of events) all.push(event)
    t.strictSame(
      all.map(({ type, object }) => `${type} ${object.metadata.name}`),
      ['ADDED a', 'MODIFIED b', 'DELETED c'],
      `in pieces of ${size}`,
    )
    matches(t, all[0]?.object, { kind: 'ConfigMap', data: { text: 'žluťoučký kůň 🐎' } })
  }
})

t.test('the query asks for bookmarks and carries selectors; metadata-only objects keep their own kind', async t => {
  const partial = {
    kind: 'PartialObjectMetadata',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { name: 'a', managedFields: [] },
  }
  const { server, events } = await watching(t, answer => answer.end(line('ADDED', partial)), {
    namespace: 'default',
    labelSelector: 'a=b,c!=d',
    fieldSelector: 'metadata.name=a',
    metadataOnly: true,
    timeoutSeconds: 30,
  })
  const all: WatchEvent[] = []
  for await (const event of events) all.push(event)
  t.strictSame(all, [{ type: 'ADDED', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } }])
  matches(t, server.asked[0], {
    path: '/api/v1/namespaces/default/configmaps',
    headers: { accept: /as=PartialObjectMetadata;/ },
  })
  t.strictSame(Object.fromEntries(server.asked[0]?.query ?? []), {
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: '7',
    timeoutSeconds: '30',
    labelSelector: 'a=b,c!=d',
    fieldSelector: 'metadata.name=a',
  })
})

t.test('FN-43 of an API server that sends whole objects in a metadata watch only the metadata is used', async t => {
  const whole = configMap('a', { data: { text: 'x'.repeat(100) } })
  const server = await scriptedServer(t, ({ headers, query }, answer) => {
    if (!headers.accept?.split(',').includes('application/json')) json(answer, 406, status(406, 'NotAcceptable'))
    else if (query.has('watch')) answer.end(line('ADDED', whole))
    else json(answer, 200, { kind: 'ConfigMapList', metadata: { resourceVersion: '7' }, items: [whole] })
  })
  const client = createClient(server.access)
  t.teardown(client.close)
  const query = { apiVersion: 'v1', kind: 'ConfigMap', metadataOnly: true }
  const metadata = { apiVersion: 'v1', kind: 'ConfigMap', metadata: whole.metadata }
  t.strictSame(await client.list(query), [metadata])
  const events: WatchEvent[] = []
  for await (const event of client.watch({ ...query, resourceVersion: '7' })) events.push(event)
  t.strictSame(events, [{ type: 'ADDED', object: metadata }])
})

const initialEnd = (resourceVersion: string) =>
  line('BOOKMARK', {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } },
  })

t.test('FN-207 a watch without a version begins with all objects, in one request', async t => {
  const text = line('ADDED', configMap('a')) + line('ADDED', configMap('b')) + initialEnd('9')
  const { server, events } = await watching(t, answer => answer.end(text + line('MODIFIED', configMap('a'))), {
    resourceVersion: undefined,
    labelSelector: 'a=b',
  })
  const all: WatchEvent[] = []
  for await (const event of events) all.push(event)
  t.strictSame(
    all.map(event => `${event.type} ${event.object.metadata.name ?? event.object.metadata.resourceVersion}`),
    ['ADDED a', 'ADDED b', 'BOOKMARK 9', 'MODIFIED a'],
  )
  t.strictSame(all.map(endsInitialEvents), [false, false, true, false])
  t.equal(server.asked.length, 1)
  t.strictSame(Object.fromEntries(server.asked[0]?.query ?? []), {
    watch: 'true',
    allowWatchBookmarks: 'true',
    sendInitialEvents: 'true',
    resourceVersionMatch: 'NotOlderThan',
    resourceVersion: '0',
    labelSelector: 'a=b',
  })
})

t.test('FN-207 a bookmark without the mark or without a version does not end the objects', async t => {
  const bookmark = (metadata: object) => ({ type: 'BOOKMARK', object: { ...configMap(''), metadata } }) as WatchEvent
  const marked = { annotations: { 'k8s.io/initial-events-end': 'true' } }
  t.strictSame(
    [{ resourceVersion: '9' }, marked, { ...marked, resourceVersion: '9' }].map(bookmark).map(endsInitialEvents),
    [false, false, true],
  )
})

const gone: Record<string, Script> = {
  'an HTTP status': (_, answer) => json(answer, 410, status(410, 'Expired')),
  'an ERROR event': (_, answer) =>
    answer.writeHead(200).end(line('ADDED', configMap('a')) + line('ERROR', status(410, 'Expired'))),
}

for (const [how, script] of Object.entries(gone))
  t.test(`RE-05 410 as ${how} is one thing: a new list is needed`, async t => {
    const server = await scriptedServer(t, script)
    const client = createClient(server.access)
    t.teardown(client.close)
    const { end } = await followed(client.watch(query))
    matches(t, end, { name: 'ApiError', code: 410, reason: 'Expired' })
    t.ok(isGone(end) && needsRelist(end))
    t.equal(server.asked.length, 1)
  })

t.test('other errors before or within the stream are errors of the API server', async t => {
  const scripts: [Script, number][] = [
    [(_, answer) => json(answer, 429, status(429, 'TooManyRequests'), { 'retry-after': '2' }), 429],
    [(_, answer) => answer.writeHead(200).end(line('ERROR', status(500, 'InternalError'))), 500],
    [(_, answer) => answer.writeHead(200).end(line('ERROR', { kind: 'Status' })), 500],
  ]
  for (const [script, code] of scripts) {
    const server = await scriptedServer(t, script)
    const client = createClient(server.access)
    t.teardown(client.close)
    const { end } = await followed(client.watch(query))
    matches(t, end, { name: 'ApiError', code })
    t.ok(isTrouble(end) && !needsRelist(end))
  }
})

type Ending = { write: (answer: ServerResponse) => void; fault: string; relist: boolean; idleSeconds?: number }

const first = line('ADDED', configMap('a'))

const endings: Record<string, Ending> = {
  'a dropped connection': {
    write: answer => answer.write(first, () => answer.destroy()),
    fault: 'dropped',
    relist: false,
  },
  'a connection dropped within a line': {
    write: answer => answer.write(`${first}{"type":"ADDED","obj`, () => answer.destroy()),
    fault: 'dropped',
    relist: false,
  },
  'a half-open connection': { write: answer => answer.write(first), fault: 'silent', relist: false, idleSeconds: 0.1 },
  'a stream that ends within a line': {
    write: answer => answer.end(`${first}{"type":"ADDED","obj`),
    fault: 'garbage',
    relist: true,
  },
  'a line cut short': {
    write: answer => answer.end(`${first}{"type":"ADDED"\n${first}`),
    fault: 'garbage',
    relist: true,
  },
  'a line that is no JSON': { write: answer => answer.end(`${first}<html>\n${first}`), fault: 'garbage', relist: true },
  'an event of an unknown type': {
    write: answer => answer.end(first + line('MOVED', configMap('a'))),
    fault: 'garbage',
    relist: true,
  },
  'an event without an object': {
    write: answer => answer.end(`${first}{"type":"ADDED"}\n`),
    fault: 'garbage',
    relist: true,
  },
}

for (const [what, { write, fault, relist, idleSeconds }] of Object.entries(endings))
  t.test(`RE-06 ${what} is ${fault}: ${relist ? 'a new list is needed' : 'the watch may be resumed'}`, async t => {
    const { events } = await watching(t, write, { idleSeconds })
    const clock = standingClock(t)
    const { seen, end } = await followed(events, idleSeconds ? () => clock.pass(idleSeconds) : undefined)
    t.strictSame(seen, ['ADDED a'], 'what came before it was delivered')
    matches(t, end, { name: 'StreamError', fault })
    t.equal(needsRelist(end), relist)
    t.ok(isTrouble(end))
  })

t.test('RE-06 bookmarks are signs of life', async t => {
  const bookmark = line('BOOKMARK', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '9' } })
  const began = Promise.withResolvers<ServerResponse>()
  const { events } = await watching(t, began.resolve, { idleSeconds: 0.2 })
  const clock = standingClock(t)
  const heard = new EventEmitter()
  const following = followed(events, () => heard.emit('bookmark'))
  const answer = await began.promise
  for (let i = 0; i < 6; i++) {
    answer.write(bookmark)
    await Promise.race([once(heard, 'bookmark'), following])
    clock.pass(0.15)
  }
  answer.end()
  t.strictSame(await following, { seen: Array(6).fill('BOOKMARK'), end: 'quiet' })
})

t.test('RE-06 a reader that takes its time is no silent server', async t => {
  const { events } = await watching(t, answer => answer.end(first + first), { idleSeconds: 0.05 })
  const clock = standingClock(t)
  let seen = 0
  for await (const _ of events) {
    seen++
    clock.pass(0.12)
  }
  t.equal(seen, 2)
})

t.test('a watch that the server or the caller ends throws nothing', async t => {
  const ended = await watching(t, answer => answer.end(first))
  t.strictSame(await followed(ended.events), { seen: ['ADDED a'], end: 'quiet' })

  const stop = new AbortController()
  const aborted = await watching(t, answer => answer.write(first), { signal: stop.signal })
  const seen: string[] = []
  for await (const { type } of aborted.events) {
    seen.push(type)
    stop.abort()
  }
  t.strictSame(seen, ['ADDED'])
})

t.test('a caller who leaves the loop closes the connection', async t => {
  const closed = Promise.withResolvers<void>()
  const { events } = await watching(t, answer => {
    answer.on('close', closed.resolve)
    answer.write(first)
  })
  for await (const _ of events) break
  await closed.promise
  t.pass('the server saw the connection close')
})

t.test('many watches do not delay calls', async t => {
  const server = await scriptedServer(t, (asked, answer) => {
    if (!asked.query.has('watch')) return json(answer, 200, configMap('a'))
    answer.writeHead(200).write(first)
  })
  const client = createClient(server.access, { connections: 2 })
  const stop = new AbortController()
  t.teardown(async () => {
    stop.abort()
    await client.close()
  })
  await Promise.all(Array.from({ length: 40 }, () => begun(client, stop.signal)))
  t.ok(await client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' }))
})

/** Resolves once the watch delivers; it goes on until the signal. */
const begun = async (client: Client, signal: AbortSignal): Promise<void> => {
  const { value } = await client
    .watch({ ...query, signal })
    [Symbol.asyncIterator]()
    .next()
  if (!value) throw new Error('the watch ended at once')
}
