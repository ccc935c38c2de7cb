// The certificates of the listener through the years: who is trusted, and what is shown when.
import { X509Certificate } from 'node:crypto'
import { checkServerIdentity } from 'node:tls'
import t from 'tap'
import { decide } from '../../../functions/gateway-certificate/decide.ts'
import { gather } from '../../../functions/gateway-certificate/gather.ts'
import { report } from '../../../functions/gateway-certificate/report.ts'
import {
  type GatewayCertificateSettings,
  gatewayCertificateSettings,
} from '../../../functions/gateway-certificate/settings.ts'
import type { World } from '../../../functions/gateway-certificate/world.ts'
import type { Plan, Step } from '../../../shared/core/decisions/plan.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedText } from '../../../shared/core/objects/secret-text.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import { certificatesIn, hasIssued } from '../../../shared/core/tls/certificate.ts'
import { issueCertificates } from '../../../shared/outside/certificates.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { lacks, matches } from '../../harness/matches.ts'
import { MemoryCluster } from '../../http/memory-cluster.ts'
import { watcher } from '../../make/kyma/kyma.ts'

const day = 86_400_000
const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'istio-system' } }
const refOfSecret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', namespace: 'istio-system', name })

const usual = defaultValues(gatewayCertificateSettings)

/** Two Secrets and a clock. Steps mean what they mean to an API server, for these objects. */
class Story {
  now = new Date('2026-11-23T00:00:00Z')
  readonly cluster: MemoryCluster
  readonly trace: string[] = []
  settings: GatewayCertificateSettings = usual

  constructor(...objects: KubeObject[]) {
    this.cluster = new MemoryCluster(objects)
  }

  async plan(): Promise<Plan> {
    return decide(await gather(namespace, { reads: this.cluster.client, settings: this.settings }), this.now)
  }

  async perform(step: Step): Promise<void> {
    if (step.do === 'issueCertificates') {
      this.trace.push(step.for.renew.join('+'))
      const current = this.cluster.find(refOfSecret('klm-watcher'))
      this.cluster.put({ ...step.into, data: await issueCertificates(step.for, current, this.now) })
    } else if (step.do === 'create') this.put(step.object)
    else if (step.do === 'patch') this.put(mergePatched(step.target, step.merge) as KubeObject)
  }

  put(object: KubeObject): void {
    const before = this.cluster.find(refOfSecret(object.metadata.name))
    if (JSON.stringify(before?.data) !== JSON.stringify(object.data)) this.trace.push(`gateway ${this.day()}`)
    this.cluster.put(object)
  }

  day(): number {
    return Math.floor((this.now.getTime() - Date.parse('2026-11-23T00:00:00Z')) / day)
  }

  async settle(): Promise<Plan> {
    for (let pass = 0; pass < 10; pass++) {
      const plan = await this.plan()
      for (const step of plan.steps) await this.perform(step)
      if (plan.next.is !== 'again') return plan
    }
    throw new Error('it does not settle')
  }

  /** Called every half day, as it asks to be. */
  async pass(days: number): Promise<void> {
    for (let half = 0; half < 2 * days; half++) {
      this.now = new Date(this.now.getTime() + day / 2)
      await this.settle()
    }
  }

  file(secret: string, name: string): string {
    const data = this.cluster.find(refOfSecret(secret))?.data as Record<string, string> | undefined
    return Buffer.from(data?.[name] ?? '', 'base64').toString()
  }

  bundle(): readonly X509Certificate[] {
    return certificatesIn(this.file('klm-istio-gateway', 'ca.crt'))
  }

  shown(): X509Certificate {
    return new X509Certificate(this.file('klm-istio-gateway', 'tls.crt'))
  }
}

t.test('KY-151 without an operator an authority and a certificate are made, and nothing without Watchers', async t => {
  const none = new Story()
  t.strictSame((await none.plan()).steps, [])
  const story = new Story(watcher())
  await story.settle()
  const [authority, ...others] = story.bundle()
  t.strictSame(others, [])
  t.ok(authority && hasIssued(authority, story.shown()))
  t.equal(authority?.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
  t.equal(story.shown().checkHost('runtime-events.espalier-system.svc'), 'runtime-events.espalier-system.svc')
  lacks(t, story.file('klm-istio-gateway', 'ca.crt'), 'PRIVATE')
  t.strictSame(Object.keys(story.cluster.find(refOfSecret('klm-istio-gateway'))?.data ?? {}).sort(), [
    ...['ca.crt', 'tls.crt', 'tls.key'],
  ])
  const writes = story.trace.length
  await story.pass(10)
  t.equal(story.trace.length, writes, 'then it is quiet')
})

t.test('KY-224 where runtimes are to have the agent, the certificates are there before the first Watcher', async t => {
  const story = new Story()
  const agent = { agentImage: 'x', eventAddress: 'listener.example.com:4443' }
  story.settings = { ...usual, ...agent }
  await story.settle()
  t.ok(hasIssued(story.bundle()[0] as X509Certificate, story.shown()))
  t.equal(story.shown().checkHost('listener.example.com'), 'listener.example.com')
})

t.test('KY-151 where a private key belongs to another certificate, what it is the key of is made anew', async t => {
  for (const [key, made] of [
    ['tls.key', 'serving'],
    ['ca.key', 'authority+serving'],
  ] as const) {
    const story = new Story(watcher())
    await story.settle()
    const root = story.cluster.find(refOfSecret('klm-watcher')) as KubeObject
    const { key: other } = await newAuthority('other')
    story.cluster.put({ ...root, data: { ...(root.data as object), [key]: encodedText(other) } })
    await story.settle()
    t.equal(story.trace.filter(step => !step.startsWith('gateway'))[1], made)
  }
})

t.test('KY-151 the address of events is in the certificate, and a new one comes with a new address', async t => {
  const story = new Story(watcher())
  const at = (eventAddress: string): void => {
    const agent = { agentImage: 'x', eventAddress }
    story.settings = { ...usual, ...agent }
  }
  at('events.example.com:443')
  await story.settle()
  t.equal(story.shown().checkHost('events.example.com'), 'events.example.com')
  at('192.0.2.7:8443')
  await story.settle()
  t.equal(story.shown().checkIP('192.0.2.7'), '192.0.2.7')
  t.strictSame(story.trace, ['authority+serving', 'gateway 0', 'serving', 'gateway 0'])
})

t.test('FN-102 an IPv6 address of events is in the certificate as such', async t => {
  const story = new Story()
  const agent = { agentImage: 'x', eventAddress: '[fd00::1]:8443' }
  story.settings = { ...usual, ...agent }
  await story.settle()
  t.equal(checkServerIdentity('fd00::1', story.shown().toLegacyObject()), undefined, 'a client takes it')
  t.strictSame(story.trace, ['authority+serving', 'gateway 0'])
})

t.test('KY-150 KY-151 over the years what is shown is always trusted by who knew the bundle four days ago', async t => {
  const story = new Story(watcher())
  await story.settle()
  let known = story.bundle()
  let shownFor = 0
  for (let passed = 0; passed < 800; passed += 4) {
    const shown = story.shown()
    if (!known.some(authority => hasIssued(authority, shown))) t.fail(`day ${passed}: a runtime does not know it`)
    if (shown.validToDate < story.now) t.fail(`day ${passed}: what is shown has expired`)
    known = story.bundle()
    await story.pass(4)
    shownFor++
  }
  t.equal(shownFor, 200)
  t.ok(story.trace.filter(step => step === 'authority+serving').length === 2, 'a new authority after 584 days')
  t.equal(story.bundle().length, 1, 'the expired one is gone')
})

const secretOf = async (name: string, at: Date): Promise<KubeObject> => {
  const { certificate, key } = await newAuthority(name)
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'istio-system', name: 'klm-watcher' },
    data: { 'ca.crt': encodedText(certificate), 'tls.crt': encodedText(certificate), 'tls.key': encodedText(key) },
    annotations: { at: at.toISOString() },
  }
}

t.test('KY-150 an operator renews the authority: trusted first and at once, shown after four days', async t => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'certificates.cert-manager.io' },
  }
  const story = new Story(watcher(), definition)
  story.now = new Date()
  const waiting = await story.settle()
  matches(t, [waiting.steps, waiting.next], [[], { is: 'waiting', seconds: 60, for: String }])
  const [first, second] = await Promise.all(['first', 'second'].map(name => secretOf(name, story.now)))
  story.cluster.put(first as KubeObject)
  await story.settle()
  const subjects = () => story.bundle().map(({ subject }) => subject)
  t.strictSame([subjects(), story.shown().subject], [['CN=first'], 'CN=first'])
  const addedAt = () => story.cluster.find(refOfSecret('klm-istio-gateway'))?.metadata.annotations?.caAddedToBundleAt
  t.equal(addedAt(), story.now.toISOString())

  await story.pass(30)
  story.cluster.put(second as KubeObject)
  const renewedAt = story.now.toISOString()
  await story.settle()
  t.strictSame([subjects(), story.shown().subject, addedAt()], [['CN=second', 'CN=first'], 'CN=first', renewedAt])
  await story.pass(3.5)
  t.equal(story.shown().subject, 'CN=first')
  const { next } = await story.settle()
  matches(t, next, { is: 'settled', againSeconds: 43_200 })
  await story.pass(0.5)
  t.strictSame([subjects(), story.shown().subject, addedAt()], [['CN=second', 'CN=first'], 'CN=second', renewedAt])
})

t.test('KY-150 RE-15 a clock that jumps back holds the new certificate no longer than four days', async t => {
  const [first, second] = await Promise.all(['first', 'second'].map(name => secretOf(name, new Date())))
  const story = new Story(watcher(), first as KubeObject)
  story.settings = { ...usual, certificates: 'gardener' }
  story.now = new Date()
  await story.settle()
  story.cluster.put(second as KubeObject)
  story.now = new Date(Date.now() + 30 * day)
  await story.settle()
  story.now = new Date()
  const { next } = await story.settle()
  matches(t, next, { againSeconds: (seconds: number) => seconds <= 43_200 })
  t.equal(story.shown().subject, 'CN=first')
})

t.test('KY-150 a certificate that nobody trusts is replaced at once', async t => {
  const [first, second] = await Promise.all(['first', 'second'].map(name => secretOf(name, new Date())))
  const gateway = { ...(second as KubeObject), metadata: { namespace: 'istio-system', name: 'klm-istio-gateway' } }
  const data = { ...(second?.data as object), 'ca.crt': encodedText('') }
  const story = new Story(watcher(), first as KubeObject, { ...gateway, data })
  story.settings = { ...usual, certificates: 'cert-manager' }
  story.now = new Date()
  await story.settle()
  t.equal(story.shown().subject, 'CN=first')
})

t.test('KY-317 a certificate of the listener that ends within 14 days is shown', async t => {
  const measured = (to: Date) =>
    report({ gateway: { serving: { to } }, times } as unknown as World, {} as Plan, [], new Date(0)).measured
  const times = usual
  const metric = 'lifecycle_mgr_gateway_secret_server_cert_close_to_expiry'
  t.strictSame(measured(new Date(14 * day)), [{ metric, set: 0 }])
  t.strictSame(measured(new Date(14 * day - 1_000)), [{ metric, set: 1 }])
  t.strictSame(report({ gateway: {} } as World, {} as Plan, [], new Date(0)).measured, [])
})

t.test(
  'KY-326 who runs Espalier chooses when the listener shows another certificate, and when its end is close',
  async t => {
    const times = { gatewayGrace: 86_400, gatewayExpiryWindow: 60 }
    const [first, second] = await Promise.all(['first', 'second'].map(name => secretOf(name, new Date())))
    const story = new Story(watcher(), first as KubeObject)
    story.settings = { ...usual, certificates: 'gardener', ...times }
    story.now = new Date()
    await story.settle()
    story.cluster.put(second as KubeObject)
    await story.settle()
    await story.pass(0.5)
    t.equal(story.shown().subject, 'CN=first')
    await story.pass(0.5)
    t.equal(story.shown().subject, 'CN=second')
    const measured = (milliseconds: number) =>
      report({ gateway: { serving: { to: new Date(milliseconds) } }, times } as World, {} as Plan, [], new Date(0))
        .measured
    matches(t, measured(60_000), [{ set: 0 }])
    matches(t, measured(59_999), [{ set: 1 }])
  },
)
