// What becomes of a call when the wire or the API server misbehaves: repeats, deadlines, pages, credentials, paths.
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { byteBudget } from '../../../shared/core/bounds/bytes.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import type { Client, Outside, RequestNote } from '../../../shared/kube/client-types.ts'
import { inClusterAccess } from '../../../shared/kube/clusters/access.ts'
import { type Attempt, pauseBeforeRepeat } from '../../../shared/kube/connection/repeat.ts'
import { ApiError, ConnectionError, isGone, isNotServed, isTrouble } from '../../../shared/kube/errors.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { matches, rejects } from '../../harness/matches.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { until } from '../../harness/until.ts'
import { configMap, json, type Script, scriptedServer, status } from './scripted-server.ts'

const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' }
const options = { fieldManager: 'tests' }

const verbs = {
  get: client => client.get(ref),
  list: client => client.list({ apiVersion: 'v1', kind: 'ConfigMap' }),
  create: client => client.create(configMap('a'), options),
  apply: client => client.apply(configMap('a'), options),
  'apply that creates': client => client.apply(configMap('a'), { ...options, isCreation: true }),
  'merge patch': client => client.patch(ref, { type: 'merge', body: { data: {} } }, options),
  'json patch': client => client.patch(ref, { type: 'json', body: [] }, options),
  'delete by uid': client => client.delete(ref, { uid: 'uid-a' }),
  'delete by name': client => client.delete(ref, {}),
} satisfies Record<string, (client: Client) => Promise<unknown>>

type Verb = keyof typeof verbs

const everyVerb = Object.keys(verbs) as Verb[]
const idempotent: Verb[] = ['get', 'list', 'apply', 'merge patch', 'delete by uid']

const faults: Record<string, { script: Script; repeated: readonly Verb[] }> = {
  'a 429': { script: (_, answer) => json(answer, 429, status(429, 'TooManyRequests')), repeated: everyVerb },
  'a 503': { script: (_, answer) => json(answer, 503, status(503, 'ServiceUnavailable')), repeated: idempotent },
  'a 503 of a proxy, without a Status': {
    script: (_, answer) => answer.writeHead(503).end('away'),
    repeated: idempotent,
  },
  'a 500': { script: (_, answer) => json(answer, 500, status(500, 'InternalError')), repeated: idempotent },
  'a connection reset': { script: (_, answer) => answer.destroy(), repeated: idempotent },
  'an answer that breaks off': {
    script: (_, answer) => {
      answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      answer.write('{"kind":', () => answer.destroy())
    },
    repeated: idempotent,
  },
  'a 500 for an apply that does not fit its kind': {
    script: (_, answer) =>
      json(answer, 500, {
        ...status(500, 'InternalError'),
        message: 'failed to create typed patch object (x/a; v1, Kind=X): .stray: field not declared in schema',
      }),
    repeated: [],
  },
  'a 403': { script: (_, answer) => json(answer, 403, status(403, 'Forbidden')), repeated: [] },
  'a 409': { script: (_, answer) => json(answer, 409, status(409, 'Conflict')), repeated: [] },
  'an answer that is no JSON': {
    script: (_, answer) => answer.writeHead(200, { 'content-type': 'application/json' }).end('<html>'),
    repeated: [],
  },
}

const success: Script = (asked, answer) =>
  json(
    answer,
    200,
    asked.path.endsWith('configmaps') && asked.method === 'GET'
      ? { kind: 'ConfigMapList', metadata: {}, items: [] }
      : configMap('a'),
  )

t.test('FN-55 after a fault a read is repeated, a write only when that is safe', async t => {
  t.jobs = 8
  for (const [fault, { script, repeated }] of Object.entries(faults))
    for (const verb of everyVerb)
      t.test(`${verb} after ${fault}`, { buffered: true }, async t => {
        const server = await scriptedServer(t, (asked, answer, times) =>
          (times === 1 ? script : success)(asked, answer, times),
        )
        const client = createClient(server.access)
        t.teardown(client.close)
        const failure = await failureOf(verbs[verb](client))
        t.equal(server.asked.length, repeated.includes(verb) ? 2 : 1)
        if (repeated.includes(verb)) t.equal(failure, undefined)
        else t.ok(failure instanceof ApiError || failure instanceof ConnectionError, String(failure))
      })
})

t.test('FN-55 a connection that is refused has done nothing: every verb is tried again', async t => {
  t.jobs = 8
  for (const verb of everyVerb)
    t.test(verb, { buffered: true }, async t => {
      const notes: RequestNote[] = []
      const server = `http://127.0.0.1:${await closedPort()}`
      const client = createClient(
        { server, credentials: () => ({}) },
        { onRequest: note => notes.push(note), random: () => 0 },
      )
      t.teardown(client.close)
      matches(t, await failureOf(verbs[verb](client)), {
        name: 'ConnectionError',
        loss: 'unsent',
        code: 'ECONNREFUSED',
      })
      t.ok(notes.length > 1)
      t.ok(notes.every(note => note.code === '<error>'))
    })
})

t.test('FN-55 RE-07 a request that got Retry-After is sent again no earlier', async t => {
  const times: number[] = []
  const server = await scriptedServer(t, (asked, answer, count) => {
    times.push(performance.now())
    if (count === 1) json(answer, 429, status(429, 'TooManyRequests'), { 'retry-after': '1' })
    else success(asked, answer, count)
  })
  const client = createClient(server.access)
  t.teardown(client.close)
  await client.get(ref)
  const [first = 0, second = 0] = times
  t.ok(second - first >= 1000, 'the server was left alone for the second it asked for')
})

t.test('FN-55 RE-07 a Retry-After beyond the call’s budget goes to the caller at once, with the seconds', async t => {
  const server = await scriptedServer(t, (_, answer) =>
    json(answer, 429, status(429, 'TooManyRequests', { retryAfterSeconds: 70 })),
  )
  const client = createClient(server.access)
  t.teardown(client.close)
  const call = client.bound({ lastRequestAt: performance.now() + 60_000 })
  await rejects(t, call.get(ref), { name: 'ApiError', code: 429, retryAfterSeconds: 70 })
  t.equal(server.asked.length, 1)
})

t.test('RE-07 pauses grow, are spread, and never are shorter than what was asked for', async t => {
  const turnedAway = (retryAfterSeconds?: number) =>
    new ApiError({ code: 429, reason: 'TooManyRequests', message: '', retryAfterSeconds })
  const pause = (change: Partial<Attempt>) =>
    pauseBeforeRepeat({
      error: turnedAway(),
      repeatability: 'read',
      attempts: 1,
      remainingMilliseconds: 60_000,
      random: 0,
      ...change,
    }) ?? Number.NaN
  t.ok(pause({ attempts: 2 }) > pause({ attempts: 1 }))
  t.ok(pause({ attempts: 4 }) > pause({ attempts: 3 }))
  t.not(pause({ random: 0.1 }), pause({ random: 0.9 }))
  t.equal(pause({ error: turnedAway(3), random: 0 }), 3_000)
  t.ok(pause({ error: turnedAway(3), random: 0.5 }) > 3_000)
  t.ok(Number.isNaN(pause({ attempts: 5 })), 'not for ever')
  t.ok(Number.isNaN(pause({ remainingMilliseconds: 10 })), 'not beyond the time left')
})

t.test(
  'RE-07 while 30 % of the answers are 500 or 503, calls succeed with less than three times the attempts',
  async t => {
    const server = await scriptedServer(t, (asked, answer, times) => {
      const code = times % 2 ? 500 : 503
      if (times % 10 < 3) json(answer, code, status(code, 'scripted'))
      else success(asked, answer, times)
    })
    const client = createClient(server.access)
    t.teardown(client.close)
    const calls = 200
    await Promise.all(Array.from({ length: calls }, () => client.get(ref)))
    t.ok(server.asked.length > calls)
    t.ok(server.asked.length <= 3 * calls, `${server.asked.length} attempts for ${calls} calls`)
  },
)

t.test('FN-55 a call that is ended by its signal says so, and is trouble', async t => {
  const server = await scriptedServer(t, () => undefined)
  const client = createClient(server.access)
  t.teardown(client.close)
  const end = new AbortController()
  const failing = client.bound({ signal: end.signal }).get(ref)
  while (server.asked.length === 0) await new Promise(setImmediate)
  end.abort()
  const error = await failing.catch(error => error)
  matches(t, error, { name: 'ConnectionError', loss: 'ended' })
  t.ok(isTrouble(error))
})

t.test('after the last moment of a call for requests none is begun', async t => {
  const server = await scriptedServer(t, success)
  const client = createClient(server.access)
  t.teardown(client.close)
  const late = client.bound({ lastRequestAt: performance.now() })
  for (const verb of everyVerb)
    matches(t, await failureOf(verbs[verb](late)), { name: 'ConnectionError', loss: 'ended' }, verb)
  t.equal(server.dials(), 0)
})

t.test('RE-08 an API server that does not answer in time: the request ends with an error that names it', async t => {
  const server = await scriptedServer(t, () => undefined)
  const client = createClient(server.access, { answerSeconds: 0.2, callSeconds: 20 })
  t.teardown(client.close)
  const message = new RegExp(`at 127.0.0.1:${server.port}: the API server did not answer in time`)
  for (const failure of await Promise.all(everyVerb.map(verb => failureOf(verbs[verb](client)))))
    matches(t, failure, { name: 'ConnectionError', loss: 'silent', message })
  // Each was sent, but who was stopped meanwhile gives up before this server has read anything.
  const asked = await until(
    () => server.asked.length,
    count => count >= everyVerb.length,
  )
  t.equal(asked, everyVerb.length, 'nobody waits for it a second time')
})

t.test('RE-16 reads may be given less time than writes, which a webhook may hold up', async t => {
  const server = await scriptedServer(t, (asked, answer, times) => {
    if (asked.method === 'GET') return
    setTimeout(() => success(asked, answer, times), 1500)
  })
  const client = createClient(server.access, { readSeconds: 0.2 })
  t.teardown(client.close)
  const [read, written] = await Promise.all([failureOf(client.get(ref)), client.apply(configMap('a'), options)])
  matches(t, read, { name: 'ConnectionError', loss: 'silent' })
  t.equal(written.metadata.name, 'a')
})

t.test('KY-16 a read that is given less time is not repeated after it', async t => {
  const server = await scriptedServer(t, (_, answer) => answer.destroy())
  const client = createClient(server.access, { readSeconds: 0.2, random: () => 1 })
  t.teardown(client.close)
  matches(t, await failureOf(client.get(ref)), { name: 'ConnectionError' })
  t.ok(server.asked.length <= 2, `asked ${server.asked.length} times: pauses of 150 and 300 ms are longer`)
})

t.test('FN-53 5,000 objects are asked for in pages of 500, and only what the caller keeps stays', async t => {
  const total = 5_000
  const server = await scriptedServer(t, pagesOf(total))
  const client = createClient(server.access)
  t.teardown(client.close)
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const seen: WeakRef<object>[] = []
  let mostAlive = 0
  const kept = await client.list({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    keep: object => {
      if (seen.length % 500 === 0) {
        collect()
        mostAlive = Math.max(mostAlive, seen.filter(object => object.deref() !== undefined).length)
      }
      seen.push(new WeakRef(object))
      return seen.length % 2
        ? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: object.metadata.name } }
        : undefined
    },
  })
  t.equal(kept.length, total / 2)
  t.equal(seen.length, total)
  t.strictSame(
    server.asked.map(({ query }) => query.get('limit')),
    Array(10).fill('500'),
  )
  t.strictSame(
    server.asked.map(({ query }) => query.get('continue')),
    [null, ...Array.from({ length: 9 }, (_, i) => `at-${(i + 1) * 500}`)],
  )
  t.ok(mostAlive <= 1_500, `${mostAlive} of ${total} objects were alive at once`)
})

t.test('FN-53 items carry apiVersion and kind, and no managedFields', async t => {
  const server = await scriptedServer(t, pagesOf(3))
  const client = createClient(server.access)
  t.teardown(client.close)
  const objects = await client.list({ apiVersion: 'v1', kind: 'ConfigMap' })
  const expected = ['cm-0', 'cm-1', 'cm-2'].map(name => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }))
  matches(t, objects, expected)
  t.notOk(objects.some(object => 'managedFields' in object.metadata))
})

t.test(
  'RE-31 when only the metadata is wanted, nothing else is asked for, and what is sent besides is dropped',
  async t => {
    const server = await scriptedServer(t, (_, answer) => json(answer, 200, configMap('a', { data: { k: 'v' } })))
    const client = createClient(server.access)
    t.teardown(client.close)
    const read = await client.get(ref, { metadataOnly: true })
    t.strictSame(read, { apiVersion: 'v1', kind: 'ConfigMap', metadata: configMap('a').metadata })
    t.equal(
      server.asked[0]?.headers.accept,
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
    )
  },
)

t.test('names come page by page from the table that kubectl prints, from a list, or from metadata', async t => {
  const inAll = Array.from({ length: 4_500 }, (_, i) => `cm-${i}`)
  const answers: Record<string, { script: Script; asked: string[] }> = {
    'a table': { script: tablesOf(4_500, 'name'), asked: ['2000', '2000', '2000'] },
    'a list, of a server that knows no tables': { script: pagesOf(4_500), asked: ['2000', '2000', '2000'] },
    'a table that tells no names': {
      script: (asked, ...rest) =>
        (asked.query.get('includeObject') ? tablesOf(4_500, '') : pagesOf(4_500))(asked, ...rest),
      asked: ['2000', ...Array(9).fill('500')],
    },
  }
  for (const [what, { script, asked }] of Object.entries(answers)) {
    const server = await scriptedServer(t, script)
    const client = createClient(server.access)
    t.teardown(client.close)
    t.strictSame(
      (await gathered(client.names({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'a' }))).flat(),
      inAll,
      what,
    )
    t.strictSame(
      server.asked.map(({ query }) => query.get('limit')),
      asked,
      what,
    )
  }
})

t.test('RE-05 a continue token that expired: the list begins once more and shows one moment', async t => {
  let moment = 0
  const server = await scriptedServer(t, (asked, answer, times) => {
    if (asked.query.get('continue') !== 'at-1000' || moment === 1) return pagesOf(1_500, moment)(asked, answer, times)
    moment = 1
    return json(answer, 410, status(410, 'Expired'))
  })
  const client = createClient(server.access)
  t.teardown(client.close)
  const objects = await client.list({ apiVersion: 'v1', kind: 'ConfigMap' })
  t.equal(objects.length, 1_500)
  t.equal(new Set(objects.map(object => object.metadata.name)).size, 1_500)
  t.ok(
    objects.every(object => object.metadata.resourceVersion === '1'),
    'nothing of the first attempt is left',
  )
})

t.test('RE-05 a list that expires again is an error that asks for a new list', async t => {
  const server = await scriptedServer(t, (asked, answer, times) =>
    asked.query.get('continue') ? json(answer, 410, status(410, 'Expired')) : pagesOf(1_500)(asked, answer, times),
  )
  const client = createClient(server.access)
  t.teardown(client.close)
  const error = await client.list({ apiVersion: 'v1', kind: 'ConfigMap' }).catch(error => error)
  t.ok(isGone(error))
  t.equal(server.asked.length, 4)
})

t.test('reads are consistent unless the caller allows the cache', async t => {
  const server = await scriptedServer(t, pagesOf(600))
  const client = createClient(server.access)
  t.teardown(client.close)
  const query = { apiVersion: 'v1', kind: 'ConfigMap' }
  await client.list(query)
  await client.list({ ...query, fromCache: true })
  t.strictSame(
    server.asked.map(({ query }) => query.get('resourceVersion')),
    [null, null, '0', null],
  )
})

t.test('pages tell the resourceVersion to watch from', async t => {
  const server = await scriptedServer(t, pagesOf(5, 42))
  const client = createClient(server.access)
  t.teardown(client.close)
  const pages = await gathered(client.pages({ apiVersion: 'v1', kind: 'ConfigMap', pageSize: 2 }))
  t.strictSame(
    pages.map(({ objects, resourceVersion }) => [objects.length, resourceVersion]),
    [
      [2, '42'],
      [2, '42'],
      [1, '42'],
    ],
  )
})

t.test('FN-54 a new token in the mounted file is in the next call', async t => {
  const server = await scriptedServer(t, success)
  const directory = testFolder(t)
  const write = (token: string) => place(join(directory, 'token'), token)
  place(join(directory, 'ca.crt'), 'unused')
  write('first\n')
  const client = createClient(inClusterAccess({ server: server.url, directory }), { connections: 1 })
  t.teardown(client.close)
  await client.get(ref)
  write('second\n')
  await client.get(ref)
  t.strictSame(
    server.asked.map(({ headers }) => headers.authorization),
    ['Bearer first', 'Bearer second'],
  )
  t.equal(server.dials(), 1, 'a token is no reason to dial again')
})

t.test('FN-54 a new CA in the mounted file is what the next call trusts', async t => {
  const [before, after] = await Promise.all([newAuthority('before'), newAuthority('after')])
  const names = { ip: ['127.0.0.1'] }
  const server = await scriptedServer(t, success, { tls: await before.serving(names) })
  const directory = testFolder(t)
  place(join(directory, 'token'), 'token')
  place(join(directory, 'ca.crt'), before.certificate)
  const client = createClient(inClusterAccess({ server: server.url, directory }))
  t.teardown(client.close)
  await client.get(ref)
  server.renew(await after.serving(names))
  place(join(directory, 'ca.crt'), after.certificate)
  await client.get(ref)
  t.equal(server.dials(), 2)
  place(join(directory, 'ca.crt'), before.certificate)
  await rejects(t, client.get(ref), { name: 'ConnectionError', loss: 'untrusted' })
})

t.test(
  'FN-54 a watch goes on over the old connection while calls use the new CA, and ends with the client',
  async t => {
    const [before, after] = await Promise.all([newAuthority('before'), newAuthority('after')])
    const names = { ip: ['127.0.0.1'] }
    const event = `${JSON.stringify({ type: 'ADDED', object: configMap('a') })}\n`
    const streams: ServerResponse[] = []
    const script: Script = (asked, answer, times) => {
      if (!asked.query.has('watch')) return success(asked, answer, times)
      streams.push(answer)
      answer.writeHead(200).write(event)
    }
    const server = await scriptedServer(t, script, { tls: await before.serving(names) })
    const directory = testFolder(t)
    place(join(directory, 'token'), 'token')
    place(join(directory, 'ca.crt'), before.certificate)
    const client = createClient(inClusterAccess({ server: server.url, directory }))
    const watch = client.watch({ apiVersion: 'v1', kind: 'ConfigMap', resourceVersion: '1' })[Symbol.asyncIterator]()
    matches(t, await watch.next(), { value: { type: 'ADDED' } })
    server.renew(await after.serving(names))
    place(join(directory, 'ca.crt'), after.certificate)
    await client.get(ref)
    streams[0]?.write(event)
    matches(t, await watch.next(), { value: { type: 'ADDED' } })
    const ended = watch.next().catch(error => error)
    await client.close()
    matches(t, await ended, { name: 'StreamError', fault: 'dropped' })
  },
)

t.test('FN-54 a service account without its files is an error that names the file', async t => {
  const directory = testFolder(t)
  const client = createClient(inClusterAccess({ directory }))
  t.teardown(client.close)
  await rejects(t, client.get(ref), {
    name: 'AccessError',
    reason: 'Missing',
    message: new RegExp(join(directory, 'token')),
  })
})

t.test('FN-56 a kind that is not known is looked up once more, then found or named in the error', async t => {
  const served = { name: 'widgets', kind: 'Widget', namespaced: true }
  const server = await scriptedServer(t, (asked, answer, times) => {
    if (asked.path !== '/apis/x.example/v1') return success(asked, answer, times)
    const resources =
      times === 1 ? [{ ...served, name: 'gadgets', kind: 'Gadget' }] : [served, { ...served, name: 'widgets/status' }]
    return json(answer, 200, { kind: 'APIResourceList', groupVersion: 'x.example/v1', resources })
  })
  const client = createClient(server.access)
  t.teardown(client.close)
  const widget = { apiVersion: 'x.example/v1', kind: 'Widget', namespace: 'default', name: 'a' }
  const error = await client.get(widget).catch(error => error)
  t.ok(isNotServed(error))
  matches(t, error, { group: 'x.example', version: 'v1', kind: 'Widget' })
  matches(t, error.message, /Widget.*x\.example.*v1/)
  await client.get(widget)
  await client.get(widget)
  t.strictSame(
    server.asked.map(({ path }) => path),
    ['/apis/x.example/v1', '/apis/x.example/v1', ...Array(2).fill('/apis/x.example/v1/namespaces/default/widgets/a')],
  )
})

t.test('FN-56 calls at the same time look a kind up once, and all of them wait for the remote cluster', async t => {
  const server = await scriptedServer(t, (asked, answer, times) =>
    asked.path === '/apis/x.example/v1'
      ? json(answer, 200, { resources: [{ name: 'widgets', kind: 'Widget', namespaced: true }] })
      : success(asked, answer, times),
  )
  let waits = 0
  const outside: Outside = answer => {
    waits++
    return answer
  }
  const client = createClient(server.access, { receiving: byteBudget(2 ** 20, () => 0) })
  t.teardown(client.close)
  const widget = { apiVersion: 'x.example/v1', kind: 'Widget', namespace: 'default', name: 'a' }
  const calls = Array.from({ length: 3 }, () => client.bound({ outside }))
  await Promise.all(calls.map(call => call.get(widget)))
  t.equal(server.asked.filter(({ path }) => path === '/apis/x.example/v1').length, 1)
  t.equal(waits, 7, 'for the discovery, for its one request, and for the object')
})

t.test('FN-56 a CRD that came back with another plural is found under it', async t => {
  const server = await scriptedServer(t, (asked, answer, times) => {
    const plural = times === 1 ? 'widgets' : 'widgetses'
    if (asked.path === '/apis/x.example/v1')
      return json(answer, 200, { resources: [{ name: plural, kind: 'Widget', namespaced: false }] })
    return asked.path.includes('/widgetses/')
      ? success(asked, answer, times)
      : answer.writeHead(404).end('404 page not found')
  })
  const client = createClient(server.access)
  t.teardown(client.close)
  const widget = { apiVersion: 'x.example/v1', kind: 'Widget', namespace: '', name: 'a' }
  t.ok(await client.get(widget))
  t.equal(server.asked.length, 4)
})

t.test(
  'FN-56 a path that is not served after a second look is the error for an unknown kind, not a missing object',
  async t => {
    const server = await scriptedServer(t, (asked, answer) =>
      asked.path === '/api/v1'
        ? json(answer, 200, { resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true }] })
        : json(answer, 404, status(404, 'NotFound', {})),
    )
    const client = createClient(server.access)
    t.teardown(client.close)
    await rejects(t, client.get(ref), { name: 'KindNotServed', kind: 'ConfigMap' })
  },
)

t.test('a missing object is undefined, and its delete is false', async t => {
  const server = await scriptedServer(t, (_, answer) =>
    json(answer, 404, status(404, 'NotFound', { name: 'a', kind: 'configmaps' })),
  )
  const client = createClient(server.access)
  t.teardown(client.close)
  t.equal(await client.get(ref), undefined)
  t.equal(await client.delete(ref, { uid: 'x' }), false)
})

t.test('a name that would lead to another path is refused before anything is sent', async t => {
  const server = await scriptedServer(t, success)
  const client = createClient(server.access)
  t.teardown(client.close)
  for (const name of ['', '.', '..', 'a/b', '../secrets/a'])
    await rejects(t, client.get({ ...ref, name }), { code: 400 }, name)
  for (const namespace of ['', '..', 'a/b'])
    await rejects(t, client.get({ ...ref, namespace }), { code: 400 }, namespace)
  t.equal(server.asked.length, 0)
  await client.get({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    namespace: '',
    name: 'system:node',
  })
  t.equal(server.asked[0]?.path, '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode')
})

t.test('FN-11 a bound client sends the traceparent of its call and shares the sockets', async t => {
  const server = await scriptedServer(t, success)
  const client = createClient(server.access, { connections: 1 })
  t.teardown(client.close)
  await client.get(ref)
  await client.bound({ traceparent: '00-aa-bb-01' }).get(ref)
  t.strictSame(
    server.asked.map(({ headers }) => headers.traceparent),
    [undefined, '00-aa-bb-01'],
  )
  t.equal(server.dials(), 1)
})

t.test('FN-11 deletes share the sockets too, bodies and all', async t => {
  const server = await scriptedServer(t, success)
  const client = createClient(server.access, { connections: 1 })
  t.teardown(client.close)
  for (const uid of ['a', 'b', 'c']) await client.delete(ref, { uid })
  t.equal(server.asked.length, 3)
  t.equal(server.dials(), 1)
})

t.test('FN-12 every attempt is counted in metrics', async t => {
  const server = await scriptedServer(t, (asked, answer, times) =>
    times === 1 ? json(answer, 503, status(503, 'ServiceUnavailable')) : success(asked, answer, times),
  )
  const notes: RequestNote[] = []
  const client = createClient(server.access, { onRequest: note => notes.push(note) })
  t.teardown(client.close)
  await client.apply(configMap('a'), options)
  t.strictSame(
    notes.map(({ code, method, verb, path }) => [code, method, verb, path.replace(/\?.*/, '')]),
    ['503', '200'].map(code => [code, 'PATCH', 'apply', '/api/v1/namespaces/default/configmaps/a']),
  )
  t.ok(notes.every(({ began }) => began > 0 && began <= performance.now()))
})

t.test('RE-25 a redirect is an error and is not followed', async t => {
  const elsewhere = await scriptedServer(t, success)
  const server = await scriptedServer(t, (_, answer) => answer.writeHead(302, { location: elsewhere.url }).end())
  const client = createClient(server.access)
  t.teardown(client.close)
  for (const verb of everyVerb) matches(t, await failureOf(verbs[verb](client)), { name: 'ApiError', code: 302 }, verb)
  t.equal(elsewhere.dials(), 0)
})

t.test('errors carry neither tokens nor bodies', async t => {
  const canary = 'canary-7f3a'
  const server = await scriptedServer(t, (asked, answer) =>
    asked.method === 'GET'
      ? answer.writeHead(200, { 'content-type': 'application/json' }).end(`{"data": "${canary}"`)
      : answer.writeHead(502, { 'content-type': 'text/html' }).end(canary),
  )
  const client = createClient({ ...server.access, credentials: () => ({ token: canary }) }, { callSeconds: 0.01 })
  t.teardown(client.close)
  for (const verb of everyVerb) {
    const error = await failureOf(verbs[verb](client))
    t.notOk(JSON.stringify([error, String(error), error?.stack, error?.cause]).includes(canary), verb)
  }
})

t.test('NL (g) a refused write of a Secret tells code, reason and fields, never what it holds', async t => {
  const canary = 'canary-7f3a'
  const causes = [{ reason: 'FieldValueInvalid', field: 'data[config]', message: `Invalid value: "${canary}"` }]
  const refusal = { ...status(400, 'Invalid', { causes }), message: `expected string, got {"password":"${canary}"}` }
  const secret = { ...configMap('a'), kind: 'Secret' }
  const writes: Record<string, (client: Client) => Promise<unknown>> = {
    create: client => client.create(secret, options),
    apply: client => client.apply(secret, options),
    replace: client => client.replace(secret, options),
    patch: client => client.patch({ ...ref, kind: 'Secret' }, { type: 'merge', body: { data: {} } }, options),
  }
  for (const code of [400, 422, 500])
    for (const [verb, write] of Object.entries(writes)) {
      const server = await scriptedServer(t, (_, answer) => json(answer, code, { ...refusal, code }))
      const client = createClient(server.access, { callSeconds: 0.01 })
      t.teardown(client.close)
      const error = await failureOf(write(client))
      matches(
        t,
        error,
        {
          code,
          reason: 'Invalid',
          message: /secrets.*answered \d+ Invalid for data\[config\] \(FieldValueInvalid\); /,
        },
        verb,
      )
      t.notOk(JSON.stringify([error, String(error), error?.stack, error?.cause]).includes(canary), verb)
    }
})

t.test(
  'the error of a refused write keeps its sentence, but for a Secret only the name of whoever refused it',
  async t => {
    const secret = { ...configMap('a'), kind: 'Secret' }
    const leftOut = '; its message may quote a Secret and is left out'
    const asked = 'PATCH /api/v1/namespaces/default/secrets/a: the API server answered'
    const cannot = 'User "jane" cannot patch resource "secrets" in API group ""'
    const rows: [code: number, object: KubeObject, said: string, told: string][] = [
      [422, configMap('a'), 'password is canary', 'password is canary'],
      [
        403,
        secret,
        `secrets "a" is forbidden: ${cannot} in the namespace "x"`,
        `${asked} 403 Forbidden: ${cannot}${leftOut}`,
      ],
      [
        403,
        secret,
        'admission webhook "w.example" denied the request: canary',
        `${asked} 403 Forbidden: admission webhook "w.example" denied the request${leftOut}`,
      ],
      [409, secret, 'canary', `${asked} 409 Conflict${leftOut}`],
    ]
    for (const [code, object, message, told] of rows) {
      const reason = { 403: 'Forbidden', 409: 'Conflict', 422: 'Invalid' }[code] ?? ''
      const server = await scriptedServer(t, (_, answer) => json(answer, code, { ...status(code, reason), message }))
      const client = createClient(server.access)
      t.teardown(client.close)
      await rejects(t, client.apply(object, options), { code, reason, message: told })
    }
  },
)

t.test('raw requests: text as it is, JSON parsed, nothing repeated but reads', async t => {
  const server = await scriptedServer(t, (asked, answer, times) => {
    if (asked.path === '/readyz') return answer.writeHead(200, { 'content-type': 'text/plain' }).end('ok')
    return times === 1
      ? json(answer, 503, status(503, 'ServiceUnavailable'))
      : json(answer, 200, { got: asked.body ?? null })
  })
  const client = createClient(server.access)
  t.teardown(client.close)
  t.equal(await client.raw({ method: 'GET', path: '/readyz' }), 'ok')
  t.strictSame(await client.raw({ method: 'GET', path: '/a' }), { got: null })
  await rejects(t, client.raw({ method: 'POST', path: '/b', body: {} }), { code: 503 })
})

/** So many ConfigMaps, as an API server pages them: items without apiVersion and kind. */
const pagesOf =
  (total: number, resourceVersion = 1): Script =>
  (asked, answer) => {
    const limit = Number(asked.query.get('limit'))
    const start = Number(asked.query.get('continue')?.slice('at-'.length) ?? 0)
    const end = Math.min(total, start + limit)
    const metadata = { resourceVersion: String(resourceVersion), continue: end < total ? `at-${end}` : undefined }
    const items = Array.from({ length: end - start }, (_, i) => ({
      metadata: {
        name: `cm-${start + i}`,
        resourceVersion: String(resourceVersion),
        managedFields: [{ manager: 'x' }],
      },
      data: { text: 'x'.repeat(500) },
    }))
    json(answer, 200, { kind: 'ConfigMapList', apiVersion: 'v1', metadata, items })
  }

/** The second column is the one of this format. */
const tablesOf =
  (total: number, format: string): Script =>
  (asked, answer) => {
    const start = Number(asked.query.get('continue')?.slice('at-'.length) ?? 0)
    const end = Math.min(total, start + Number(asked.query.get('limit')))
    const metadata = { resourceVersion: '1', continue: end < total ? `at-${end}` : '' }
    const columnDefinitions = [
      { name: 'Age', format: '' },
      { name: 'Name', format },
    ]
    const rows = Array.from({ length: end - start }, (_, i) => ({ cells: ['1d', `cm-${start + i}`], object: null }))
    json(answer, 200, { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions, rows })
  }

const gathered = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** What a call rejects with; undefined when it succeeds. */
const failureOf = (call: Promise<unknown>): Promise<Error | undefined> =>
  call.then(
    () => undefined,
    error => error,
  )

const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** As a kubelet does it, another file takes the place: one of the same length, written in the same moment, is the same. */
const place = (path: string, text: string): void => {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}
