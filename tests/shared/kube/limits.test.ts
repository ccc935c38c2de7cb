// What an API server of somebody else can do to whoever asks it: as much as it likes to itself, and nothing to us. Each
// limit with a server that goes beyond it; small limits where the number does not matter.
import { PassThrough } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { byteBudget } from '../../../shared/core/bounds/bytes.ts'
import { isBeyond } from '../../../shared/core/json/json-bounds.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import { paceOf } from '../../../shared/kube/connection/pace.ts'
import { ReceivedBytes } from '../../../shared/kube/connection/received-bytes.ts'
import { ApiError, isExcess, isTrouble, needsRelist } from '../../../shared/kube/errors.ts'
import { kubeconfigClients } from '../../../shared/kube/kubeconfigs/clients.ts'
import {
  type Limits,
  localLimits,
  receivedBytesMost,
  remoteAnswerSeconds,
  remoteLimits,
} from '../../../shared/kube/limits.ts'
import { servedKinds, serverVersion } from '../../../shared/kube/served-kinds.ts'
import { linesIn } from '../../../shared/kube/watch/lines.ts'
import {
  answering,
  behindKubeconfig,
  bomb,
  byteByByte,
  hostileApiServer,
  inChunksOfOneByte,
  interimOnly,
  longLine,
  longList,
  manyPages,
  type Trick,
  withTrailers,
} from '../../harness/clients/hostile-api-server.ts'
import { matches, rejects, throws } from '../../harness/matches.ts'
import { until } from '../../harness/until.ts'
import { configMap, json, scriptedServer } from './scripted-server.ts'

type Test = { teardown(cleanUp: () => unknown): unknown }

const mebibyte = 2 ** 20
const configMaps = { apiVersion: 'v1', kind: 'ConfigMap' }
const ref = { ...configMaps, namespace: 'default', name: 'a' }

/** A client with the limits for clusters of others, but for these. */
const facing = async (t: Test, trick: Trick, change: Partial<Limits> = {}) => {
  const server = await hostileApiServer(t, trick)
  const client = createClient(server.access, { limits: { ...remoteLimits, ...change } })
  t.teardown(client.close)
  return { server, client }
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no failure',
    error => error,
  )

const endOf = async (events: AsyncIterable<unknown>): Promise<unknown> => {
  try {
    for await (const _ of events);
    return 'quiet'
  } catch (error) {
    return error
  }
}

const allOf = async <T>(pages: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const page of pages) all.push(page)
  return all
}

/** The first of these to end; for what would hang, nothing after a minute. */
const firstOf = (tries: readonly Promise<unknown>[]): Promise<unknown> =>
  Promise.race([...tries, wait(60_000, 'nothing', { ref: false })])

const closedBy = async (server: { open(): number }): Promise<boolean> =>
  (await until(server.open, open => open === 0)) === 0

t.test('RE-28 a list of 240 MB is hung up on, however small a page is asked for, and the error says so', async t => {
  const server = await behindKubeconfig(t, longList(240 * mebibyte))
  const client = kubeconfigClients()({ text: server.kubeconfig, called: 'it', allowedHosts: ['127.0.0.1'] })
  t.teardown(client.close)
  const failure = await failureOf(client.list(configMaps))
  const message = /^GET \/api\/v1\/configmaps with it: the answer is larger than 16 MiB/
  matches(t, failure, { name: 'ConnectionError', loss: 'excess', code: 'TOO_LARGE', message })
  t.ok(isExcess(failure) && isTrouble(failure))
  matches(t, server.asked.at(-1), /limit=1$/)
  t.ok(server.sent() / server.asked.length < 32 * mebibyte, 'what is beyond the limit is not waited for')
  t.ok(await closedBy(server))
})

t.test('RE-28 an answer whose length is told beforehand is not even begun', async t => {
  const { server, client } = await facing(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(240 * mebibyte) })
    response.flushHeaders()
  })
  matches(t, await failureOf(client.get(ref)), { loss: 'excess', code: 'TOO_LARGE' })
  t.ok(await closedBy(server))
})

t.test(
  'RE-28 a page of large objects is asked for again with fewer objects until it fits, in our own cluster too',
  async t => {
    const total = 40
    const data = { text: 'x'.repeat(100_000) }
    const server = await scriptedServer(t, ({ query }, answer) => {
      const from = Number(query.get('continue') ?? 0)
      const upTo = Math.min(total, from + Number(query.get('limit')))
      const items = Array.from({ length: upTo - from }, (_, n) => configMap(`c${from + n}`, { data }))
      json(answer, 200, { kind: 'List', metadata: { continue: upTo < total ? String(upTo) : undefined }, items })
    })
    const client = createClient(server.access, { limits: { ...localLimits, answerBytes: mebibyte } })
    t.teardown(client.close)
    const listed = await client.list({ ...configMaps, fromCache: true })
    t.strictSame(
      listed.map(({ metadata }) => metadata.name),
      Array.from({ length: total }, (_, n) => `c${n}`),
    )
    t.strictSame(
      server.asked.map(({ query }) => [query.get('limit'), query.get('continue'), query.get('resourceVersion')]),
      [
        ['500', null, '0'],
        ['63', null, null],
        ['8', null, null],
        ...['8', '16', '24', '32'].map(from => ['8', from, null]),
      ],
    )
  },
)

t.test('RE-28 after one page of large objects a list of small ones comes in large pages again', async t => {
  const total = 1_000
  const textOf = (n: number) => 'x'.repeat(n < 20 ? 100_000 : 100)
  const server = await scriptedServer(t, ({ query }, answer) => {
    const from = Number(query.get('continue') ?? 0)
    const upTo = Math.min(total, from + Number(query.get('limit')))
    const items = Array.from({ length: upTo - from }, (_, n) =>
      configMap(`c${from + n}`, { data: { text: textOf(from + n) } }),
    )
    json(answer, 200, { kind: 'List', metadata: { continue: upTo < total ? String(upTo) : undefined }, items })
  })
  const client = createClient(server.access, { limits: { ...localLimits, answerBytes: mebibyte } })
  t.teardown(client.close)
  t.equal((await client.list(configMaps)).length, total)
  t.strictSame(
    server.asked.map(({ query }) => query.get('limit')),
    ['500', '63', '8', '8', '8', '8', '16', '32', '64', '128', '256', '500'],
  )
})

t.test('RE-28 names of many objects come in smaller pages too', async t => {
  const { server, client } = await facing(t, longList(4 * mebibyte), { answerBytes: mebibyte })
  matches(t, await failureOf(allOf(client.names(configMaps))), { loss: 'excess' })
  matches(t, server.asked.at(-1), /limit=1&/)
})

t.test('RE-28 pages without end are given up, and so is a list too large to be kept', async t => {
  const { server, client } = await facing(t, manyPages(60, 10), { listPages: 20, listBytes: mebibyte / 128 })
  const pages = await failureOf(allOf(client.pages(configMaps)))
  matches(t, pages, { loss: 'excess', message: /^LIST ConfigMap at .*: it has more than 20 pages/ })
  t.equal(server.asked.length, 20)
  const names = await failureOf(allOf(client.names(configMaps)))
  matches(t, names, { loss: 'excess', message: /more than 20 pages/ })
  matches(t, await failureOf(client.list(configMaps)), {
    loss: 'excess',
    message: /^LIST ConfigMap at .*: it is larger than/,
  })
  const nothingKept = client.list({ ...configMaps, keep: () => undefined })
  matches(t, await failureOf(nothingKept), { message: /more than 20 pages/ }, 'what is not kept may be long')
})

t.test('RE-28 a list that takes too long is given up, however soon each page comes', async t => {
  const { client } = await facing(t, manyPages(10, 1))
  const { now } = performance
  t.teardown(() => {
    performance.now = now
  })
  let passed = 0
  performance.now = () => now.call(performance) + passed
  const keep = () => {
    passed += 200_000
    return undefined
  }
  matches(t, await failureOf(client.list({ ...configMaps, keep })), { message: /it takes longer than 300 s/ })
  t.equal(passed, 400_000, 'it is seen when the next page is asked for')
})

t.test('RE-28 a server that sends a byte now and then: reads and writes end when their time is over', async t => {
  const { server, client } = await facing(t, byteByByte(20, 100), { readSeconds: 0.3, writeSeconds: 0.4 })
  const tries = [client.get(ref), client.list(configMaps), client.apply(configMap('a'), { fieldManager: 't' })]
  for (const failure of await Promise.all(tries.map(failureOf)))
    matches(t, failure, { loss: 'silent', code: 'OVERDUE', message: /did not answer in time/ })
  t.equal(server.asked.length, 3, 'and are not made again')
  t.ok(await closedBy(server))
})

t.test('RE-28 a call or a watch that gets only early hints ends with an error', async t => {
  const { server, client } = await facing(t, interimOnly)
  const message = /more than 10 interim answers come before the answer/
  matches(t, await failureOf(client.get(ref)), { loss: 'excess', code: 'TOO_MANY', message })
  matches(t, await endOf(client.watch({ ...configMaps, resourceVersion: '7' })), { loss: 'excess', message })
  t.ok(await closedBy(server))
})

t.test('RE-28 requests end before their call does, so that the call can still say what it waited for', async t => {
  const { client } = await facing(t, byteByByte(20, 100), { lastWordSeconds: 60 })
  const call = client.bound({ lastRequestAt: performance.now() + 60_300, signal: new AbortController().signal })
  matches(t, await failureOf(call.get(ref)), { loss: 'silent' })
  matches(t, await failureOf(call.get(ref)), { loss: 'silent' }, 'nor is anything begun then')
})

t.test('RE-28 a watch whose line does not end is closed', async t => {
  const { server, client } = await facing(t, longLine(), { answerBytes: mebibyte })
  const end = await endOf(client.watch({ ...configMaps, resourceVersion: '7' }))
  matches(t, end, {
    name: 'StreamError',
    fault: 'excess',
    message: /^the watch of ConfigMap: a line .* larger than 1 MiB$/,
  })
  t.ok(needsRelist(end) && isExcess(end))
  t.ok(server.sent() < 16 * mebibyte)
  t.ok(await closedBy(server))
})

t.test('RE-28 of a refusal of a watch or a call only as many bytes are read as a Status may have', async t => {
  const { server, client } = await facing(t, longLine(403), { answerBytes: mebibyte })
  matches(t, await endOf(client.watch({ ...configMaps, resourceVersion: '7' })), { name: 'ApiError', code: 403 })
  matches(t, await failureOf(client.get(ref)), { loss: 'excess' })
  t.ok(await closedBy(server))
})

t.test('RE-28 a short answer with very many or deeply nested values is refused before it is parsed', async t => {
  for (const text of ['['.repeat(100_000), `[${'{},'.repeat(600_000)}{}]`, `[${'[],'.repeat(600_000)}[]]`]) {
    const { server, client } = await facing(t, answering(text))
    const failure = await failureOf(client.get(ref))
    matches(t, failure, {
      loss: 'excess',
      code: 'TOO_INTRICATE',
      message: /more than 500000 values or more than 200 levels/,
    })
    server.play(answering(`{"type":"ADDED","object":${text}}\n`))
    matches(t, await endOf(client.watch({ ...configMaps, resourceVersion: '7' })), { fault: 'excess' })
  }
})

t.test('RE-28 an object with misshapen metadata is an error, and is left out of lists', async t => {
  const odd: Record<string, unknown> = {
    labels: 'x',
    annotations: { owner: 5 },
    finalizers: {},
    ownerReferences: ['x'],
    managedFields: 'x',
  }
  for (const [field, value] of Object.entries(odd)) {
    const object = { ...configMap('a'), metadata: { name: 'a', [field]: value } }
    const { server, client } = await facing(t, answering(JSON.stringify(object)))
    matches(t, await failureOf(client.get(ref)), { name: 'ConnectionError', code: 'NO_OBJECT' }, field)
    server.play(answering(JSON.stringify({ kind: 'ConfigMapList', metadata: {}, items: [object, configMap('b')] })))
    matches(t, await client.list(configMaps), [{ metadata: { name: 'b' } }], field)
    server.play(answering(`${JSON.stringify({ type: 'ADDED', object })}\n`))
    matches(t, await endOf(client.watch({ ...configMaps, resourceVersion: '7' })), { fault: 'garbage' }, field)
  }
})

t.test(
  'RE-57 an object with a generation, time or owner that none is, is an error, and is left out of lists',
  async t => {
    const odd: [field: string, value: unknown][] = [
      ...['x'.repeat(2_000), { toString: 1 }, '7', []].map(value => ['generation', value] as [string, unknown]),
      ...['creationTimestamp', 'deletionTimestamp'].flatMap(field =>
        [{ toString: 1 }, 7, 'x'.repeat(2_000)].map(value => [field, value] as [string, unknown]),
      ),
      ...['apiVersion', 'kind', 'name', 'uid'].map(
        field => ['ownerReferences', [{ ...owner, [field]: { toString: 1 } }]] as [string, unknown],
      ),
      ['ownerReferences', [{}]],
    ]
    for (const [field, value] of odd) {
      const object = { ...configMap('a'), metadata: { name: 'a', [field]: value } }
      const { server, client } = await facing(t, answering(JSON.stringify(object)))
      const about = `${field} ${JSON.stringify(value).slice(0, 80)}`
      matches(t, await failureOf(client.get(ref)), { name: 'ConnectionError', code: 'NO_OBJECT' }, about)
      server.play(answering(JSON.stringify({ kind: 'ConfigMapList', metadata: {}, items: [object, configMap('b')] })))
      matches(t, await client.list(configMaps), [{ metadata: { name: 'b' } }], about)
      server.play(answering(`${JSON.stringify({ type: 'ADDED', object })}\n`))
      matches(t, await endOf(client.watch({ ...configMaps, resourceVersion: '7' })), { fault: 'garbage' }, about)
    }
  },
)

const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'w' }

t.test('RE-57 objects of a list are of the kind that was asked for, whatever they say', async t => {
  const [known, metadata] = [{ name: 'a' }, {}]
  const items = [
    { kind: { toString: 1 }, metadata: known },
    { apiVersion: 5, kind: 'Secret', metadata: known },
    { apiVersion: 'example.com/v1', kind: 'ConfigMap', metadata: known },
  ]
  const { server, client } = await facing(t, answering(JSON.stringify({ metadata, items })))
  const a = { ...configMaps, metadata: known }
  t.strictSame(await client.list(configMaps), [a, a, a])
  server.play(answering(JSON.stringify({ apiVersion: 5, kind: 'ConfigMap', metadata: known })))
  matches(t, await failureOf(client.get(ref)), { code: 'NO_OBJECT' })
  server.play(answering(JSON.stringify({ metadata: { resourceVersion: { toString: 1 } }, items: [] })))
  matches(t, await failureOf(client.list(configMaps)), { name: 'ConnectionError', code: 'NO_LIST' })
})

t.test('RE-48 where metadata has null for labels, owners and the like, it has none', async t => {
  const empty = {
    ...{ name: 'a', labels: null, annotations: { empty: '' }, finalizers: null, ownerReferences: null },
    ...{ generation: null, creationTimestamp: null, deletionTimestamp: null },
  }
  const object = { ...configMap('a'), metadata: empty }
  const without = { name: 'a', annotations: { empty: '' } }
  const { server, client } = await facing(t, answering(JSON.stringify(object)))
  t.strictSame((await client.get(ref))?.metadata, without)
  server.play(answering(JSON.stringify({ kind: 'ConfigMapList', metadata: {}, items: [object] })))
  t.strictSame(
    (await client.list(configMaps)).map(({ metadata }) => metadata),
    [without],
  )
  server.play(answering(`${JSON.stringify({ type: 'ADDED', object })}\n`))
  for await (const event of client.watch({ ...configMaps, resourceVersion: '7' })) {
    t.strictSame(event.object.metadata, without)
    break
  }
})

t.test('brackets and commas within JSON texts do not count as values or levels', async t => {
  const bounds = { depth: 2, values: 3 }
  const of = (text: string) => isBeyond(Buffer.from(text), bounds)
  t.strictSame(['{"a":"[[[{,,,"}', '{"a":"\\",,,,"}', '[[1]]'].map(of), [false, false, false])
  t.strictSame(['[[[1]]]', '[1,2,3]', '{"a":"\\\\",,,,"}'].map(of), [true, true, true])
})

t.test(
  'RE-28 a server that sends byte by byte is refused early, and its bytes take no more memory than others',
  async t => {
    const { client } = await facing(t, inChunksOfOneByte(4 * mebibyte), { answerBytes: mebibyte })
    matches(t, await failureOf(client.get(ref)), { loss: 'excess' })
    const received = new ReceivedBytes({ bytesMost: mebibyte, subject: 'it' })
    const all = Array.from({ length: 4_096 }, (_, n) => Buffer.from([n % 256]))
    for (const piece of all) received.add(piece)
    throws(t, () => received.add(Buffer.from('x')), { name: 'Excess', message: 'it is larger than 1 MiB' })
    t.ok(received.bytes.equals(Buffer.concat(all)))
    received.release()
    t.equal(received.length, 0)
    received.add(Buffer.from('next'))
    t.equal(received.bytes.toString(), 'next')
  },
)

/** So many bytes of a list at once, and then nothing more. */
const stuck =
  (bytes: number): Trick =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(' '.repeat(bytes))
  }

t.test(
  'RE-28 clusters that send much at once share a memory limit, and the one that sends most is cut off first',
  async t => {
    const receiving = byteBudget(4 * mebibyte, () => performance.now())
    const reach = async (trick: Trick) => {
      const server = await hostileApiServer(t, trick)
      const client = createClient(server.access, { limits: remoteLimits, receiving, random: () => 1 })
      t.teardown(client.close)
      return { server, client }
    }
    const modest = await reach(byteByByte(20))
    const ended = new AbortController()
    const waiting = failureOf(modest.client.bound({ signal: ended.signal }).get(ref))
    await until(modest.server.open, open => open === 1)
    const greedy = await Promise.all(Array.from({ length: 8 }, () => reach(stuck(1.5 * mebibyte))))
    // A create is not repeated.
    const create = ({ client }: (typeof greedy)[number]) =>
      failureOf(client.bound({ signal: ended.signal }).create(configMap('a'), { fieldManager: 't' }))
    const tries = greedy.map(create)
    const failure = await firstOf(tries)
    matches(t, failure, { loss: 'lost', code: 'OUT_OF_ROOM', message: /responses of remote clusters together exceed/ })
    t.ok(isTrouble(failure))
    t.notOk(isExcess(failure), 'what is not its fault alone is tried again soon')
    const small = await reach(
      answering(JSON.stringify(configMap('a')), { headers: { 'content-type': 'application/json' } }),
    )
    matches(t, await small.client.get(ref), { metadata: { name: 'a' } }, 'who sends little is read')
    t.equal(modest.server.open(), 1, 'and goes on to be read')
    ended.abort()
    matches(t, await waiting, { loss: 'ended' })
    await Promise.all(tries)
  },
)

t.test(
  'RE-28 an answer that lost its memory to others has no bytes and takes no more; a small piece counts as the whole chunk that it keeps alive',
  async t => {
    const budget = byteBudget(1_000, () => 0)
    const received = (from: string) =>
      new ReceivedBytes({ bytesMost: 4_000, subject: 'the answer', share: { budget, from } })
    const [most, other] = [received('a'), received('b')]
    most.add(Buffer.alloc(600))
    other.add(Buffer.alloc(500))
    throws(t, () => most.bytes, { name: 'OutOfRoom' })
    throws(t, () => most.add(Buffer.alloc(1)), { name: 'OutOfRoom' })
    t.equal(other.bytes.length, 500)
    throws(t, () => received('c').add(Buffer.alloc(1_200).subarray(0, 1)), { name: 'OutOfRoom' })
  },
)

t.test(
  'RE-28 a line of a watch that takes too much of the shared memory: the stream is dropped, and may be resumed',
  async t => {
    const receiving = byteBudget(mebibyte, () => performance.now())
    const watching = async (trick: Trick) => {
      const server = await hostileApiServer(t, trick)
      const client = createClient(server.access, { limits: remoteLimits, receiving })
      t.teardown(client.close)
      return endOf(client.watch({ ...configMaps, resourceVersion: '1' }))
    }
    const ends = [watching(stuck(mebibyte / 2 + 1)), watching(stuck(mebibyte / 2 + 2))]
    const end = await firstOf(ends)
    matches(t, end, {
      name: 'StreamError',
      fault: 'dropped',
      message: /^the watch of ConfigMap: the responses of remote clusters together/,
    })
  },
)

t.test('RE-28 answers and lines that were read no longer count in the shared memory', async t => {
  const receiving = byteBudget(mebibyte, () => performance.now())
  const data = { text: 'x'.repeat(300_000) }
  const event = `${JSON.stringify({ type: 'ADDED', object: configMap('a', { data }) })}\n`
  const { access } = await hostileApiServer(t, (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(request.url?.includes('watch=') ? event.repeat(8) : JSON.stringify(configMap('a', { data })))
  })
  const client = createClient(access, { limits: remoteLimits, receiving })
  t.teardown(client.close)
  for (let n = 0; n < 8; n++) matches(t, await client.get(ref), { metadata: { name: 'a' } })
  t.equal(await endOf(client.watch({ ...configMaps, resourceVersion: '1' })), 'quiet')
  const place = receiving.enter('another', () => {})
  t.ok(place.takes(mebibyte), 'nothing is held any more')
})

t.test('RE-28 nothing of a page is kept in memory while the next one is awaited', async t => {
  const { client } = await facing(t, (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    if (request.url?.includes('continue=')) response.flushHeaders()
    else response.end(JSON.stringify({ kind: 'List', metadata: { continue: 'x' }, items: [configMap('a')] }))
  })
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const ended = new AbortController()
  const seen = Promise.withResolvers<WeakRef<object>>()
  const note = ([object = {}]: readonly object[]) => seen.resolve(new WeakRef(object))
  const listing = failureOf(
    (async () => {
      for await (const { objects } of client.bound({ signal: ended.signal }).pages(configMaps)) note(objects.splice(0))
    })(),
  )
  const object = await seen.promise
  const isHeld = () => {
    collectGarbage()
    return object.deref() !== undefined
  }
  t.notOk(await until(isHeld, held => !held))
  ended.abort()
  matches(t, await listing, { loss: 'ended' })
})

t.test('RE-28 all clients of kubeconfigs share one memory limit for what they receive', async t => {
  const servers = await Promise.all(Array.from({ length: 6 }, () => behindKubeconfig(t, stuck(15 * mebibyte))))
  const ended = new AbortController()
  const tries = servers.map(async ({ kubeconfig: text }, n) => {
    const client = kubeconfigClients()({ text, called: `cluster ${n}`, allowedHosts: ['127.0.0.1'] })
    t.teardown(client.close)
    return failureOf(client.bound({ signal: ended.signal }).create(configMap('a'), { fieldManager: 't' }))
  })
  matches(t, await firstOf(tries), { code: 'OUT_OF_ROOM' })
  ended.abort()
  await Promise.all(tries)
})

t.test('RE-28 what exceeds the burst is read at the given pace', async t => {
  const pace = paceOf({ burstBytes: 1_000, bytesPerSecond: 100 })
  t.equal(pace(1_000, 0), 0)
  t.equal(pace(100, 0), 1_000)
  t.equal(pace(0, 600), 400)
  t.equal(pace(0, 1_000), 0)
  t.equal(pace(950, 1_000_000), 0, 'what was not used does not add up beyond the burst')
  t.equal(pace(100, 1_000_000), 500)
  t.equal(paceOf(localLimits)(1e12, 0), 0)
})

t.test('RE-28 a flood of events is read more slowly, and the watch ends when that takes too long', async t => {
  const costs: number[] = []
  const stream = new PassThrough()
  const flood = async (milliseconds: number) => {
    const pace = (bytes: number) => {
      costs.push(bytes)
      return milliseconds
    }
    for await (const _ of linesIn(stream, { idleMilliseconds: 60_000, bytesMost: 1_000, pace }));
  }
  stream.write('{}\n{}\n')
  await rejects(t, flood(30_001), { name: 'Excess', code: 'TOO_FAST' })
  t.strictSame(costs, [256 + 2 * 16 * 1024], 'a small line costs our time as well')
  t.ok(stream.destroyed)
})

t.test(
  'RE-28 FN-207 objects at the beginning of a watch cost as little as in a list, and do not use up the patience',
  async t => {
    const costs: number[] = []
    const stream = new PassThrough()
    let [lines, isInitial] = [0, true]
    const pace = (bytes: number) => {
      costs.push(bytes)
      return isInitial ? 30_001 : 0
    }
    const bounds = { idleMilliseconds: 60_000, bytesMost: 1_000, isInitial: () => isInitial }
    stream.write('{}\n{}\n')
    for await (const _ of linesIn(stream, { ...bounds, pace })) {
      if (++lines === 2) setImmediate(() => stream.end('{}\n'))
      isInitial = lines < 3
    }
    t.strictSame(costs, [256 + 2 * 1024, 256 + 1024])
  },
)

t.test('RE-28 a server that sends more in its answers than is read: calls fail and say so', async t => {
  const slow = { burstBytes: 1_000, bytesPerSecond: 0.001 }
  const { server, client } = await facing(t, answering(JSON.stringify(configMap('a'))), slow)
  let read = 0
  const failure = await failureOf(
    (async () => {
      for (; read < 100; read++) await client.get(ref)
    })(),
  )
  matches(t, failure, { loss: 'excess', code: 'TOO_FAST', message: /data is sent faster than it is read/ })
  t.ok(read > 2 && server.asked.length < 20)
})

t.test('RE-28 compressed answers are not decompressed, and trailers are ignored', async t => {
  const { server, client } = await facing(t, bomb(100 * mebibyte), { lastWordSeconds: 0 })
  matches(t, await failureOf(client.get(ref)), { loss: 'unreadable' })
  server.play(withTrailers({ 'x-more': 'y'.repeat(8_000), 'content-type': 'text/plain' }))
  t.equal((await client.list(configMaps)).length, 1)
  const broken: Record<string, string>[] = [
    { 'x-more': 'y'.repeat(80_000) },
    { 'transfer-encoding': 'gzip', 'content-length': '1' },
  ]
  for (const trailers of broken) {
    server.play(withTrailers(trailers))
    matches(t, await failureOf(client.bound({ lastRequestAt: performance.now() + 1_000 }).list(configMaps)), {
      loss: 'lost',
    })
  }
})

t.test('RE-28 the message of a refusal is cut, and a Retry-After counts as an hour at most', async t => {
  const refusing = (more: object, headers = {}) =>
    answering(JSON.stringify({ kind: 'Status', code: 429, ...more }), { code: 429, headers })
  const long = 'x'.repeat(20_000)
  const details = { causes: Array(1_000).fill({ message: 'x'.repeat(100) }), retryAfterSeconds: -5 }
  const { server, client } = await facing(t, refusing({ message: long, reason: long, details }), {
    lastWordSeconds: 0,
  })
  const hasty = client.bound({ lastRequestAt: performance.now() + 50 })
  const refusal = await failureOf(hasty.get(ref))
  t.ok(refusal instanceof ApiError && refusal.message.length === 4_096 && refusal.reason.length === 128)
  t.ok(refusal instanceof ApiError && refusal.causes.length === 100)
  t.equal(refusal instanceof ApiError && refusal.retryAfterSeconds, undefined)
  for (const patience of [
    refusing({}, { 'retry-after': '1000000000' }),
    refusing({}, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }),
    refusing({ details: { retryAfterSeconds: 1e9 } }),
  ]) {
    server.play(patience)
    matches(t, await failureOf(client.get(ref)), { code: 429, retryAfterSeconds: 3_600 })
  }
})

t.test('RE-28 an object with a name that is too long is no object', async t => {
  const long = { name: 'x'.repeat(2_000) }
  const list = (metadata: object[]) => JSON.stringify({ metadata: {}, items: metadata.map(one => ({ metadata: one })) })
  const { server, client } = await facing(
    t,
    answering(list([{ name: 'a' }, long, { name: 'b', uid: {} }, { name: 3 }])),
  )
  t.strictSame(
    (await client.list(configMaps)).map(({ metadata }) => metadata.name),
    ['a'],
  )
  server.play(answering(`${JSON.stringify({ type: 'ADDED', object: { metadata: long } })}\n`))
  matches(t, await endOf(client.watch({ ...configMaps, resourceVersion: '7' })), { fault: 'garbage' })
})

t.test('RE-28 an API server that says it serves more kinds than any cluster has is refused', async t => {
  const { server, client } = await facing(t, answering(JSON.stringify({ gitVersion: 'v1'.repeat(40_000) })))
  matches(t, await failureOf(serverVersion(client)), { loss: 'excess', message: /^GET \/version/ })
  const resources = Array.from({ length: 20_000 }, (_, n) => ({ name: `kinds${n}`, kind: `Kind${n}`, verbs: ['list'] }))
  const kinds = resources.slice(0, 15_000).map(({ name, kind }) => ({
    resource: `${name}${'x'.repeat(60)}`,
    responseKind: { kind },
    verbs: ['list'],
  }))
  const groups = { kind: 'APIGroupDiscoveryList', items: [{ versions: [{ version: 'v1', resources: kinds }] }] }
  const many = Array.from({ length: 2_000 }, (_, n) => ({ name: `g${n}`, versions: [{ groupVersion: `g${n}/v1` }] }))
  for (const trick of [JSON.stringify(groups), JSON.stringify({ kind: 'APIGroupList', groups: many })]) {
    server.play(answering(trick))
    matches(t, await failureOf(servedKinds(client)), { loss: 'excess', message: /lists too many/ })
  }
  server.play(answering(JSON.stringify({ resources })))
  const unknown = (kind: string) => client.scopeOf({ apiVersion: 'example.org/v1', kind })
  t.strictSame([await unknown('Kind999'), await unknown('Kind1000')], ['cluster', 'unserved'])
})

t.test('RE-28 KY-16 the limits are those of the behaviour, wide for our own cluster', async t => {
  t.strictSame(remoteLimits, {
    answerBytes: 16 * mebibyte,
    answerParts: { depth: 200, values: 500_000 },
    readSeconds: 20,
    writeSeconds: 40,
    lastWordSeconds: 1,
    listPages: 1_000,
    listSeconds: 300,
    listBytes: 32 * mebibyte,
    burstBytes: 64 * mebibyte,
    bytesPerSecond: 4 * mebibyte,
    emptyBytes: 16 * mebibyte,
  })
  t.equal(receivedBytesMost, 32 * mebibyte)
  t.equal(remoteAnswerSeconds, 8, 'so that an object can tell within 10 s that it is away')
  t.equal(localLimits.answerBytes, 16 * mebibyte)
  t.equal(localLimits.listBytes, Number.POSITIVE_INFINITY)
})
