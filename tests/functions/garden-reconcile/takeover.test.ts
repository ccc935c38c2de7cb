// A Garden of gardener-operator is taken over and given back. Nobody edits an object: its keys stay under their names, and a rotation of ours
// names new ones as the secrets manager of gardener-operator does.
import t from 'tap'
import { decide } from '../../../functions/garden-reconcile/decide.ts'
import { secretConfigNames } from '../../../functions/garden-reconcile/rules/secrets/secret-configs.ts'
import { leftoverSecrets } from '../../../functions/garden-reconcile/rules/secrets/secret-steps.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { SimulatedGarden } from '../../harness/garden/simulated-garden.ts'
import { matches } from '../../harness/matches.ts'
import { garden } from '../../make/garden/garden.ts'
import { withSecrets } from '../../make/garden/garden-secrets.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'
import {
  operatorChecksums as checksums,
  operatorKeys as keys,
  type OperatorKey,
  operatorName,
} from '../../make/garden/operator-secrets.ts'

const now = new Date('2026-03-02T00:00:00Z')
const lastUpdateTime = '2026-03-01T11:59:00Z'
const started = 1_767_225_600

const settled = (simulated: SimulatedGarden): SimulatedGarden => {
  for (let pass = 0; pass < 80; pass++) {
    const done = simulated.pass()
    simulated.grow()
    if (done?.steps.length === 0 && done.next.is === 'settled') return simulated
  }
  throw new Error(`it did not settle: ${simulated.garden?.status?.lastOperation?.description}`)
}

const ours = settled(new SimulatedGarden(garden({ metadata: { generation: 1 } })))

const secretsOf = ({ cluster }: SimulatedGarden, config?: string): KubeObject[] =>
  cluster.objects.filter(
    ({ kind, metadata: { labels } }) =>
      kind === 'Secret' &&
      labels?.['manager-identity'] === 'gardener-operator' &&
      [undefined, labels.name].includes(config),
  )

type Change = { readonly time?: string; readonly checksum?: string; readonly creationTimestamp?: string }

/** The Secret as gardener-operator leaves it. */
const theirs = (
  config: OperatorKey,
  { time = '', checksum = checksums[config], creationTimestamp }: Change = {},
): KubeObject => {
  const [made] = secretsOf(ours, config)
  if (!made) throw new TypeError(`no Secret of ${config}`)
  const { labels } = made.metadata
  return {
    ...made,
    metadata: {
      name: operatorName(config, checksum, time),
      namespace: 'garden',
      creationTimestamp: creationTimestamp ?? '2026-01-01T00:00:00Z',
      labels: { ...labels, 'checksum-of-config': checksum, 'last-rotation-initiation-time': time },
    },
  }
}

const other = (config: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  immutable: true,
  data: { id_rsa: 'eA==', kubeconfig: 'eA==' },
  metadata: {
    name: operatorName(config, '12845436262831067011'),
    namespace: 'garden',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: {
      name: config,
      'managed-by': 'secrets-manager',
      'manager-identity': 'gardener-operator',
      'checksum-of-config': '12845436262831067011',
      'last-rotation-initiation-time': '',
      ...labels,
    },
  },
})

/** Of programs that we do not install, and of configs that we have under other checksums. */
const others = [
  other('gardener-dashboard-tls', { persist: 'true' }),
  other('gardener-dashboard-session-secret'),
  other('generic-token-kubeconfig'),
  other('ca-bundle', { 'bundle-for': 'ca' }),
]

const theirGarden = (rotation: object = {}): Garden =>
  garden({
    metadata: { generation: 1, finalizers: ['gardener.cloud/operator'] },
    status: {
      gardener: { id: 'c0ffee', name: 'gardener-operator-7d9f', version: 'v1.130.0' },
      observedGeneration: 1,
      lastOperation: {
        type: 'Reconcile',
        state: 'Succeeded',
        progress: 100,
        description: 'Garden cluster has been successfully reconciled.',
        lastUpdateTime,
      },
      credentials: { rotation },
    },
  } as never)

const rotationIn = (phase: string) => ({ phase, lastInitiationTime: '2026-01-01T00:00:00Z' })

const byConfig = (simulated: SimulatedGarden): Record<string, string[]> =>
  Object.fromEntries(keys.map(key => [key, secretsOf(simulated, key).map(({ metadata }) => metadata.name)]))

const dataOf = (simulated: SimulatedGarden) =>
  Object.fromEntries(keys.map(key => [key, secretsOf(simulated, key).map(({ data }) => data)]))

const ask = (simulated: SimulatedGarden, operation: string): SimulatedGarden => {
  const annotations = { 'gardener.cloud/operation': operation }
  simulated.cluster.put(mergePatched(simulated.garden, { metadata: { annotations } }) as Garden)
  return settled(simulated)
}

t.test('GA-340 GA-343 a Garden of gardener-operator keeps its keys, and other programs keep their Secrets', t => {
  const all = [...keys.map(key => theirs(key)), ...others]
  const simulated = new SimulatedGarden(theirGarden(), all)
  const before = dataOf(simulated)
  settled(simulated)
  t.equal(simulated.garden?.status?.lastOperation?.state, 'Succeeded')
  t.equal(simulated.garden?.status?.gardener?.name, 'garden-reconcile')
  t.strictSame(byConfig(simulated), Object.fromEntries(keys.map(key => [key, [operatorName(key, checksums[key])]])))
  t.strictSame(dataOf(simulated), before)
  for (const { metadata } of others)
    t.ok(
      secretsOf(simulated).some(one => one.metadata.name === metadata.name),
      metadata.name,
    )
  t.strictSame(JSON.parse(simulated.garden?.metadata.annotations?.['credentials.gardener.cloud/taken-over'] ?? ''), {
    until: lastUpdateTime,
    checksums,
  })
  t.end()
})

t.test('GA-340 nothing is made before the Garden names its keys, and an Event names each', t => {
  const world = gardenWorld({ garden: theirGarden() })
  const { events, steps, status, next } = decide(withSecrets(world, theirs('ca')), now)
  matches(t, steps, [{ do: 'patch', target: { kind: 'Garden' } }])
  t.strictSame([status, next], [{}, { is: 'again' }])
  matches(t, events, [
    {
      type: 'Normal',
      reason: 'SecretAdopted',
      message: `Secret garden/${operatorName('ca', checksums.ca)}: stays the ca of the Garden, which gardener-operator-7d9f reconciled before`,
    },
  ])
  const ownStatus = { gardener: { id: 'x', name: 'garden-reconcile', version: 'v1.130.0' } }
  const own = mergePatched(theirGarden(), { status: ownStatus }) as Garden
  const unasked = decide(withSecrets(gardenWorld({ garden: own }), theirs('ca')), now)
  t.notOk(JSON.stringify(unasked.steps).includes('taken-over'), 'later nobody offers a key')
  t.end()
})

t.test('GA-341 of two Secrets for one key nobody knows which is in use: people delete one', t => {
  const checksum = '5'
  const [first, second] = [theirs('ca'), theirs('ca', { checksum })]
  const world = withSecrets(gardenWorld({ garden: theirGarden() }), first, second)
  const names = [first, second].map(({ metadata }) => `Secret garden/${metadata.name}`).sort()
  const message = `${names.join(', ')}: only one can be the ca of the Garden; delete those that are not in use`
  const { steps, status, events, next } = decide(world, now)
  t.strictSame([steps, status], [[], {}])
  t.strictSame(events, [{ type: 'Warning', reason: 'UnknownSecret', message }])
  t.strictSame(next, { is: 'waiting', seconds: 60, for: message })
  const misnamed = { ...second, metadata: { ...second.metadata, name: 'ca-of-mine' } }
  const decided = decide(withSecrets(gardenWorld({ garden: theirGarden() }), first, misnamed), now)
  matches(t, decided.next, { is: 'again' }, 'its name is not that of its labels')
  const rotated = theirGarden({ certificateAuthorities: rotationIn('Completed') })
  const time = String(started)
  const current = withSecrets(gardenWorld({ garden: rotated }), theirs('ca', { time }), second)
  matches(t, decide(current, now).next, { is: 'again' }, 'the status tells which one')
  t.end()
})

t.test('GA-362 a Secret that was made after gardener-operator had reconciled is not adopted', t => {
  const config = 'gardener-apiserver-workload-identity-signing-key'
  const young = { creationTimestamp: '2026-03-01T11:59:01Z' }
  const made = keys.filter(key => key !== config).map(key => theirs(key))
  const [own] = secretsOf(ours, config)
  if (!own) throw new TypeError(`no Secret of ${config}`)
  const underOurName = mergePatched(own, {
    metadata: { ...young, labels: { 'checksum-of-config': '5' } },
  }) as KubeObject
  const decided = (secrets: readonly KubeObject[], status: object = {}, more: object = {}) =>
    decide(
      withSecrets(gardenWorld({ garden: mergePatched(theirGarden(), { status, ...more }) as Garden }), ...secrets),
      now,
    )
  for (const planted of [theirs(config, young), theirs(config, { ...young, checksum: '5' }), underOurName]) {
    const message = `Secret garden/${planted.metadata.name}: was created after the last reconciliation by gardener-operator-7d9f, so it may not be the ${config} of the Garden: let gardener-operator reconcile once more; it deletes Secrets that it did not create`
    const { steps, status, events, next } = decided([...made, planted])
    t.strictSame([steps, status, next], [[], {}, { is: 'waiting', seconds: 60, for: message }], planted.metadata.name)
    t.strictSame(events, [{ type: 'Warning', reason: 'UnknownSecret', message }])
    const again = { lastOperation: { lastUpdateTime: '2026-03-01T11:59:02Z' } }
    matches(t, decided([...made, planted], again).next, { is: 'again' }, 'gardener-operator has left it')
    matches(
      t,
      decided([...made, planted], { lastOperation: { state: 'Error' } }).next,
      { is: 'again' },
      'it is unfinished',
    )
  }
  const misnamed = mergePatched(theirs(config, young), { metadata: { name: 'mine' } }) as KubeObject
  matches(t, decided([...made, misnamed]).next, { is: 'again' }, 'its name is not that of its labels')
  const restored = keys.map(key => theirs(key, young))
  const isRestored = { metadata: { creationTimestamp: '2026-03-01T12:30:00Z' } }
  matches(t, decided(restored, {}, isRestored).next, { is: 'again' }, 'the Garden itself is younger: it is restored')
  matches(t, decided(restored).next, { is: 'waiting' }, 'its Secrets alone are younger')
  matches(t, decided([theirs(config, young)]).next, { is: 'waiting' }, 'no other key is there')
  const sameSecond = theirs(config, { creationTimestamp: lastUpdateTime })
  matches(t, decided([...made, sameSecond]).next, { is: 'waiting' }, 'times have no parts of a second')
  const many = Array.from({ length: 30 }, (_, at) => theirs(config, { ...young, time: String(started + at) }))
  const { events, next } = decided([...made, ...many])
  t.equal(events.length, 10)
  t.ok(JSON.stringify(next).length < 5_000, 'who may create Secrets may create any number of them')
  t.end()
})

t.test('GA-362 between the deletion by gardener-operator and its Succeeded nobody plants a key of any kind', t => {
  const made = keys.map(key => theirs(key))
  const before = { creationTimestamp: '2026-03-01T11:58:59Z' }
  for (const config of keys) {
    const [own] = secretsOf(ours, config)
    for (const planted of [
      theirs(config, { ...before, checksum: '5' }),
      mergePatched(own, { metadata: before }) as KubeObject,
    ]) {
      const world = withSecrets(gardenWorld({ garden: theirGarden() }), ...made, planted)
      const { steps, status, next } = decide(world, now)
      const reason = /only one can be the .* of the Garden; delete those that are not in use/
      t.strictSame([steps, status], [[], {}], planted.metadata.name)
      matches(t, next, { is: 'waiting', for: reason }, planted.metadata.name)
    }
    const other = theirs(config, { ...before, checksum: '5', time: String(started) })
    const taken = decide(withSecrets(gardenWorld({ garden: theirGarden() }), ...made, other), now)
    const [step] = taken.steps
    const { annotations } = (step?.do === 'patch' ? step.merge : {}).metadata as { annotations: Record<string, string> }
    const kept = JSON.parse(annotations['credentials.gardener.cloud/taken-over'] ?? '')
    t.strictSame(kept.checksums, checksums, `${config}: one of a rotation that never was`)
  }
  t.end()
})

const phased = keys.filter(key => !['ca-garden-runtime', 'observability-ingress'].includes(key))

/** In a rotation there are two Secrets of each key. */
const rotating = (phase: string): SimulatedGarden => {
  const one = rotationIn(phase)
  const rotation = {
    certificateAuthorities: one,
    serviceAccountKey: one,
    etcdEncryptionKey: one,
    workloadIdentityKey: one,
  }
  const change = { time: String(started), creationTimestamp: '2026-01-02T00:00:00Z' }
  const secrets = [...keys.map(key => theirs(key)), ...phased.map(key => theirs(key, change))]
  return new SimulatedGarden(theirGarden(rotation), secrets)
}

t.test('GA-342 a rotation that gardener-operator began goes on in each of its phases', t => {
  for (const phase of ['Preparing', 'Prepared', 'Completing', 'Completed']) {
    const simulated = settled(rotating(phase))
    t.equal(simulated.garden?.status?.lastOperation?.state, 'Succeeded', phase)
    if (phase === 'Preparing' || phase === 'Prepared') ask(simulated, 'rotate-credentials-complete')
    const phases = simulated.garden?.status?.credentials?.rotation
    t.equal(phases?.certificateAuthorities?.phase, 'Completed', phase)
    t.equal(phases?.etcdEncryptionKey?.phase, 'Completed', phase)
    for (const key of phased) {
      const names = secretsOf(simulated, key).map(({ metadata }) => metadata.name)
      const current = operatorName(key, checksums[key], String(started))
      t.ok(names.includes(current), `${phase} ${key}`)
      if (phase !== 'Completed') t.strictSame(names, [current], `${phase} ${key}`)
    }
  }
  t.end()
})

t.test(
  'GA-342 a rotation of which gardener-operator has written the start alone makes the key that it would make',
  t => {
    const rotation = { certificateAuthorities: rotationIn('Preparing') }
    const planted = mergePatched(theirs('ca', { checksum: '5' }), { metadata: { name: 'ca-of-mine' } }) as KubeObject
    const simulated = settled(new SimulatedGarden(theirGarden(rotation), [...keys.map(key => theirs(key)), planted]))
    const names = ['', String(started)].map(time => operatorName('ca', checksums.ca, time))
    t.strictSame(
      secretsOf(simulated, 'ca').map(({ metadata }) => metadata.name),
      [names[0], 'ca-of-mine', names[1]],
    )
    t.end()
  },
)

t.test('GA-344 what a rotation of ours makes has the names by which gardener-operator looks for it', t => {
  const simulated = settled(
    new SimulatedGarden(
      theirGarden(),
      keys.map(key => theirs(key)),
    ),
  )
  const before = dataOf(simulated)
  ask(simulated, 'rotate-credentials-start')
  ask(simulated, 'rotate-credentials-complete')
  const { rotation } = simulated.garden?.status?.credentials ?? {}
  const times: Partial<Record<OperatorKey, string | undefined>> = {
    'service-account-key': rotation?.serviceAccountKey?.lastInitiationTime,
    'gardener-apiserver-workload-identity-signing-key': rotation?.workloadIdentityKey?.lastInitiationTime,
    'observability-ingress': rotation?.observability?.lastInitiationTime,
  }
  for (const key of keys.filter(one => one !== 'ca-garden-runtime')) {
    const field = key.startsWith('ca') ? 'certificateAuthorities' : 'etcdEncryptionKey'
    const time = Date.parse(times[key] ?? rotation?.[field]?.lastInitiationTime ?? '') / 1_000
    const [secret, ...more] = secretsOf(simulated, key)
    t.strictSame([secret?.metadata.name, more], [operatorName(key, checksums[key], String(time)), []], key)
    matches(t, secret?.metadata.labels, {
      name: key,
      'managed-by': 'secrets-manager',
      'manager-identity': 'gardener-operator',
      'checksum-of-config': checksums[key],
      'last-rotation-initiation-time': String(time),
    })
  }
  t.not(before.ca, dataOf(simulated).ca)
  t.end()
})

t.test('GA-343 a Secret that is younger than the last word of gardener-operator is a leftover like any other', t => {
  const simulated = settled(
    new SimulatedGarden(
      theirGarden(),
      keys.map(key => theirs(key)),
    ),
  )
  const late = mergePatched(others[0], { metadata: { creationTimestamp: '2026-03-01T11:59:01Z' } }) as KubeObject
  const deleted = leftoverSecrets(withSecrets(simulated.world, late, ...others.slice(1)), secretConfigNames, now)
  t.strictSame(
    deleted.map(({ metadata }) => metadata.name),
    [late.metadata.name],
  )
  t.end()
})
