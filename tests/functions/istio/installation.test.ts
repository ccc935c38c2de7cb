// What is installed and in which order, when it may be, and what it says while it is under way.
import t from 'tap'
import { chartsOf } from '../../../functions/istio/desired/desired-chart.ts'
import { installationManifests } from '../../../functions/istio/desired/manifests.ts'
import { heldText, installationFinding, processingSince } from '../../../functions/istio/rules/installation-progress.ts'
import { foreignObject, installationOptions } from '../../../functions/istio/rules/installed-objects.ts'
import { chartsFault } from '../../../functions/istio/rules/version.ts'
import { istioNames } from '../../../shared/api/istio/names.ts'
import { itemsOf, objectKey } from '../../../shared/component/item.ts'
import type { DependentsStatus } from '../../../shared/component/reported/dependents-status.ts'
import type { World as EngineWorld } from '../../../shared/component/world.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { matches } from '../../harness/matches.ts'
import { istio, istiod, istioWorld, told } from '../../make/istio/istio.ts'
import { renderedChart } from '../../make/istio/istio-charts.ts'
import { chartFor, operatorFor } from '../../make/istio/istio-operator.ts'

const version = '1.30.2-distroless'
const operator = operatorFor({})

const manifests = (change: Partial<Parameters<typeof installationManifests>[0]> = {}): KubeObject[] =>
  installationManifests({
    version,
    webhooks: [],
    hasPriorityClass: false,
    charts: ['base', 'istio-control/istio-discovery', 'default'].map(directory => {
      const desired = chartFor(operator, directory)
      return { objects: renderedChart(desired), order: desired.order, component: desired.component }
    }),
    ...change,
  })

const find = (objects: readonly KubeObject[], kind: string, name: string): KubeObject | undefined =>
  objects.find(object => object.kind === kind && object.metadata.name === name)

const annotation = (object: KubeObject | undefined, key: string) =>
  object?.metadata.annotations?.[`${istioNames.prefix}/${key}`]

t.test(
  'IS-105 the engine keeps an installation with these options; definitions go after workloads, the namespace last',
  async t => {
    const webhooks = { 'MutatingWebhookConfiguration.admissionregistration.k8s.io': -10 }
    t.strictSame(installationOptions, {
      fieldOwner: 'istio-operator',
      finalizer: 'istios.operator.kyma-project.io/istio-installation',
      adoptionPolicy: 'Always',
      updatePolicy: 'SsaOverride',
      reclaimedManagers: ['helm', 'kubectl-client-side-apply'],
      reapplyInterval: '8760h',
      crdFinalizers: false,
      deletionBlockers: 'none',
      deletePriorities: {
        ...webhooks,
        'ValidatingWebhookConfiguration.admissionregistration.k8s.io': -10,
        'CustomResourceDefinition.apiextensions.k8s.io': 10,
        Namespace: 20,
      },
    })
    const objects = manifests()
    const definition = find(objects, 'CustomResourceDefinition', 'gateways.networking.istio.io')
    t.equal(definition?.metadata.finalizers, undefined)
    t.equal(annotation(definition, 'delete-order'), '10')
    t.equal(annotation(find(objects, 'Namespace', 'istio-system'), 'delete-order'), '20')
    t.equal(annotation(find(objects, 'Deployment', 'istiod'), 'delete-order'), '0')
    t.equal(annotation(find(objects, 'MutatingWebhookConfiguration', 'istio-sidecar-injector'), 'delete-order'), '-10')
  },
)

t.test('waves: the control plane with all that it needs, then the gateways and the default tag', async t => {
  const objects = manifests()
  const order = (kind: string, name: string) => annotation(find(objects, kind, name), 'apply-order')
  t.equal(order('Namespace', 'istio-system'), '0')
  t.equal(order('PriorityClass', 'istio-kyma-priority'), '0')
  t.equal(order('CustomResourceDefinition', 'gateways.networking.istio.io'), '0')
  t.equal(order('Deployment', 'istiod'), '0')
  t.equal(order('MutatingWebhookConfiguration', 'istio-revision-tag-default'), '10')
  t.equal(find(objects, 'PriorityClass', 'istio-kyma-priority')?.value, 2_100_000)
  t.equal(find(manifests({ hasPriorityClass: true }), 'PriorityClass', 'istio-kyma-priority'), undefined)
})

t.test('IS-35 objects of charts have the labels of Istio and of the module, their Pods that of the module', async t => {
  matches(t, find(manifests(), 'Deployment', 'istiod'), {
    metadata: {
      labels: {
        app: 'istiod',
        [istioNames.labels.module]: 'istio',
        'operator.istio.io/managed': 'Reconcile',
        'operator.istio.io/version': version,
        'operator.istio.io/component': 'Pilot',
        'istio.io/rev': 'default',
        'install.operator.istio.io/owning-resource': 'default-operator',
        'install.operator.istio.io/owning-resource-namespace': 'istio-system',
      },
    },
    spec: { template: { metadata: { labels: { app: 'istiod', [istioNames.labels.module]: 'istio' } } } },
  })
  matches(t, find(manifests(), 'CustomResourceDefinition', 'gateways.networking.istio.io'), {
    metadata: { labels: { 'operator.istio.io/component': 'Base' } },
  })
})

t.test(
  "IS-36 the injector's webhook is declared as active until the webhook of the tag exists, and as inactive from then on",
  async t => {
    const declared = (webhooks: readonly KubeObject[]) =>
      find(manifests({ webhooks }), 'MutatingWebhookConfiguration', 'istio-sidecar-injector')?.webhooks as KubeObject[]
    const atWork = declared([])
    const tag = find(manifests(), 'MutatingWebhookConfiguration', 'istio-revision-tag-default')
    t.equal(atWork.length, 4)
    t.ok(atWork.every(({ namespaceSelector }) => JSON.stringify(namespaceSelector).includes('istio-injection')))
    const injector = find(manifests(), 'MutatingWebhookConfiguration', 'istio-sidecar-injector')
    const selectors = ({ namespaceSelector, objectSelector }: KubeObject) => ({ namespaceSelector, objectSelector })
    t.strictSame(
      declared(injector ? [injector] : []).map(selectors),
      atWork.map(selectors),
      'killed before the tag was made',
    )
    const never = { matchLabels: { 'istio.io/deactivated': 'never-match' } }
    t.strictSame(
      declared(tag ? [tag] : []).map(selectors),
      atWork.map(() => ({ namespaceSelector: never, objectSelector: never })),
    )
  },
)

t.test('IS-37 a webhook is declared with the failure policy that it has in the cluster', async t => {
  const validator = (webhooks: readonly KubeObject[]) =>
    find(manifests({ webhooks }), 'ValidatingWebhookConfiguration', 'istiod-default-validator')
  const rendered = validator([])
  matches(t, rendered?.webhooks, (found: [KubeObject]) => found[0].failurePolicy === 'Ignore')
  const [webhook] = (rendered?.webhooks ?? []) as object[]
  const live = { ...rendered, webhooks: [{ ...webhook, failurePolicy: 'Fail' }] } as KubeObject
  matches(t, validator([live])?.webhooks, (found: [KubeObject]) => found[0].failurePolicy === 'Fail')
})

t.test('IS-32 Kubernetes before 1.32 and charts of another minor version are refused', async t => {
  const about = { version: '1.30.0', target: version, kubernetes: 'v1.32.0' }
  t.equal(chartsFault(about), undefined)
  t.equal(chartsFault({ ...about, version: '1.0.0' }), undefined, 'of a source tree')
  t.equal(
    chartsFault({ ...about, kubernetes: 'v1.31.9' }),
    'Kubernetes v1.31.9 is older than 1.32, the oldest version that Istio supports',
  )
  for (const other of ['1.29.3', '2.30.2'])
    t.equal(
      chartsFault({ ...about, version: other }),
      `the charts are of Istio ${other}, but the images are of Istio 1.30.2-distroless`,
    )
})

t.test('IS-123 objects in charts that do not belong to the mesh are found', async t => {
  const object = (apiVersion: string, kind: string, name: string, namespace?: string): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
  })
  const foreign = [
    object('v1', 'ConfigMap', 'x', 'kyma-system'),
    object('v1', 'Namespace', 'kyma-system'),
    object('operator.kyma-project.io/v1beta2', 'Kyma', 'x', 'istio-system'),
    object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'istios.operator.kyma-project.io'),
  ]
  const own = [
    ...['istio-system', 'gateways', '', undefined].map(namespace => object('v1', 'Service', 'x', namespace)),
    ...['istio-system', 'gateways'].map(name => object('v1', 'Namespace', name)),
    object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'gateways.networking.istio.io'),
    object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'x'),
  ]
  t.equal(foreignObject(own, 'gateways'), undefined)
  for (const one of foreign)
    matches(
      t,
      foreignObject([...own, one], 'gateways'),
      new RegExp(`contain ${one.kind} .*${one.metadata.name}, which`),
    )
  for (const desired of chartsOf(operatorFor({ components: { egressGateway: { enabled: true } } })))
    t.equal(foreignObject(renderedChart(desired), desired.namespace), undefined, desired.directory)
})

t.test('IS-19 the time that an installation may take begins again when something else is to be installed', async t => {
  const now = new Date('2026-01-02T03:04:05Z')
  const before = '2026-01-02T03:00:00Z'
  const since = (change: { hasChanged?: boolean; ready?: boolean }, one = istio()) =>
    processingSince(one, { ...standing, ...change }, now)
  const begun = istio({ status: { state: 'Processing', installation: { processingSince: before } } })
  t.equal(since({}), '2026-01-02T03:04:05Z')
  t.equal(since({}, begun), before)
  t.equal(since({ hasChanged: true }, begun), '2026-01-02T03:04:05Z')
  t.equal(since({ ready: true }, begun), undefined)
})

t.test('IS-304 a time in the status that lies an hour ahead, or is none, counts as now', async t => {
  const now = new Date('2026-01-02T03:04:05Z')
  for (const processed of ['2026-01-02T04:04:05Z', 'soon', '']) {
    const begun = istio({ status: { state: 'Processing', installation: { processingSince: processed } } })
    t.equal(processingSince(begun, standing, now), '2026-01-02T03:04:05Z', processed)
  }
  const slow = istio({ status: { state: 'Processing', installation: { processingSince: '2026-01-02T03:04:35Z' } } })
  t.equal(processingSince(slow, standing, now), '2026-01-02T03:04:35Z', 'clocks may differ')
})

const standing: DependentsStatus = {
  items: [],
  ready: false,
  hasChanged: false,
  unready: [],
  failed: [],
  redundant: [],
  blocked: [],
  errors: [],
  next: { is: 'settled' },
}

t.test('IS-302 an object of the installation that somebody deleted is named with what holds it', async t => {
  const object = (kind: string, metadata: object, more: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name: 'istio-system', namespace: '', ...metadata },
    ...more,
  })
  const conditions = [{ type: 'NamespaceFinalizersRemaining', status: 'True', message: 'x in 1 resource instances' }]
  const namespace = object('Namespace', { deletionTimestamp: '2026-01-02T03:00:00Z' }, { status: { conditions } })
  const configMap = object('ConfigMap', { name: 'istio', namespace: 'istio-system' })
  const live = new Map([namespace, configMap].map(one => [objectKey(one), one]))
  const items = itemsOf(
    [namespace, configMap].map(({ kind, metadata: { name, namespace } }) => ({
      ...{ group: '', version: 'v1', kind, name, namespace, digest: 'd', lastAppliedAt: '2026-01-02T02:00:00Z' },
      ...{ phase: 'Ready', status: kind === 'ConfigMap' ? 'Current' : 'Terminating' },
    })),
  )
  const dependents = { observed: { live } } as unknown as EngineWorld
  const finding = (since: string, late = [namespace, configMap]) => {
    const unready = late.map(one => ({ ref: refOf(one), message: '' }))
    const now = new Date('2026-01-02T03:10:00Z')
    return installationFinding({ ...standing, items, unready }, { dependents, since, now, installSeconds: 360 })
  }
  const ending = 'being deleted: Namespace istio-system (x in 1 resource instances)'
  matches(t, finding('2026-01-02T03:09:00Z'), { state: 'Processing', detail: `1 of 2 objects ready; ${ending}` })
  const error = `Could not install Istio: Istio installation resulted in an error: ${ending}`
  const [late, alone] = [finding('2026-01-02T03:00:00Z'), finding('2026-01-02T03:00:00Z', [namespace])]
  t.equal(late?.description, `${error}; not ready: ConfigMap istio-system/istio`)
  matches(t, alone, { state: 'Error', description: error })
})

t.test('IS-100 an istiod that a Garden keeps is left alone until the Garden lets go of it', async t => {
  const held = istiod('1.30.2')
  held.metadata.annotations = { 'resources.gardener.cloud/origin': 'garden/istio-system' }
  const fresh = istio({ metadata: { finalizers: [] } })
  const refused = told(istioWorld({ istio: fresh, facts: { ownership: { istiod: held } } }))
  t.strictSame(refused.plan.steps, [])
  matches(t, refused, {
    status: {
      state: 'Error',
      description:
        'Could not install Istio: Deployment istio-system/istiod belongs to ManagedResource garden/istio-system',
    },
    next: { is: 'failed' },
  })
  const reason = (refused.status.conditions as { type: string; reason: string }[]).find(({ type }) => type === 'Ready')
  t.equal(reason?.reason, 'IstioInstallUninstallFailed')
  const ours = structuredClone(held)
  ours.metadata.labels = { [`${istioNames.prefix}/owner-id`]: 'abc' }
  for (const free of [istiod('1.30.2'), ours])
    matches(t, told(istioWorld({ istio: fresh, facts: { ownership: { istiod: free } } })).plan.steps, [
      { do: 'addFinalizer' },
    ])
})

t.test('IS-122 an object that is being deleted is named with the finalizers that hold it', async t => {
  const going = { deletionTimestamp: '2026-01-02T00:00:00Z' }
  const held = (metadata: object, ...conditions: object[]) =>
    heldText({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'istio-system', ...metadata },
      status: { conditions },
    })
  const condition = (type: string, status = 'True') => ({ type, status, message: `of ${type}` })
  t.equal(held({ finalizers: ['x'] }), undefined, 'it is not being deleted')
  t.equal(held(going), 'Namespace istio-system')
  t.equal(held({ ...going, finalizers: ['x', 'y'] }), 'Namespace istio-system (finalizers x y)')
  const [content, finalizers] = [condition('NamespaceContentRemaining'), condition('NamespaceFinalizersRemaining')]
  t.equal(held({ ...going, finalizers: ['x'] }, content), 'Namespace istio-system (of NamespaceContentRemaining)')
  t.equal(held(going, content, finalizers), 'Namespace istio-system (of NamespaceFinalizersRemaining)')
  t.equal(held(going, condition('Terminating')), 'Namespace istio-system (of Terminating)')
  t.equal(held(going, condition('Terminating', 'False'), condition('Ready')), 'Namespace istio-system')
})
