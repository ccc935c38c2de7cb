// The instruments of the fault tests, tested themselves: a check that cannot fail proves nothing.
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { Agent, type Dispatcher, Pool, request } from 'undici'
import { gardenKind } from '../../shared/api/garden.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { withoutSockets } from '../../shared/embedded/http/without-sockets.ts'
import { canary, hasCanary } from '../../shared/main/own/trial.ts'
import { Backoff } from '../../shared/relay/time/clock.ts'
import { matches, rejects } from '../harness/matches.ts'
import { standingClock } from '../harness/standing-clock.ts'
import type { Fault } from './proxy/faults.ts'
import { faultProxy } from './proxy/proxy.ts'
import { type HttpRequest, type KubeRequest, kubeRequest } from './proxy/request.ts'
import { fits, type Match, newRules, type Rule } from './proxy/rules.ts'
import { lines, type StreamFault } from './proxy/stream.ts'
import { scenariosOf } from './scenario.ts'
import { rounds, roundsPerScenario } from './suites/around-a-function.ts'
import { lostIn, type Traces } from './suites/nothing-lost.ts'
import { reconcilers } from './trying.ts'

t.test('a request is named as Kubernetes names it', async t => {
  const gardens = '/apis/operator.gardener.cloud/v1alpha1/gardens'
  const cases: [what: HttpRequest, is: Partial<KubeRequest>][] = [
    [
      { method: 'GET', url: gardens },
      { verb: 'list', group: 'operator.gardener.cloud', resource: 'gardens', name: '' },
    ],
    [
      { method: 'GET', url: `${gardens}?watch=1&resourceVersion=5` },
      { verb: 'watch', resource: 'gardens' },
    ],
    [{ method: 'GET', url: `${gardens}?watch=false` }, { verb: 'list' }],
    [
      { method: 'GET', url: `${gardens}/g` },
      { verb: 'get', resource: 'gardens', namespace: '', name: 'g' },
    ],
    [
      { method: 'PUT', url: `${gardens}/g/status` },
      { verb: 'update', resource: 'gardens/status', name: 'g' },
    ],
    [
      { method: 'POST', url: '/api/v1/namespaces/a/secrets' },
      { verb: 'create', resource: 'secrets', namespace: 'a' },
    ],
    [
      {
        method: 'PATCH',
        url: '/api/v1/namespaces/a/secrets/s?fieldManager=x&dryRun=All',
        contentType: 'application/apply-patch+yaml',
      },
      { verb: 'apply', group: '', resource: 'secrets', namespace: 'a', name: 's', isDryRun: true },
    ],
    [
      { method: 'PATCH', url: '/api/v1/namespaces/a/secrets/s', contentType: 'application/merge-patch+json' },
      { verb: 'patch', isDryRun: false },
    ],
    [
      { method: 'DELETE', url: '/api/v1/namespaces/a/secrets/s' },
      { verb: 'delete', name: 's' },
    ],
    [
      { method: 'DELETE', url: '/api/v1/namespaces/a/secrets' },
      { verb: 'deletecollection', name: '' },
    ],
    [
      { method: 'GET', url: '/api/v1/namespaces/a' },
      { verb: 'get', resource: 'namespaces', namespace: '', name: 'a' },
    ],
    [
      { method: 'PUT', url: '/api/v1/namespaces/a/finalize' },
      { resource: 'namespaces/finalize', name: 'a' },
    ],
    [
      { method: 'GET', url: '/api/v1/namespaces' },
      { verb: 'list', resource: 'namespaces' },
    ],
    [
      { method: 'GET', url: '/apis/apps/v1' },
      { verb: 'get', resource: '', name: 'apis/apps/v1' },
    ],
    [{ method: 'GET', url: '/api/v1' }, { resource: '' }],
  ]
  for (const [what, is] of cases) matches(t, kubeRequest(what), is, `${what.method} ${what.url}`)
})

t.test('rules strike the requests they fit, when it is their turn', async t => {
  const secret = kubeRequest({ method: 'GET', url: '/api/v1/namespaces/a/secrets/s' })
  const drop: Fault = { do: 'drop' }
  const struck = (rule: Omit<Rule, 'fault'>, calls = 5) => {
    const rules = newRules()
    rules.inject({ ...rule, fault: drop })
    return Array.from({ length: calls }, () => (rules.faultFor(secret) ? 'x' : '.')).join('')
  }
  t.equal(struck({ match: {} }), 'x....')
  t.equal(struck({ match: {}, nth: 3 }), '..x..')
  t.equal(struck({ match: {}, nth: 2, times: 2 }), '.xx..')
  t.equal(struck({ match: {}, times: Infinity }), 'xxxxx')
  t.equal(struck({ match: { resource: 'configmaps' } }), '.....')
  t.equal(struck({ match: {}, times: Infinity, isSparedAgain: true }), 'x.x.x')
  t.equal(struck({ match: {}, times: 4, isSparedAgain: true }), 'x.x..', 'those that pass count')
  const creates = newRules()
  creates.inject({ match: {}, times: Infinity, isSparedAgain: true, fault: drop })
  const create = kubeRequest({ method: 'POST', url: '/api/v1/namespaces/a/secrets' })
  t.ok(
    [1, 2, 3].every(() => creates.faultFor(create)),
    'each create is another one',
  )
  const many = struck({ match: {}, times: Infinity, share: 0.3 }, 1000)
  t.equal(many, struck({ match: {}, times: Infinity, share: 0.3 }, 1000), 'the same ones every time')
  const count = many.replaceAll('.', '').length
  t.ok(count > 250 && count < 350, `about 30 %: ${count} of 1000`)
  const matches: [Match, boolean][] = [
    [{ verbs: ['get', 'list'], resource: 'secrets', namespace: 'a', name: 's', group: '' }, true],
    [{ verbs: ['list'] }, false],
    [{ resource: 'secrets/status' }, false],
    [{ name: 'other' }, false],
    [{ namespace: '' }, false],
    [{ group: 'apps' }, false],
  ]
  for (const [match, does] of matches) t.equal(fits(match, secret), does, JSON.stringify(match))
})

t.test('an earlier rule hides a later one, which counts all the same', async t => {
  const rules = newRules()
  const first = rules.inject({ match: {}, fault: { do: 'drop' } })
  const second = rules.inject({ match: {}, nth: 2, fault: { do: 'hang' } })
  const some = kubeRequest({ method: 'GET', url: '/api/v1/nodes' })
  t.strictSame([rules.faultFor(some)?.do, rules.faultFor(some)?.do, rules.faultFor(some)], ['drop', 'hang', undefined])
  t.strictSame([first.struck(), second.struck()], [1, 1])
  await second.strikes
})

const configMaps = '/api/v1/namespaces/a/configmaps'

/** The least of an API server: ConfigMaps by path, an ever growing resourceVersion, one watch at a time. */
const tinyApiServer = async (t: Test) => {
  const objects = new Map<string, { metadata: { name: string; resourceVersion: string } }>()
  const seen: string[] = []
  const tiny = { version: 0, watcher: undefined as ServerResponse | undefined, watching: Promise.withResolvers<void>() }
  const put = (path: string) => {
    const object = {
      kind: 'ConfigMap',
      metadata: { name: path.split('/').at(-1) ?? '', resourceVersion: `${++tiny.version}` },
    }
    const isNew = !objects.has(path)
    objects.set(path, object)
    return { code: isNew ? 201 : 200, object }
  }
  const rows: Record<string, (path: string) => { code: number; object: unknown }> = {
    GET: path => (objects.has(path) ? { code: 200, object: objects.get(path) } : { code: 404, object: {} }),
    POST: path => put(`${path}/new`),
    PATCH: put,
    DELETE: path => ({ code: objects.delete(path) ? 200 : 404, object: { kind: 'Status' } }),
  }
  const server = createServer((incoming: IncomingMessage, response) => {
    const url = incoming.url ?? ''
    seen.push(`${incoming.method} ${url} ${incoming.headers.authorization}`)
    if (url.includes('watch=1')) {
      tiny.watcher = response
      response.writeHead(200).flushHeaders()
      return tiny.watching.resolve()
    }
    const { code, object } = rows[incoming.method ?? '']?.(url) ?? { code: 405, object: {} }
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(object))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const proxy = await faultProxy({ url, caData: '' })
  const agent = new Agent({ connect: { ca: Buffer.from(proxy.caData, 'base64') } })
  t.teardown(async () => {
    await agent.destroy()
    await proxy.close()
    server.closeAllConnections()
    server.close()
  })
  const call = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const reply = await request(proxy.url + path, { method, headers, dispatcher: agent })
    const text = await reply.body.text()
    return { code: reply.statusCode, headers: reply.headers, object: JSON.parse(text) }
  }
  const watch = async () => {
    const reply = await request(`${proxy.url}${configMaps}?watch=1`, { dispatcher: agent })
    return { body: reply.body, lines: lines(reply.body.setEncoding('utf8')) }
  }
  const event = (type: string) => tiny.watcher?.write(`{"type":"${type}","object":{}}\n`)
  return { proxy, call, watch, event, seen, objects, watching: tiny.watching.promise }
}

const trace = (id: string) => ({ traceparent: `00-${id}-0000000000000001-01` })

t.test('untouched requests pass under the caller’s token, which is the only one there is', async t => {
  const { call, seen, proxy } = await tinyApiServer(t)
  t.equal((await call('PATCH', `${configMaps}/x`, { authorization: 'Bearer caller' })).code, 201)
  t.equal((await call('GET', `${configMaps}/x`)).object.metadata.resourceVersion, '1')
  t.strictSame(seen, [`PATCH ${configMaps}/x Bearer caller`, `GET ${configMaps}/x undefined`])
  t.equal((await call('GET', `${configMaps}/none`)).code, 404)
  t.equal(proxy.ledger.count({ verbs: ['get'] }), 2)
})

t.test('the ledger tells creations, changes, deletions and writes for nothing apart', async t => {
  const { call, proxy, objects } = await tinyApiServer(t)
  await call('PATCH', `${configMaps}/x`)
  await call('PATCH', `${configMaps}/x`)
  await call('PATCH', `${configMaps}/x?dryRun=All`)
  await call('DELETE', `${configMaps}/x`)
  await call('DELETE', `${configMaps}/x`)
  await call('POST', configMaps)
  t.strictSame(proxy.ledger.effects(), {
    'configmaps a/x': { created: 1, changed: 1, deleted: 1 },
    'configmaps a/new': { created: 1, changed: 0, deleted: 0 },
  })
  const body = Buffer.from(JSON.stringify(objects.get(`${configMaps}/new`)))
  const patch = kubeRequest({ method: 'PATCH', url: `${configMaps}/new` })
  const noted = (since: number) => {
    proxy.ledger.note({ since, request: patch, caller: '', code: 200, sent: Buffer.alloc(0), body })
    return proxy.ledger.entries.at(-1)?.effect
  }
  t.equal(noted(Infinity), 'none', 'the same resourceVersion as before: nothing was changed')
  t.equal(noted(0), 'changed', 'a resourceVersion that others have read meanwhile')
  t.equal(proxy.ledger.writes().length, 7)
  const bound = (request: KubeRequest, sent: object) => {
    proxy.ledger.note({ since: 0, request, caller: '', code: 200, sent: Buffer.from(JSON.stringify(sent)), body })
    return proxy.ledger.entries.at(-1)?.bound
  }
  const version = { uid: '1', resourceVersion: '2' }
  t.strictSame(bound(patch, { metadata: { name: 'x', ...version } }), version, 'what a patch is bound to')
  t.strictSame(bound({ ...patch, verb: 'delete' }, { preconditions: version }), version, 'what a delete is bound to')
  t.equal(proxy.ledger.arrivals.length, 6)
  proxy.ledger.reset()
  t.strictSame(proxy.ledger.entries, [])
})

t.test('a killed caller is cut off for good after exactly k writes; others are not concerned', async t => {
  const { call, proxy, objects } = await tinyApiServer(t)
  const killed = Promise.withResolvers<void>()
  proxy.inject({ match: { verbs: ['patch'] }, nth: 2, fault: { do: 'kill', at: 'after', onKill: killed.resolve } })
  const writes = ['a', 'b', 'c', 'd'].map(name => call('PATCH', `${configMaps}/${name}`, trace('victim')))
  const results = await Promise.allSettled(writes)
  await killed.promise
  t.equal(objects.size, 2, 'two writes were done')
  t.ok(results.filter(result => result.status === 'fulfilled').length <= 1, 'the second was never told')
  await rejects(t, call('GET', `${configMaps}/a`, trace('victim')))
  t.equal((await call('GET', `${configMaps}/none`, trace('other'))).code, 404)
})

t.test('every fault on a plain request', async t => {
  const { call, proxy, objects } = await tinyApiServer(t)
  const path = `${configMaps}/x`
  const strike = (fault: Fault) => proxy.inject({ match: {}, fault })

  strike({ do: 'kill', at: 'before' })
  await rejects(t, call('PATCH', path, trace('early')))
  t.equal(objects.size, 0, 'killed before the write')

  strike({ do: 'drop' })
  await rejects(t, call('PATCH', path))
  t.equal(objects.size, 0, 'dropped')

  strike({ do: 'swallow' })
  await rejects(t, call('PATCH', path))
  t.equal(objects.size, 1, 'done, though nobody was told')

  for (const fault of [{ do: 'kill', at: 'after' }, { do: 'swallow' }] as const) {
    strike(fault)
    t.equal((await call('GET', `${configMaps}/none`)).code, 404, `${fault.do}: what is refused has not been done`)
  }

  strike({ do: 'truncate' })
  await rejects(t, call('GET', path))

  strike({ do: 'answer', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 7 })
  const refused = await call('GET', path)
  matches(t, refused, { code: 429, headers: { 'retry-after': '7' }, object: { reason: 'TooManyRequests' } })

  t.equal((await call('GET', path)).object.metadata.resourceVersion, '1')
  await call('PATCH', path)
  strike({ do: 'stale' })
  t.equal((await call('GET', path)).object.metadata.resourceVersion, '1', 'as it was when it was read first')
  t.equal((await call('GET', path)).object.metadata.resourceVersion, '2')

  const word = Promise.withResolvers<void>()
  const held = strike({ do: 'hold', until: word.promise })
  const waiting = call('GET', path)
  await held.strikes
  t.equal((await call('GET', path)).code, 200, 'others pass meanwhile')
  word.resolve()
  t.equal((await waiting).code, 200)

  strike({ do: 'delay', milliseconds: 1 })
  t.equal((await call('GET', path)).code, 200)

  const hanging = strike({ do: 'hang' })
  const impatient = new AbortController()
  const hung = request(proxy.url + path, {
    signal: impatient.signal,
    dispatcher: new Agent({ connect: { ca: Buffer.from(proxy.caData, 'base64') } }),
  })
  await hanging.strikes
  impatient.abort()
  await rejects(t, hung)
})

t.test('every fault in a running watch', async t => {
  const received = async (strike: StreamFault, send: (event: (type: string) => unknown) => void) => {
    const { proxy, watch, event, watching } = await tinyApiServer(t)
    proxy.inject({ match: { verbs: ['watch'] }, fault: { do: 'stream', afterEvents: 1, strike } })
    const { body, lines } = await watch()
    await watching
    const told: string[] = []
    send(event)
    try {
      for await (const line of lines) {
        told.push(line.startsWith('{') ? JSON.parse(line).type : line)
        if (told.length === 3) break
      }
    } catch {
      told.push('broken')
    }
    body.destroy()
    return told
  }
  const send = (event: (type: string) => unknown) => ['ADDED', 'MODIFIED', 'BOOKMARK', 'DELETED'].map(event)
  const rows: [StreamFault, string[]][] = [
    [{ do: 'cut' }, ['ADDED', 'broken']],
    [{ do: 'end' }, ['ADDED']],
    [{ do: 'halve' }, ['ADDED', 'broken']],
    [{ do: 'garbage', text: 'no event' }, ['ADDED', 'no event', 'MODIFIED']],
    [{ do: 'gone' }, ['ADDED', 'ERROR']],
  ]
  for (const [fault, told] of rows) t.strictSame(await received(fault, send), told, fault.do)
  const lost = await received({ do: 'lose' }, event => ['ADDED', 'DELETED', 'BOOKMARK', 'BOOKMARK'].map(event))
  t.strictSame(lost, ['ADDED', 'BOOKMARK', 'BOOKMARK'], 'lose')
})

t.test('a watch that is under way can be struck, frozen too', async t => {
  const { proxy, watch, event, watching } = await tinyApiServer(t)
  const { body, lines } = await watch()
  await watching
  t.equal(proxy.watches({ resource: 'configmaps' }), 1)
  event('ADDED')
  matches(t, (await lines.next()).value, /ADDED/)
  t.equal(proxy.strikeWatches({ resource: 'secrets' }, { do: 'freeze' }), 0)
  t.equal(proxy.strikeWatches({}, { do: 'freeze' }), 1)
  event('MODIFIED')
  t.equal(proxy.strikeWatches({}, { do: 'cut' }), 1)
  await rejects(t, lines.next(), Error, 'nothing came through after it was frozen')
  body.destroy()
})

const someGarden = (change: Partial<KubeObject> = {}): KubeObject => ({
  ...gardenKind,
  metadata: { name: 'g', uid: '1', resourceVersion: '5', generation: 2, creationTimestamp: '2026-01-01T00:00:00Z' },
  status: { observedGeneration: 2, conditions: [{ type: 'A', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
  ...change,
})

const traces = (change: Partial<Traces> = {}): Traces => ({
  ends: [[someGarden()]],
  effects: { 'secrets a/s': { created: 1, changed: 2, deleted: 0 } },
  quietWrites: [],
  said: ['settled'],
  secrets: ['a very private key'],
  ...change,
})

t.test('what was lost is told, each sort of it', async t => {
  const write = kubeRequest({ method: 'PATCH', url: '/api/v1/namespaces/a/secrets/s' })
  const base64 = Buffer.from(`password: ${canary}!`).toString('base64')
  const cases: [what: string, run: Partial<Traces>, sentence: RegExp | undefined][] = [
    ['nothing', {}, undefined],
    ['another uid, version and time', { ends: [[otherLife()]] }, undefined],
    ['more changes', { effects: { 'secrets a/s': { created: 1, changed: 9, deleted: 0 } } }, undefined],
    ['another label', { ends: [[labelled()]] }, /Garden g is /],
    ['an object too many', { ends: [[someGarden(), someGarden({ kind: 'Other' })]] }, /Other g is /],
    ['an object too few', { ends: [[]] }, /Garden g is undefined/],
    ['a stage too few', { ends: [] }, /stage 1/],
    [
      'a second creation',
      { effects: { 'secrets a/s': { created: 2, changed: 2, deleted: 0 } } },
      /created 2 times, not 1/,
    ],
    ['no creation', { effects: {} }, /created 0 times, not 1/],
    [
      'a write at rest',
      { quietWrites: [{ ...write, caller: '', code: 200, effect: 'none', left: '', bound: {} }] },
      /while all was quiet/,
    ],
    ['a callback nobody read after', { unheard: ['nobody read after it'] }, /nobody read/],
    ['a Secret in the log', { said: [`password ${canary}`] }, /was said/],
    ['a private key in the log', { said: ['key: a very private key'] }, /was said/],
    ['a Secret in base64', { said: [base64] }, /was said/],
  ]
  for (const [what, run, sentence] of cases) {
    const lost = lostIn(traces(run), traces())
    if (sentence) matches(t, lost, [sentence], what)
    else t.strictSame(lost, [], what)
  }
  const lagging = traces({ ends: [[someGarden({ status: { observedGeneration: 1 } })]] })
  matches(t, lostIn(lagging, lagging), [/generation 2, observed 1/], 'an observed generation that lags')
})

const otherLife = (): KubeObject => ({
  ...someGarden({
    status: { observedGeneration: 2, conditions: [{ type: 'A', lastTransitionTime: '2026-02-02T00:00:00Z' }] },
  }),
  metadata: { name: 'g', uid: '2', resourceVersion: '6', generation: 2, creationTimestamp: '2026-02-02T00:00:00Z' },
})

const labelled = (): KubeObject => {
  const garden = someGarden()
  return { ...garden, metadata: { ...garden.metadata, labels: { a: 'b' } } }
}

/** What a listener does to a request, and how the asking side sees it: the same with sockets and without. */
const answers: readonly [title: string, listener: RequestListener, seen: object][] = [
  [
    'an answer with headers from everywhere',
    (_, response) => {
      response.setHeader('warning', ['299 - "a"', '299 - "b"'])
      response.writeHead(409, { 'content-type': 'text/plain', 'content-length': 2 })
      response.end('no')
    },
    { code: 409, type: 'text/plain', warning: '299 - "a", 299 - "b"', text: 'no' },
  ],
  [
    'what was asked',
    async (incoming, response) => {
      const body = Buffer.concat(await incoming.toArray())
      response.end(`${incoming.method} ${incoming.url} ${incoming.headers['impersonate-group']} ${body}`)
    },
    { code: 200, text: 'PATCH /a?b=c x, y {"ä":1}' },
  ],
  [
    'pieces, then an end',
    (_, response) => {
      response.writeHead(200)
      response.flushHeaders()
      response.write('one')
      setImmediate(() => response.end('two'))
    },
    { code: 200, text: 'onetwo' },
  ],
  ['broken off before it began', (_, response) => response.destroy(), { error: 'UND_ERR_SOCKET' }],
  [
    'broken off in the middle',
    (_, response) => {
      response.writeHead(200, { 'content-length': 10 })
      response.write('half', () => response.destroy())
    },
    { code: 200, error: 'UND_ERR_SOCKET' },
  ],
]

const asked = async (dispatcher: Dispatcher, signal?: AbortSignal): Promise<object> => {
  let head = {}
  try {
    const headers = { 'impersonate-group': ['x', 'y'] }
    const sent = { method: 'PATCH', path: '/a?b=c', headers, body: '{"ä":1}', signal } as const
    const { statusCode, headers: got, body } = await dispatcher.request(sent)
    head = { code: statusCode }
    const text = await body.text()
    const { 'content-type': type, warning } = got
    return { ...head, ...(type && { type }), ...(warning && { warning: [warning].flat().join(', ') }), text }
  } catch (error) {
    return { ...head, error: (error as { code?: unknown }).code }
  }
}

for (const [title, listener, seen] of answers)
  t.test(`with sockets and without the same: ${title}`, async t => {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    t.teardown(() => Promise.all([pool.destroy(), server.close()]))
    t.strictSame(await asked(pool), seen, 'with sockets')
    t.strictSame(await asked(withoutSockets(listener)), seen, 'without')
  })

t.test('without sockets too, whoever gives up is gone for the listener', async t => {
  const caller = new AbortController()
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const seen = asked(
    withoutSockets((_, response) => {
      response.once('close', resolve)
      caller.abort()
    }),
    caller.signal,
  )
  await closed
  t.strictSame(await seen, { error: caller.signal.reason.code })
})

t.test('without sockets bytes arrive both ways, and a body that would be read piece by piece is refused', async t => {
  const echo: RequestListener = async (incoming, response) => {
    response.end(new Uint8Array(Buffer.concat(await incoming.toArray())))
  }
  const send = (body: Dispatcher.DispatchOptions['body']) =>
    withoutSockets(echo).request({ method: 'POST', path: '/', body, origin: 'http://here' })
  t.equal(await (await send(new Uint8Array([97, 98]))).body.text(), 'ab')
  await rejects(t, send(Readable.from(['a'])), {
    message: 'a request without a socket needs a body of type string or Uint8Array',
  })
  const { promise: refused, resolve } = Promise.withResolvers<unknown>()
  const wrong = withoutSockets((_, response) => {
    try {
      response.end({ a: 1 })
    } catch (error) {
      resolve(error)
      response.destroy()
    }
  })
  t.strictSame(await asked(wrong), { error: 'UND_ERR_SOCKET' })
  matches(t, await refused, { message: 'a request without a socket needs a body of type string or Uint8Array' })
})

t.test('the canary is found however it is wrapped', async t => {
  for (const before of ['', 'a', 'ab', 'abc']) {
    t.ok(hasCanary(Buffer.from(`${before}${canary}${before}`).toString('base64')), `${before.length} bytes before it`)
  }
  t.notOk(hasCanary('canary'))
})

t.test('every function has its fault scenarios, and one without any is told by name', async t => {
  const files = readdirSync(join(import.meta.dirname, 'functions'))
  const definitions = await reconcilers()
  const counts = await Promise.all(definitions.map(async definition => (await scenariosOf(definition)).length))
  t.notOk(counts.includes(0), 'none is without')
  const scenarios = counts.reduce((sum, count) => sum + count, 0)
  t.ok(scenarios * roundsPerScenario >= rounds, `RE-10: three replicas race ${rounds} times in all of them together`)
  t.strictSame(files, definitions.map(({ name }) => `${name}.test.ts`).sort(), 'and a file in tests/faults/functions/')
  const stranger = {
    does: 'review' as const,
    name: 'stranger',
    kind: gardenKind,
    review: () => ({ allowed: true as const }),
  }
  await rejects(t, scenariosOf(stranger), { message: /the function stranger has no fault scenario: write tests/ })
})

t.test('a clock that stands while nobody here can do anything goes on otherwise', async t => {
  let now = 5_000
  const { tick, milliseconds } = standingClock(() => now)
  for (let ticks = 0; ticks < 50; ticks++) {
    now += 20
    tick()
  }
  t.equal(milliseconds(), 1_000)
  now += 15
  t.equal(milliseconds(), 1_015)
  now += 3_500
  t.equal(milliseconds(), 1_060, 'stopped')
  tick()
  now += 20
  t.equal(milliseconds(), 1_080)
})

t.test('RE-07 watches that were sent away together do not come back together', async t => {
  const waits = [0, 0.5, 0.999].map(chance => {
    const backoff = new Backoff({ baseSeconds: 0.2, maxSeconds: 30 }, () => chance)
    return Math.round(backoff.nextMilliseconds(1000))
  })
  t.strictSame(waits, [1000, 1050, 1100])
})
