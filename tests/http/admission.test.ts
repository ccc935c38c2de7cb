import type { InjectOptions } from 'fastify'
import t from 'tap'
import { type RefusalCode, Refused, refusals } from '../../shared/http/errors.ts'
import { checkedBody } from '../../shared/http/json-body.ts'
import { ApiError, ConnectionError } from '../../shared/kube/errors.ts'
import { admit } from '../../shared/runtime/admit.ts'
import { gatherContext, processContext } from '../../shared/runtime/context.ts'
import { letsOthersIn } from '../harness/cpu-work.ts'
import { lacks, matches } from '../harness/matches.ts'
import { testHost, widget, widgetReview } from './host-parts.ts'
import { MemoryCluster } from './memory-cluster.ts'
import { mutated, seededRandom } from './mutations.ts'

const request = (change: object = {}) => ({
  uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
  kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
  resource: { group: 'example.com', version: 'v1', resource: 'widgets' },
  name: 'a',
  namespace: 'n',
  operation: 'CREATE',
  userInfo: { username: 'admin', groups: ['system:authenticated'] },
  object: widget('a', { size: 3 }),
  oldObject: null,
  dryRun: false,
  ...change,
})

const review = (change: object = {}, apiVersion = 'admission.k8s.io/v1') => ({
  apiVersion,
  kind: 'AdmissionReview',
  request: request(change),
})

const post = (
  payload: unknown,
  { headers = {}, host = testHost() }: { headers?: Record<string, string>; host?: ReturnType<typeof testHost> } = {},
) =>
  host.webhooks.inject({
    method: 'POST',
    url: '/webhooks/widget',
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
  } as InjectOptions)

t.test('FN-20 the answer carries the uid; no token is asked for, as the API server has none', async t => {
  const answer = await post(review())
  t.equal(answer.statusCode, 200)
  matches(t, answer.headers['content-type'], /^application\/json/)
  t.strictSame(answer.json(), {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: request().uid, allowed: true },
  })
})

t.test(
  'RE-78 a review whose read fails is answered 503, so that the failurePolicy decides; other faults deny',
  async t => {
    const answerTo = (error: Error) => {
      const reviewed = widgetReview({ review: () => Promise.reject(error) })
      return post(review(), { host: testHost({ functions: [reviewed] }) })
    }
    const away = new ConnectionError('unsent', 'ECONNREFUSED', 'no connection to the API server could be established')
    const answer = await answerTo(away)
    t.strictSame([answer.statusCode, answer.headers['retry-after'], answer.json().code], [503, '1', 'trouble'])
    t.equal((await answerTo(new ApiError({ code: 500, reason: 'InternalError', message: 'x' }))).statusCode, 503)
    const denied = await answerTo(new ApiError({ code: 403, reason: 'Forbidden', message: 'x' }))
    t.equal(denied.statusCode, 200)
    t.strictSame(denied.json().response.status, { code: 500, reason: 'InternalError', message: 'x' })
  },
)

t.test('FN-20 a denial carries code, reason, message and causes', async t => {
  const { response } = (await post(review({ object: widget('a', { size: 0 }) }))).json()
  t.equal(response.allowed, false)
  t.strictSame(response.status, {
    code: 422,
    reason: 'Invalid',
    message: 'Widget "a" is invalid',
    details: {
      name: 'a',
      group: 'example.com',
      kind: 'Widget',
      causes: [{ reason: 'FieldValueInvalid', field: 'spec.size', message: 'must be positive' }],
    },
  })
})

t.test('FN-21 the answer has a JSON patch only if something changes', async t => {
  t.equal((await post(review())).json().response.patch, undefined)
  const { response } = (await post(review({ object: widget('a', {}) }))).json()
  t.equal(response.patchType, 'JSONPatch')
  t.strictSame(JSON.parse(Buffer.from(response.patch, 'base64').toString()), [
    { op: 'add', path: '/spec/size', value: 1 },
  ])
})

t.test(
  'FN-22 a v1beta1 review is answered in v1beta1; a body that is no review gets 400 and is never allowed',
  async t => {
    t.equal((await post(review({}, 'admission.k8s.io/v1beta1'))).json().apiVersion, 'admission.k8s.io/v1beta1')
    const cases: [unknown, string][] = [
      [review({}, 'admission.k8s.io/v2'), 'another version'],
      [review({ uid: undefined }), 'no uid'],
      [review({ uid: '' }), 'an empty uid'],
      [{ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }, 'no request'],
      [{}, 'nothing'],
      [[review()], 'a list'],
      ['null', 'null'],
      ['"review"', 'a string'],
      ['', 'an empty body'],
      ['{"kind":', 'broken JSON'],
    ]
    for (const [body, sentence] of cases) {
      const answer = await post(body)
      t.equal(answer.statusCode, 400, sentence)
      t.type(answer.json().message, 'string', sentence)
      lacks(t, answer.body, 'allowed":true', sentence)
    }
  },
)

t.test('FN-22 a valid review of a kind the path is not for is denied with code 400', async t => {
  const answer = await post(review({ kind: { group: '', version: 'v1', kind: 'Secret' } }))
  t.equal(answer.statusCode, 200)
  matches(t, answer.json().response, { allowed: false, status: { code: 400 } })
})

t.test('FN-23 dryRun: the same verdict, no side effect', async t => {
  const cluster = new MemoryCluster()
  const host = testHost({}, cluster)
  for (const spec of [{ size: 0 }, { size: 3 }, {}]) {
    const real = await post(review({ object: widget('a', spec) }), { host })
    const dry = await post(review({ object: widget('a', spec), dryRun: true }), { host })
    t.strictSame(dry.json(), real.json())
  }
  t.strictSame(cluster.writes, [])
})

t.test('a review that does not end within the webhook’s timeout is broken off with 503', async t => {
  const host = testHost({ functions: [widgetReview({ review: () => new Promise(() => {}) })] })
  const hasty = host.parts.landscape.functions['widget-admission']?.events[0]
  if (hasty && 'admission' in hasty) hasty.admission.timeoutSeconds = 1
  const answer = await post(review(), { host: testHost({ ...host.parts }) })
  t.equal(answer.statusCode, 503)
  t.equal(answer.json().code, 'outOfTime')
})

t.test('RE-20 a review that is too large, too deep or compressed is refused', async t => {
  const megabytes = (count: number): string => ' '.repeat(count * 2 ** 20)
  const cases: [string | Buffer, Record<string, string>, RefusalCode, string][] = [
    [megabytes(10), {}, 'tooLarge', 'ten megabytes'],
    ['['.repeat(7 * 2 ** 20), {}, 'tooIntricate', 'seven megabytes of ['],
    [`{"a":`.repeat(10_000), {}, 'tooIntricate', 'ten thousand maps'],
    [`[${'[],'.repeat(2 * 2 ** 20)}[]]`, {}, 'tooIntricate', 'two million lists'],
    [`[${'1,'.repeat(3 * 2 ** 20)}1]`, {}, 'tooIntricate', 'three million numbers'],
    [Buffer.from('H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA==', 'base64'), { 'content-encoding': 'gzip' }, 'encoding', 'gzip'],
    ['{}', { 'content-encoding': 'br' }, 'encoding', 'brotli'],
    ['{}', { 'content-type': 'application/x-yaml' }, 'mediaType', 'YAML'],
  ]
  const host = testHost()
  for (const [body, headers, code, sentence] of cases) {
    const judged = async () => {
      const answer = await post(body, { headers, host })
      t.equal(answer.statusCode, refusals[code].status, sentence)
      t.equal(answer.json().code, code, sentence)
    }
    await letsOthersIn(t, judged, sentence)
  }
  const large = review({ object: widget('a', { size: 1, text: 'x'.repeat(6 * 2 ** 20) }) })
  t.equal((await post(large)).statusCode, 200, 'six megabytes of an object')
  const texts = Array.from({ length: 500 }, () => `a,b[c]{d}"\\${'e'.repeat(1_000)}`)
  const punctuated = review({ object: widget('a', { size: 1, text: ',[{'.repeat(200_000), texts }) })
  t.equal((await post(punctuated)).statusCode, 200, 'punctuation inside strings does not count')
})

t.test('RE-21 reviews of odd operations, subresources and null objects are allowed or denied with 400', async t => {
  const cases: [object, boolean, number | undefined][] = [
    [{ operation: 'CONNECT', object: null }, true, undefined],
    [{ operation: 'DELETE', object: null, oldObject: widget('a', { size: 1 }) }, true, undefined],
    [{ operation: 'UPDATE', oldObject: null }, false, 400],
    [{ operation: 'CREATE', object: null }, false, 400],
    [{ operation: 'PATCH' }, false, 400],
    [{ operation: undefined }, false, 400],
    [{ subResource: 'scale' }, false, 400],
    [{ kind: null }, false, 400],
  ]
  for (const [change, allowed, code] of cases) {
    const answer = await post(review(change))
    t.equal(answer.statusCode, 200, JSON.stringify(change))
    t.equal(answer.json().response.allowed, allowed, JSON.stringify(change))
    t.equal(answer.json().response.status?.code, code)
  }
})

/** What every answer must be: a whole review, or a refusal that says why. */
const fault = (status: number, body: unknown): string | undefined => {
  const { response, message } = (body ?? {}) as {
    response?: { uid?: unknown; allowed?: unknown; status?: { message?: unknown } }
    message?: unknown
  }
  if (status >= 400 && status < 500)
    return typeof message === 'string' && message !== '' ? undefined : 'a refusal without a message'
  if (status !== 200) return `status ${status}`
  if (typeof response?.uid !== 'string' || response.uid === '') return 'a review without uid'
  if (typeof response.allowed !== 'boolean') return 'a review without verdict'
  return response.allowed || typeof response.status?.message === 'string' ? undefined : 'a denial without a message'
}

const bases = [
  review(),
  review({ object: widget('a', {}) }),
  review({ operation: 'UPDATE', oldObject: widget('a', { size: 2 }) }, 'admission.k8s.io/v1beta1'),
  review({ operation: 'DELETE', object: null, oldObject: widget('a', { size: 2 }), dryRun: true }),
].map(base => JSON.stringify(base))

/** What routes/webhooks.ts does with a body, without the head of a request. */
const answered = async (
  bytes: Buffer,
  context: Parameters<typeof admit>[2],
): Promise<{ code: number; body: unknown }> => {
  try {
    return await admit(widgetReview(), checkedBody(bytes).parsed(), context)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { code: refusals[error.code].status, body: { message: error.message } }
  }
}

/** A Garden's reviews meet the hundred thousand of the row; here all goes that concerns no rule of theirs. */
const mutations = 10_000

t.test('RE-21 10,000 mutations of reviews: a valid review or a 4xx', async t => {
  const random = seededRandom(21)
  const cluster = new MemoryCluster()
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => t.fail('a review threw', fields) }
  const context = {
    ...(await gatherContext(processContext({ clusters: cluster.clusters }), { name: 'x' }, {})),
    log: () => log,
  }
  const counts = { reviews: 0, refusals: 0 }
  for (let round = 0; round < mutations; round++) {
    const bytes = mutated(bases[round % bases.length] ?? '', random)
    const { code, body } = await answered(bytes, context)
    const wrong = fault(code, body)
    if (wrong) t.fail(`${wrong}: ${bytes.toString().slice(0, 500)}`)
    counts[code === 200 ? 'reviews' : 'refusals']++
  }
  t.ok(Math.min(counts.reviews, counts.refusals) > mutations / 5, JSON.stringify(counts))
  t.strictSame(cluster.writes, [])
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
})

t.test('RE-21 5,000 mutations of reviews over HTTP, with odd content types', async t => {
  const random = seededRandom(2121)
  const host = testHost()
  const types = [
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'text/json',
    'application/json;',
    '',
    'x/y',
  ]
  for (let round = 0; round < 5_000; round++) {
    const type = random() < 0.8 ? 'application/json' : (types[round % types.length] ?? '')
    const bytes = mutated(bases[round % bases.length] ?? '', random)
    const answer = await post(bytes, { host, headers: { 'content-type': type } })
    const wrong = fault(answer.statusCode, answer.json())
    if (wrong) t.fail(`${wrong}: ${type} ${bytes.toString().slice(0, 500)}`)
  }
  t.equal(host.lines.filter(({ level }) => level === 'error').length, 0)
})

t.test('RE-22 over HTTP: keys that mean something to JavaScript are kept, Object.prototype is unchanged', async t => {
  const before = Object.getOwnPropertyNames(Object.prototype).sort()
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf']) {
    const body = JSON.stringify(review({ object: widget('a', {}) })).replace(
      '"spec":{}',
      `"spec":{"${name}":{"polluted":true}}`,
    )
    const answer = await post(body)
    t.equal(answer.statusCode, 200, name)
    const { allowed, patch } = answer.json().response
    t.equal(allowed, true)
    t.strictSame(
      JSON.parse(Buffer.from(patch, 'base64').toString()),
      [{ op: 'add', path: '/spec/size', value: 1 }],
      name,
    )
  }
  t.strictSame(Object.getOwnPropertyNames(Object.prototype).sort(), before)
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
})
