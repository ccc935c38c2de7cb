// Which network policies garden-network-policy wants where. What is in each of them is golden; which addresses they let
// Pods out to is held by addresses.test.ts for random networks.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { decide } from '../../../functions/garden-network-policy/decide.ts'
import type { World } from '../../../functions/garden-network-policy/world.ts'
import type { Plan, Step } from '../../../shared/core/decisions/plan.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { matches } from '../../harness/matches.ts'
import { type Change, type Garden, garden } from '../../make/garden/garden.ts'
import { foreignPolicy, namespace, namespaceOf } from '../../make/objects/namespaces.ts'

type Networking = Change<Garden['spec']['runtimeCluster']['networking']>

const gardenIn = (networking: Networking = {}): Garden => garden({ spec: { runtimeCluster: { networking } } })

const world = (change: Partial<World>): World => ({
  gardens: [gardenIn()],
  namespaces: [],
  chosen: new Set(),
  policies: [],
  apiServer: [{ addresses: ['203.0.113.1'], ports: [{ port: 443, protocol: 'TCP' }] }],
  shoots: new Map(),
  ...change,
})

const all = [
  'deny-all',
  'allow-to-dns',
  'allow-to-runtime-apiserver',
  'allow-to-public-networks',
  'allow-to-private-networks',
  'allow-to-blocked-cidrs',
]
const [denyAll, dns] = all

const placeOf = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`

const stepText = (step: Step) => {
  if ('target' in step) return `${step.do} ${placeOf(step.target)}`
  return 'object' in step ? `${step.do} ${placeOf(step.object)}` : step.do
}

const told = ({ steps }: Plan): string[] => steps.map(stepText).sort()

/** What is created, as if the API server had stored it. */
const created = (plan: Plan, change: (policy: KubeObject) => KubeObject = same => same): KubeObject[] =>
  plan.steps.flatMap((step, i) => {
    if (step.do !== 'create') return []
    const { metadata, ...rest } = step.object
    return change({ ...rest, metadata: { ...metadata, uid: `uid-${i}`, resourceVersion: String(i) } })
  })

const creating = (where: string, names: readonly string[]) => names.map(name => `create ${where}/${name}`).sort()

const roles: Record<string, { namespace: KubeObject; policies: readonly string[] }> = {
  garden: { namespace: namespace('garden'), policies: all },
  shoot: { namespace: namespaceOf('shoot'), policies: all },
  extension: { namespace: namespaceOf('extension'), policies: all },
  'istio-system': { namespace: namespaceOf('istio-system'), policies: all.slice(0, 3) },
  'istio-ingress': { namespace: namespaceOf('istio-ingress'), policies: all.slice(0, 3) },
  'exposure class': {
    namespace: namespace('exposed', { 'handler.exposureclass.gardener.cloud/name': 'internet' }),
    policies: all.slice(0, 2),
  },
  none: { namespace: namespace('kube-system'), policies: [] },
  'another one': { namespace: namespaceOf('seed'), policies: [] },
  'a name like garden': { namespace: namespace('garden-dev'), policies: [] },
}

for (const [role, { namespace, policies }] of Object.entries(roles))
  t.test(`GA-135 a namespace of role ${role}`, async t => {
    const plan = decide(world({ namespaces: [namespace] }))
    t.strictSame(told(plan), creating(namespace.metadata.name, policies))
    matches(t, plan, { events: [], next: { is: 'settled' } })
    const chosen = new Set([namespace.metadata.name])
    t.strictSame(
      told(decide(world({ namespaces: [namespace], chosen }))),
      creating(namespace.metadata.name, all),
      'chosen',
    )
  })

t.test('GA-135 a namespace of two roles gets what each of them gets', async t => {
  const labels = { 'gardener.cloud/role': 'istio-ingress', 'handler.exposureclass.gardener.cloud/name': 'x' }
  const plan = decide(world({ namespaces: [namespace('x', labels)] }))
  t.strictSame(told(plan), creating('x', all.slice(0, 3)))
})

const variants: Record<string, Networking> = {
  ipv4: { nodes: ['10.250.0.0/16'], blockCIDRs: ['169.254.169.254/32', '10.9.0.0/16'] },
  ipv6: {
    ipFamilies: ['IPv6'],
    nodes: ['2001:db8:1::/48'],
    pods: ['2001:db8:2::/48'],
    services: ['fd00::/112'],
    blockCIDRs: ['fd00:ec2::254/128'],
  },
  dual: {
    ipFamilies: ['IPv4', 'IPv6'],
    pods: ['10.1.0.0/16', 'fd01::/48'],
    services: ['10.0.0.0/24', 'fd00::/112'],
    blockCIDRs: ['169.254.169.254/32', 'fd00:ec2::254/128'],
  },
}

const golden = (variant: string): KubeObject[] =>
  parse(readFileSync(join(import.meta.dirname, 'golden', `${variant}.yaml`), 'utf8'))

for (const [variant, networking] of Object.entries(variants))
  t.test(`GA-135 GA-143 the six policies, golden: ${variant}`, async t => {
    const plan = decide(world({ gardens: [gardenIn(networking)], namespaces: [namespace('garden')] }))
    const objects = plan.steps.map(step => ('object' in step ? step.object : undefined))
    t.strictSame(objects, golden(variant))
  })

const peers = (change: Partial<World>, policy: string): unknown[] => {
  const plan = decide(world({ namespaces: [namespace('garden')], ...change }))
  const found = created(plan).find(({ metadata }) => metadata.name === policy)
  const { egress = [] } = (found?.spec ?? {}) as { egress?: { to: { ipBlock?: { cidr: string } }[] }[] }
  return egress.flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock?.cidr ?? []))
}

t.test('GA-144 the tenth address of each service range', async t => {
  const networking = { ipFamilies: ['IPv4', 'IPv6'], services: ['10.0.0.0/24', 'fd00::/112'] }
  t.strictSame(peers({ gardens: [gardenIn(networking)] }, 'allow-to-dns').slice(0, 2), ['10.0.0.10/32', 'fd00::a/128'])
})

t.test('GA-142 each address of the API server once, with the length of its family', async t => {
  const addresses = ['203.0.113.1', '2001:db8::1', '203.0.113.1', '2001:DB8:0::1']
  const ports = [{ port: 6443, protocol: 'TCP' }]
  const apiServer = [{ addresses, ports }]
  t.strictSame(peers({ apiServer }, 'allow-to-runtime-apiserver'), ['203.0.113.1/32', '2001:db8::1/128'])
  const none = decide(world({ namespaces: [namespace('garden')], apiServer: [{ addresses: [], ports }] }))
  const policy = created(none).find(({ metadata }) => metadata.name === 'allow-to-runtime-apiserver')
  t.strictSame(
    Object.keys(policy?.spec ?? {}),
    ['podSelector', 'policyTypes'],
    'nobody to talk to is no rule: a rule without peers means everybody',
  )
})

const rulesOf = (change: Partial<World>, policy: string): unknown => {
  const found = created(decide(world({ namespaces: [namespace('garden')], ...change })))
  return (found.find(({ metadata }) => metadata.name === policy)?.spec as { egress?: unknown } | undefined)?.egress
}

t.test('GA-187 a rule for each subset of the API server’s endpoints: its addresses with its ports', async t => {
  const apiServer = [
    { addresses: ['203.0.113.1', '203.0.113.1'], ports: [{ port: 443, protocol: 'TCP' }] },
    { addresses: [], ports: [{ port: 80, protocol: 'TCP' }] },
    { addresses: ['203.0.113.3'], ports: [] },
    {
      addresses: ['203.0.113.2', '2001:db8::1'],
      ports: [
        { port: 6443, protocol: 'TCP' },
        { port: 6443, protocol: 'UDP' },
      ],
    },
  ]
  t.strictSame(rulesOf({ apiServer }, 'allow-to-runtime-apiserver'), [
    { to: [{ ipBlock: { cidr: '203.0.113.1/32' } }], ports: [{ protocol: 'TCP', port: 443 }] },
    {
      to: [{ ipBlock: { cidr: '203.0.113.2/32' } }, { ipBlock: { cidr: '2001:db8::1/128' } }],
      ports: [
        { port: 6443, protocol: 'TCP' },
        { port: 6443, protocol: 'UDP' },
      ],
    },
  ])
})

t.test('GA-181 no family is IPv4, be the list absent or empty', async t => {
  const publicPeers = (ipFamilies?: string[]) =>
    peers({ gardens: [gardenIn({ ipFamilies } as Networking)] }, 'allow-to-public-networks')
  t.strictSame(publicPeers(), ['0.0.0.0/0'])
  t.strictSame(publicPeers([]), ['0.0.0.0/0'])
  t.strictSame(publicPeers(['IPv6']), ['::/0'])
})

t.test('GA-143 a private network that is all taken is no peer', async t => {
  const gardens = [gardenIn({ pods: ['10.0.0.0/8'], services: ['172.0.0.0/8'] })]
  t.strictSame(peers({ gardens }, 'allow-to-private-networks'), ['192.168.0.0/16', '100.64.0.0/10'])
})

/** A world at rest: all that is wanted is there. */
const atRest = (change: Partial<World> = {}, stored?: (policy: KubeObject) => KubeObject): World => {
  const before = world({ namespaces: [namespace('garden'), namespaceOf('istio-ingress')], ...change })
  return { ...before, policies: created(decide(before), stored) }
}

const withChange = (policy: KubeObject, name: string, change: (policy: KubeObject) => KubeObject): KubeObject =>
  policy.metadata.name === name && policy.metadata.namespace === 'garden' ? change(policy) : policy

const relabelled =
  (labels: Record<string, string> | undefined) =>
  (policy: KubeObject): KubeObject => ({ ...policy, metadata: { ...policy.metadata, labels } })

t.test('GA-140 policies as they are wanted need no step', async t => {
  matches(t, decide(atRest()), { steps: [], events: [], status: {}, next: { is: 'settled' } })
})

const edits: Record<string, (policy: KubeObject) => KubeObject> = {
  'a rule is added': policy => ({ ...policy, spec: { ...(policy.spec as object), ingress: [{}] } }),
  'rules are taken away': ({ spec: _, ...policy }) => ({ ...policy, spec: { podSelector: {} } }),
  'the selector has another label': policy => ({
    ...policy,
    spec: { ...(policy.spec as object), podSelector: { matchLabels: { other: 'label' } } },
  }),
  'the description is another one': policy => ({
    ...policy,
    metadata: { ...policy.metadata, annotations: { ...policy.metadata.annotations, 'gardener.cloud/description': '' } },
  }),
}

for (const [sentence, edit] of Object.entries(edits))
  t.test(`GA-140 a policy of ours that was edited is as before: ${sentence}`, async t => {
    const rest = atRest()
    const plan = decide({ ...rest, policies: rest.policies.map(policy => withChange(policy, 'allow-to-dns', edit)) })
    t.strictSame(told(plan), ['patch garden/allow-to-dns'])
    const [step] = plan.steps
    if (step?.do !== 'patch') throw new Error('no patch')
    const restored = mergePatched(step.target, step.merge)
    t.strictSame(
      restored,
      rest.policies.find(one => placeOf(one) === 'garden/allow-to-dns'),
    )
  })

t.test('GA-140 labels and annotations of others stay', async t => {
  const added = (policy: KubeObject): KubeObject => ({
    ...policy,
    metadata: { ...policy.metadata, annotations: { ...policy.metadata.annotations, of: 'others' } },
  })
  t.strictSame(told(decide(atRest({}, added))), [])
})

t.test('GA-136 a role is lost: ours deleted, those of others stay', async t => {
  const rest = atRest()
  const foreign = foreignPolicy({ namespace: 'istio-ingress', name: 'allow-to-public-networks' })
  const namespaces = [namespace('garden'), namespace('istio-ingress')]
  const plan = decide({ ...rest, namespaces, policies: [...rest.policies, foreign] })
  t.strictSame(
    told(plan),
    all
      .slice(0, 3)
      .map(name => `delete istio-ingress/${name}`)
      .sort(),
  )
  t.strictSame(plan.events, [])
})

t.test('GA-136 another role: what is not for it any more goes', async t => {
  const rest = atRest()
  const namespaces = [namespaceOf('istio-system', 'garden-2'), namespaceOf('istio-system', 'istio-ingress')]
  const full = {
    ...rest,
    policies: rest.policies.map(p => ({ ...p, metadata: { ...p.metadata, namespace: 'garden-2' } })),
  }
  const plan = decide({ ...full, namespaces: namespaces.slice(0, 1) })
  matches(
    t,
    told(plan),
    all
      .slice(3)
      .sort()
      .map(name => `delete garden-2/${name}`),
  )
})

t.test('GA-136 a terminating namespace is skipped', async t => {
  const leaving = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  })
  const namespaces = [leaving(namespace('garden')), leaving(namespace('no-role-any-more'))]
  const left = foreignPolicy({ namespace: 'no-role-any-more', name: 'deny-all' })
  const ours = relabelled({ 'networking.gardener.cloud/managed-by': 'garden-network-policy' })(left)
  matches(t, decide(world({ namespaces, policies: [ours] })), { steps: [], events: [], next: { is: 'settled' } })
})

t.test('GA-137 the Garden is gone: ours are deleted everywhere, and only ours', async t => {
  const rest = atRest()
  const foreign = foreignPolicy({ namespace: 'garden', name: 'deny-all' })
  const elsewhere = relabelled({ 'networking.gardener.cloud/managed-by': 'garden-network-policy' })(
    foreignPolicy({ namespace: 'long-forgotten', name: 'an-older-name' }),
  )
  const policies = [...rest.policies, elsewhere, foreign]
  const plan = decide({ ...rest, gardens: [], policies })
  t.strictSame(told(plan), [...rest.policies, elsewhere].map(policy => `delete ${placeOf(policy)}`).sort())
  matches(t, decide({ ...rest, gardens: [], policies: [foreign] }), { steps: [], events: [] })
})

t.test('GA-137 a Garden in deletion is still there', async t => {
  const leaving = garden({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x'] } })
  t.strictSame(told(decide({ ...atRest(), gardens: [leaving] })), [])
})

t.test('GA-137 that the kind is not served says nothing about Gardens', async t => {
  matches(t, decide({ ...atRest(), gardens: undefined }), { steps: [], next: { is: 'settled' } })
})

t.test('GA-138 the same name without our label: untouched, told on the Namespace, the rest written', async t => {
  const namespaces = [namespace('garden'), namespace('elsewhere')]
  const places = ['garden', 'elsewhere'].map(namespace => ({ namespace, name: 'allow-to-dns' }))
  const plan = decide(world({ namespaces, policies: places.map(foreignPolicy) }))
  const rest = all.filter(name => name !== dns)
  t.strictSame(told(plan), creating('garden', rest))
  matches(t, plan.events, [{ type: 'Warning', reason: 'NetworkPolicyConflict', message: /garden\/allow-to-dns/ }])
  matches(t, plan.next, { is: 'stalled', reason: 'NetworkPolicyConflict: garden/allow-to-dns' }, 'only people can help')
  t.strictSame(
    plan.events.map(({ regarding }) => regarding && refText(refOf(regarding))),
    ['Namespace garden'],
  )
})

t.test("GA-138 a label with somebody else's value is not ours", async t => {
  const labels = { 'networking.gardener.cloud/managed-by': 'somebody' }
  const policies = [relabelled(labels)(foreignPolicy({ namespace: 'garden', name: 'deny-all' }))]
  const plan = decide(world({ namespaces: [namespace('garden')], policies }))
  t.notOk(told(plan).some(step => step.endsWith(`/${denyAll}`)))
  matches(t, plan.events, [{ reason: 'NetworkPolicyConflict' }])
})

const inOtherOrder = (policy: KubeObject): KubeObject => {
  const { egress, ...spec } = policy.spec as { egress: { to: object[]; ports: object[] }[] }
  return {
    ...policy,
    spec: { egress: egress.map(({ to, ports }) => ({ ports: ports.toReversed(), to: to.toReversed() })), ...spec },
  }
}

t.test('GA-139 without our label, but equal to ours: it becomes ours by the label', async t => {
  const rest = atRest({}, policy => withChange(policy, 'allow-to-dns', relabelled({ of: 'others' })))
  const plan = decide(rest)
  t.strictSame(told(plan), ['patch garden/allow-to-dns'])
  matches(t, plan, { events: [] })
  const label = { 'networking.gardener.cloud/managed-by': 'garden-network-policy' }
  t.strictSame(plan.steps[0]?.do === 'patch' && plan.steps[0].merge, { metadata: { labels: label } })
  const reordered = rest.policies.map(policy => withChange(policy, 'allow-to-dns', inOtherOrder))
  matches(t, decide({ ...rest, policies: reordered }), { events: [] }, 'the order of lists means nothing')
  const elsewhere = { ...rest, namespaces: [namespace('garden-no-more'), namespaceOf('istio-ingress')] }
  t.strictSame(told(decide(elsewhere)), [], 'where it is not wanted it stays what it is')
})

t.test('GA-141 networks or blocks change: all follow in the next call', async t => {
  const rest = atRest()
  const pods = decide({ ...rest, gardens: [gardenIn({ pods: ['10.1.0.0/16', '10.3.0.0/16'] })] })
  t.strictSame(told(pods), ['patch garden/allow-to-private-networks'])
  const services = decide({ ...rest, gardens: [gardenIn({ services: ['10.2.0.0/16', '10.4.0.0/16'] })] })
  const two = ['patch garden/allow-to-dns', 'patch garden/allow-to-private-networks']
  t.strictSame(told(services), [...two, 'patch istio-ingress/allow-to-dns'].sort())
  const blocked = decide({ ...rest, gardens: [gardenIn({ blockCIDRs: ['10.9.0.0/16'] })] })
  const names = ['allow-to-blocked-cidrs', 'allow-to-private-networks', 'allow-to-public-networks']
  t.strictSame(
    told(blocked),
    names.map(name => `patch garden/${name}`),
  )
})

t.test('GA-142 the endpoints change: the policy follows', async t => {
  const apiServer = [{ addresses: ['203.0.113.9'], ports: [{ port: 443, protocol: 'TCP' }] }]
  const places = ['garden', 'istio-ingress'].map(name => `patch ${name}/allow-to-runtime-apiserver`)
  t.strictSame(told(decide({ ...atRest(), apiServer })), places)
})

const shootNamespaces = [namespaceOf('shoot', 'shoot--dev--one'), namespaceOf('shoot', 'shoot--dev--two')]

t.test('GA-145 a shoot: its networks are excepted in its namespace alone', async t => {
  const shoots = new Map([
    ['shoot--dev--one', ['10.180.0.0/16', '2001:db8::/32', '198.51.100.0/24']],
    ['shoot--dev--two', []],
  ])
  const plan = decide(world({ namespaces: shootNamespaces, shoots }))
  matches(t, plan.next, { is: 'settled' })
  const excepted = created(plan)
    .filter(({ metadata }) => metadata.name === 'allow-to-private-networks')
    .map(({ spec }) => (spec as { egress: { to: { ipBlock: { except?: string[] } }[] }[] }).egress[0]?.to[0]?.ipBlock)
  matches(t, excepted, [
    { cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '10.2.0.0/16', '10.180.0.0/16'] },
    { cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '10.2.0.0/16'] },
  ])
})

t.test('GA-145 its Cluster is missing: that policy waits, the others are written', async t => {
  const shoots = new Map([['shoot--dev--one', ['10.180.0.0/16']]])
  const plan = decide(world({ namespaces: shootNamespaces, shoots }))
  const rest = all.filter(name => name !== 'allow-to-private-networks')
  t.strictSame(told(plan), [...creating('shoot--dev--one', all), ...creating('shoot--dev--two', rest)].sort())
  matches(t, plan.next, { is: 'waiting', seconds: 30, for: /shoot--dev--two/ })
})

t.test('GA-145 its Cluster is missing or of no use: a policy that is there stays as it is', async t => {
  const shoots = new Map([['shoot--dev--one', ['10.180.0.0/16']]])
  const rest = atRest({ namespaces: shootNamespaces.slice(0, 1), shoots })
  for (const now of [new Map<string, string[]>(), new Map([['shoot--dev--one', ['no network']]])])
    matches(t, decide({ ...rest, shoots: now }), { steps: [], next: { is: 'waiting' } })
})

const stalled: Record<string, [Partial<World>, RegExp]> = {
  'two Gardens': [{ gardens: [gardenIn(), garden({ metadata: { name: 'b' } })] }, /^MoreThanOneGarden: garden, b$/],
  'networks that are none': [
    { gardens: [gardenIn({ pods: ['10.1.0.0/16', '10.1.0.0/33'] })] },
    /^InvalidNetworks: spec\.runtimeCluster\.networking\.pods\[1\] "10\.1\.0\.0\/33"$/,
  ],
}

for (const [sentence, [change, reason]] of Object.entries(stalled))
  t.test(`stalled, nothing written: ${sentence}`, async t => {
    const plan = decide({ ...atRest(), ...change, policies: [] })
    matches(t, plan, { steps: [], next: { is: 'stalled', reason } })
  })
