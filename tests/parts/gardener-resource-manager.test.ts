// gardener-resource-manager itself, as the generated Deployments tell it to be, applies what is in our ManagedResources, in a real runtime
// cluster and in a virtual garden that is a real API server, and makes the tokens for programs of ours.
import t from 'tap'
import { mapOrEmpty, mapsIn } from '../../shared/core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../shared/core/objects/object.ts'
import { partRelease } from '../harness/control-plane/binaries.ts'
import { eventually, until } from '../harness/until.ts'
import { sample } from '../make/garden/garden.ts'
import { gardenInstallation } from './garden-installation.ts'

/** Four rollouts of kube-apiserver and its clients take minutes on a machine of two cores. */
const patienceSeconds = 900
const person = { fieldManager: 'person' }
const gardenRef = { apiVersion: 'operator.gardener.cloud/v1alpha1', kind: 'Garden', namespace: '', name: 'garden' }
const managedResources = { apiVersion: 'resources.gardener.cloud/v1alpha1', kind: 'ManagedResource' }
const ours = 'operator.gardener.cloud/managed-by=garden-reconcile'

const installed = await gardenInstallation(t)
const { runtime } = installed
t.comment(`gardener-resource-manager ${partRelease('gardener-resource-manager')}`)

const lastOperation = async () => mapOrEmpty(mapOrEmpty((await runtime.get(gardenRef))?.status).lastOperation)
const isDone = async () => (await lastOperation()).state === 'Succeeded'

/** What is not as it should be: `plutono: ResourcesHealthy: Deployment "garden/plutono" is missing`. */
const complaints = ({ metadata, status }: KubeObject): string[] => {
  const conditions = mapsIn(mapOrEmpty(status).conditions)
  const expected = { ResourcesApplied: 'True', ResourcesHealthy: 'True', ResourcesProgressing: 'False' }
  return Object.entries(expected).flatMap(([type, value]) => {
    const found = conditions.find(condition => condition.type === type)
    return found?.status === value ? [] : `${metadata.name}: ${type}: ${String(found?.message)}`
  })
}

t.test('every ManagedResource of a Garden is applied and healthy, and the Garden succeeds', async t => {
  await installed.apply(sample('garden'))
  const done = await until(isDone, Boolean, patienceSeconds)
  const found = await runtime.list(managedResources)
  t.ok(done, JSON.stringify(await lastOperation()))
  t.equal(found.length, 26, found.map(({ metadata }) => metadata.name).join())
  t.strictSame(
    await until(
      async () => (await runtime.list(managedResources)).flatMap(complaints),
      all => all.length === 0,
    ),
    [],
  )
})

const secretsAskingForTokens = () =>
  runtime.list({
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'garden',
    withManagedFields: true,
    labelSelector: 'resources.gardener.cloud/purpose=token-requestor',
  })

t.test('every program of ours has a token, and the API server of the virtual garden takes it', async t => {
  const asking = await secretsAskingForTokens()
  t.ok(asking.length >= 8, asking.map(({ metadata }) => metadata.name).join())
  for (const { metadata, data } of asking) {
    const text = (key: string) => Buffer.from(String(mapOrEmpty(data)[key] ?? ''), 'base64').toString()
    const token = text('token') || /^ *token: (.*)$/m.exec(text('kubeconfig'))?.[1] || ''
    const account = metadata.annotations?.['serviceaccount.resources.gardener.cloud/name']
    t.equal(await installed.userOf(token), `system:serviceaccount:kube-system:${account}`, metadata.name)
  }
})

t.test('its webhooks answer in the runtime cluster: Pods have tokens that end, and replicas are as we say', async t => {
  const pods = (await runtime.list({ apiVersion: 'v1', kind: 'Pod', namespace: 'garden' })).filter(({ metadata }) =>
    metadata.name.startsWith('etcd-druid-'),
  )
  t.ok(pods.length > 0)
  for (const { spec } of pods)
    t.ok(mapsIn(mapOrEmpty(spec).volumes).some(({ name }) => name === 'kube-api-access-gardener'))
  const deployment: ObjectRef = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'garden', name: '' }
  const replicasOf = async (name: string) => mapOrEmpty((await runtime.get({ ...deployment, name }))?.spec).replicas
  t.equal(await replicasOf('virtual-garden-kube-controller-manager'), 1)
  t.equal(await replicasOf('gardener-resource-manager'), 2)
})

t.test('another reconciliation changes nothing', async t => {
  const generations = async () =>
    (await runtime.list({ apiVersion: 'apps/v1', kind: 'Deployment', labelSelector: ours })).map(
      ({ metadata: { name, generation } }) => `${name} ${generation}`,
    )
  const before = await generations()
  const since = (await lastOperation()).lastUpdateTime
  const annotations = { 'gardener.cloud/operation': 'reconcile' }
  await runtime.patch(gardenRef, { type: 'merge', body: { metadata: { annotations } } }, person)
  await eventually(
    'it has been reconciled',
    async () => (await lastOperation()).lastUpdateTime !== since && (await isDone()),
  )
  t.strictSame(await generations(), before)
})
