// Laws that hold for every Garden: overlaps as a naive comparison finds them, defaults that settle, rules that agree on order.
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { overlaps } from '../../../functions/garden-admission/rules/network-overlaps.ts'
import admissionPlugins from '../../../shared/api/kubernetes/admission-plugins.json' with { type: 'json' }
import apis from '../../../shared/api/kubernetes/apis.json' with { type: 'json' }
import featureGates from '../../../shared/api/kubernetes/feature-gates.json' with { type: 'json' }
import { featureGateKnown, kubernetesMinors } from '../../../shared/api/kubernetes/versions.ts'
import { jsonPatch } from '../../../shared/core/json/json-patch.ts'
import { containsNetwork, type Network, networkText, parseNetwork } from '../../../shared/core/network/cidr.ts'
import { quantityAmount } from '../../../shared/core/objects/quantity.ts'
import { durationSeconds, waitSeconds } from '../../../shared/core/time/duration.ts'
import { type Garden, gardenWith, sample } from '../../make/garden/garden.ts'
import { causesOf, filled, smallest } from './reviews.ts'

/** Few bits vary, so that overlaps are common. */
const ipv4 = fc
  .tuple(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 0, max: 3 }), fc.integer({ min: 4, max: 32 }))
  .map(([a, b, prefix]) => `10.${a * 16}.${b * 64}.0/${prefix}`)
const ipv6 = fc
  .tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 16, max: 128 }))
  .map(([a, prefix]) => `2001:db8:${(a * 0x2000).toString(16)}::/${prefix}`)
const networks = fc.array(fc.oneof(ipv4, ipv4, ipv6), { maxLength: 12 })

const parsed = (texts: readonly string[]): Network[] => texts.flatMap(text => parseNetwork(text) ?? [])

const naive = (ones: readonly Network[], others: readonly Network[]): string[] =>
  ones
    .flatMap(one =>
      others.filter(other => containsNetwork(one, other) || containsNetwork(other, one)).map(other => pair(one, other)),
    )
    .sort()

const pair = (one: Network, other: Network): string => `${networkText(one)} ${networkText(other)}`

t.test('GA-19 GA-20 overlaps are those that comparing each with each finds', async t => {
  fc.assert(
    fc.property(networks, networks, (ones, others) => {
      const found = [...overlaps(parsed(ones), parsed(others))].map(({ one, other }) => pair(one, other)).sort()
      t.strictSame(found, naive(parsed(ones), parsed(others)))
    }),
    { numRuns: 500, seed: 19 },
  )
})

t.test(
  'GA-19 whichever list a network stands in, its overlap is told once, at the first of nodes, Pods, Services',
  async t => {
    await fc.assert(
      fc.asyncProperty(ipv4, ipv4, async (one, other) => {
        const lists = ['nodes', 'pods', 'services']
        const counts = lists.flatMap(first =>
          lists
            .filter(second => second > first)
            .map(async second => {
              const spare = { nodes: ['192.168.0.0/24'], pods: ['192.168.1.0/24'], services: ['192.168.2.0/24'] }
              const networking = { ...spare, [first]: [one], [second]: [other], ipFamilies: ['IPv4'] }
              const garden = gardenWith({ 'spec.runtimeCluster.networking': networking }, smallest())
              return (await causesOf(garden)).filter(cause => cause.includes(` runtimeCluster.networking.${first}[0]`))
                .length
            }),
        )
        const expected = naive(parsed([one]), parsed([other])).length
        for (const count of await Promise.all(counts)) t.equal(count, expected, `${one} ${other}`)
      }),
      { numRuns: 60, seed: 19 },
    )
  },
)

t.test('GA-18 what Go cannot read is refused', async t => {
  const bad = [
    '',
    '10.0.0.0',
    '10.0.0.0/',
    '/8',
    '10.0.0/8',
    '10.0.0.0/33',
    '10.0.0.256/8',
    '01.0.0.0/8',
    '10.0.0.0/-1',
  ]
  const alsoBad = [
    '10.0.0.0/8/8',
    ' 10.0.0.0/8',
    '10.0.0.0/8 ',
    '::/129',
    ':::/8',
    '1::2::3/64',
    'fe80::1%eth0/64',
    '12345::/16',
    'a/8',
  ]
  for (const text of [...bad, ...alsoBad]) t.equal(parseNetwork(text), undefined, text)
  const good = ['10.1.2.3/16', '0.0.0.0/0', '::/0', '2001:DB8::1/64', '::ffff:10.0.0.0/104', '1:2:3:4:5:6:7:8/128']
  for (const text of good) t.ok(parseNetwork(text), text)
})

const removed = fc.constantFrom(
  ...['ipFamilies'].map(field => `spec.runtimeCluster.networking.${field}`),
  ...['requests', 'eventTTL', 'logging', 'encryptionConfig', 'requests.maxMutatingInflight'].map(
    field => `spec.virtualCluster.kubernetes.kubeAPIServer.${field}`,
  ),
  'spec.virtualCluster.kubernetes.kubeControllerManager',
  'spec.virtualCluster.kubernetes.kubeAPIServer',
  'spec.virtualCluster.gardener.gardenerAPIServer',
)

t.test('GA-50 defaults settle at once, and leave alone what is given', async t => {
  fc.assert(
    fc.property(fc.array(removed, { maxLength: 5 }), fields => {
      const poorer = fields.reduce<Garden>(
        (made, path) => gardenWith({ [path]: undefined }, made),
        sample('garden-full'),
      )
      const plain = JSON.parse(JSON.stringify(poorer)) as Garden
      const once = filled(plain)
      t.strictSame(filled(once), once)
      for (const { op } of jsonPatch(plain, once)) t.equal(op, 'add')
    }),
    { numRuns: 100, seed: 19 },
  )
})

t.test('durations as Go reads them', async t => {
  const cases: [string, number | undefined][] = [
    ['0', 0],
    ['1h30m', 5_400],
    ['-1.5s', -1.5],
    ['+2m', 120],
    ['.5s', 0.5],
    ['1.s', 1],
    ['1µs', 1e-6],
    ['', undefined],
    ['1', undefined],
    ['1d', undefined],
    ['s', undefined],
    ['1h ', undefined],
    ['9999999999h', undefined],
  ]
  for (const [text, seconds] of cases) t.equal(durationSeconds(text), seconds, JSON.stringify(text))
  for (const text of ['-1s', '+1s', '5x', '0', '1.s', '.5s'])
    t.equal(waitSeconds(text), undefined, `no time to wait: ${text}`)
  t.equal(waitSeconds('1h30m'), 5_400)
})

t.test('quantities as Kubernetes reads them', async t => {
  const cases: [string | number, number | undefined][] = [
    [5, 5],
    ['100m', 0.1],
    ['1.5Gi', 1.5 * 2 ** 30],
    ['2e8', 2e8],
    ['2E3', 2e3],
    ['1E', 1e18],
    ['-1k', -1_000],
    ['.5', 0.5],
    ['Gi', undefined],
    ['1 Gi', undefined],
    ['1gi', undefined],
  ]
  for (const [text, amount] of cases) t.equal(quantityAmount(text), amount, JSON.stringify(text))
})

type Facts = { since?: string; until?: string; lockedSince?: string; lockedTo?: boolean }

t.test('GA-182 a feature gate is known by what a flag calls it, not by its identifier in Go', async t => {
  const names: [flag: string, identifier: string][] = [
    ['CustomCPUCFSQuotaPeriod', 'CPUCFSQuotaPeriod'],
    ['RuntimeClassInImageCriApi', 'RuntimeClassInImageCriAPI'],
  ]
  for (const minor of kubernetesMinors) {
    for (const [flag, identifier] of names) {
      t.equal(featureGateKnown(flag, minor), 'here', `${flag} in ${minor}`)
      t.equal(featureGateKnown(identifier, minor), 'never', `${identifier} in ${minor}`)
    }
  }
})

/** So many facts at least, each about versions that there are. */
const namesVersions = (data: Readonly<Record<string, Facts>>, least: number) => async (t: Test) => {
  t.ok(Object.keys(data).length > least)
  for (const [name, facts] of Object.entries(data)) {
    const { since = '1.32', until = '1.36', lockedSince = since, lockedTo } = facts
    const [from = -1, locked = -1, to = -1] = [since, lockedSince, until].map(version =>
      kubernetesMinors.indexOf(version),
    )
    t.ok(0 <= from && from <= locked && locked <= to, name)
    t.equal('lockedSince' in facts, typeof lockedTo === 'boolean', name)
  }
}

t.test('GA-34 feature gates name Kubernetes versions that there are', namesVersions(featureGates, 200))
t.test('GA-29 admission plugins name Kubernetes versions that there are', namesVersions(admissionPlugins, 30))
t.test('GA-176 APIs name Kubernetes versions that there are', namesVersions(apis, 140))
