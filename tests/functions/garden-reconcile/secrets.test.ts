// The generated Secrets of garden-reconcile: their names, what is made in which pass, and that the certificates hold.
import t from 'tap'
import { bundleNow, secretNow } from '../../../functions/garden-reconcile/rules/secrets/existing-secrets.ts'
import type { SecretConfigName } from '../../../functions/garden-reconcile/rules/secrets/secret-configs.ts'
import { configChecksum, generatedName } from '../../../functions/garden-reconcile/rules/secrets/secret-metadata.ts'
import { missingSecrets, secretSteps } from '../../../functions/garden-reconcile/rules/secrets/secret-steps.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'
import { certificatesIn, hasIssued, hasKey } from '../../../shared/core/tls/certificate.ts'
import { secretData } from '../../../shared/outside/certificates.ts'
import { patched, withSecrets } from '../../make/garden/garden-secrets.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'

const now = new Date('2026-01-01T00:00:00Z')

t.test('GA-89 names follow from checksums and times', async t => {
  const named = (checksum: string, more = {}) => generatedName({ config: 'a', checksum, ...more })
  t.equal(named('42'), 'a-73475cb4')
  t.equal(named('42', { signerChecksum: 'abc' }), 'a-53b6b18e')
  t.equal(named('1645436262831067767'), 'a-fd0a3f24')
  t.equal(named('42', { rotationTime: '1700000000' }), 'a-73475cb4-3f3b4')
  t.equal(named('42', { rotationTime: '1767225600' }), 'a-73475cb4-d66f7')
  t.equal(named('', { rotationTime: '1646060228' }), 'a-76711')
})

t.test('GA-90 a checksum is the same for every order of fields, and fields that say nothing do not count', async t => {
  const sum = configChecksum({ name: 'ca', days: 3650 })
  t.equal(configChecksum({ days: 3650, name: 'ca', names: [], more: { text: '' } }), sum)
  t.not(configChecksum({ name: 'ca', days: 3651 }), sum)
})

t.test('GA-96 authorities have the names of their Secrets as subjects, and sign what the next pass makes', async t => {
  const names: SecretConfigName[] = [
    'ca-etcd',
    'ca-front-proxy',
    'etcd-server-main',
    'etcd-client',
    'kube-apiserver-static-token',
  ]
  const first = await made(gardenWorld(), names)
  t.strictSame(missingSecrets(first, names), names.slice(0, 4))
  const last = await made(first, names)
  t.strictSame(missingSecrets(last, names), [])
  t.strictSame(secretSteps(last, names, now), [])
  const [etcd, frontProxy] = [secretNow(last, 'ca-etcd'), secretNow(last, 'ca-front-proxy')]
  for (const authority of [etcd, frontProxy])
    t.equal(certificatesIn(secretText(authority, 'ca.crt'))[0]?.subject, `CN=${authority.metadata.name}`)
  t.not(etcd.metadata.name, frontProxy.metadata.name)
  const [authority] = certificatesIn(secretText(bundleNow(last, 'ca-etcd'), 'bundle.crt'))
  const [server] = certificatesIn(secretText(secretNow(last, 'etcd-server-main'), 'tls.crt'))
  t.ok(authority && server && hasIssued(authority, server))
  t.ok(server && hasKey(server, secretText(secretNow(last, 'etcd-server-main'), 'tls.key')))
  t.equal(server?.checkHost('virtual-garden-etcd-main-client.garden.svc'), 'virtual-garden-etcd-main-client.garden.svc')
  t.ok(
    /^\w{128},health-check,health-check,$/.test(
      secretText(secretNow(last, 'kube-apiserver-static-token'), 'static_tokens.csv'),
    ),
  )
})

t.test('what the renewed authority of the runtime cluster signs outlives the former one', async t => {
  const names: SecretConfigName[] = ['ca-garden-runtime', 'vpa-admission-controller-server']
  const started = await made(await made(gardenWorld(), names), names)
  t.strictSame(secretSteps(started, names, after(23.9)), [])
  const renewed = await made(started, names, after(24.1))
  const last = await made(renewed, names, after(24.1))
  t.strictSame(secretSteps(last, names, after(40)), [])
  const [leaf] = certificatesIn(secretText(secretNow(last, 'vpa-admission-controller-server'), 'tls.crt'))
  t.ok(leaf && leaf.validToDate > after(50))
  t.equal(certificatesIn(secretText(bundleNow(last, 'ca-garden-runtime'), 'bundle.crt')).length, 2)
})

const after = (days: number): Date => new Date(now.getTime() + days * 86_400_000)

/** The world after the steps of one pass. */
const made = async (world: World, names: readonly SecretConfigName[], at = now): Promise<World> => {
  const there = world.runtime.get('v1 Secret') ?? []
  const steps = secretSteps(world, names, at)
  const created = steps.map(async (step): Promise<KubeObject | []> => {
    if (step.do !== 'createSecret') return []
    const { recipe, object } = step
    const source = 'signer' in recipe ? there.find(({ metadata }) => metadata.name === recipe.signer.name) : undefined
    const metadata = { ...object.metadata, creationTimestamp: at.toISOString() }
    return { ...object, metadata, data: await secretData(recipe, source) }
  })
  return withSecrets(patched(world, steps), ...(await Promise.all(created)).flat())
}
