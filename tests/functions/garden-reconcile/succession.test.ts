// How keys follow one another: whatever a status says that was lost or edited by hand, no key in use is dropped, and no key takes the place
// of one that somebody deleted.
import t from 'tap'
import { flowOf } from '../../../functions/garden-reconcile/rules/flow.ts'
import { replacements } from '../../../functions/garden-reconcile/rules/rotation/renewals.ts'
import { secretNow } from '../../../functions/garden-reconcile/rules/secrets/existing-secrets.ts'
import type { SecretConfigName } from '../../../functions/garden-reconcile/rules/secrets/secret-configs.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedTexts } from '../../../shared/core/objects/secret-text.ts'
import { matches } from '../../harness/matches.ts'
import { garden } from '../../make/garden/garden.ts'
import { madeSecrets, patched, secretsIn, withSecrets } from '../../make/garden/garden-secrets.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'

const now = new Date('2026-01-01T00:00:00Z')
const keyName = 'kube-apiserver-etcd-encryption-key'
const identityKey = 'gardener-apiserver-workload-identity-signing-key'
const rotated = [keyName, 'ca', 'service-account-key', identityKey] as const
type Rotated = (typeof rotated)[number]

const fields: Readonly<Record<Rotated, string>> = {
  [keyName]: 'etcdEncryptionKey',
  ca: 'certificateAuthorities',
  'service-account-key': 'serviceAccountKey',
  [identityKey]: 'workloadIdentityKey',
}

type Rotation = { readonly phase?: string; readonly lastInitiationTime?: string }

const withRotation = (world: World, of: Rotation): World => {
  const rotation = Object.fromEntries(Object.values(fields).map(field => [field, of]))
  return { ...world, garden: garden({ status: { credentials: { rotation } } } as never) }
}

const begun = { phase: 'Preparing', lastInitiationTime: '2026-01-02T00:00:00Z' }
const wrongTime = '2026-01-03T00:00:00Z'

/** What one step says that asks for this Secret. Of its keys none is made or dropped, but for these. */
const faultsIn = (world: World, name: SecretConfigName, written: readonly string[] = []): readonly string[] => {
  const flow = flowOf([{ name: 'authorities', needs: [], secrets: () => [name], objects: () => [] }], world, now)
  const ofKeys = flow.writes.flatMap(step => {
    const secret = 'object' in step ? step.object : 'target' in step ? step.target : undefined
    return secret?.metadata.labels?.name === name ? [`${step.do} ${secret.metadata.name}`] : []
  })
  t.strictSame(ofKeys, written)
  return flow.faults
}

const without = (world: World, name: string): World => ({
  ...world,
  runtime: new Map([
    ...world.runtime,
    ['v1 Secret', secretsIn(world).filter(({ metadata }) => metadata.name !== name)],
  ]),
})

/** The keys before a rotation; those of a rotation that has just begun; and when nothing needs the former ones any more. */
const once = await madeSecrets(gardenWorld(), rotated, now)
const twice = await madeSecrets(withRotation(once, begun), rotated, now)
const replaced = patched(twice, replacements(twice).steps)

const nameIn = (world: World, name: Rotated): string => secretNow(world, name).metadata.name
const inUse = (name: Rotated) => `Secret garden/${nameIn(once, name)}: may still be in use`

t.test('a status that is lost or edited makes no second key, and drops none in use', async t => {
  const contradicts = (world: World, of: Rotation, name: Rotated = keyName): boolean =>
    faultsIn(withRotation(world, of), name).some(fault =>
      /^Secret garden\/.+: may still be in use, but status\.credentials\.rotation\./.test(fault),
    )
  for (const name of rotated) {
    const after = without({ ...replaced, garden: garden() }, nameIn(once, name))
    t.strictSame(faultsIn(after, name), [], 'the newest key counts without a status')
    t.equal(nameIn(after, name), nameIn(twice, name))
    for (const phase of ['Prepared', 'Completing', 'Completed'])
      t.ok(contradicts(after, { phase, lastInitiationTime: wrongTime }, name), `${name} ${phase}`)
    t.ok(contradicts(twice, { ...begun, lastInitiationTime: wrongTime }, name), 'a third key')
  }
  for (const phase of [undefined, 'Completed'])
    t.ok(contradicts(twice, { ...begun, phase }), 'a key that was not replaced')
})

t.test('GA-202 a completion drops only what the new key says it replaces, whatever the phase', async t => {
  for (const name of rotated) {
    for (const phase of ['Prepared', 'Completing']) {
      const edited = withRotation(twice, { ...begun, phase })
      const successor = `Secret garden/${nameIn(twice, name)}`
      t.strictSame(faultsIn(edited, name), [
        `${inUse(name)}, because ${successor} is not annotated as its replacement, although status.credentials.rotation.${fields[name]}.phase is ${phase}`,
      ])
    }
    t.strictSame(faultsIn(withRotation(replaced, { ...begun, phase: 'Prepared' }), name), [])
    const time = { phase: 'Completing', lastInitiationTime: undefined }
    t.strictSame(faultsIn(withRotation(twice, time), name).length, 1, 'and whatever the time')
  }
  const third = await madeSecrets(
    withRotation(without(replaced, nameIn(once, 'ca')), { phase: 'Preparing', lastInitiationTime: wrongTime }),
    ['ca'],
    now,
  )
  const back = withRotation(third, { ...begun, phase: 'Completing' })
  matches(
    t,
    faultsIn(back, 'ca').join(),
    /may still be in use, because Secret garden.* is not annotated as its replacement/,
  )
})

t.test('GA-202 who prepares a rotation says so once on each new key', async t => {
  const { steps, waits } = replacements(twice)
  const marks = steps.map(step => step.do === 'patch' && [step.target.metadata.name, step.merge])
  t.strictSame(
    marks,
    ['ca', 'service-account-key', identityKey, keyName].map(name => [
      nameIn(twice, name as Rotated),
      {
        metadata: {
          annotations: { 'credentials.gardener.cloud/replaces': nameIn(once, name as Rotated) },
        },
      },
    ]),
  )
  t.equal(waits.length, marks.length)
  t.strictSame(replacements(replaced), { steps: [], waits: [] })
  t.strictSame(replacements(withRotation(twice, { ...begun, phase: 'Prepared' })), { steps: [], waits: [] })
})

t.test('GA-203 a former key that is gone before its rotation is completed is told', async t => {
  for (const name of rotated) {
    const former = nameIn(once, name)
    const fault = `Secret garden/${former}: was deleted, but status.credentials.rotation.${fields[name]} shows that it is still in use`
    for (const phase of ['Preparing', 'Prepared', 'Completing', 'Completed', undefined])
      t.strictSame(faultsIn(withRotation(without(twice, former), { ...begun, phase }), name), [fault], phase ?? 'none')
    for (const phase of ['Preparing', 'Prepared'])
      t.strictSame(
        faultsIn(withRotation(without(replaced, former), { ...begun, phase }), name),
        [fault],
        phase ?? 'none',
      )
    for (const phase of ['Completing', 'Completed', undefined])
      t.strictSame(faultsIn(withRotation(without(replaced, former), { ...begun, phase }), name), [], phase ?? 'none')
  }
})

t.test('GA-203 a new key that is gone is not made a second time', async t => {
  for (const name of rotated) {
    const current = nameIn(twice, name)
    const gone = without(twice, current)
    t.strictSame(faultsIn(gone, name), [
      `Secret garden/${current}: was deleted, but may still be in use together with Secret garden/${nameIn(once, name)}`,
    ])
    for (const phase of ['Prepared', 'Completing', 'Completed'])
      t.equal(faultsIn(withRotation(gone, { ...begun, phase }), name).length, 1, phase)
    t.strictSame(faultsIn(withRotation(once, begun), name, [`createSecret ${current}`]), [], 'it is made once')
  }
})

t.test(
  'an encryption key that is gone is not made anew for an API server that is there, unless it is given back',
  async t => {
    const metadata = { name: 'virtual-garden-kube-apiserver', namespace: 'garden' }
    const runtime = new Map([['apps/v1 Deployment', [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata }]]])
    const world = gardenWorld({ runtime })
    matches(
      t,
      faultsIn(world, keyName).join(),
      /^Secret garden\/kube-apiserver-etcd-encryption-key-\w{8}: was deleted, but Deployment garden\/virtual-/,
    )
    const apiVersion = 'resources.gardener.cloud/v1alpha1'
    const brings = {
      apiVersion,
      kind: 'ManagedResource',
      metadata: { name: 'gardener-apiserver-runtime', namespace: 'garden' },
    }
    const gardeners = gardenWorld({ runtime: new Map([[`${apiVersion} ManagedResource`, [brings]]]) })
    const gone =
      /^Secret garden\/gardener-api\S+: was deleted, but ManagedResource garden\/gardener-apiserver-runtime needs it/
    matches(t, faultsIn(gardeners, 'gardener-apiserver-etcd-encryption-key').join(), gone)
    const data = encodedTexts({ key: 'key1', secret: Buffer.alloc(32, 7).toString('base64') })
    const labels = { 'secrets-manager-use-data-for-name': keyName }
    const source: KubeObject = { ...secretNow(once, keyName), data }
    const given = { ...source, metadata: { name: 'given', namespace: 'garden', labels } }
    t.strictSame(faultsIn(withSecrets(world, given), keyName, [`createSecret ${nameIn(once, keyName)}`]), [])
  },
)
