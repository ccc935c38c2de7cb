import { X509Certificate } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { decide } from '../../../functions/webhook-certificate/decide.ts'
import { secretName } from '../../../functions/webhook-certificate/desired/secret.ts'
import { gather } from '../../../functions/webhook-certificate/gather.ts'
import { webhookCertificate } from '../../../functions/webhook-certificate/index.ts'
import { reasons } from '../../../functions/webhook-certificate/reasons.ts'
import type { WebhookConfiguration } from '../../../functions/webhook-certificate/world.ts'
import type { Plan, Step } from '../../../shared/core/decisions/plan.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { deployManifests } from '../../../shared/deploy/manifests/manifests.ts'
import { issueCertificates } from '../../../shared/outside/certificates.ts'
import { matches } from '../../harness/matches.ts'

const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'espalier-system' } }
const start = new Date('2026-01-01T00:00:00Z')
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const configuration = (kind: 'Validating' | 'Mutating', clientConfig: object = service): WebhookConfiguration => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}WebhookConfiguration`,
  metadata: {
    name: 'espalier',
    labels: { 'app.kubernetes.io/part-of': 'espalier', 'app.kubernetes.io/managed-by': 'Helm' },
  },
  webhooks: [{ name: 'a.example.com', clientConfig }] as WebhookConfiguration['webhooks'],
})
const service = { service: { namespace: 'espalier-system', name: 'a-webhooks', path: '/webhooks/a' } }

/** A Secret, two configurations and a clock. Steps mean what they mean to an API server, for these objects. */
class Story {
  now = start
  secret: KubeObject | undefined
  configurations: WebhookConfiguration[] = [configuration('Validating'), configuration('Mutating')]
  readonly trace: string[] = []

  async plan(): Promise<Plan> {
    const reads = {
      get: async () => this.secret,
      list: async ({ kind }: { kind: string }) => this.configurations.filter(one => one.kind === kind),
    }
    return decide(await gather(namespace, { reads }), this.now)
  }

  async perform(step: Step): Promise<void> {
    this.trace.push(step.do === 'issueCertificates' ? step.for.renew.join('+') : step.do)
    if (step.do === 'issueCertificates') {
      this.secret = { ...step.into, data: await issueCertificates(step.for, this.secret ?? step.into, this.now) }
    }
    if (step.do !== 'patch') return
    const patched = mergePatched(step.target, step.merge) as WebhookConfiguration
    if (step.target.kind === 'Secret') this.secret = patched
    this.configurations = this.configurations.map(one => (one.kind === patched.kind ? patched : one))
  }

  /** Calls the function until it has nothing to do now; every step is looked at. */
  async settle(afterStep: () => void = () => {}): Promise<Plan> {
    for (let pass = 0; pass < 10; pass++) {
      const plan = await this.plan()
      for (const step of plan.steps) {
        await this.perform(step)
        afterStep()
      }
      if (plan.steps.length === 0) return plan
    }
    throw new Error('it does not come to rest')
  }

  /** Time passes; the function is called when it asked to be, at most once a day. */
  async until(date: Date, afterStep?: () => void): Promise<void> {
    while (this.now < date) {
      const { next } = await this.settle(afterStep)
      const seconds = next.is === 'waiting' ? next.seconds : next.is === 'settled' ? (next.againSeconds ?? day) : day
      this.now = new Date(Math.min(date.getTime(), this.now.getTime() + seconds * 1_000))
    }
    await this.settle(afterStep)
  }

  get files(): Record<string, string> {
    return (this.secret?.data ?? {}) as Record<string, string>
  }

  file(name: string): string {
    return Buffer.from(this.files[name] ?? '', 'base64').toString()
  }

  /** Somebody else writes into the Secret; undefined takes a file away. */
  replace(files: Record<string, string | undefined>): void {
    if (this.secret) this.secret = { ...this.secret, data: JSON.parse(JSON.stringify({ ...this.files, ...files })) }
  }

  get serving(): X509Certificate {
    return new X509Certificate(this.file('tls.crt'))
  }

  /** The API server's question at every call: is what is shown valid, and signed by what is configured? */
  get isAdmissionUp(): boolean {
    const { serving, now } = this
    const isValid = (one: X509Certificate) => one.validFromDate <= now && now < one.validToDate
    return this.configurations.every(({ webhooks = [] }) =>
      webhooks.every(({ clientConfig }) =>
        authorities(clientConfig.caBundle).some(
          one => isValid(one) && serving.verify(one.publicKey) && isValid(serving),
        ),
      ),
    )
  }
}

const authorities = (bundle = ''): X509Certificate[] =>
  (
    Buffer.from(bundle, 'base64')
      .toString()
      .match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []
  ).map(pem => new X509Certificate(pem))

const settledStory = async (): Promise<Story> => {
  const story = new Story()
  await story.settle()
  return story
}

t.test('FN-24 from nothing: authority, serving certificate, trust in both configurations', async t => {
  const story = await settledStory()
  t.strictSame(story.trace, ['authority+serving', 'patch', 'patch'])
  t.equal(story.secret?.metadata.name, secretName)
  t.equal(story.secret?.type, 'kubernetes.io/tls')
  t.ok(story.isAdmissionUp)
  t.ok(story.serving.checkHost('a-webhooks.espalier-system.svc'))
  t.equal(story.serving.checkHost('a-webhooks.elsewhere.svc'), undefined)
  const [authority] = authorities(story.configurations[0]?.webhooks?.[0]?.clientConfig.caBundle)
  t.equal(authority?.ca, true)
  t.equal(story.serving.ca, false)
  t.strictSame(story.serving.keyUsage, ['1.3.6.1.5.5.7.3.1'], 'good for servers only')
})

t.test('FN-191 webhook configurations are found, and watched, by a label that Helm leaves as it is', async t => {
  const landscape = readLandscape('serverless.yml')
  const selectors = new Set<string | undefined>()
  const list = async ({ labelSelector }: { labelSelector?: string }) => {
    selectors.add(labelSelector)
    return []
  }
  await gather(namespace, {
    reads: { get: async () => undefined, list } as unknown as Parameters<typeof gather>[1]['reads'],
  })
  for (const event of landscape.functions['webhook-certificate']?.events ?? [])
    if ('watch' in event && event.watch.kind.endsWith('WebhookConfiguration')) selectors.add(event.watch.labelSelector)
  const generated = deployManifests(landscape, '1')
    .flatMap(({ objects }) => objects as KubeObject[])
    .filter(({ kind }) => kind.endsWith('WebhookConfiguration'))
  t.ok(generated.length > 0)
  for (const { metadata } of generated) {
    const installed = { ...metadata.labels, 'app.kubernetes.io/managed-by': 'Helm' }
    const labels = Object.entries(installed).map(pair => pair.join('='))
    t.strictSame(
      [...selectors].filter(selector => selector === undefined || !labels.includes(selector)),
      [],
    )
  }
})

t.test('FN-24 the configurations keep what else their webhooks say', async t => {
  const story = await settledStory()
  matches(t, story.configurations[0]?.webhooks, [{ name: 'a.example.com', clientConfig: service }])
})

t.test('FN-24 two serving certificates have different serial numbers and keys', async t => {
  const [one, other] = await Promise.all([settledStory(), settledStory()])
  t.not(one.serving.serialNumber, other.serving.serialNumber)
  t.not(one.file('tls.key'), other.file('tls.key'))
})

t.test('FN-24 authority and certificate are renewed in time, each at its own', async t => {
  const cases: { sentence: string; after: number; plan: string[] }[] = [
    { sentence: 'a serving certificate of 71 days', after: 71 * day, plan: [] },
    { sentence: 'a serving certificate past 80 % of its 90 days', after: 72.1 * day, plan: ['serving'] },
    { sentence: 'a serving certificate that has expired', after: 91 * day, plan: ['serving'] },
    { sentence: 'an authority past 80 % of its 730 days', after: 584.1 * day, plan: ['authority'] },
    { sentence: 'an authority that has expired', after: 731 * day, plan: ['authority+serving'] },
  ]
  for (const { sentence, after, plan } of cases) {
    const story = await settledStory()
    story.now = new Date(start.getTime() + after)
    const { steps } = await story.plan()
    t.strictSame(
      steps.map(step => (step.do === 'issueCertificates' ? step.for.renew.join('+') : step.do)),
      plan,
      sentence,
    )
  }
})

t.test('FN-24 it asks to be called when the next renewal is due, and twice a day at least', async t => {
  const story = await settledStory()
  matches(t, (await story.plan()).next, { is: 'settled', againSeconds: 43_200 })
  story.now = new Date(start.getTime() + 72 * day - hour)
  const { next } = await story.plan()
  t.ok(next.is === 'settled' && (next.againSeconds ?? 0) <= 3_600)
})

t.test('FN-24 a configuration that is applied again without its caBundle gets it back', async t => {
  const story = await settledStory()
  story.configurations = [configuration('Validating'), configuration('Mutating')]
  t.notOk(story.isAdmissionUp)
  const before = story.secret
  await story.settle()
  t.ok(story.isAdmissionUp)
  t.strictSame(story.secret, before, 'the certificates stay')
})

t.test('FN-24 webhooks of another installation are left alone', async t => {
  const foreign = { service: { namespace: 'other', name: 'w' }, caBundle: 'dGhlaXJz' }
  const story = new Story()
  const both = configuration('Validating')
  story.configurations = [
    { ...both, webhooks: [...(both.webhooks ?? []), { name: 'theirs', clientConfig: foreign }] },
    configuration('Mutating', foreign),
  ]
  await story.settle()
  t.strictSame(story.trace, ['authority+serving', 'patch'])
  t.strictSame(story.configurations[0]?.webhooks?.[1]?.clientConfig, foreign)
  t.strictSame(story.configurations[1]?.webhooks?.[0]?.clientConfig, foreign)
})

t.test('FN-24 a host named by URL becomes a name of the serving certificate', async t => {
  const story = await settledStory()
  story.configurations = [
    configuration('Validating', { url: 'https://127.0.0.1:9443/webhooks/a' }),
    configuration('Mutating', { url: 'https://[::1]:9443/webhooks/a' }),
  ]
  await story.settle()
  t.equal(story.serving.checkIP('127.0.0.1'), '127.0.0.1')
  t.equal(story.serving.checkIP('::1'), '::1')
  t.ok(story.isAdmissionUp)
  const { steps } = await story.plan()
  t.strictSame(steps, [])
})

t.test('FN-24 what cannot be used is made anew', async t => {
  const other = await settledStory()
  const cases: { sentence: string; data: Record<string, string | undefined>; renewed: string }[] = [
    { sentence: 'no data', data: { 'ca.crt': undefined, 'tls.crt': undefined }, renewed: 'authority' },
    {
      sentence: 'certificates that are none',
      data: { 'ca.crt': 'YQ==', 'tls.crt': 'YQ==' },
      renewed: 'authority',
    },
    { sentence: 'no serving certificate', data: { 'tls.crt': undefined }, renewed: 'serving' },
    { sentence: 'a serving key that does not fit', data: pick(other, 'tls.key'), renewed: 'serving' },
    {
      sentence: 'a serving certificate of a foreign authority',
      data: pick(other, 'tls.crt', 'tls.key'),
      renewed: 'serving',
    },
    { sentence: 'no key of the authority', data: { 'ca.key': undefined }, renewed: 'authority' },
    { sentence: 'a key of another authority', data: pick(other, 'ca.key'), renewed: 'authority' },
  ]
  for (const { sentence, data, renewed } of cases) {
    const story = await settledStory()
    story.replace(data)
    await story.settle()
    t.equal(story.trace[3], renewed, sentence)
    await story.until(new Date(story.now.getTime() + hour))
    t.ok(story.isAdmissionUp, sentence)
  }
})

const pick = (story: Story, ...files: string[]): Record<string, string | undefined> =>
  Object.fromEntries(files.map(file => [file, story.files[file]]))

t.test('RE-17 three and a half years of renewals: admission never fails, after no step and on no day', async t => {
  const story = await settledStory()
  let looks = 0
  const look = () => {
    looks++
    if (!story.isAdmissionUp) t.fail(`admission is down on ${story.now.toISOString()} after ${story.trace.at(-1)}`)
  }
  for (let passed = day; passed <= 1_280 * day; passed += day) {
    await story.until(new Date(start.getTime() + passed), look)
    look()
  }
  const count = (name: string) => story.trace.filter(entry => entry === name).length
  t.equal(count('authority'), 2, 'the authority every 584 days')
  t.ok(count('serving') >= 17, 'the serving certificate every 72 days')
  t.ok(looks > 1_280)
  t.ok(authorities(story.configurations[0]?.webhooks?.[0]?.clientConfig.caBundle).length <= 2, 'the expired are gone')
})

t.test(
  'RE-17 a new authority signs only when every configuration trusts it and all had two minutes to notice',
  async t => {
    const story = await settledStory()
    await story.until(new Date(start.getTime() + 584 * day - hour))
    const before = story.file('tls.crt')
    story.trace.length = 0
    story.now = new Date(start.getTime() + 584 * day + hour)
    await story.settle()
    t.strictSame(story.trace, ['authority', 'patch', 'patch'])
    matches(t, (await story.plan()).next, { is: 'waiting', for: reasons.authorityUnknown })
    story.configurations = [configuration('Validating'), ...story.configurations.slice(1)]
    story.now = new Date(story.now.getTime() + hour)
    const { steps } = await story.plan()
    t.strictSame(
      steps.map(step => step.do),
      ['patch'],
      'not while one configuration lacks it',
    )
    t.equal(story.file('tls.crt'), before)
    await story.settle()
    t.strictSame(story.trace, ['authority', 'patch', 'patch', 'patch'])
    matches(
      t,
      (await story.plan()).next,
      { is: 'waiting', seconds: 120 },
      'API servers have yet to notice the last of them',
    )
    story.now = new Date(story.now.getTime() - hour)
    matches(t, (await story.plan()).next, { is: 'waiting', seconds: 120 }, 'no longer with a clock that went back')
    story.now = new Date(story.now.getTime() + hour + 2 * minute)
    await story.settle()
    t.strictSame(story.trace, ['authority', 'patch', 'patch', 'patch', 'serving'])
    t.ok(story.isAdmissionUp)
  },
)

t.test('RE-15 the clock jumps an hour, both ways: nothing that is not valid is relied on, and all heals', async t => {
  for (const jump of [hour, -hour]) {
    const story = await settledStory()
    story.now = new Date(story.now.getTime() + jump)
    await story.settle()
    t.ok(story.isAdmissionUp, `jump of ${jump / hour} h`)
    story.now = new Date(story.now.getTime() - jump)
    await story.settle()
    t.ok(story.isAdmissionUp, `and back`)
  }
})

t.test('RE-15 an authority is dropped a day after its end, not by a clock that is an hour ahead', async t => {
  const story = await settledStory()
  story.now = new Date(start.getTime() + 600 * day)
  await story.until(new Date(start.getTime() + 730 * day + hour))
  const kept = () => authorities(story.files['ca.crt']).length
  t.equal(kept(), 2)
  await story.until(new Date(start.getTime() + 731 * day + hour))
  t.equal(kept(), 1)
})

/** What the API server asks at every call while a host still shows the certificate that it had. */
const isTrusted = (story: Story, shown: X509Certificate): boolean =>
  story.configurations.every(({ webhooks = [] }) =>
    webhooks.every(({ clientConfig }) => authorities(clientConfig.caBundle).some(one => shown.verify(one.publicKey))),
  )

const bundles = ({ configurations }: Story): number[] =>
  configurations.map(({ webhooks = [] }) => authorities(webhooks[0]?.clientConfig.caBundle).length)

/** The Secret is deleted, long after it was made. */
const robbed = async (): Promise<{ story: Story; shown: X509Certificate }> => {
  const story = await settledStory()
  const shown = story.serving
  story.now = new Date(start.getTime() + day)
  story.secret = undefined
  story.trace.length = 0
  return { story, shown }
}

t.test('FN-123 the Secret is deleted: hosts with the old certificate and with the new one are trusted', async t => {
  const { story, shown } = await robbed()
  const stillOld = () => {
    if (!isTrusted(story, shown)) t.fail(`the old certificate is not trusted after ${story.trace.at(-1)}`)
  }
  await story.settle(stillOld)
  t.strictSame(story.trace, ['authority', 'patch', 'patch'], 'the new authority is trusted before it signs')
  t.strictSame([story.files['tls.crt'], story.files['tls.key']], ['', ''], 'a Secret of this type has both keys')
  matches(t, (await story.plan()).next, { is: 'waiting', seconds: 5, for: reasons.authorityUnknown })
  story.now = new Date(story.now.getTime() + 5_000)
  const { next } = await story.settle(stillOld)
  t.equal(story.trace[3], 'serving')
  t.ok(isTrusted(story, story.serving))
  matches(t, next, { is: 'settled', againSeconds: 295 }, 'it asks to be called when the overlap ends')
  await story.until(new Date(story.now.getTime() + 294_000), stillOld)
  await story.until(new Date(story.now.getTime() + 2_000))
  t.strictSame(bundles(story), [1, 1], 'then the old authority goes')
  t.ok(story.isAdmissionUp)
})

t.test('FN-123 only the certificate is lost with its authority, as in a Secret that was emptied', async t => {
  const story = await settledStory()
  story.now = new Date(start.getTime() + day)
  const shown = story.serving
  story.replace({ 'ca.crt': undefined, 'ca.key': undefined, 'tls.crt': '', 'tls.key': '' })
  await story.until(new Date(story.now.getTime() + minute), () => t.ok(isTrusted(story, shown)))
  t.ok(story.isAdmissionUp)
})

t.test('FN-124 an authority that somebody wrote into a webhook is trusted nowhere else, and goes', async t => {
  const planted = (await settledStory()).file('ca.crt')
  const writes = (story: Story, added: string) => {
    const bundle = story.configurations[0]?.webhooks?.[0]?.clientConfig.caBundle ?? ''
    const caBundle = Buffer.from(added + Buffer.from(bundle, 'base64').toString()).toString('base64')
    story.configurations = [configuration('Validating', { ...service, caBundle }), ...story.configurations.slice(1)]
  }
  const settled = await settledStory()
  settled.now = new Date(start.getTime() + day)
  writes(settled, planted)
  await settled.settle()
  t.strictSame(bundles(settled), [1, 1], 'while the Secret is there it goes at once')
  settled.now = new Date(start.getTime() + 585 * day)
  await settled.settle()
  t.ok(settled.trace.includes('authority'))
  writes(settled, planted)
  await settled.settle()
  t.strictSame(bundles(settled), [2, 2], 'also just after a rotation, whose old authority the Secret has')

  const { story } = await robbed()
  writes(story, planted + (await settledStory()).file('ca.crt'))
  await story.until(new Date(story.now.getTime() + minute))
  t.strictSame(bundles(story), [3, 2], 'two former ones of the webhook itself, no more')
  t.notOk(story.file('ca.crt').includes(planted.trim()), 'not in the Secret')
  t.ok(story.isAdmissionUp)
  await story.until(new Date(story.now.getTime() + 5 * minute))
  t.strictSame(bundles(story), [1, 1])
})

t.test('FN-124 no overlap keeps what has expired, nor what another installation trusts', async t => {
  const { story } = await robbed()
  const caBundle = (await settledStory()).files['ca.crt']
  const foreign = { service: { namespace: 'other', name: 'w' }, caBundle }
  story.configurations = [configuration('Validating', foreign)]
  await story.settle()
  t.strictSame(story.trace, ['authority+serving'], 'nobody trusts our former authority: no pause')
  const { story: late } = await robbed()
  late.now = new Date(start.getTime() + 731 * day)
  await late.settle()
  t.strictSame(bundles(late), [1, 1])
})

const accident = fc.oneof(
  fc.record({ is: fc.constant('time' as const), days: fc.double({ min: -0.05, max: 900, noNaN: true }) }),
  fc.record({ is: fc.constant('secretLost' as const) }),
  fc.record({ is: fc.constant('fileLost' as const), file: fc.constantFrom('ca.crt', 'ca.key', 'tls.crt', 'tls.key') }),
  fc.record({ is: fc.constant('applied' as const), kind: fc.constantFrom('Validating' as const, 'Mutating' as const) }),
  fc.record({ is: fc.constant('killed' as const), afterSteps: fc.nat(3) }),
)
type Accident = typeof accident extends fc.Arbitrary<infer A> ? A : never

const happen = async (story: Story, what: Accident): Promise<void> => {
  if (what.is === 'time') story.now = new Date(story.now.getTime() + what.days * day)
  if (what.is === 'secretLost') story.secret = undefined
  if (what.is === 'fileLost' && story.secret) {
    story.replace({ [what.file]: undefined })
  }
  if (what.is === 'applied') {
    story.configurations = story.configurations.map(one =>
      one.kind.startsWith(what.kind) ? configuration(what.kind) : one,
    )
  }
  if (what.is === 'killed') {
    for (const step of (await story.plan()).steps.slice(0, what.afterSteps)) await story.perform(step)
  }
}

t.test('FN-24 whatever happens, it comes to rest with admission up, and rest means no steps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(accident, { maxLength: 6 }), async accidents => {
      const story = new Story()
      for (const what of accidents) await happen(story, what)
      await story.until(new Date(story.now.getTime() + 10_000))
      const { steps } = await story.plan()
      return story.isAdmissionUp && steps.length === 0
    }),
    { numRuns: 60, seed: 24 },
  )
})

t.test('the definition reconciles Namespaces under the name of its folder', async t => {
  matches(t, webhookCertificate, { does: 'reconcile', name: 'webhook-certificate', kind: { kind: 'Namespace' } })
})
