import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type ListenerLimits, usualLimits } from '../../shared/listener/server.ts'
import { newAuthority } from '../harness/clients/certificates.ts'
import { lacks, matches } from '../harness/matches.ts'
import { testFolder } from '../harness/test-folder.ts'
import { eventually } from '../harness/until.ts'
import { type Attacker, attacker, attackers, reviewHead, says, type Target } from './attackers.ts'
import { testHost, widget, widgetReview } from './host-parts.ts'
import { type Child, child, review } from './spawned-host.ts'

const reviewBytes = 7 * 2 ** 20

const patient = { ESPALIER_ARRIVAL_SECONDS: '120', ESPALIER_DRAIN_SECONDS: '0', ESPALIER_GRACE_SECONDS: '1' }

const webhooksOf = ({ ports }: Child): Target => ({ port: ports.webhooks ?? 0 })

/** A host in a process of its own whose webhooks are served over TLS. */
const hostWithTls = async (t: Test, environment: Record<string, string>): Promise<{ host: Child; target: Target }> => {
  const dir = testFolder(t)
  const authority = await newAuthority('x')
  const { certificate, key } = await authority.serving({ ip: ['127.0.0.1'] })
  writeFileSync(join(dir, 'tls.crt'), certificate)
  writeFileSync(join(dir, 'tls.key'), key)
  const tls = { ESPALIER_TLS: 'files', ESPALIER_TLS_DIRECTORY: dir }
  const host = await child(t, { ...environment, ...tls }, authority.certificate)
  return { host, target: { ...webhooksOf(host), isTls: true } }
}

/** What the API server is answered while something else is done, and at least ten times. */
const reviewsDuring = async (host: Child, work: Promise<unknown>): Promise<Set<number>> => {
  const statuses: number[] = []
  let isOver = false
  const done = work.finally(() => {
    isOver = true
  })
  while (!isOver || statuses.length < 10) statuses.push(await review(host))
  await done
  return new Set(statuses)
}

/** The most memory it ever had; ends it. */
const peakMebibytes = async ({ process, ended, lines }: Child): Promise<number> => {
  process.kill('SIGTERM')
  await ended
  return Number(lines.find(({ msg }) => msg === 'ended')?.peakKibibytes) / 1024
}

t.test('RE-27 500 bodies of 7 MiB that stop after the first: memory stays within 256 MiB, reviews go on', async t => {
  const host = await child(t, patient)
  const all = await attackers(t, 500, webhooksOf(host))
  const first = Buffer.alloc(2 ** 20, ' ')
  const statuses = await reviewsDuring(host, Promise.all(all.map(one => says(one, reviewHead(reviewBytes), first))))
  t.strictSame(statuses, new Set([200]))
  const refused = all.filter(one => one.heard().startsWith('HTTP/1.1 503'))
  t.ok(refused.length > 400, `${refused.length} were refused`)
  matches(t, refused[0]?.heard(), /\r\nretry-after: 1\r\n[^{]*\{"code":"noRoom"/)
  const peak = await peakMebibytes(host)
  t.ok(peak < 256, `${peak} MiB`)
})

t.test('RE-27 1,000 connections over TLS at once: memory stays within 256 MiB, reviews go on', async t => {
  const { host, target } = await hostWithTls(t, patient)
  const some = async (): Promise<void> => {
    for (const one of await attackers(t, 100, target)) void says(one, reviewHead(99), '{')
  }
  const flood = async (): Promise<void> => {
    for (let round = 0; round < 10; round++) await some()
  }
  t.strictSame(await reviewsDuring(host, flood()), new Set([200]))
  const peak = await peakMebibytes(host)
  t.ok(peak < 256, `${peak} MiB`)
})

/** A host in this process whose webhooks and functions are served. */
const listening = async (
  t: Test,
  limits: Partial<ListenerLimits> = {},
  change: Parameters<typeof testHost>[0] = {},
) => {
  const { webhooks, functions } = testHost({ ...change, limits: { ...usualLimits, ...limits } })
  await Promise.all([webhooks, functions].map(app => app.listen({ host: '127.0.0.1', port: 0 })))
  t.teardown(() => Promise.all([webhooks, functions].map(app => app.close())))
  const [target, called] = [webhooks, functions].map(({ server }) => (server.address() as AddressInfo).port)
  return { webhooks: { port: target ?? 0 }, functions: { port: called ?? 0 } }
}

const servingTls = async () => {
  const { certificate, key } = await (await newAuthority('x')).serving({ ip: ['127.0.0.1'] })
  return { cert: certificate, key }
}

const reviewText = (object: object = widget('a', { size: 1 })): string =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u', operation: 'CREATE', kind: { group: 'example.com', version: 'v1', kind: 'Widget' }, object },
  })

const wholeReview = (object?: object): string =>
  `${reviewHead(Buffer.byteLength(reviewText(object)))}${reviewText(object)}`

/** Resolves as soon as it has heard such a thing; rejects when it is over without. */
const hears = async (one: Attacker, expected: RegExp): Promise<void> => {
  while (!expected.test(one.heard())) {
    if (one.socket.destroyed) throw new Error(`${one.heard()} is not ${expected}`)
    await Promise.race([once(one.socket, 'data'), one.over])
  }
}

t.test('RE-27 a body in chunks is refused by its head, before any chunk is kept', async t => {
  const { webhooks, functions } = await listening(t)
  const chunks = '1\r\nx\r\n'.repeat(10_000)
  for (const [target, path] of [
    [webhooks, '/webhooks/widget'],
    [functions, '/functions/widget'],
  ] as const) {
    const one = await attacker(t, target)
    const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
    void says(one, head, chunks)
    await one.over
    matches(t, one.heard(), /^HTTP\/1\.1 411 [^{]*\{"code":"noLength"/, path)
  }
})

t.test('RE-27 a body that comes a byte at a time is refused after a thousand bytes', async t => {
  const { webhooks } = await listening(t, {}, { webhooksTls: await servingTls() })
  const one = await attacker(t, { ...webhooks, isTls: true })
  await says(one, reviewHead(reviewBytes))
  while (!one.socket.destroyed) await says(one, ' ')
  matches(t, one.heard(), /^HTTP\/1\.1 400 [^{]*\{"code":"inCrumbs"/)
})

t.test('RE-27 a review that arrives in small pieces is answered', async t => {
  const { webhooks } = await listening(t, {}, { webhooksTls: await servingTls() })
  const one = await attacker(t, { ...webhooks, isTls: true })
  for (const letter of wholeReview()) await says(one, letter)
  await hears(one, /^HTTP\/1\.1 200 [^{]*\{.*"allowed":true/)
})

t.test('RE-27 the memory of a parsed body counts: a hundred thousand maps are ten megabytes', async t => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = widgetReview({ review: () => promise.then(() => ({ allowed: true })) })
  const { webhooks } = await listening(t, {}, { functions: [slow] })
  const object = widget('a', { maps: Array.from({ length: 49_000 }, () => ({})) })
  const all = await attackers(t, 4, webhooks)
  for (const one of all) void says(one, wholeReview(object))
  const isRefused = (one: Attacker): boolean => one.heard().includes('"code":"noRoom"')
  await eventually('one is refused', async () => all.some(isRefused), 15).finally(resolve)
  for (const one of all.filter(one => !isRefused(one))) await hears(one, /^HTTP\/1\.1 200 /)
  t.equal(all.filter(isRefused).length, 1)
  const later = await attacker(t, webhooks)
  void says(later, wholeReview(object))
  await hears(later, /^HTTP\/1\.1 200 /)
})

const impatient = { arrivalSeconds: 0.2 }

t.test('RE-27 a caller that sends nothing, or too little, is cut off', async t => {
  const plain = (await listening(t, impatient)).webhooks
  const tls = { ...(await listening(t, impatient, { webhooksTls: await servingTls() })).webhooks }
  const cases: [string, Target, string[]][] = [
    ['nothing', plain, []],
    ['half a head', plain, ['POST /webhooks/widget HTTP/1.1\r\nhost: x\r\n']],
    ['a body that ends early', plain, [reviewHead(99), '{"kind"']],
    ['no handshake', tls, []],
    ['half a handshake', tls, ['\x16\x03\x01\x02']],
    ['nothing after the handshake', { ...tls, isTls: true }, []],
  ]
  await Promise.all(
    cases.map(async ([sentence, target, texts]) => {
      const one = await attacker(t, target)
      void says(one, ...texts)
      await eventually(`${sentence} is over`, async () => one.socket.destroyed, 60)
      lacks(t, one.heard(), / 200 /, sentence)
    }),
  )
})

t.test('RE-27 a body that drips in for longer than it may is cut off, whatever length it said', async t => {
  const { webhooks } = await listening(t, impatient)
  const one = await attacker(t, webhooks)
  void says(one, reviewHead(reviewBytes))
  const drip = setInterval(() => void says(one, ' '), 20)
  t.teardown(() => clearInterval(drip))
  await one.over
  matches(t, one.heard(), /^HTTP\/1\.1 408 [^{]*\{"code":"slowSender"/)
})

t.test('RE-27 when all connections are taken a new one takes the place of an idle one', async t => {
  for (const webhooksTls of [undefined, await servingTls()]) {
    const { webhooks } = await listening(t, { connections: 4, arrivalSeconds: 120 }, { webhooksTls })
    const target = { ...webhooks, isTls: webhooksTls !== undefined }
    const isReviewed = async (one: Attacker): Promise<void> => {
      void says(one, wholeReview())
      await hears(one, /^HTTP\/1\.1 200 /)
      one.forget()
    }
    const known = await attacker(t, target)
    await isReviewed(known)
    const silent = await attackers(t, 3, webhooks)
    await isReviewed(known)
    await isReviewed(await attacker(t, target))
    await eventually('a silent one is over', async () => silent.some(({ socket }) => socket.destroyed), 60)
    await isReviewed(known)
    t.equal(silent.filter(({ socket }) => socket.destroyed).length, 1)
  }
})

t.test('RE-27 a caller that sends request after request and waits for no answer is cut off', async t => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = widgetReview({ review: () => promise.then(() => ({ allowed: true })) })
  const { webhooks } = await listening(t, {}, { functions: [slow] })
  const one = await attacker(t, webhooks)
  void says(one, wholeReview().repeat(5))
  await one.over
  t.equal(one.heard(), '')
  resolve()
})

t.test('RE-27 odd requests are answered or cut off, and none is a review', async t => {
  const { webhooks } = await listening(t, impatient)
  const post = 'POST /webhooks/widget HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n'
  const length = `content-length: ${reviewText().length}\r\n`
  const cases: [string, string, RegExp][] = [
    ['a body that is asked for and never sent', `${post}${length}expect: 100-continue\r\n\r\n`, / 408 /],
    ['too much, asked for', `${post}content-length: 99999999\r\nexpect: 100-continue\r\n\r\n`, / 413 /],
    ['another expectation', `${post}${length}expect: miracles\r\n\r\n`, /^HTTP\/1\.1 417 /],
    ['both lengths', `${post}${length}transfer-encoding: chunked\r\n\r\n0\r\n\r\n${wholeReview()}`, /^HTTP\/1\.1 400 /],
    ['two lengths', `${post}${length}content-length: 0\r\n\r\n${wholeReview()}`, /^HTTP\/1\.1 400 /],
    ['coded', `${post}transfer-encoding: gzip, chunked\r\n\r\n${wholeReview()}`, /^HTTP\/1\.1 4(00|11) /],
    ['coded after', `${post}transfer-encoding: chunked, gzip\r\n\r\n${wholeReview()}`, /^HTTP\/1\.1 4(00|11) /],
    ['as it is', `${post}transfer-encoding: identity\r\n\r\n${wholeReview()}`, /^HTTP\/1\.1 4(00|11) /],
    ['a line of its own', `${post}transfer-encoding\r\n : chunked\r\n\r\n${wholeReview()}`, /^HTTP\/1\.1 400 /],
    ['an upgrade', 'GET /livez HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n', /^HTTP\/1\.1 404 /],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^HTTP\/1\.1 400 /],
  ]
  for (const [sentence, text, expected] of cases) {
    const one = await attacker(t, webhooks)
    void says(one, text)
    await hears(one, expected)
    lacks(t, one.heard(), /"allowed"/, sentence)
  }
})

t.test('RE-27 a head that drips in is cut off as soon as its time is over', async t => {
  const { webhooks } = await listening(t, impatient)
  const one = await attacker(t, webhooks)
  void says(one, 'POST /webhooks/widget HTTP/1.1\r\n')
  const drip = setInterval(() => void says(one, 'x: y\r\n'), 20)
  t.teardown(() => clearInterval(drip))
  await one.over
  matches(t, one.heard(), /^HTTP\/1\.1 408 /)
})

t.test(
  'RE-27 a caller that ends its half of a TLS connection within a request is cut off, and its body is forgotten',
  async t => {
    const tls = { webhooksTls: await servingTls() }
    const { webhooks } = await listening(t, { arrivalSeconds: 120, bodyBytes: reviewBytes }, tls)
    const target = { ...webhooks, isTls: true }
    for (const text of ['', 'POST /webhooks', `${reviewHead(reviewBytes)}${' '.repeat(reviewBytes - 1)}`]) {
      const one = await attacker(t, target)
      void says(one, text)
      one.socket.end()
      await one.over
      lacks(t, one.heard(), / 200 /)
    }
    const later = await attacker(t, target)
    void says(later, wholeReview())
    await hears(later, /^HTTP\/1\.1 200 /)
  },
)
