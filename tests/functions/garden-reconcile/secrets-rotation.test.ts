// What becomes of generated Secrets over time: they are rotated, renewed, and go when nobody needs them any more.
import t from 'tap'
import { flowOf, type GardenStep } from '../../../functions/garden-reconcile/rules/flow.ts'
import { replacements } from '../../../functions/garden-reconcile/rules/rotation/renewals.ts'
import {
  bundleNow,
  formerSecret,
  secretNow,
  wantedSecret,
} from '../../../functions/garden-reconcile/rules/secrets/existing-secrets.ts'
import {
  type SecretConfigName,
  secretConfigNames,
} from '../../../functions/garden-reconcile/rules/secrets/secret-configs.ts'
import { firstRenewalSeconds, secretSteps } from '../../../functions/garden-reconcile/rules/secrets/secret-steps.ts'
import { genericKubeconfigName } from '../../../functions/garden-reconcile/rules/token-secrets.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'
import { certificatesIn, hasIssued } from '../../../shared/core/tls/certificate.ts'
import { goldenIn } from '../../harness/golden.ts'
import { garden } from '../../make/garden/garden.ts'
import { madeSecrets, patched, secretsIn, withSecrets } from '../../make/garden/garden-secrets.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'

const golden = goldenIn(import.meta.dirname)
const start = new Date('2026-01-01T00:00:00Z')
const after = (days: number): Date => new Date(start.getTime() + days * 86_400_000)

const inPhase = (world: World, phase: 'Preparing' | 'Prepared' | 'Completing' | 'Completed'): World => ({
  ...world,
  garden: garden({
    status: {
      credentials: {
        rotation: { certificateAuthorities: { phase, lastInitiationTime: after(1).toISOString() } },
      },
    },
  }),
})

/** Nothing needs the former keys any more. */
const replaced = (world: World): World => patched(world, replacements(world).steps)

const asking = (names: readonly SecretConfigName[], waits: readonly string[] = []): readonly GardenStep[] => [
  { name: 'authorities', needs: [], secrets: () => names, waits: () => waits, objects: () => [] },
]

const deletedIn = (world: World, names: readonly SecretConfigName[], { now = after(1), waits = [] as string[] } = {}) =>
  flowOf(asking(names, waits), world, now).writes.map(step => {
    if (step.do !== 'delete') throw new TypeError(`${step.do} is not expected`)
    return step.target.metadata.name
  })

const without = (world: World, names: readonly string[]): World => ({
  ...world,
  runtime: new Map([['v1 Secret', secretsIn(world).filter(({ metadata }) => !names.includes(metadata.name))]]),
})

const secret = (name: string, labels: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'garden', labels },
})

const ours = { 'managed-by': 'secrets-manager', 'manager-identity': 'gardener-operator' }

t.test('GA-100 what no step asks for goes when the run is ready', async t => {
  const made = await madeSecrets(gardenWorld(), ['ca', 'kube-controller-manager-server', 'ca-etcd'], start)
  const world = withSecrets(
    made,
    secret('other', { ...ours, name: 'ca', 'manager-identity': 'gardenlet' }),
    secret('given', { ...ours, name: 'ca', 'secrets-manager-use-data-for-name': 'ca' }),
    secret('of-people', {}),
  )
  const names: SecretConfigName[] = ['kube-controller-manager-server', 'ca']
  t.strictSame(deletedIn(world, names, { waits: ['something'] }), [])
  const expected = [secretNow(made, 'ca-etcd'), bundleNow(made, 'ca-etcd')].map(({ metadata }) => metadata.name)
  t.strictSame(deletedIn(world, names).sort(), expected.sort())
  t.strictSame(deletedIn(without(world, expected), names), [])
  t.strictSame(deletedIn(without(world, expected), ['kube-controller-manager-server']), [], 'its authority stays')
})

t.test('GA-100 a former authority goes in the completion of its rotation, and does not come back', async t => {
  const names: SecretConfigName[] = ['ca', 'kube-controller-manager-server']
  const first = await madeSecrets(gardenWorld(), names, start)
  const former = secretNow(first, 'ca').metadata.name
  const prepared = await madeSecrets(inPhase(first, 'Preparing'), names, after(1))
  t.strictSame(deletedIn(prepared, names), [bundleNow(first, 'ca').metadata.name])
  t.notOk(deletedIn(inPhase(prepared, 'Completing'), names).includes(former), 'nobody said that it is replaced')
  const completing = await madeSecrets(inPhase(replaced(prepared), 'Completing'), names, after(2))
  const gone = deletedIn(completing, names)
  t.ok(gone.includes(former))
  t.ok(gone.includes(secretNow(first, 'kube-controller-manager-server').metadata.name))
  const completed = inPhase(without(completing, gone), 'Completed')
  t.equal(certificatesIn(secretText(bundleNow(completed, 'ca'), 'bundle.crt')).length, 1)
  t.strictSame(deletedIn(completed, names), [])
})

t.test('GA-91 a new Secret has its labels, type and keys, and is never changed', async t => {
  const names: SecretConfigName[] = ['ca', 'kube-controller-manager-server', 'service-account-key']
  const world = await madeSecrets(gardenWorld(), names, start)
  const at = String(start.getTime() / 1000)
  const shown = (one: KubeObject & { type?: unknown; immutable?: unknown; data?: object }) => {
    const { 'checksum-of-config': config, ...labels } = one.metadata.labels ?? {}
    t.ok(/^\d+$/.test(config ?? ''))
    return { labels, type: one.type, immutable: one.immutable, keys: Object.keys(one.data ?? {}).sort() }
  }
  const opaque = { type: 'Opaque', immutable: true }
  const until = String(start.getTime() / 1000 + 3650 * 86_400)
  const common = { ...ours, 'last-rotation-initiation-time': '' }
  t.strictSame(shown(secretNow(world, 'ca')), {
    labels: { name: 'ca', ...common, 'issued-at-time': String(Number(at) - 60), 'valid-until-time': until },
    ...opaque,
    keys: ['ca.crt', 'ca.key'],
  })
  t.strictSame(shown(bundleNow(world, 'ca')), {
    labels: { name: 'ca-bundle', ...common, 'bundle-for': 'ca', 'issued-at-time': at },
    ...opaque,
    keys: ['bundle.crt'],
  })
  const { labels, ...leaf } = shown(secretNow(world, 'kube-controller-manager-server'))
  t.ok(/^[0-9a-f]{63}$/.test(labels['checksum-of-signing-ca'] ?? ''))
  t.strictSame(leaf, { type: 'kubernetes.io/tls', immutable: true, keys: ['tls.crt', 'tls.key'] })
  const key = shown(secretNow(world, 'service-account-key'))
  t.equal(key.labels.persist, 'true')
  t.strictSame(key.keys, ['id_rsa', 'id_rsa.pub'])
  const labelled = secretsIn(world).map(one => ({
    ...one,
    metadata: { ...one.metadata, labels: { ...one.metadata.labels, 'app.example.com/mine': 'x' } },
  }))
  const patches = secretSteps({ ...world, runtime: new Map([['v1 Secret', labelled]]) }, names, start)
  t.equal(patches.length, labelled.length)
  for (const step of patches)
    t.strictSame(step.do === 'patch' && step.merge, { metadata: { labels: { 'app.example.com/mine': null } } })
})

t.test('GA-93 with an authority both old and new, clients show the new one, servers the old one', async t => {
  const names: SecretConfigName[] = [
    'ca-etcd',
    'etcd-client',
    'etcd-server-main',
    'ca',
    'kube-controller-manager-server',
  ]
  const first = await madeSecrets(gardenWorld(), names, start)
  const rotated = await madeSecrets(inPhase(first, 'Preparing'), names, after(1))
  const certificate = (world: World, name: SecretConfigName) =>
    certificatesIn(secretText(secretNow(world, name), name.startsWith('ca') ? 'ca.crt' : 'tls.crt'))[0]
  const isSigned = (name: SecretConfigName, by: World, signer: SecretConfigName, world: World) => {
    const [authority, leaf] = [certificate(by, signer), certificate(world, name)]
    return authority !== undefined && leaf !== undefined && hasIssued(authority, leaf)
  }
  const bundle = secretText(bundleNow(rotated, 'ca-etcd'), 'bundle.crt')
  t.equal(bundle, [rotated, first].map(world => secretText(secretNow(world, 'ca-etcd'), 'ca.crt')).join(''))
  t.ok(isSigned('etcd-client', rotated, 'ca-etcd', rotated))
  t.ok(isSigned('etcd-server-main', first, 'ca-etcd', rotated))
  t.ok(isSigned('kube-controller-manager-server', first, 'ca', rotated))
  const completing = await madeSecrets(inPhase(replaced(rotated), 'Completing'), names, after(2))
  t.ok(isSigned('etcd-server-main', rotated, 'ca-etcd', completing))
  const nameIn = (world: World, name: SecretConfigName) => secretNow(world, name).metadata.name
  t.not(nameIn(rotated, 'etcd-client'), nameIn(first, 'etcd-client'))
  t.equal(nameIn(rotated, 'etcd-server-main'), nameIn(first, 'etcd-server-main'))
  t.not(nameIn(completing, 'etcd-server-main'), nameIn(first, 'etcd-server-main'))
})

t.test('GA-94 what changes has a new name; of those that are kept the newest other one is the former', async t => {
  const names: SecretConfigName[] = ['ca', 'kube-apiserver', 'kube-apiserver-static-token', 'generic-token-kubeconfig']
  const first = await madeSecrets(gardenWorld(), names, start)
  const nameIn = (world: World, name: SecretConfigName) => secretNow(world, name).metadata.name
  const domains = [{ name: 'other.example.com' }]
  const moved = { ...first, garden: garden({ spec: { virtualCluster: { dns: { domains } } } }) }
  const config = await madeSecrets(moved, names, after(1))
  t.not(nameIn(config, 'kube-apiserver'), nameIn(first, 'kube-apiserver'))
  t.equal(formerSecret(config, 'kube-apiserver'), undefined)
  t.equal(nameIn(config, 'ca'), nameIn(first, 'ca'))
  const rotated = await madeSecrets(inPhase(first, 'Preparing'), names, after(1))
  t.not(nameIn(rotated, 'kube-apiserver-static-token'), nameIn(first, 'kube-apiserver-static-token'))
  t.equal(formerSecret(rotated, 'kube-apiserver-static-token'), undefined)
  t.equal(formerSecret(rotated, 'ca')?.metadata.name, nameIn(first, 'ca'))
  t.not(nameIn(rotated, 'generic-token-kubeconfig'), nameIn(first, 'generic-token-kubeconfig'))
  t.equal(formerSecret(rotated, 'generic-token-kubeconfig')?.metadata.name, nameIn(first, 'generic-token-kubeconfig'))
  const older = { ...secretNow(first, 'ca').metadata, name: 'ca-older', creationTimestamp: after(-1).toISOString() }
  const three = withSecrets(rotated, { ...secretNow(first, 'ca'), metadata: older })
  t.equal(formerSecret(three, 'ca')?.metadata.name, nameIn(first, 'ca'))
  t.equal(formerSecret(inPhase(replaced(rotated), 'Completing'), 'ca'), undefined)
  t.equal(formerSecret(inPhase(rotated, 'Completing'), 'ca')?.metadata.name, nameIn(first, 'ca'))
})

t.test('GA-164 the Garden names the generic kubeconfig that counts now', async t => {
  const names: SecretConfigName[] = ['ca', 'generic-token-kubeconfig']
  const first = await madeSecrets(gardenWorld(), names, start)
  const rotated = await madeSecrets(inPhase(first, 'Preparing'), names, after(1))
  const annotation = 'generic-token-kubeconfig.secret.gardener.cloud/name'
  const named = (world: World, held?: string) => {
    const metadata = held === undefined ? {} : { annotations: { [annotation]: held } }
    return genericKubeconfigName({ ...world, garden: { ...world.garden, metadata: { name: 'garden', ...metadata } } })
  }
  const [old, renewed] = [first, rotated].map(world => secretNow(world, 'generic-token-kubeconfig').metadata.name)
  t.not(old, renewed)
  t.strictSame(named(first, old), [])
  for (const [world, held, wanted] of [
    [first, undefined, old],
    [rotated, old, renewed],
  ] as const)
    t.strictSame(
      named(world, held).map(step => step.do === 'patch' && step.merge),
      [{ metadata: { annotations: { [annotation]: wanted } } }],
    )
})

const day = 86_400
const at = (seconds: number): Date => new Date(start.getTime() + seconds * 1_000)

/** The configs of which a new Secret is made then. */
const madeAnew = (world: World, names: readonly SecretConfigName[], seconds: number) =>
  secretSteps(world, names, at(seconds)).flatMap(step =>
    step.do === 'createSecret' ? step.object.metadata.labels?.name : [],
  )

t.test(
  'GA-95 the authority of the runtime cluster is renewed at 80 %, and the former one counts for a day',
  async t => {
    const names: SecretConfigName[] = ['ca-garden-runtime', 'vpa-admission-controller-server']
    const first = await madeSecrets(gardenWorld(), names, start)
    t.strictSame(madeAnew(first, names, 24 * day - 1), [])
    t.strictSame(madeAnew(first, names, 24 * day + 1), ['ca-garden-runtime'])
    const renewal = 24 * day + 1
    const renewed = await madeSecrets(first, names, at(renewal))
    const [former, current] = [first, renewed].map(world => secretNow(world, 'ca-garden-runtime'))
    const texts = [current, former].map(authority => authority && secretText(authority, 'ca.crt'))
    t.equal(secretText(bundleNow(renewed, 'ca-garden-runtime'), 'bundle.crt'), texts.join(''))
    const leaf = (world: World) => secretNow(world, 'vpa-admission-controller-server').metadata.name
    t.not(leaf(renewed), leaf(first))
    const gone = former?.metadata.name ?? ''
    t.notOk(deletedIn(renewed, names, { now: at(renewal + day - 1) }).includes(gone))
    t.ok(deletedIn(renewed, names, { now: at(renewal + day) }).includes(gone))
    const cleaned = await madeSecrets(without(renewed, [gone]), names, at(renewal + day))
    t.equal(secretText(bundleNow(cleaned, 'ca-garden-runtime'), 'bundle.crt'), texts[0])
  },
)

t.test('GA-95 the life of that authority is chosen by whoever runs Espalier', async t => {
  const { settings } = gardenWorld()
  const world = gardenWorld({ settings: { ...settings, runtimeAuthoritySeconds: 36_000 } })
  const made = await madeSecrets(world, ['ca-garden-runtime'], start)
  t.strictSame(madeAnew(made, ['ca-garden-runtime'], 8 * 3_600 - 1), [])
  t.strictSame(madeAnew(made, ['ca-garden-runtime'], 8 * 3_600 + 1), ['ca-garden-runtime'])
})

t.test('GA-95 what an authority signs is renewed at 80 % of its own life', async t => {
  const names: SecretConfigName[] = ['ca', 'kube-controller-manager-server']
  const made = await madeSecrets(gardenWorld(), names, start)
  const { metadata, ...leaf } = secretNow(made, 'kube-controller-manager-server')
  const labels = { ...metadata.labels, 'valid-until-time': String(at(100 * day).getTime() / 1_000) }
  const ending = withSecrets(without(made, [metadata.name]), { ...leaf, metadata: { ...metadata, labels } })
  t.strictSame(madeAnew(ending, names, 80 * day - 1), [])
  t.strictSame(madeAnew(ending, names, 80 * day + 1), ['kube-controller-manager-server'])
  t.strictSame(madeAnew(made, ['ca'], 3_640 * day), [], 'an authority that is rotated waits for people')
})

t.test('GA-95 an authority that ends within the hour, or has ended, signs nothing anew without end', async t => {
  const names: SecretConfigName[] = ['ca', 'kube-controller-manager-server']
  const made = await madeSecrets(gardenWorld(), names, start)
  const [authority] = certificatesIn(secretText(secretNow(made, 'ca'), 'ca.crt'))
  const end = ((authority?.validToDate.getTime() ?? 0) - start.getTime()) / 1_000
  for (const [later, most] of [
    [end - 8 * 3_600, 2],
    [end - 1_800, 1],
    [end + 365 * day, 1],
  ] as const) {
    const renewed = await madeSecrets(made, names, at(later))
    t.equal(secretsIn(renewed).length, secretsIn(made).length + 1, 'once')
    const again = await [0.1, 0.5, 0.9, 1.1, 2].reduce(
      async (world, part) => madeSecrets(await world, names, at(later + part * 8 * 3_600)),
      Promise.resolve(renewed),
    )
    t.equal(secretsIn(again).length, secretsIn(made).length + most, 'and none when it has ended')
    t.equal(firstRenewalSeconds(again), Number.POSITIVE_INFINITY, 'and nobody waits for another')
  }
})

t.test('GA-90 the checksums of all configs: a change of one of them gives every Garden new Secrets', async t => {
  const names = secretConfigNames.filter(name => name !== 'generic-token-kubeconfig')
  const world = await madeSecrets(gardenWorld(), names, start)
  const sums = names.map(name => [name, secretNow(world, name).metadata.labels?.['checksum-of-config']])
  t.strictSame([Object.fromEntries(sums)], golden('secret-checksums'))
})

t.test(
  'GA-317 a start of a rotation that is no time for JavaScript leaves the names of Secrets as they are',
  async t => {
    const names = ['ca', 'ca-client', 'service-account-key'] as const
    const world = await madeSecrets(inPhase(gardenWorld(), 'Completed'), names, start)
    const leapSecond = { phase: 'Completed', lastInitiationTime: '2026-03-01T23:59:60Z' } as const
    const odd = garden({ status: { credentials: { rotation: { certificateAuthorities: leapSecond } } } })
    const wanted = (one: World) => names.map(name => wantedSecret(one, name))
    t.strictSame(wanted({ ...world, garden: odd }), wanted(world))
  },
)
