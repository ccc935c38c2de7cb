// gardener-discovery-server: what it consists of, and that its documents verify what gardener-apiserver signs, also in a rotation.
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import t from 'tap'
import {
  discoveryServer,
  discoveryServerFaults,
} from '../../../../functions/garden-reconcile/desired/control-plane/discovery-server.ts'
import { steps } from '../../../../functions/garden-reconcile/rules/steps.ts'
import type { World } from '../../../../functions/garden-reconcile/world.ts'
import { valueAt } from '../../../../shared/core/json/fields.ts'
import { mapsIn } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { encodedTexts, secretText } from '../../../../shared/core/objects/secret-text.ts'
import { garden } from '../../../make/garden/garden.ts'
import { managedContents } from '../../../make/garden/managed-contents.ts'
import { withRuntime, worldWithSecrets } from '../../../make/garden/secret-world.ts'
import { mountedSecret } from '../../../make/garden/virtual-garden.ts'
import { serverCertificate } from '../../../make/server-certificate.ts'

const row = steps.filter(({ name }) => name === 'discovery-server')
const worldOf = (gardenerDiscoveryServer?: object): World =>
  worldWithSecrets({ garden: garden({ spec: { virtualCluster: { gardener: { gardenerDiscoveryServer } } } } as never) })
const runtimeOf = (world: World) => managedContents(discoveryServer(world), 'gardener-discovery-server-runtime')
const kindOf = (objects: readonly KubeObject[], kind: string) => objects.find(one => one.kind === kind)
const mountsOf = (world: World) => JSON.stringify(kindOf(runtimeOf(world), 'Deployment')?.spec)
const pair = await serverCertificate()
const certificate = (name: string) => mountedSecret(name, pair)

t.test('GA-370 there is none until the Garden asks for one', async t => {
  t.ok(row.every(({ skipIf }) => skipIf?.(worldOf())))
  t.strictSame(discoveryServer(worldOf()), [])
  t.notOk(row.some(({ skipIf }) => skipIf?.(worldOf({}))))
  t.strictSame(
    discoveryServer(worldOf({})).flatMap(({ kind, metadata }) => (kind === 'ManagedResource' ? metadata.name : [])),
    ['gardener-discovery-server-runtime', 'gardener-discovery-server-virtual'],
  )
})

t.test('GA-370 nginx leads its domain to it and does not open TLS', async t => {
  for (const [given, host] of [
    [{}, 'discovery.ingress.runtime.garden.example.com'],
    [{ domain: { name: 'keys.example.com' } }, 'keys.example.com'],
  ] as const) {
    const ingress = kindOf(runtimeOf(worldOf(given)), 'Ingress')
    t.strictSame(ingress?.metadata.annotations, { 'nginx.ingress.kubernetes.io/ssl-passthrough': 'true' })
    t.equal(mapsIn(valueAt(ingress?.spec, 'rules'))[0]?.host, host)
    const virtual = managedContents(discoveryServer(worldOf(given)), 'gardener-discovery-server-virtual')
    const secret = virtual.find(({ metadata }) => metadata.name === 'shoot-service-account-issuer')
    t.equal(secretText(secret, 'hostname'), host)
    t.equal(secret?.metadata.labels?.['gardener.cloud/role'], 'shoot-service-account-issuer')
  }
})

t.test('GA-370 its certificate is the given one, the one for all domains, or one of our own', async t => {
  const asked = (world: World) =>
    row.flatMap(({ secrets }) => secrets?.(world) ?? []).includes('gardener-discovery-server-tls')
  const own = worldOf({})
  t.ok(asked(own) && mountsOf(own).includes('"secretName":"gardener-discovery-server-tls-'))
  const given = withRuntime(worldOf({ tlsSecretName: 'mine' }), certificate('mine'))
  t.ok(!asked(given) && mountsOf(given).includes('"secretName":"mine"'))
  const wild = certificate('wild')
  const labelled = { ...wild, metadata: { ...wild.metadata, labels: { 'gardener.cloud/role': 'garden-cert' } } }
  const ofAll = withRuntime(own, labelled)
  t.ok(!asked(ofAll) && mountsOf(ofAll).includes('"secretName":"wild"'))
  t.strictSame([own, given, ofAll].flatMap(discoveryServerFaults), [])
  t.strictSame(discoveryServerFaults(worldOf({ tlsSecretName: 'lost' })), [
    'Secret garden/lost: does not exist, but its key tls.crt is needed',
    'Secret garden/lost: does not exist, but its key tls.key is needed',
  ])
})

t.test('GA-370 its documents verify the tokens of both keys of a rotation', async t => {
  const pairs = [1, 2].map(() =>
    generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    }),
  )
  const world = worldOf({})
  const bundle = (secret: KubeObject) =>
    secret.metadata.name.startsWith('gardener-apiserver-workload-identity-signing-key-bundle')
      ? { ...secret, data: encodedTexts({ 'bundle.key': pairs.map(({ publicKey }) => publicKey).join('') }) }
      : secret
  const runtime = new Map([
    ...world.runtime,
    ['v1 Secret', (world.runtime.get('v1 Secret') ?? []).map(bundle)],
  ] as const)
  const documents = kindOf(runtimeOf({ ...world, runtime }), 'Secret')
  const issuer = 'https://discovery.ingress.runtime.garden.example.com/garden/workload-identity/issuer'
  t.strictSame(JSON.parse(secretText(documents, 'openid-configuration.json')), {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  })
  const { keys } = JSON.parse(secretText(documents, 'jwks.json'))
  t.strictSame(
    keys.map(({ kty, use, alg }: Record<string, string>) => [kty, use, alg]),
    [1, 2].map(() => ['RSA', 'sig', 'RS256']),
  )
  t.equal(new Set(keys.map(({ kid }: { kid: string }) => kid)).size, 2)
  for (const [at, { privateKey }] of pairs.entries()) {
    const signature = sign('sha256', Buffer.from('head.claims'), privateKey)
    const key = createPublicKey({ key: keys[at], format: 'jwk' })
    t.ok(verify('sha256', Buffer.from('head.claims'), key, signature))
    t.notOk('d' in keys[at], 'no private part')
  }
})
