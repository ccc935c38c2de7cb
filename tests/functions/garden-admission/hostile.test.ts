// Bodies made to do harm: damaged ones, keys that mean something to JavaScript, texts and Gardens that are slow to judge.
import t from 'tap'
import { gardenAdmission } from '../../../functions/garden-admission/index.ts'
import { fill } from '../../../functions/garden-admission/review.ts'
import { gardenSpec } from '../../../shared/api/garden/spec.ts'
import type { JsonSchema } from '../../../shared/api/schema.ts'
import { Refused, refusals } from '../../../shared/http/errors.ts'
import { checkedBody } from '../../../shared/http/json-body.ts'
import { admit } from '../../../shared/runtime/admit.ts'
import { gatherContext, processContext } from '../../../shared/runtime/context.ts'
import { isQuick } from '../../harness/cpu-work.ts'
import { lacks, matches } from '../../harness/matches.ts'
import { isThorough } from '../../harness/runner/behaviour.ts'
import { MemoryCluster } from '../../http/memory-cluster.ts'
import { mutated, type Random, seededRandom } from '../../http/mutations.ts'
import { type Garden, gardenWith, sample } from '../../make/garden/garden.ts'
import { annotated, filled, leaving, older, smallest, verdictOn } from './reviews.ts'
import { asked, sent } from './webhooks.ts'

// Other tests may have the cores.
t.setTimeout(600_000)

/** Answered as a host does it, without the head of a request. */
const answered = async (definition: typeof gardenAdmission, bytes: Buffer, errors: unknown[]) => {
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => errors.push(fields) }
  const cluster = new MemoryCluster()
  try {
    return await admit(definition, checkedBody(bytes).parsed(), {
      ...(await gatherContext(processContext({ clusters: cluster.clusters }), { name: 'x' }, {})),
      log: () => log,
    })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return { code: refusals[error.code].status, body: { message: error.message } }
  }
}

const mutating = { ...gardenAdmission, review: fill }

/** What every answer must be: a whole review, or a refusal that says why. */
const isWhole = ({ code, body }: { code: number; body: unknown }): boolean => {
  const { response, message } = body as {
    response?: { uid?: unknown; allowed?: unknown; status?: { message?: unknown } }
    message?: unknown
  }
  if (code >= 400 && code < 500) return typeof message === 'string' && message !== ''
  if (code !== 200 || typeof response?.uid !== 'string' || typeof response.allowed !== 'boolean') return false
  return response.allowed || typeof response.status?.message === 'string'
}

const rounds = isThorough ? 100_000 : 10_000

t.test('RE-21 seeded mutations by the ten thousand: a valid review or a 4xx, and no rule ever throws', async t => {
  const random = seededRandom(21)
  const stored = filled(sample('garden-full'))
  const full = JSON.stringify(asked({ object: stored }))
  const bases = [
    asked({ object: smallest() }),
    asked({ operation: 'UPDATE', object: annotated('rotate-ca-start'), oldObject: smallest() }),
    asked({ operation: 'UPDATE', object: annotated('reconcile', leaving(smallest())), oldObject: leaving(smallest()) }),
    asked({ object: older() }, 'admission.k8s.io/v1beta1'),
    asked({ operation: 'DELETE', oldObject: smallest(), dryRun: true }),
  ].map(base => JSON.stringify(base))
  const errors: unknown[] = []
  const counts = { allowed: 0, denied: 0, refused: 0 }
  for (let round = 0; round < rounds; round++) {
    const bytes = mutated((round % 50 === 0 ? undefined : bases[round % bases.length]) ?? full, random)
    const answer = await answered(round % 2 ? gardenAdmission : mutating, bytes, errors)
    if (!isWhole(answer)) t.fail(`${JSON.stringify(answer).slice(0, 200)}: ${bytes.toString().slice(0, 300)}`)
    const { response } = answer.body as { response?: { allowed: boolean } }
    counts[response === undefined ? 'refused' : response.allowed ? 'allowed' : 'denied']++
  }
  t.strictSame(errors.slice(0, 3), [])
  t.ok(Math.min(...Object.values(counts)) > rounds / 10, JSON.stringify(counts))
})

t.test('RE-22 keys that mean something to JavaScript are kept or refused', async t => {
  const before = Object.getOwnPropertyNames(Object.prototype).sort()
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
    const places = ['"providerConfig":{}', '"featureGates":{}', '"annotations":{}', '"maxAllowed":{}']
    const full = gardenWith({
      'metadata.annotations': {},
      'spec.runtimeCluster.ingress.controller.providerConfig': {},
      'spec.runtimeCluster.settings.verticalPodAutoscaler': { featureGates: {}, maxAllowed: {} },
      'spec.virtualCluster.kubernetes.kubeAPIServer.featureGates': {},
      'spec.virtualCluster.gardener.gardenerScheduler.featureGates': {},
    })
    for (const place of places) {
      const text = JSON.stringify(asked({ object: full })).replaceAll(
        place,
        place.replace('{}', `{"${name}":{"polluted":true}}`),
      )
      for (const to of ['defaulting', 'validation'] as const) {
        const answer = await sent(text, { to })
        t.equal(answer.statusCode, 200, `${name} in ${place}`)
        const patch = answer.json().response.patch
        if (patch) lacks(t, Buffer.from(patch, 'base64').toString(), /polluted/, 'nothing there is touched')
      }
    }
    const gate = JSON.stringify(asked({ object: smallest() })).replace(
      '"requests":',
      `"featureGates":{"${name}":true},"requests":`,
    )
    matches(
      t,
      (await sent(gate)).json().response,
      { allowed: false, status: { code: 422 } },
      `no gate is called ${name}`,
    )
  }
  t.strictSame(Object.getOwnPropertyNames(Object.prototype).sort(), before)
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
})

/** Every place of a Garden that its schema names, one item of each list and one key of each map. */
const placesOf = (schema: JsonSchema, at = 'spec'): string[] => [
  at,
  ...Object.entries(schema.properties ?? {}).flatMap(([field, inner]) => placesOf(inner, `${at}.${field}`)),
]
const places = placesOf(gardenSpec)

const odd: readonly ((random: Random) => unknown)[] = [
  ...[null, true, false, 0, -1, 1e308, -0.5, '', ' ', '0', '-1', '1.34', 'v1', 'https://', '::/0', '-1h'].map(
    value => () => value,
  ),
  ...['\u0000', '\ud800', '\u202e', '__proto__', 'constructor', '[0]', 'a/b/c/d', 'x'.repeat(10_000)].map(
    value => () => value,
  ),
  () => [],
  () => ({}),
  random => [oddValue(random), oddValue(random)],
  random => JSON.parse(`{"__proto__": ${JSON.stringify(oddValue(random)) ?? 'null'}, "a[0].b": 1, "": true}`),
  random => [{ name: oddValue(random), resource: oddValue(random), kind: oddValue(random) }],
  random => ({ name: oddValue(random), key: oddValue(random), 'foo/v1': oddValue(random), cpu: oddValue(random) }),
]

const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)] as T
const oddValue = (random: Random): unknown => pick(odd, random)(random)

/** The Garden with one to five of its fields odd. */
const oddly = (start: Garden, random: Random): Garden =>
  gardenWith(
    Object.fromEntries(many(1 + Math.floor(random() * 5), () => [pick(places, random), oddValue(random)])),
    start,
  )

t.test(
  'RE-21 Gardens by the thousand with several odd fields, stored and new: a valid review, and no rule ever throws',
  async t => {
    const random = seededRandom(184)
    const errors: unknown[] = []
    const starts = [smallest(), filled(sample('garden-full')), leaving(smallest())]
    const counts = { allowed: 0, denied: 0 }
    for (let round = 0; round < rounds / 10; round++) {
      const oldObject = round % 5 === 0 ? pick(starts, random) : oddly(pick(starts, random), random)
      const object = round % 3 === 0 ? annotated('reconcile', oldObject) : oddly(oldObject, random)
      const review = asked(round % 4 === 0 ? { object } : { operation: 'UPDATE', object, oldObject })
      const answer = await answered(
        round % 7 === 0 ? mutating : gardenAdmission,
        Buffer.from(JSON.stringify(review)),
        errors,
      )
      if (!isWhole(answer)) t.fail(JSON.stringify(answer).slice(0, 300))
      const { response } = answer.body as { response?: { allowed: boolean; status?: { code: number } } }
      if (answer.code >= 500 || (response?.status?.code ?? 0) >= 500) t.fail(JSON.stringify(answer).slice(0, 300))
      counts[response?.allowed ? 'allowed' : 'denied']++
    }
    t.strictSame(errors.slice(0, 3), [])
    t.ok(Math.min(...Object.values(counts)) > rounds / 100, JSON.stringify(counts))
  },
)

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const network = (i: number): string => `10.${(i >> 8) & 255}.${i & 255}.0/24`

t.test('RE-23 texts made to be slow to judge are judged at once', async t => {
  const long = 100_000
  const texts: Record<string, string[]> = {
    'spec.virtualCluster.dns.domains': ['a'.repeat(long), `${'a-'.repeat(long)}!`, `${'a.'.repeat(long)}`],
    'spec.virtualCluster.kubernetes.kubeAPIServer.eventTTL': [
      '9'.repeat(long),
      `${'1h'.repeat(long)}x`,
      `${'1.'.repeat(long)}h`,
    ],
    'spec.virtualCluster.kubernetes.version': ['1.'.repeat(long), `1.34.3-${'a-'.repeat(long)}`],
    'spec.runtimeCluster.networking.nodes': ['1'.repeat(long), '1:'.repeat(long), `${'1.'.repeat(long)}/8`],
    'spec.virtualCluster.kubernetes.kubeAPIServer.oidcConfig.caBundle': ['-----BEGIN CERTIFICATE-----'.repeat(4_000)],
    'spec.virtualCluster.kubernetes.kubeAPIServer.serviceAccountConfig.issuer': [
      `https://${'a.'.repeat(long)}?`,
      `https://a/${'/#'.repeat(long)}`,
    ],
    'spec.virtualCluster.etcd.main.autoscaling.minAllowed.memory': ['9'.repeat(long), `${'1.'.repeat(long)}Gi`],
    'spec.virtualCluster.kubernetes.kubeControllerManager.certificateSigningDuration': [
      `${'1h1.'.repeat(long)}`,
      `${'1'.repeat(long)}`,
    ],
    'spec.virtualCluster.maintenance.timeWindow.begin': ['2'.repeat(long), '235959+'.repeat(long / 10)],
  }
  for (const [path, values] of Object.entries(texts)) {
    for (const value of values) {
      const fitted = path.endsWith('domains') ? [{ name: value }] : path.endsWith('nodes') ? [value] : value
      const object = gardenWith({ [path]: fitted }, smallest())
      const judged = async () => {
        const verdict = await verdictOn(object)
        t.equal(verdict.allowed, false, path)
        t.ok(JSON.stringify(verdict).length < 5_000, 'nor is the answer long')
      }
      await isQuick(t, judged, `${path}: ${value.slice(0, 20)}`)
    }
  }
})

t.test('RE-20 large Gardens are answered, and the answer has a bounded size', async t => {
  const large: Record<string, Record<string, unknown>> = {
    'a thousand domains': { 'spec.virtualCluster.dns.domains': many(1_000, i => ({ name: `d${i}.example.com` })) },
    'as many networks as fit, all alike': {
      'spec.runtimeCluster.networking.nodes': many(30_000, () => '10.0.0.0/8'),
      'spec.runtimeCluster.networking.services': many(30_000, () => '10.0.0.0/8'),
    },
    'as many networks as fit, all apart': {
      'spec.runtimeCluster.networking.nodes': many(30_000, i => network(i)),
      'spec.runtimeCluster.networking.pods': many(30_000, i => `11${network(i).slice(2)}`),
    },
    'as many IPv6 networks as fit': {
      'spec.runtimeCluster.networking.nodes': many(20_000, i => `2001:db8:${i.toString(16)}::/${48 + (i % 80)}`),
      'spec.runtimeCluster.networking.pods': many(20_000, i => `2001:db8:${i.toString(16)}::/${64 + (i % 60)}`),
    },
    'audiences that repeat': { 'spec.virtualCluster.kubernetes.kubeAPIServer.apiAudiences': many(100_000, () => 'a') },
    'domains that repeat, with providers': {
      'spec.dns.providers': many(5_000, i => ({ name: `p${i}`, type: 't', secretRef: {} })),
      'spec.virtualCluster.dns.domains': many(15_000, i => ({ name: `d${i}.example.com`, provider: 'p4999' })),
    },
    'unknown feature gates': {
      'spec.virtualCluster.kubernetes.kubeAPIServer.featureGates': Object.fromEntries(
        many(50_000, i => [`Gate${i}`, true]),
      ),
    },
  }
  for (const [sentence, fields] of Object.entries(large)) {
    const object = Object.entries(fields).reduce(
      (made, [path, value]) => gardenWith({ [path]: value }, made),
      smallest(),
    )
    const verdict = await verdictOn(filled(object), smallest())
    t.ok(JSON.stringify(verdict).length < 300_000, sentence)
    const again = await verdictOn(annotated('reconcile', filled(object)), filled(object))
    t.ok(JSON.stringify(again).length < 300_000, `${sentence}, stored before`)
  }
  let nested: object = {}
  for (let level = 0; level < 90; level++) nested = { inner: nested }
  const deep = gardenWith({ 'spec.runtimeCluster.ingress.controller.providerConfig': nested }, smallest())
  matches(t, (await sent(asked({ object: deep }))).json(), { response: { allowed: true } })
})
