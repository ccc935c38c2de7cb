// The whole table at work in a simulated runtime cluster; and all that is made for any Garden that admission lets in.

import fc from 'fast-check'
import t from 'tap'
import { unreadyText } from '../../../functions/garden-reconcile/rules/readiness.ts'
import { authorityNames } from '../../../functions/garden-reconcile/rules/secrets/secret-configs.ts'
import { steps } from '../../../functions/garden-reconcile/rules/steps.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'
import { SimulatedGarden } from '../../harness/garden/simulated-garden.ts'
import { matches } from '../../harness/matches.ts'
import { isThorough } from '../../harness/runner/behaviour.ts'
import { anyGarden } from '../../make/garden/any-garden.ts'
import { garden, sample } from '../../make/garden/garden.ts'
import { anySurroundings, partsOf, type Surroundings, worldOf } from '../../make/garden/garden-parts.ts'
import { managedContents } from '../../make/garden/managed-contents.ts'
import { webhookKubeconfig } from '../../make/garden/server-contents.ts'
import { mountedSecret } from '../../make/garden/virtual-garden.ts'
import { wholeFaults } from '../../make/objects/whole-faults.ts'
import { causesOf, filled } from '../garden-admission/reviews.ts'

const backup = { provider: 'local', bucketName: 'b', secretRef: { name: 'backup' } }

/** With all that a bring-up or a rotation may have to do. */
const fresh = () =>
  new SimulatedGarden(
    garden({
      metadata: { generation: 1 },
      spec: { virtualCluster: { etcd: { main: { backup } }, controlPlane: { highAvailability: {} } } },
    } as never),
  )

const mostPasses = 80

/** Passes until nothing is left to do; the first one dies after so many steps in all. */
const settle = (simulated: SimulatedGarden, dieAfter = Number.POSITIVE_INFINITY) => {
  let [left, written] = [dieAfter, 0]
  for (let pass = 0; pass < mostPasses; pass++) {
    const done = simulated.pass(left)
    if (!done) return { pass, written }
    written += done.steps.length
    left = left > done.steps.length ? left - done.steps.length : Number.POSITIVE_INFINITY
    simulated.grow()
    if (done.steps.length === 0 && done.next.is === 'settled') return { pass, written }
  }
  throw new Error(`it did not settle: ${simulated.garden?.status?.lastOperation?.description}`)
}

/** A file of keys is called after their content, and keys are made at another time in each run. Whoever mounts the file changes with it. */
const namedByKeys = /^(Secret .*-encryption-configuration|Secret .*-gardener-apiserver-runtime)-[0-9a-f]{8}$/

const stored = (simulated: SimulatedGarden): string[] =>
  simulated.cluster.objects
    .filter(({ kind }) => kind !== 'Garden')
    .map(object => refText(refOf(object)).replace(namedByKeys, '$1'))
    .sort()

const whole = fresh()
const { written } = settle(whole)

t.test('GA-66 a simulated cluster settles from every crash point', async t => {
  t.equal(whole.garden?.status?.lastOperation?.state, 'Succeeded')
  t.ok(written > 20)
  const all = stored(whole)
  const dying = fresh()
  for (let death = 0; death < written; death++) {
    const done = dying.pass(1 + (death % 7))
    if (done?.steps.length === 0) dying.grow()
    if (done?.next.is === 'settled' && done.steps.length === 0) break
  }
  settle(dying)
  t.strictSame(stored(dying), all, 'every process dies after a few steps')
  for (const died of [2, Math.floor(written / 2)]) {
    const killed = fresh()
    settle(killed, died)
    t.strictSame(stored(killed), all, `killed after ${died} steps`)
  }
})

/** What each pass makes until one makes a ManagedResource; passes that make nothing are left out. */
const firstWaves = (simulated: SimulatedGarden): KubeObject[][] => {
  const waves: KubeObject[][] = []
  for (let pass = 0; pass < mostPasses && !hasKind(waves.at(-1), 'ManagedResource'); pass++) {
    const made = (simulated.pass()?.steps ?? []).flatMap(step => ('object' in step ? [step.object] : []))
    if (made.length > 0) waves.push(made)
    simulated.grow()
  }
  return waves
}

const hasKind = (objects: readonly KubeObject[] | undefined, wanted: string): boolean =>
  objects?.some(({ kind }) => kind === wanted) ?? false

t.test('GA-67 an empty cluster gets namespace and kinds, then authorities, and who applies before what', async t => {
  const [first = [], second = [], ...others] = firstWaves(fresh())
  t.strictSame([...new Set(first.map(({ kind }) => kind))], ['Namespace', 'CustomResourceDefinition'])
  t.strictSame(
    first.flatMap(({ kind, metadata }) => (kind === 'Namespace' ? metadata.name : [])),
    ['garden'],
  )
  t.strictSame(
    second.map(({ kind, metadata }) => `${kind} ${metadata.labels?.name}`),
    authorityNames.map(name => `Secret ${name}`),
  )
  const manager = 'Deployment garden/gardener-resource-manager'
  const [deployed, managed] = [
    others.findIndex(wave => wave.some(object => refText(refOf(object)) === manager)),
    others.findIndex(wave => hasKind(wave, 'ManagedResource')),
  ]
  t.ok(0 <= deployed && deployed < managed, `${deployed} < ${managed}`)
})

/** Its name, unless it comes anew with each content, as a file with another authority. */
const lasting = (object: KubeObject): string[] =>
  object.metadata.labels?.['resources.gardener.cloud/garbage-collectable-reference'] ? [] : [refText(refOf(object))]

t.test('GA-66 no step is begun before its needs are ready', async t => {
  const simulated = fresh()
  const [seen, ready] = [new Map<string, number>(), new Map<string, number>()]
  for (let pass = 0; pass < mostPasses; pass++) {
    const done = simulated.pass()
    for (const name of stored(simulated)) if (!seen.has(name)) seen.set(name, pass)
    simulated.grow()
    const { runtime } = simulated.world
    for (const object of simulated.cluster.objects) {
      const name = refText(refOf(object))
      if (!ready.has(name) && unreadyText(object, runtime) === undefined) ready.set(name, pass)
    }
    if (done?.next.is === 'settled' && done.steps.length === 0) break
  }
  const namesIn = new Map(steps.map(row => [row.name, row.objects(simulated.world).flatMap(lasting)]))
  for (const { name, needs } of steps) {
    const begun = Math.min(...(namesIn.get(name) ?? []).map(one => seen.get(one) ?? 0))
    const needed = needs.flatMap(need => namesIn.get(need) ?? []).map(one => ready.get(one) ?? mostPasses)
    t.ok(begun > Math.max(-1, ...needed), name)
  }
})

const operation = 'gardener.cloud/operation'
const credentials = ['certificateAuthorities', 'serviceAccountKey', 'etcdEncryptionKey', 'workloadIdentityKey'] as const
const phasesOf = ({ garden: one }: SimulatedGarden) =>
  credentials.map(credential => one?.status?.credentials?.rotation?.[credential]?.phase)

const ask = (simulated: SimulatedGarden, token: string): void => {
  const { garden: one } = simulated
  if (!one) throw new TypeError('the Garden is gone')
  const annotations = { ...one.metadata.annotations, [operation]: token }
  simulated.cluster.put({ ...one, metadata: { ...one.metadata, annotations } })
}

/** Passes until this token is done; `deathOf` says after how many of its steps a pass dies. */
const rotate = (simulated: SimulatedGarden, token: string, deathOf: (pass: number) => number): string[] => {
  ask(simulated, token)
  const faults: string[] = []
  for (let pass = 0; pass < 1_000; pass++) {
    const done = simulated.pass(deathOf(pass))
    faults.push(...keyFaults(simulated))
    simulated.grow()
    faults.push(...keyFaults(simulated))
    const isOver = phasesOf(simulated).every(phase => phase === 'Prepared' || phase === 'Completed')
    if (isOver && done?.next.is === 'settled' && done.steps.length === 0) return faults
  }
  throw new Error(`it did not settle: ${simulated.garden?.status?.lastOperation?.description}`)
}

const rotatedNames = [
  ...['ca', 'ca-client', 'ca-etcd-peer', 'service-account-key', 'kube-apiserver-etcd-encryption-key'],
  'gardener-apiserver-workload-identity-signing-key',
]

const secretsOf = (simulated: SimulatedGarden, config: string): KubeObject[] =>
  simulated.cluster.objects.filter(({ kind, metadata }) => kind === 'Secret' && metadata.labels?.name === config)

/** A key is lost that something is stored with, or there is one too many. */
const keyFaults = (simulated: SimulatedGarden): string[] => {
  const kept = ['kube-apiserver', 'gardener-apiserver'].flatMap(server =>
    secretsOf(simulated, `${server}-etcd-encryption-key`).map(secret => secretText(secret, 'key')),
  )
  return [
    ...simulated.virtual.lostKeys,
    ...simulated.virtual.usedKeys.filter(key => !kept.includes(key)).map(key => `${key} is gone and in use`),
    ...rotatedNames.filter(name => secretsOf(simulated, name).length > 2).map(name => `${name} was made twice`),
  ]
}

t.test('GA-101 GA-102 GA-364 all credentials are rotated by dying processes, and no key in use is dropped', async t => {
  const deathOf = (pass: number) => 1 + (pass % 5) * 2
  const [one, two] = [1, 2].map(count => rotatedNames.map(name => [name, count]))
  const secrets = () => rotatedNames.map(name => [name, secretsOf(whole, name).length])
  t.strictSame(rotate(whole, 'rotate-credentials-start', deathOf), [])
  t.strictSame(
    phasesOf(whole),
    credentials.map(() => 'Prepared'),
  )
  t.strictSame(secrets(), two)
  t.ok(whole.snapshots > 0, 'a full snapshot was taken')
  t.strictSame(rotate(whole, 'rotate-credentials-complete', deathOf), [])
  t.strictSame(
    phasesOf(whole),
    credentials.map(() => 'Completed'),
  )
  t.strictSame(secrets(), one)
  const marked = [...whole.cluster.objects, ...whole.virtual.cluster.objects].filter(({ metadata }) =>
    /new-encryption-key-populated|etcd-snapshotted|key-name/.test(JSON.stringify(metadata)),
  )
  t.strictSame(marked, [], 'labels and markers are gone')
})

/** What must not be read outside a Secret: keys, passwords, tokens, whatever people gave. */
const hidden = (simulated: SimulatedGarden): string[] =>
  simulated.cluster.objects
    .filter(({ kind }) => kind === 'Secret')
    .flatMap(({ data }) => Object.entries(mapOrEmpty(data)))
    .filter(([key]) => /\.key$|^id_rsa$|^secret$|^auth$|^static_tokens|^kubeconfig$|^password$|^given$/.test(key))
    .flatMap(([, value]) => [String(value), Buffer.from(String(value), 'base64').toString().trim()])
    .flatMap(text => [text, JSON.stringify(text).slice(1, -1)])

/** The one token that a kubelet shows: its user may ask for health alone. */
const withoutProbes = (object: KubeObject): string =>
  JSON.stringify(object, (key, value) => (key === 'httpHeaders' ? undefined : value))

/** What ManagedResources hold is in Secrets on its way alone. */
const toldOutside = (simulated: SimulatedGarden): string[] => {
  const { objects } = simulated.cluster
  const resources = objects.filter(({ kind }) => kind === 'ManagedResource')
  const contents = resources.flatMap(({ metadata }) => managedContents(objects, metadata.name))
  const texts = [...objects, ...contents].filter(({ kind }) => kind !== 'Secret').map(withoutProbes)
  return hidden(simulated).filter(secret => texts.some(text => text.includes(secret)))
}

t.test('GA-191 nothing but Secrets holds what Secrets hold, also when something is wrong with them', async t => {
  t.ok(hidden(whole).length > 50)
  t.strictSame(toldOutside(whole), [])
  const secret = mountedSecret('audit-webhook', { given: 'a password of people' })
  const kubeAPIServer = { auditWebhook: { kubeconfigSecretName: secret.metadata.name } }
  change(whole, { spec: { virtualCluster: { kubernetes: { kubeAPIServer } } } })
  whole.cluster.put(secret)
  matches(t, until(whole, 'Error')?.description, /^Secret garden\/audit-webhook: has no key kubeconfig/)
  t.strictSame(toldOutside(whole), [])
  whole.cluster.put(mountedSecret('audit-webhook', { kubeconfig: webhookKubeconfig }))
  t.equal(until(whole, 'Succeeded')?.state, 'Succeeded')
  t.strictSame(toldOutside(whole), [])
})

const change = (simulated: SimulatedGarden, merged: object): void => {
  const { garden: one } = simulated
  if (!one) throw new TypeError('the Garden is gone')
  const metadata = { ...one.metadata, generation: (one.metadata.generation ?? 0) + 1 }
  simulated.cluster.put({ ...(mergePatched(one, merged) as KubeObject), metadata })
}

/** Passes until the Garden is in this state, or for long enough. */
const until = (simulated: SimulatedGarden, state: string) => {
  const operation = () => simulated.garden?.status?.lastOperation
  for (let pass = 0; pass < mostPasses && operation()?.state !== state; pass++) {
    simulated.pass()
    simulated.grow()
  }
  return operation()
}

const standing = ({ runtime }: World): KubeObject[] =>
  ['v1 Secret', 'v1 ConfigMap'].flatMap(kind => runtime.get(kind) ?? [])

t.test('GA-189 what a Garden is made of is accepted, and fits together', async t => {
  const property = fc.asyncProperty(anyGarden, anySurroundings, async (written, around) => {
    const stored = filled(JSON.parse(JSON.stringify(written)) as Garden)
    t.strictSame(await causesOf(stored), [], 'it is one that admission lets in')
    const world = worldOf(stored, around)
    const { runtime, virtual } = partsOf(world)
    t.strictSame(wholeFaults({ applied: runtime, standing: standing(world) }), [])
    t.strictSame(wholeFaults({ applied: virtual, standing: [] }), [])
  })
  const examples: [Garden, Surroundings][] = [
    [sample('garden-full'), { gates: ['DefaultSeccompProfile'], isUp: true, runtimeMinor: 34 }],
    [garden(), { gates: [], isUp: false, runtimeMinor: 34 }],
  ]
  await fc.assert(property, { examples, numRuns: isThorough ? 1_000 : 5, seed: 190, endOnFailure: true })
})

t.test('GA-189 the same Garden is always made of the same', async t => {
  const property = fc.property(anyGarden, anySurroundings, (written, around) => {
    t.strictSame(partsOf(worldOf(written, around)), partsOf(worldOf(structuredClone(written), around)))
  })
  fc.assert(property, { numRuns: isThorough ? 50 : 1, seed: 190, endOnFailure: true })
})
