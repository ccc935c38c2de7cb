// Takeover of credentials that are in use, and Secrets that cannot be used.
import { X509Certificate } from 'node:crypto'
import t from 'tap'
import { parse } from 'yaml'
import { encryptionConfiguration } from '../../../functions/garden-reconcile/desired/apiserver-parts/encryption-config.ts'
import { flowOf } from '../../../functions/garden-reconcile/rules/flow.ts'
import type { EncryptingServer } from '../../../functions/garden-reconcile/rules/rotation/encryption-moves.ts'
import { bundleNow, secretNow } from '../../../functions/garden-reconcile/rules/secrets/existing-secrets.ts'
import type { SecretConfigName } from '../../../functions/garden-reconcile/rules/secrets/secret-configs.ts'
import { annotated, successionMark } from '../../../functions/garden-reconcile/rules/secrets/secret-metadata.ts'
import { secretSteps } from '../../../functions/garden-reconcile/rules/secrets/secret-steps.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedTexts, secretText } from '../../../shared/core/objects/secret-text.ts'
import { certificatesIn, hasIssued } from '../../../shared/core/tls/certificate.ts'
import { newAuthority, newKeyPair } from '../../harness/clients/certificates.ts'
import { garden } from '../../make/garden/garden.ts'
import { madeSecrets, patched, secretsIn, withSecrets } from '../../make/garden/garden-secrets.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'

const now = new Date('2026-01-01T00:00:00Z')

const given = (name: string, texts: Record<string, string>, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  data: encodedTexts(texts),
  metadata: {
    name: `former-${name}`,
    namespace: 'garden',
    labels: { 'secrets-manager-use-data-for-name': name, ...labels },
  },
})

const authorityTexts = async (name: string, kind: Parameters<typeof newAuthority>[1] = {}) => {
  const authority = await newAuthority(name, kind)
  return { authority, texts: { 'ca.crt': `${authority.certificate}\n`, 'ca.key': authority.key } }
}

const faultsIn = (world: World, ...names: readonly SecretConfigName[]) => {
  const { faults, writes } = flowOf(
    [{ name: 'authorities', needs: [], secrets: () => names, objects: () => [] }],
    world,
    now,
  )
  return { faults, writes: writes.length }
}

const dataOf = (secret: KubeObject): unknown => (secret as { data?: unknown }).data

t.test('GA-97 authorities in use are taken over byte for byte, and what they signed stays valid', async t => {
  for (const name of ['ca', 'ca-client', 'ca-front-proxy'] as const) {
    const { authority, texts } = await authorityTexts(`old-${name}`)
    const old = await authority.serving({ dns: ['a'] })
    const source = given(name, texts, {
      name,
      'managed-by': 'secrets-manager',
      'manager-identity': 'gardener-operator',
    })
    const leaves = {
      ca: 'kube-controller-manager-server',
      'ca-client': 'ca-client',
      'ca-front-proxy': 'kube-aggregator',
    }
    const leaf = leaves[name] as SecretConfigName
    const world = await madeSecrets(withSecrets(gardenWorld(), source), [name, leaf], now)
    t.strictSame(dataOf(secretNow(world, name)), source.data)
    const bundle = certificatesIn(secretText(bundleNow(world, name), 'bundle.crt'))
    t.equal(bundle.length, 1)
    t.ok(bundle[0] && hasIssued(bundle[0], new X509Certificate(old.certificate)))
    const [signed] = certificatesIn(secretText(secretNow(world, leaf), leaf === 'ca-client' ? 'ca.crt' : 'tls.crt'))
    t.ok(bundle[0] && signed && hasIssued(bundle[0], signed))
    t.strictSame(faultsIn(world, name, leaf), { faults: [], writes: 0 })
  }
})

/** A PEM as other programs write it. */
const spellings: readonly [string, (pem: string) => string][] = [
  ['line ends of Windows', pem => pem.replaceAll('\n', '\r\n')],
  ['no line end', pem => pem.trimEnd()],
  ['a text before it and bytes behind it', pem => `Bag Attributes\n  friendlyName: ca\n${pem}\n\u0000 more\n`],
]

t.test('GA-97 an authority may have a key of any usual curve, and be spelled in any usual way', async t => {
  const names: SecretConfigName[] = ['ca', 'kube-apiserver']
  const issued = async (texts: Record<string, string>) => {
    const world = await madeSecrets(withSecrets(gardenWorld(), given('ca', texts)), names, now)
    t.strictSame(faultsIn(world, ...names), { faults: [], writes: 0 })
    const [authority] = certificatesIn(secretText(bundleNow(world, 'ca'), 'bundle.crt'))
    const [leaf, signer] = certificatesIn(secretText(secretNow(world, 'kube-apiserver'), 'tls.crt'))
    return authority && leaf && hasIssued(authority, leaf) && signer?.fingerprint256 === authority.fingerprint256
  }
  for (const curve of ['P-256', 'P-384', 'P-521'] as const)
    t.equal(await issued((await authorityTexts('ca', { curve })).texts), true, curve)
  const { texts } = await authorityTexts('ca')
  for (const [what, spelled] of spellings)
    t.equal(await issued({ 'ca.crt': spelled(texts['ca.crt']), 'ca.key': spelled(texts['ca.key']) }), true, what)
  const other = (await authorityTexts('other')).texts
  t.equal(await issued({ ...texts, 'ca.crt': texts['ca.crt'] + other['ca.crt'] }), true, 'with those before it')
})

t.test('GA-97 GA-99 keys in use are taken over; an encryption key without encoding is used as it is', async t => {
  const { privateKey } = await newKeyPair()
  const source = given('service-account-key', { id_rsa: privateKey })
  const signing = await madeSecrets(withSecrets(gardenWorld(), source), ['service-account-key'], now)
  t.strictSame(dataOf(secretNow(signing, 'service-account-key')), source.data)
  t.ok(secretText(bundleNow(signing, 'service-account-key'), 'bundle.key').includes('PUBLIC KEY'))
  for (const name of ['kube-apiserver-etcd-encryption-key', 'gardener-apiserver-etcd-encryption-key'] as const) {
    const encoded = Buffer.alloc(32, 7).toString('base64')
    const adopted = withSecrets(gardenWorld(), given(name, { key: 'key1', secret: encoded }))
    t.strictSame(keysIn(await madeSecrets(adopted, [name], now), name), [{ name: 'key1', secret: encoded }])
    const [own] = keysIn(await madeSecrets(gardenWorld(), [name], now), name)
    t.equal(own?.name, `key${now.getTime() / 1000}`)
    t.equal(Buffer.from(own?.secret ?? '', 'base64').length, 32)
  }
})

type Key = { readonly name: string; readonly secret: string }

type KeyConfig = 'kube-apiserver-etcd-encryption-key' | 'gardener-apiserver-etcd-encryption-key'
const serverOf = (name: KeyConfig) => name.replace('-etcd-encryption-key', '') as EncryptingServer

const keysIn = (world: World, name: KeyConfig): Key[] => {
  const secret = encryptionConfiguration(world, serverOf(name))
  const { resources } = parse(secretText(secret, 'encryption-configuration.yaml'))
  return resources[0].providers[0].aescbc.keys
}

t.test('GA-318 a key that is taken over is used with its provider, and a new one has that of the Garden', async t => {
  const name = 'kube-apiserver-etcd-encryption-key'
  const fileOf = (world: World) =>
    parse(secretText(encryptionConfiguration(world, serverOf(name)), 'encryption-configuration.yaml'))
  const keyOf = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64')
  const adopted = (provider: string, bytes = 32) =>
    madeSecrets(withSecrets(gardenWorld(), given(name, { provider, key: 'k', secret: keyOf(bytes) })), [name], now)
  for (const provider of ['aesgcm', 'secretbox', 'aescbc']) {
    const keys = [{ name: 'k', secret: keyOf(32) }]
    const providers = [{ [provider]: { keys } }, { identity: {} }]
    t.strictSame(fileOf(await adopted(provider)).resources, [{ resources: ['secrets'], providers }])
    const kubeAPIServer = { encryptionConfig: { provider: { type: provider } } }
    const asking = garden({ spec: { virtualCluster: { kubernetes: { kubeAPIServer } } } })
    const made = await madeSecrets(gardenWorld({ garden: asking }), [name], now)
    t.strictSame(Object.keys(fileOf(made).resources[0].providers[0]), [provider])
    t.equal(secretNow(made, name).metadata.name, secretNow(await adopted(provider), name).metadata.name)
  }
  t.strictSame(fileOf(await adopted('')).resources[0].providers[0].aescbc.keys, [{ name: 'k', secret: keyOf(32) }])
  for (const [provider, bytes] of [
    ['kms', 32],
    ['secretbox', 16],
    ['toString', 32],
  ] as const) {
    const world = withSecrets(gardenWorld(), given(name, { provider, key: 'k', secret: keyOf(bytes) }))
    t.strictSame(faultsIn(world, name).faults, [`Secret garden/former-${name}: its content is incomplete or invalid`])
  }
})

t.test('GA-98 of two to be adopted none is; after the creation the label says nothing', async t => {
  const { texts } = await authorityTexts('old')
  const first = given('ca', texts)
  const second = { ...first, metadata: { ...first.metadata, name: 'other-ca' } }
  t.strictSame(faultsIn(withSecrets(gardenWorld(), first, second), 'ca'), {
    faults: ['Secret garden/former-ca, Secret garden/other-ca: only one of them can be used for ca'],
    writes: 0,
  })
  const made = await madeSecrets(gardenWorld(), ['ca'], now)
  const late = withSecrets(made, first, second)
  t.strictSame(faultsIn(late, 'ca'), { faults: [], writes: 0 })
  t.equal(secretNow(late, 'ca'), secretNow(made, 'ca'))
  const rotation = { phase: 'Preparing' as const, lastInitiationTime: now.toISOString() }
  const rotating = garden({ status: { credentials: { rotation: { certificateAuthorities: rotation } } } })
  const [step] = secretSteps({ ...late, garden: rotating }, ['ca'], now)
  t.equal(step?.do === 'createSecret' && step.recipe.make, 'authority', 'a rotation makes a new key')
})

t.test(
  'GA-204 a generated Secret whose content is broken or that is foreign is a fault, and is not replaced',
  async t => {
    const names: SecretConfigName[] = [
      ...(['ca', 'kube-controller-manager-server', 'kube-apiserver-static-token'] as const),
      ...(['service-account-key', 'kube-apiserver-etcd-encryption-key'] as const),
    ]
    const world = await madeSecrets(gardenWorld(), names, now)
    const changed = (name: string, change: (secret: KubeObject) => KubeObject): World => ({
      ...world,
      runtime: new Map([['v1 Secret', secretsIn(world).map(one => (one.metadata.name === name ? change(one) : one))]]),
    })
    const all = [...names.map(name => secretNow(world, name)), bundleNow(world, 'ca')]
    for (const { metadata } of all) {
      const emptied = faultsIn(
        changed(metadata.name, secret => ({ ...secret, data: {} })),
        ...names,
      )
      t.ok(
        emptied.faults.includes(`Secret garden/${metadata.name}: its content is incomplete or invalid`),
        metadata.name,
      )
      t.equal(emptied.writes, 0)
      const foreign = changed(metadata.name, one => ({ ...one, metadata: { ...one.metadata, labels: {} } }))
      const fault = `Secret garden/${metadata.name}: has the name of a generated Secret, but not its labels; delete it if nothing uses it`
      t.strictSame(faultsIn(foreign, ...names), { faults: [fault], writes: 0 })
    }
    const broken = withSecrets(gardenWorld(), given('ca', { 'ca.crt': 'x', 'ca.key': 'y' }))
    t.strictSame(faultsIn(broken, 'ca'), {
      faults: ['Secret garden/former-ca: its content is incomplete or invalid'],
      writes: 0,
    })
  },
)

t.test('GA-201 an encryption key with which no API server would start is told, and is not replaced', async t => {
  const name = 'kube-apiserver-etcd-encryption-key'
  const world = await madeSecrets(gardenWorld(), [name], now)
  const key = secretNow(world, name)
  const faultsOf = (texts: Record<string, string>) => {
    const { faults, writes } = faultsIn(withSecrets(gardenWorld(), { ...key, data: encodedTexts(texts) }), name)
    t.equal(writes, 0, 'no second key')
    return faults
  }
  const fault = `Secret garden/${key.metadata.name}: its content is incomplete or invalid`
  const encoded = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64')
  const unusable: Record<string, string>[] = [
    { key: 'key1', secret: '0'.repeat(31), encoding: 'none' },
    { key: 'key1', secret: '', encoding: 'none' },
    { key: '', secret: '0'.repeat(32), encoding: 'none' },
    { key: 'key1', secret: encoded(33) },
    { key: 'key1', secret: `${encoded(32)}#` },
    { key: 'key1', secret: '0'.repeat(32).concat('!') },
    { secret: encoded(32) },
  ]
  for (const broken of unusable) t.strictSame(faultsOf(broken), [fault], JSON.stringify(broken))
  const source = withSecrets(gardenWorld(), given(name, { key: 'key1', secret: 'short' }))
  t.strictSame(faultsIn(source, name), {
    faults: [`Secret garden/former-${name}: its content is incomplete or invalid`],
    writes: 0,
  })
  for (const bytes of [16, 24, 32]) t.strictSame(faultsOf({ key: 'key1', secret: `${encoded(bytes)}\n` }), [])
  t.strictSame(faultsOf({ key: 'key1', secret: '0'.repeat(24), encoding: 'none' }), [])
})

t.test('a former key that the current one names is judged too; what stands elsewhere is none', async t => {
  const begun = await madeSecrets(gardenWorld(), ['ca'], now)
  const mark = annotated(secretNow(begun, 'ca'), successionMark('follows', 'copy'))
  const once = patched(
    {
      ...begun,
      garden: garden({ status: { credentials: { rotation: { certificateAuthorities: { phase: 'Prepared' } } } } }),
    },
    [mark],
  )
  const { labels } = secretNow(once, 'ca').metadata
  const copy = (namespace: string): KubeObject => ({
    ...given('ca', {}),
    metadata: { name: 'copy', namespace, labels },
  })
  t.strictSame(faultsIn(withSecrets(begun, copy('other')), 'ca'), { faults: [], writes: 0 })
  t.ok(
    faultsIn(withSecrets(once, copy('garden')), 'ca').faults.includes(
      'Secret garden/copy: its content is incomplete or invalid',
    ),
  )
})
