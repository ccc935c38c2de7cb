// The certificates of runtimes: made here, or asked for from an operator.
import { X509Certificate } from 'node:crypto'
import t from 'tap'
import { decide, secondsUntilRenewal } from '../../../functions/runtime-certificate/decide.ts'
import { allKymas, gather } from '../../../functions/runtime-certificate/gather.ts'
import { report } from '../../../functions/runtime-certificate/report.ts'
import {
  type RuntimeCertificateSettings,
  runtimeCertificateSettings,
} from '../../../functions/runtime-certificate/settings.ts'
import type { World } from '../../../functions/runtime-certificate/world.ts'
import type { Plan } from '../../../shared/core/decisions/plan.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedText } from '../../../shared/core/objects/secret-text.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import { clientCertificateFault } from '../../../shared/http/client-certificate.ts'
import { performSteps } from '../../../shared/kube/writes/perform-steps.ts'
import { issueCertificates } from '../../../shared/outside/certificates.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { lacks, matches } from '../../harness/matches.ts'
import { MemoryCluster } from '../../http/memory-cluster.ts'
import { kyma } from '../../make/kyma/kyma.ts'

const day = 86_400_000
const start = new Date('2026-11-23T00:00:00Z')
const refOf = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', namespace: 'istio-system', name })

const secret = (name: string, data: object, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'istio-system', name, annotations },
  data,
})

const request = { commonName: 'klm-watcher', names: ['x'], authorityDays: 730, servingDays: 90 }

/** The authority in its Secret, and what the listener trusts. */
const trusting = async (cluster: MemoryCluster, at: Date): Promise<void> => {
  const before = cluster.find(refOf('klm-watcher'))
  const data = await issueCertificates({ ...request, renew: ['authority', 'serving'] }, before, at)
  cluster.put(secret('klm-watcher', data))
  cluster.put(secret('klm-istio-gateway', { 'ca.crt': data['ca.crt'] }, { caAddedToBundleAt: at.toISOString() }))
}

const runtime = kyma({
  metadata: {
    uid: 'k',
    labels: { 'kyma-project.io/runtime-id': 'runtime-1' },
    annotations: { 'skr-domain': 'one.example.com' },
  },
})

const usualNames: readonly string[] = ['more.example']

const planFor = async (
  cluster: MemoryCluster,
  subject: KubeObject,
  now: Date,
  certificateNames = usualNames,
  change: Partial<RuntimeCertificateSettings> = {},
): Promise<Plan> => {
  const settings = { ...defaultValues(runtimeCertificateSettings), certificateNames, ...change }
  return decide(await gather(subject, { reads: cluster.client, settings }), now)
}

const performed = async (
  cluster: MemoryCluster,
  subject: KubeObject,
  now: Date,
  certificateNames = usualNames,
): Promise<string[]> => {
  const trace: string[] = []
  for (let pass = 0; pass < 5; pass++) {
    const { steps } = await planFor(cluster, subject, now, certificateNames)
    if (steps.length === 0) return trace
    trace.push(...steps.map(step => step.do))
    const results = await performSteps(steps, {
      clusters: cluster.clusters,
      fieldManager: 'lifecycle-manager',
      mayContinue: () => true,
      issue: (asked, current) => issueCertificates(asked, current, now),
    })
    const [failed] = results.flatMap(({ error }) => error ?? [])
    if (failed) throw new Error(failed.message)
  }
  throw new Error(`it does not settle: ${trace.join()}`)
}

const trustedBy = (cluster: MemoryCluster): unknown =>
  mapOrEmpty(cluster.find(refOf('klm-istio-gateway'))?.data)['ca.crt']

const found = (cluster: MemoryCluster) => {
  const data = (cluster.find(refOf('default-id-webhook-tls'))?.data ?? {}) as Record<string, string>
  const text = (file: string) => Buffer.from(data[file] ?? '', 'base64').toString()
  return { data, certificate: new X509Certificate(text('tls.crt')) }
}

t.test(
  'KY-151 KY-148 builtin: a certificate of the runtime, for servers and clients, signed by the authority',
  async t => {
    const cluster = new MemoryCluster([])
    t.strictSame((await planFor(cluster, runtime, start)).steps, [], 'nothing before there is a listener')
    await trusting(cluster, start)
    t.strictSame(await performed(cluster, runtime, start), ['issueCertificates'])
    const { data, certificate } = found(cluster)
    t.strictSame(Object.keys(data).sort(), ['ca.crt', 'tls.crt', 'tls.key'], 'the authority’s key stays where it is')
    t.equal(data['ca.crt'], trustedBy(cluster))
    matches(t, certificate, {
      subject: 'CN=runtime-1',
      subjectAltName: [
        ...['one.example.com', 'more.example', 'skr-webhook.kyma-system.svc.cluster.local'],
        ...['skr-webhook.kyma-system.svc', 'skr-webhook.kyma-system'],
      ]
        .map(name => `DNS:${name}`)
        .join(', '),
      keyUsage: ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'],
    })
    t.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1')
    t.equal(Math.round((certificate.validToDate.getTime() - start.getTime()) / day), 60)
    const [authority] = [new X509Certificate(Buffer.from(data['ca.crt'] ?? '', 'base64').toString())]
    t.equal(clientCertificateFault(certificate, { authorities: [authority], now: start }), undefined, 'it is let in')
    matches(t, cluster.find(refOf('default-id-webhook-tls'))?.metadata.labels, {
      'operator.kyma-project.io/purpose': 'klm-watcher-cert-manager',
      'operator.kyma-project.io/kyma-name': 'default-id',
    })
    lacks(t, JSON.stringify(await planFor(cluster, runtime, start)), 'PRIVATE')
  },
)

t.test('KY-151 a certificate is made anew where the private key beside it belongs to another one', async t => {
  const cluster = new MemoryCluster([])
  await trusting(cluster, start)
  await performed(cluster, runtime, start)
  const stored = cluster.find(refOf('default-id-webhook-tls')) as KubeObject
  const { key } = await newAuthority('other')
  cluster.put({ ...stored, data: { ...found(cluster).data, 'tls.key': encodedText(key) } })
  t.strictSame(await performed(cluster, runtime, start), ['issueCertificates'])
})

t.test(
  'KY-148 KY-150 it is renewed 30 days before its end, when names change and when the authority is new',
  async t => {
    const cluster = new MemoryCluster([])
    await trusting(cluster, start)
    await performed(cluster, runtime, start)
    const later = (days: number) => new Date(start.getTime() + days * day)
    t.strictSame(await performed(cluster, runtime, later(29)), [])
    t.strictSame(await performed(cluster, runtime, later(31)), ['issueCertificates'])
    const renamed = { ...runtime, metadata: { ...runtime.metadata, annotations: { 'skr-domain': 'two.example.com' } } }
    t.strictSame(await performed(cluster, renamed, later(32)), ['issueCertificates'])
    const other = { ...renamed, metadata: { ...renamed.metadata, labels: {} } }
    t.strictSame(await performed(cluster, other, later(33)), ['issueCertificates'])
    t.equal(found(cluster).certificate.subject, 'CN=default-id', 'without runtime-id the Kyma’s name')
    await trusting(cluster, later(34))
    t.strictSame(await performed(cluster, other, later(34)), ['issueCertificates'])
    const gateway = cluster.find(refOf('klm-istio-gateway'))
    const bundle = encodedText('nobody')
    cluster.put({
      ...(gateway as KubeObject),
      data: { 'ca.crt': `${trustedBy(cluster)}${bundle}` },
    })
    t.strictSame(await performed(cluster, other, later(35)), ['patch'], 'what the listener trusts is followed')
  },
)

t.test('KY-280 builtin: an address as further name, or a domain that is none, is no reason for one more', async t => {
  const cluster = new MemoryCluster([])
  await trusting(cluster, start)
  const names = ['10.0.0.1', ...usualNames]
  t.strictSame(await performed(cluster, runtime, start, names), ['issueCertificates'])
  matches(t, found(cluster).certificate.subjectAltName, /IP Address:10\.0\.0\.1, DNS:more\.example/)
  for (const domain of ['ü.example.com', 'one.example.com, two.example.com']) {
    const odd = { ...runtime, metadata: { ...runtime.metadata, annotations: { 'skr-domain': domain } } }
    t.strictSame(await performed(cluster, odd, start, names), [], `${domain} is left out`)
  }
})

t.test(
  'KY-281 an authority that the listener does not know yet signs one certificate, not one after the other',
  async t => {
    const cluster = new MemoryCluster([])
    await trusting(cluster, start)
    const later = new Date(start.getTime() + day)
    const data = await issueCertificates(
      { ...request, renew: ['authority', 'serving'] },
      cluster.find(refOf('klm-watcher')),
      later,
    )
    cluster.put(secret('klm-watcher', data))
    t.strictSame(await performed(cluster, runtime, later), ['issueCertificates', 'patch'], 'and follows the listener')
  },
)

t.test('KY-229 for a Kyma whose name no label can hold no certificate is made', async t => {
  const cluster = new MemoryCluster()
  await trusting(cluster, start)
  const named = (length: number) => kyma({ metadata: { uid: 'k', name: 'k'.repeat(length) } })
  const plan = await planFor(cluster, named(64), start)
  matches(t, [plan.steps, plan.next], [[], { is: 'stalled', reason: /^the name of the Kyma has 64 characters/ }])
  matches(t, (await planFor(cluster, named(63), start)).steps, [{ for: { commonName: 'k'.repeat(63) } }])
})

t.test('KY-286 a Secret that was made for something else is in the way, and stays as it is', async t => {
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: operators['cert-manager'].definition },
  }
  for (const objects of [[], [crd]]) {
    const cluster = new MemoryCluster(objects)
    const shop = await newAuthority('shop')
    const { certificate, key } = await shop.client({ user: 'shop' })
    const files = { 'tls.crt': encodedText(certificate), 'tls.key': encodedText(key) }
    const taken = cluster.put(secret('default-id-webhook-tls', files))
    t.strictSame((await planFor(cluster, runtime, start)).next, { is: 'settled' }, 'nothing before there is a listener')
    await trusting(cluster, new Date(Date.now() + day))
    const plan = await planFor(cluster, runtime, start)
    t.strictSame(
      [plan.steps, plan.next],
      [
        [],
        {
          is: 'waiting',
          seconds: 60,
          for: 'Secret istio-system/default-id-webhook-tls already exists and does not belong to this Kyma',
        },
      ],
    )
    for (const labels of [{ 'operator.kyma-project.io/purpose': 'shop' }, certificateLabels]) {
      cluster.put({ ...taken, metadata: { ...taken.metadata, labels } })
      const isOurs = labels === certificateLabels
      t.equal((await planFor(cluster, runtime, start)).steps.length > 0, isOurs, `labelled ${JSON.stringify(labels)}`)
    }
  }
})

const certificateLabels = {
  'operator.kyma-project.io/purpose': 'klm-watcher-cert-manager',
  'operator.kyma-project.io/kyma-name': 'default-id',
}

const operators = {
  'cert-manager': {
    definition: 'certificates.cert-manager.io',
    apiVersion: 'cert-manager.io/v1',
    own: {
      secretName: 'default-id-webhook-tls',
      secretTemplate: { labels: certificateLabels },
      usages: ['digital signature', 'key encipherment'],
    },
  },
  gardener: {
    definition: 'certificates.cert.gardener.cloud',
    apiVersion: 'cert.gardener.cloud/v1alpha1',
    own: {
      secretRef: { name: 'default-id-webhook-tls', namespace: 'istio-system' },
      secretLabels: certificateLabels,
    },
  },
}

for (const [name, { definition, apiVersion }] of Object.entries(operators))
  t.test(
    `KY-293 KY-334 a Certificate of ${name} that was made for something else is in the way, and stays`,
    async t => {
      const crd = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: definition },
      }
      const certificate = (labels: Record<string, string> | undefined, spec: object = {}): KubeObject => ({
        apiVersion,
        kind: 'Certificate',
        metadata: { namespace: 'istio-system', name: 'default-id-webhook-tls', ...(labels && { labels }) },
        spec: { secretName: 'shop', ...spec },
      })
      const clusterWith = async (...objects: KubeObject[]) => {
        const cluster = new MemoryCluster(objects)
        await trusting(cluster, start)
        return cluster
      }
      const foreign = certificate({ 'operator.kyma-project.io/purpose': 'shop' })
      const plan = await planFor(await clusterWith(crd, foreign), runtime, start)
      const text = 'Certificate istio-system/default-id-webhook-tls already exists and does not belong to this Kyma'
      t.strictSame([plan.steps, plan.next], [[], { is: 'waiting', seconds: 60, for: text }])
      matches(t, (await planFor(await clusterWith(crd, certificate(certificateLabels)), runtime, start)).steps, [
        { do: 'apply' },
      ])
      matches(t, (await planFor(await clusterWith(foreign), runtime, start)).steps, [{ do: 'issueCertificates' }])
      const purposes = { 'klm-watcher-cert-manager': 1, shop: 0 }
      for (const [purpose, steps] of Object.entries(purposes)) {
        const labels = { 'operator.kyma-project.io/purpose': purpose, 'operator.kyma-project.io/managed-by': 'x' }
        const spec = name === 'gardener' ? { secretLabels: labels } : { secretTemplate: { labels } }
        const ofGo = await clusterWith(crd, certificate(undefined, spec))
        t.equal((await planFor(ofGo, runtime, start)).steps.length, steps, `KY-334 its Secret is for ${purpose}`)
      }
    },
  )

t.test('KY-149 builtin: without skr-domain the name is left out', async t => {
  const cluster = new MemoryCluster([])
  await trusting(cluster, start)
  await performed(cluster, kyma(), start)
  lacks(t, found(cluster).certificate.subjectAltName, 'example.com')
})

for (const [name, { definition, apiVersion, own: ownFields }] of Object.entries(operators))
  t.test(
    `KY-148 KY-150 KY-281 ${name} is asked for the certificate, and for another one when the authority is new`,
    async t => {
      const crd = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: definition },
      }
      const cluster = new MemoryCluster([crd])
      await trusting(cluster, start)
      const now = new Date()
      const { steps } = await planFor(cluster, runtime, now)
      const names = ['one.example.com', 'more.example', String, String, String]
      matches(t, steps, [
        {
          do: 'apply',
          object: {
            apiVersion,
            metadata: { name: 'default-id-webhook-tls', namespace: 'istio-system', labels: certificateLabels },
            spec: {
              commonName: 'runtime-1',
              dnsNames: names,
              duration: '1440h0m0s',
              renewBefore: '720h0m0s',
              ...ownFields,
            },
          },
        },
      ])
      const made = (files: object) => {
        const object = secret('default-id-webhook-tls', files)
        cluster.put({ ...object, metadata: { ...object.metadata, labels: certificateLabels } })
      }
      const own = await newAuthority('operator')
      const { certificate, key } = await own.client({ user: 'runtime-1' })
      made({ 'tls.crt': encodedText(certificate), 'tls.key': encodedText(key) })
      t.strictSame((await planFor(cluster, runtime, now)).steps.length, 1, 'one that is new enough stays')
      await trusting(cluster, new Date(Date.now() + day))
      matches(t, (await planFor(cluster, runtime, now)).steps[1], {
        do: 'delete',
        target: { metadata: { name: 'default-id-webhook-tls' } },
      })
      const signed = await issueCertificates(
        { ...request, renew: ['serving'] },
        cluster.find(refOf('klm-watcher')),
        now,
      )
      made({ 'tls.crt': signed['tls.crt'], 'tls.key': signed['tls.key'] })
      t.strictSame(
        (await planFor(cluster, runtime, now)).steps.length,
        1,
        'KY-281 its authority’s time lies in the future',
      )
      const nameless = await planFor(cluster, kyma(), now)
      matches(t, [nameless.steps, nameless.next], [[], { is: 'stalled', reason: /annotation skr-domain/ }])
    },
  )

t.test(
  'no certificate for a Kyma that goes, is another’s or has no runtime; all Kymas follow the listener',
  async t => {
    const cluster = new MemoryCluster([runtime])
    await trusting(cluster, start)
    for (const subject of [
      kyma({ metadata: { deletionTimestamp: '2026-11-23T00:00:00Z' } }),
      kyma({ metadata: { labels: { 'operator.kyma-project.io/managed-by': 'somebody' } } }),
      kyma({ spec: { remote: { enabled: false } } }),
    ])
      t.strictSame((await planFor(cluster, subject, start)).steps, [])
    t.strictSame(await allKymas(runtime, { reads: cluster.client }), [{ namespace: 'kcp-system', name: 'default-id' }])
  },
)

const usualTimes = { duration: 60 * 86_400, renewBefore: 30 * 86_400, renewBuffer: 86_400 }

t.test('KY-317 a certificate that was to be renewed more than a day ago is shown, and no other', async t => {
  const metric = 'lifecycle_mgr_self_signed_cert_not_renew'
  const labels = { kyma_name: 'default-id' }
  const measured = (to: Date, subject = runtime) =>
    report({ kyma: subject, current: { to }, times: usualTimes } as unknown as World, {} as Plan, [], start).measured
  const after = (days: number) => new Date(start.getTime() + days * day)
  const going = { ...runtime, metadata: { ...runtime.metadata, deletionTimestamp: start.toISOString() } }
  t.strictSame(measured(after(29)), [{ metric, labels, forget: true }])
  t.strictSame(measured(new Date(after(29).getTime() - 1_000)), [{ metric, labels, set: 1 }])
  t.strictSame(measured(after(1), going), [{ metric, labels, forget: true }])
  const without = { kyma: runtime, times: usualTimes } as unknown as World
  t.strictSame(report(without, {} as Plan, [], start).measured, [{ metric, labels, forget: true }])
})

t.test('KY-336 a certificate is shown that is a day older than the newest authority of the listener', async t => {
  const at = (days: number) => new Date(start.getTime() + days * day)
  const listener = { addedAt: start, authorities: '' }
  const shown = (change: object, now: Date, subject = runtime): boolean =>
    report({ kyma: subject, listener, times: usualTimes, ...change } as World, {} as Plan, [], now).measured?.some(
      one => 'set' in one && one.set === 1,
    ) ?? false
  const current = { from: at(-1), to: at(59), isOfNewest: false }
  t.notOk(shown({ current }, at(1)), 'it may take so long')
  t.ok(shown({ current }, new Date(at(1).getTime() + 1_000)))
  t.notOk(shown({ current: { ...current, from: start } }, at(2)), 'it is as new')
  t.notOk(shown({ current: { ...current, isOfNewest: true } }, at(2)), 'the newest authority has signed it')
  t.notOk(shown({ current, listener: undefined }, at(2)))
  t.notOk(shown({ current }, at(2), { ...runtime, metadata: { ...runtime.metadata, deletionTimestamp: '1' } }))
  for (const field of ['notBefore', 'issuanceDate']) {
    const asked = (made: Date) => ({ asked: { status: { [field]: made.toISOString() } } })
    t.ok(shown(asked(at(-1)), at(2)), `${field}: the Secret is gone, and the operator makes none`)
    t.notOk(shown(asked(start), at(2)), field)
  }
  t.notOk(shown({ asked: {} }, at(2)), 'there never was one')
})

const hour = 3_600

t.test(
  'KY-326 who runs Espalier chooses how long certificates live, when they are renewed, and their issuer',
  async t => {
    const times = { duration: 50 * hour, renewBefore: 20 * hour + 61, renewBuffer: hour }
    const change = {
      certificateDuration: times.duration,
      certificateRenewBefore: times.renewBefore,
      certificateRenewBuffer: times.renewBuffer,
      certificateIssuer: { namespace: 'issuers', name: 'ours' },
    }
    const plan = async (at: Date, ...objects: KubeObject[]) => {
      const cluster = new MemoryCluster(objects)
      await trusting(cluster, start)
      return { cluster, planned: await planFor(cluster, runtime, at, [], change) }
    }
    matches(t, (await plan(start)).planned.steps, [{ do: 'issueCertificates', for: { servingDays: 50 / 24 } }])
    const issuers = { 'cert-manager': { name: 'ours' }, gardener: { name: 'ours', namespace: 'issuers' } }
    for (const [name, issuerRef] of Object.entries(issuers)) {
      const { definition } = operators[name as keyof typeof operators]
      const crd = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: definition },
      }
      const spec = { duration: '50h0m0s', renewBefore: '20h1m1s', issuerRef }
      matches(t, (await plan(start, crd)).planned.steps, [{ do: 'apply', object: { spec } }], name)
    }
    const measured = (secondsLeft: number) =>
      report(
        {
          kyma: runtime,
          current: { to: new Date(start.getTime() + secondsLeft * 1_000) },
          times,
        } as World,
        {} as Plan,
        [],
        start,
      ).measured
    matches(t, measured(19 * hour + 61), [{ forget: true }])
    matches(t, measured(19 * hour + 60), [{ set: 1 }])
    const world = (secondsLeft: number) =>
      ({ current: { to: new Date(start.getTime() + secondsLeft * 1_000) }, times }) as World
    t.equal(secondsUntilRenewal(world(20 * hour + 62), start), 1)
    const settings = { ...defaultValues(runtimeCertificateSettings), certificateDuration: 2 * hour }
    const { times: short } = await gather(runtime, { reads: new MemoryCluster([]).client, settings })
    t.equal(short.renewBefore, hour, 'half of its life at most')
  },
)
