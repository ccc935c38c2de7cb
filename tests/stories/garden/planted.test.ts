// Whoever may create Secrets in namespace garden, but not change them, cannot plant a Secret that a Garden would use. The policy alone, with
// all Secrets that a Garden has; tests/stories/garden/garden.test.ts tries it after each write of a Garden's life.
import t from 'tap'
import { gardenReferences } from '../../../shared/api/garden/references.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { generatedObjects } from '../../harness/clusters/generated-manifests.ts'
import { define } from '../../harness/clusters/test-definitions.ts'
import { person, whoMay } from '../../harness/garden/planter.ts'
import { matches, rejects } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { garden, sample } from '../../make/garden/garden.ts'
import { partsOf, worldOf } from '../../make/garden/garden-parts.ts'
import { secretsIn } from '../../make/garden/garden-secrets.ts'
import { namespaceOf } from '../../make/objects/namespaces.ts'

t.test(
  'GA-321 who may create Secrets in garden, and not change them, plants none under a name or label of a Garden',
  async t => {
    const cluster = await anyCluster(t, { own: true })
    const admin = clientTo(t, cluster)
    await admin.apply(namespaceOf('garden'), person)
    await define(admin, generatedObjects('crds', 'operator.gardener.cloud_gardens.yaml')[0] as KubeObject)
    for (const object of generatedObjects('webhooks', 'garden-secrets.yaml')) await admin.apply(object, person)
    const [planter, ...owners] = await Promise.all([
      whoMay(admin, 'planter', ['create', 'get', 'list', 'delete']),
      whoMay(admin, 'updater', ['create', 'update']),
      whoMay(admin, 'patcher', ['create', 'patch']),
    ])
    const created = (metadata: object, as = planter) =>
      as.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'garden', ...metadata } } as KubeObject, {
        ...person,
        dryRun: true,
      })
    const denied = /ValidatingAdmissionPolicy 'garden-secrets' with binding 'garden-secrets' denied request/
    const refused = (metadata: object) => rejects(t, created(metadata), { code: 403, message: denied })
    await eventually('the policy counts', () =>
      created({ name: 'gardener' }).then(
        () => false,
        () => true,
      ),
    )
    const world = worldOf(sample('garden-full'), { gates: [], isUp: true, runtimeMinor: 34 })
    const made = [...partsOf(world).runtime, ...secretsIn(world)].filter(
      ({ kind, metadata: { namespace, labels } }) =>
        kind === 'Secret' && namespace === 'garden' && labels !== undefined,
    )
    t.ok(made.length > 50, 'all that a Garden has in garden')
    for (const { metadata } of made) {
      await refused({ name: 'a', labels: metadata.labels })
      if (!metadata.name.startsWith('shoot-access-')) await refused({ name: metadata.name })
    }
    await refused({ generateName: 'a-', labels: { 'secrets-manager-use-data-for-name': 'ca' } })
    for (const owner of owners) matches(t, await created(made[0]?.metadata ?? {}, owner), { kind: 'Secret' })
    for (const name of ['audit-webhook', 'dns-12345', 'gardeners', 'shoot-access-me'])
      matches(t, await created({ name, labels: { app: 'a' } }), { kind: 'Secret' })
    await refused({ name: 'ca-3b1f0a9c-d66f7' })
    const post = (metadata: object) =>
      planter.raw({
        ...{ method: 'POST', path: '/api/v1/namespaces/garden/secrets?dryRun=All' },
        body: { apiVersion: 'v1', kind: 'Secret', metadata },
      })
    const forOwners = 'for those who may update objects of this kind in namespace garden'
    const name = `names that end in a digest such as -3b1f0a9c or -3b1f0a9c-d66f7 are ${forOwners}; choose another name`
    await rejects(t, post({ name: 'ca-3b1f0a9c' }), new RegExp(name))
    const labels = new RegExp(`resources.gardener.cloud/purpose are ${forOwners}; leave them out`)
    await rejects(t, post({ name: 'a', labels: { 'gardener.cloud/role': 'garden-cert' } }), labels)
  },
)

t.test('GA-383 who may only create Secrets and ConfigMaps in garden makes none that a Garden names', async t => {
  const cluster = await anyCluster(t, { own: true })
  const admin = clientTo(t, cluster)
  await admin.apply(namespaceOf('garden'), person)
  await define(admin, generatedObjects('crds', 'operator.gardener.cloud_gardens.yaml')[0] as KubeObject)
  for (const object of generatedObjects('webhooks', 'garden-secrets.yaml')) await admin.apply(object, person)
  const both = ['secrets', 'configmaps']
  const planter = await whoMay(admin, 'planter', ['create'], both)
  const owners = [
    await whoMay(admin, 'updater', ['create', 'update'], both),
    await whoMay(admin, 'patcher', ['create', 'patch'], both),
  ]
  const created = (kind: string, name: string, as = planter) =>
    as.create({ apiVersion: 'v1', kind, metadata: { namespace: 'garden', name } }, { ...person, dryRun: true }).then(
      () => 'created',
      ({ code, message }) => `${code} ${message}`,
    )
  const references = gardenReferences(sample('garden-full'))
  t.equal(references.length, 22)
  const smallest = await admin.create(garden({ metadata: { name: 'garden' } }), person)
  await eventually('the policies count', async () => (await created('ConfigMap', 'a-3b1f0a9c')).startsWith('403'))
  for (const { kind, name } of references) t.equal(await created(kind, name), 'created', `nothing names ${name}`)
  await admin.delete(refOf(smallest), {})
  await admin.create(sample('garden-full'), person)
  const denied = /^403 .*ValidatingAdmissionPolicy 'garden-references' with binding 'garden-references' denied request/
  await eventually('the Garden counts', async () => denied.test(await created('Secret', 'audit-kubeconfig')))
  for (const { kind, name } of references) {
    t.ok(denied.test(await created(kind, name)), `${kind} ${name}`)
    for (const owner of owners) t.equal(await created(kind, name, owner), 'created', `${kind} ${name}`)
  }
  const reason =
    'metadata.name: the Garden names this object, so it is for those who may update objects of this kind in namespace garden'
  t.ok((await created('ConfigMap', 'audit-policy')).includes(reason))
  for (const kind of ['Secret', 'ConfigMap']) t.equal(await created(kind, 'mine'), 'created')
})

t.test('GA-323 namespace garden stays as long as there is a Garden', async t => {
  const cluster = await anyCluster(t, { own: true })
  const admin = clientTo(t, cluster)
  await admin.apply(namespaceOf('garden'), person)
  await define(admin, generatedObjects('crds', 'operator.gardener.cloud_gardens.yaml')[0] as KubeObject)
  for (const object of generatedObjects('webhooks', 'garden-namespace.yaml')) await admin.apply(object, person)
  const deleted = (name: string) =>
    admin.delete({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name }, { dryRun: true }).then(
      () => 'allowed',
      ({ code, message }) => `${code} ${message}`,
    )
  const settled = (name: string, expected: RegExp) =>
    eventually(`namespace ${name}: ${expected}`, async () => expected.test(await deleted(name)))
  await settled('garden', /^allowed$/)
  const made = await admin.create(garden({ metadata: { name: 'garden' } }), person)
  const sentence =
    'deletion of namespace "garden" is forbidden while a Garden resource exists - delete it first before deleting the namespace'
  await settled('garden', new RegExp(`^403 .*${sentence}`))
  await settled(cluster.namespace, /^allowed$/)
  await admin.delete(refOf(made), {})
  await settled('garden', /^allowed$/)
})
