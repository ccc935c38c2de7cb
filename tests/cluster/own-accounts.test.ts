// Every function at its work under its own generated account: what it needs and has not declared is refused here, by RBAC.
import { join } from 'node:path'
import t from 'tap'
import { functionNames, loadFunctions } from '../../functions/index.ts'
import { componentCrd } from '../../shared/api/component/crd.ts'
import { gardenCrd } from '../../shared/api/garden/spec.ts'
import { gardenKind } from '../../shared/api/garden.ts'
import { istioCrd } from '../../shared/api/istio/crd.ts'
import { istioKind } from '../../shared/api/istio.ts'
import { kymaCrds } from '../../shared/api/kyma/crds.ts'
import { kymaKind, manifestKind, moduleTemplateKind } from '../../shared/api/kyma.ts'
import type { AccessRule } from '../../shared/api/serverless.ts'
import type { Key, KubeObject } from '../../shared/core/objects/object.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { namespaces } from '../../shared/deploy/manifests/layouts.ts'
import type { RequestNote } from '../../shared/kube/client-types.ts'
import { clusters } from '../../shared/kube/clusters/clusters.ts'
import type { ProcessContext } from '../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { reconcile } from '../../shared/runtime/reconcile.ts'
import { apiClient } from '../harness/clients/api.ts'
import { mayDo, type Question } from '../harness/clusters/access-review.ts'
import { ownControlPlane } from '../harness/clusters/cluster.ts'
import { clientTo } from '../harness/clusters/cluster-client.ts'
import { generatedObjects } from '../harness/clusters/generated-manifests.ts'
import { serviceAccountKubeconfig } from '../harness/clusters/service-account.ts'
import { define, testCrd } from '../harness/clusters/test-definitions.ts'
import { callOf } from '../harness/component/orchards.ts'
import { until } from '../harness/until.ts'
import { component } from '../make/component/component.ts'
import { garden, referenced } from '../make/garden/garden.ts'
import { istioInstallation } from '../make/istio/istio.ts'
import { kyma, watcher } from '../make/kyma/kyma.ts'
import { mandatoryTemplate } from '../make/kyma/mandatory-modules.ts'
import { namespaceOf } from '../make/objects/namespaces.ts'
import { settingsWith } from '../make/settings.ts'

const home = 'espalier-system'
const settingsOf: ProcessContext['settingsOf'] = one =>
  settingsWith(one.name === 'istio' ? istioInstallation : { images: [] })(one)
const fieldManager = 'person'
const cluster = await ownControlPlane(t)

const people = clientTo(t, cluster)
const admin = apiClient(cluster, cluster.admin)
t.teardown(() => admin.close())
const put = (object: KubeObject) => people.apply(object, { fieldManager, force: true })

const configMap: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'kept', namespace: 'garden' },
  data: { key: 'value' },
}

/** In an order in which nobody is in anybody's way: once there are webhooks that nobody answers, no Garden can be written. */
const works: Readonly<Record<string, { key: Key; isDone(): Promise<unknown> }>> = {
  component: {
    key: { namespace: 'garden', name: 'kept' },
    isDone: () => people.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'garden', name: 'kept' }),
  },
  'garden-reference': {
    key: { namespace: '', name: 'garden' },
    isDone: async () =>
      (await people.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'garden', name: 'backup' }))?.metadata
        .finalizers,
  },
  'garden-care': {
    key: { namespace: '', name: 'garden' },
    isDone: async () => (await people.get({ ...gardenKind, namespace: '', name: 'garden' }))?.status,
  },
  'garden-reconcile': {
    key: { namespace: '', name: 'garden' },
    isDone: async () =>
      (await people.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'garden' }))?.metadata.labels?.[
        'operator.gardener.cloud/managed-by'
      ],
  },
  'garden-network-policy': {
    key: { namespace: '', name: 'default' },
    isDone: () =>
      people.get({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        namespace: 'garden',
        name: 'deny-all',
      }),
  },
  istio: {
    key: { namespace: 'kyma-system', name: 'default' },
    isDone: () => people.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'istio-system', name: 'istiod' }),
  },
  kyma: {
    key: { namespace: 'kcp-system', name: 'default-id' },
    isDone: async () => (await people.get({ ...kymaKind, namespace: 'kcp-system', name: 'default-id' }))?.status,
  },
  'mandatory-modules-delete': {
    key: { namespace: '', name: 'kcp-system' },
    isDone: async () =>
      (await people.get({ ...moduleTemplateKind, namespace: 'kcp-system', name: 'warden-1.0.0' }))?.metadata.finalizers,
  },
  'mandatory-modules-install': {
    key: { namespace: 'kcp-system', name: 'default-id' },
    isDone: () => people.get({ ...manifestKind, namespace: 'kcp-system', name: 'default-id-warden-641595061' }),
  },
  manifest: {
    key: { namespace: 'kcp-system', name: 'default-id-warden-641595061' },
    isDone: async () =>
      (await people.get({ ...manifestKind, namespace: 'kcp-system', name: 'default-id-warden-641595061' }))?.status,
  },
  purge: {
    key: { namespace: 'kcp-system', name: 'default-id' },
    isDone: async () =>
      (await people.get({ ...kymaKind, namespace: 'kcp-system', name: 'default-id' }))?.metadata.finalizers,
  },
  watcher: {
    key: { namespace: 'kcp-system', name: 'kyma-watcher' },
    isDone: () =>
      people.get({
        apiVersion: 'networking.istio.io/v1',
        kind: 'VirtualService',
        namespace: 'kcp-system',
        name: 'kyma-watcher',
      }),
  },
  'gateway-certificate': {
    key: { namespace: '', name: 'istio-system' },
    isDone: () =>
      people.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'istio-system', name: 'klm-istio-gateway' }),
  },
  'runtime-certificate': {
    key: { namespace: 'kcp-system', name: 'with-runtime' },
    isDone: () =>
      people.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'istio-system', name: 'with-runtime-webhook-tls' }),
  },
  'webhook-certificate': {
    key: { namespace: '', name: home },
    isDone: () =>
      people.get({ apiVersion: 'v1', kind: 'Secret', namespace: home, name: 'espalier-webhook-certificate' }),
  },
}

const furnish = async (): Promise<void> => {
  const made = ['managedresources', 'etcds', 'clusters', 'gateways', 'virtualservices'] as const
  for (const crd of [gardenCrd(), componentCrd(), istioCrd(), ...kymaCrds(), ...made.map(testCrd)])
    await define(people, crd as KubeObject)
  const spaces = namespaces(readLandscape(join(import.meta.dirname, '../../serverless.yml')))
  for (const object of spaces) await put(object)
  await put(namespaceOf('garden'))
  for (const name of functionNames) for (const object of generatedObjects('rbac', `${name}.yaml`)) await put(object)
  for (const { metadata } of spaces.filter(({ metadata }) => metadata.name !== home))
    for (const object of generatedObjects('namespaces', `${metadata.name}.yaml`)) await put(object)
  await put(referenced('Secret', 'backup'))
  await put(
    component({ name: 'kept', namespace: 'garden' }, { source: { manifests: [configMap] } }) as unknown as KubeObject,
  )
  await put({
    apiVersion: 'networking.istio.io/v1',
    kind: 'Gateway',
    metadata: { name: 'events', namespace: 'kcp-system', labels: { app: 'gateway' } },
    spec: { servers: [{ hosts: ['events.example.com'] }] },
  })
  await put({ ...istioKind, metadata: { name: 'default', namespace: 'kyma-system' }, spec: {} })
  await put(kyma({ spec: { remote: { enabled: false } } }))
  await put(kyma({ metadata: { name: 'with-runtime' } }))
  await put(mandatoryTemplate('warden', '1.0.0'))
  await put(watcher())
  const backup = { provider: 'local', bucketName: 'b', secretRef: { name: 'backup' } }
  await put(garden({ metadata: { name: 'garden' }, spec: { virtualCluster: { etcd: { main: { backup } } } } }))
}

const questionAbout = (
  name: string,
  { apiGroups, resources, verbs, namespaces, resourceNames }: AccessRule,
): Question => {
  const [resource = '', subresource] = (resources[0] ?? '').split('/')
  const [verb = '', group = ''] = [verbs[0], apiGroups[0]]
  const where = { namespace: namespaces?.[0], name: resourceNames?.[0] }
  return {
    user: `system:serviceaccount:${home}:${name}`,
    resourceAttributes: { verb, group, resource, subresource, ...where },
  }
}

/** One about each rule of each function. */
const questions = Object.entries(
  readLandscape(join(import.meta.dirname, '..', '..', 'serverless.yml')).functions,
).flatMap(([name, { access }]) => access.map(rule => questionAbout(name, rule)))

const refusedNow = async (): Promise<Question[]> => {
  const answers = await Promise.all(questions.map(question => mayDo(admin, question)))
  return questions.filter((_, at) => !answers[at])
}

t.test('FN-82 every function does its work under its own generated account', async t => {
  await furnish()
  // Roles and bindings count some moments after they were made, and nothing tells when.
  t.strictSame(await until(refusedNow, refused => refused.length === 0), [])
  const definitions = await loadFunctions()
  const reconcilers = definitions.filter((one): one is ReconcileFunction => one.does === 'reconcile')
  t.strictSame(reconcilers.map(({ name }) => name).toSorted(), Object.keys(works).toSorted(), 'none is left out')
  for (const [name, { key, isDone }] of Object.entries(works)) {
    const definition = reconcilers.find(one => one.name === name)
    if (!definition) continue
    if (name === 'webhook-certificate')
      for (const object of generatedObjects('webhooks', 'gardener-operator.yaml')) await put(object)
    const requests: RequestNote[] = []
    const kubeconfig = await serviceAccountKubeconfig(cluster, { namespace: home, name })
    const own = clientTo(t, { kubeconfig }, request => requests.push(request))
    for (let call = 1; call <= 3; call++) {
      const outcome = await reconcile(definition, key, { ...callOf(clusters({ local: own })), home, settingsOf })
      t.not(outcome.outcome, 'failed', `${name}: ${outcome.reason ?? outcome.outcome}`)
    }
    const refused = requests.filter(({ code }) => code === '403' || code === '401')
    t.strictSame(refused, [], `${name}: ${requests.length} requests`)
    t.ok(await isDone(), `${name} has done something`)
  }
})
