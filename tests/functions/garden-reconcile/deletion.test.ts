// A Garden in deletion, over clusters that hold some of what was made for it.
import t from 'tap'
import { parse, stringify } from 'yaml'
import { decide } from '../../../functions/garden-reconcile/decide.ts'
import { ownershipLabel } from '../../../functions/garden-reconcile/desired/parts/names.ts'
import { leavingDefinitions, sharedDefinitions } from '../../../functions/garden-reconcile/gather/runtime-objects.ts'
import { report } from '../../../functions/garden-reconcile/report.ts'
import { kindText } from '../../../functions/garden-reconcile/rules/objects.ts'
import { isOurs } from '../../../functions/garden-reconcile/rules/ownership.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { subjectOf } from '../../../shared/core/decisions/steps.ts'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { ListQuery } from '../../../shared/kube/client-types.ts'
import { SimulatedGarden } from '../../harness/garden/simulated-garden.ts'
import { matches } from '../../harness/matches.ts'
import { SimulatedWorld } from '../../harness/simulated/simulated-world.ts'
import { garden } from '../../make/garden/garden.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'

const now = new Date('2026-03-01T12:00:00Z')

const apiVersions: Readonly<Record<string, string>> = {
  ManagedResource: 'resources.gardener.cloud/v1alpha1',
  Etcd: 'druid.gardener.cloud/v1alpha1',
  Deployment: 'apps/v1',
  Gateway: 'networking.istio.io/v1beta1',
  CustomResourceDefinition: 'apiextensions.k8s.io/v1',
  PriorityClass: 'scheduling.k8s.io/v1',
}

/** `Deployment garden/a`, or `Namespace a`. */
const ours = (text: string): KubeObject => {
  const [kind = '', path = ''] = text.split(' ')
  const [name = '', namespace] = path.split('/').reverse()
  const metadata = { name, ...(namespace && { namespace }), labels: { ...ownershipLabel } }
  return { apiVersion: apiVersions[kind] ?? 'v1', kind, metadata }
}

const foreign = (text: string): KubeObject => {
  const object = ours(text)
  return { ...object, metadata: { ...object.metadata, labels: {} } }
}

const deleting = garden({
  metadata: { deletionTimestamp: '2026-03-01T12:00:00Z', finalizers: ['gardener.cloud/operator'] },
  status: {
    lastOperation: {
      type: 'Delete',
      state: 'Processing',
      progress: 0,
      description: 'Deletion of Garden cluster in progress.',
      lastUpdateTime: '2026-03-01T12:00:00Z',
    },
  },
} as never)

const planIn = (cluster: SimulatedWorld, sharedDefinitions: readonly string[] = []) => {
  const runtime = Map.groupBy(cluster.objects, kindText)
  const world = gardenWorld({ garden: deleting, runtime, sharedDefinitions })
  const plan = decide(world, now)
  return { plan, told: report(world, plan, [], now) }
}

const textOf = (step: Step): string => {
  const { kind, metadata } = subjectOf(step)
  return `${step.do} ${kind} ${metadata.name}`
}

/** All steps until nothing more happens. */
const goes = (cluster: SimulatedWorld, sharedDefinitions: readonly string[] = []): string[] => {
  const done: string[] = []
  for (let pass = 0; pass < 100; pass++) {
    const { steps } = planIn(cluster, sharedDefinitions).plan
    done.push(...steps.map(textOf))
    if (steps.length === 0 || steps.some(step => step.do === 'removeFinalizer')) break
    for (const step of steps) cluster.perform(step)
  }
  return done
}

const inOrder = [
  ...['plutono', 'gardener-scheduler-virtual', 'gardener-apiserver-runtime', 'garden-system-virtual'],
  ...['shoot-core-gardeneraccess', 'shoot-core-kube-controller-manager', 'shoot-core-gardener-resource-manager'],
].map(name => `ManagedResource garden/${name}`)
const all = [
  ...inOrder,
  ...['Deployment garden/virtual-garden-gardener-resource-manager', 'Gateway garden/virtual-garden-kube-apiserver'],
  ...['Deployment garden/virtual-garden-kube-apiserver', 'Etcd garden/virtual-garden-etcd-main'],
  ...['etcd-druid', 'vpa', 'nginx-ingress', 'fluent-bit', 'fluent-operator', 'vali'].map(
    name => `ManagedResource garden/${name}`,
  ),
  ...['ManagedResource istio-system/istio-system', 'Namespace istio-system', 'Namespace virtual-garden-istio-ingress'],
  ...['ManagedResource garden/garden-system', 'ManagedResource garden/something-else'],
  ...['Deployment garden/gardener-resource-manager', 'CustomResourceDefinition etcds.druid.gardener.cloud'],
  ...['Secret garden/ca-1'],
]

t.test('GA-86 a Garden goes row by row, its finalizer last', async t => {
  const cluster = new SimulatedWorld([
    ...all.toReversed().map(ours),
    ours('Namespace garden'),
    foreign('Secret garden/b'),
  ])
  const names = all.map(text => text.split(/[ /]/).at(-1))
  const steps = goes(cluster)
  t.strictSame(
    steps.filter(step => step.startsWith('delete ')).map(step => step.split(' ').at(-1)),
    names,
  )
  t.strictSame(steps.slice(-2), ['patch Namespace garden', 'removeFinalizer Garden garden'])
  t.strictSame(
    cluster.objects.map(({ kind, metadata }) => [kind, metadata.name, metadata.labels]),
    [
      ['Namespace', 'garden', {}],
      ['Secret', 'b', {}],
    ],
  )
  const begun = decide(gardenWorld({ garden: garden({ ...deleting, status: {} } as never) }), now)
  matches(t, begun.status, { lastOperation: { description: 'Deletion of Garden cluster in progress.' } })
})

t.test('GA-87 what is held is named, and nothing behind it goes', async t => {
  const held = ours('ManagedResource garden/plutono')
  held.metadata.finalizers = ['example.org/held']
  const cluster = new SimulatedWorld([held, ours('ManagedResource garden/gardener-apiserver-virtual')])
  t.strictSame(goes(cluster), ['delete ManagedResource plutono'])
  const { status, next } = planIn(cluster).told
  const wait = 'ManagedResource garden/plutono: is still being deleted'
  t.strictSame(next, { is: 'waiting', seconds: 5, for: wait })
  matches(t, status, {
    lastOperation: {
      type: 'Delete',
      state: 'Processing',
      description: `Deletion of Garden cluster in progress. Waiting for ${wait}`,
    },
  })
})

t.test('GA-88 an Etcd is confirmed, then deleted, and its operator stays until the last is gone', async t => {
  const etcd = ours('Etcd garden/virtual-garden-etcd-main')
  etcd.metadata.finalizers = ['druid.gardener.cloud/etcd']
  const cluster = new SimulatedWorld([ours('ManagedResource garden/etcd-druid'), etcd])
  const name = 'Etcd virtual-garden-etcd-main'
  t.strictSame(goes(cluster), [`patch ${name}`, `delete ${name}`])
  const [one] = cluster.objects.filter(({ kind }) => kind === 'Etcd')
  t.equal(one?.metadata.annotations?.['confirmation.gardener.cloud/deletion'], 'true')
  if (one) cluster.put({ ...one, metadata: { ...one.metadata, finalizers: [] } })
  t.ok(goes(cluster).includes('delete ManagedResource etcd-druid'))
})

const ofOrigin = (object: KubeObject, by: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [origin]: by } },
})

/** Of the ManagedResources in the runtime cluster, as the resource manager applies it. */
const contents = (cluster: SimulatedWorld): KubeObject[] =>
  cluster.objects
    .filter(({ kind, spec }) => kind === 'ManagedResource' && mapOrEmpty(spec).class)
    .flatMap(({ metadata: { namespace = '', name }, spec }) =>
      mapsIn(mapOrEmpty(spec).secretRefs)
        .map(ref => cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace, name: String(ref.name) }))
        .flatMap(secret => Object.values(mapOrEmpty(secret?.data)))
        .map(text => ofOrigin(parse(Buffer.from(String(text), 'base64').toString()), `${namespace}/${name}`)),
    )

/** It goes with its ManagedResource. */
const contentsFollow = (cluster: SimulatedWorld): void => {
  const { objects } = cluster
  const managed = objects.filter(({ kind }) => kind === 'ManagedResource')
  const origins = new Set(managed.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`))
  for (const object of objects) {
    const by = object.metadata.annotations?.[origin]
    if (by && !origins.has(by)) cluster.delete(refOf(object))
  }
}

const origin = 'resources.gardener.cloud/origin'
const managedResourceKind = { apiVersion: 'resources.gardener.cloud/v1alpha1', kind: 'ManagedResource' }

/** A whole Garden, and what others have in its cluster. */
const broughtUp = (others: readonly KubeObject[]): SimulatedWorld => {
  const simulated = new SimulatedGarden(garden({ metadata: { generation: 1 } } as never), others)
  for (let pass = 0; pass < 80; pass++) {
    const done = simulated.pass()
    simulated.grow()
    if (done?.steps.length === 0 && done.next.is === 'settled') break
  }
  t.equal(simulated.garden?.status?.lastOperation?.state, 'Succeeded')
  for (const object of contents(simulated.cluster)) simulated.cluster.put(object)
  return simulated.cluster
}

/** What garden-reconcile reads of the cluster, and does next. */
const planNow = async (cluster: SimulatedWorld) => {
  const { objects } = cluster
  const runtime = Map.groupBy(objects.filter(isOurs), kindText)
  const isServed = objects.some(({ metadata }) => metadata.name === 'managedresources.resources.gardener.cloud')
  const kind = kindText(managedResourceKind)
  if (isServed && !runtime.has(kind)) runtime.set(kind, [])
  const list = async ({ kind, keep }: ListQuery) =>
    objects.filter(object => object.kind === kind).flatMap(object => keep?.(object) ?? [])
  const world = gardenWorld({ garden: deleting, runtime })
  const shared = await sharedDefinitions({ ...cluster.reads, list }, leavingDefinitions(world))
  return decide({ ...world, sharedDefinitions: shared }, now)
}

/** Until the finalizer goes; of passes that give something away only some steps are performed. */
const taken = async (cluster: SimulatedWorld, performed: (steps: readonly Step[]) => readonly Step[]) => {
  for (let pass = 0; pass < 1_000; pass++) {
    const { steps } = await planNow(cluster)
    if (steps.some(step => step.do === 'removeFinalizer')) return
    if (steps.length === 0) break
    const isGiving = steps.every(step => step.do === 'patch')
    for (const step of isGiving ? performed(steps) : steps) cluster.perform(step)
    contentsFollow(cluster)
  }
  throw new Error('it does not end')
}

const textsOf = (objects: readonly KubeObject[]) => objects.map(object => refText(refOf(object))).sort()

/** Names of Secrets, ConfigMaps and priorities that workloads and ManagedResources refer to. */
const referredBy = (object: KubeObject): string[] =>
  [...JSON.stringify(object).matchAll(/"(?:secretName|priorityClassName|(?:secret|configMap)":{"name)":"([^"]*)"/g)]
    .map(([, name = '']) => name)
    .filter(name => name !== 'kube-root-ca.crt')

const wholeness = (cluster: SimulatedWorld): string[] => {
  const names = new Set(cluster.objects.map(({ metadata }) => metadata.name))
  const secrets = cluster.objects.flatMap(({ kind, spec }) =>
    kind === 'ManagedResource' ? mapsIn(mapOrEmpty(spec).secretRefs).map(({ name }) => String(name)) : [],
  )
  return [...secrets, ...cluster.objects.flatMap(referredBy)].filter(name => !names.has(name))
}

const ofSeed = ['ManagedResource garden/of-gardenlet', 'Etcd shoot--a/main', 'Deployment garden/gardenlet'].map(foreign)
const scaled: KubeObject = {
  apiVersion: 'autoscaling.k8s.io/v1',
  kind: 'VerticalPodAutoscaler',
  metadata: { name: 'of-people', namespace: 'default' },
}

const besideSeed = broughtUp([...ofSeed, scaled]).objects

for (const [told, performed] of [
  ['', (steps: readonly Step[]) => steps],
  [', interrupted after each first step', (steps: readonly Step[]) => steps.slice(0, 1)],
  [', interrupted after each last step', (steps: readonly Step[]) => steps.slice(-1)],
] as const)
  t.test(`GA-165 what a Seed in the same cluster has and needs stays, and stays whole${told}`, async t => {
    const cluster = new SimulatedWorld(besideSeed)
    await taken(cluster, performed)
    for (const object of [...ofSeed, scaled])
      t.strictSame(cluster.get(refOf(object))?.metadata.labels ?? {}, {}, refText(refOf(object)))
    const left = cluster.objects.filter(({ kind }) => kind !== 'Garden')
    t.strictSame(textsOf(left.filter(({ kind }) => kind === 'ManagedResource')), [
      ...['etcd-druid', 'garden-system', 'of-gardenlet', 'vpa'].map(name => `ManagedResource garden/${name}`),
    ])
    t.strictSame(
      textsOf(left.filter(({ kind }) => kind === 'Deployment')),
      [
        ...['etcd-druid', 'gardener-resource-manager', 'gardenlet', 'vpa-admission-controller', 'vpa-recommender'],
        'vpa-updater',
      ].map(name => `Deployment garden/${name}`),
    )
    t.strictSame(
      textsOf(left.filter(({ kind }) => kind === 'CustomResourceDefinition')),
      [
        ...['etcdcopybackupstasks.druid.gardener.cloud', 'etcds.druid.gardener.cloud'],
        'managedresources.resources.gardener.cloud',
        ...['verticalpodautoscalercheckpoints.autoscaling.k8s.io', 'verticalpodautoscalers.autoscaling.k8s.io'],
      ].map(name => `CustomResourceDefinition ${name}`),
    )
    t.strictSame(wholeness(cluster), [])
    const secrets = left.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name)
    t.strictSame(secrets.map(name => name.replace(/-[0-9a-f]{8}$/, '')).sort(), [
      ...['ca-garden-runtime-bundle', 'gardener-resource-manager-server', 'managedresource-etcd-druid'],
      ...['managedresource-garden-system', 'managedresource-vpa', 'vpa-admission-controller-server'],
    ])
    t.strictSame(textsOf(left.filter(object => isOurs(object) && !object.metadata.annotations?.[origin])), [])
  })

t.test('GA-165 a Garden that nobody shares anything with leaves nothing but its namespace', async t => {
  const cluster = broughtUp([])
  await taken(cluster, steps => steps)
  t.strictSame(textsOf(cluster.objects.filter(({ kind }) => kind !== 'Garden')), ['Namespace garden'])
})

const encoded = (value: unknown): string => Buffer.from(stringify(value)).toString('base64')

const withSpec = (object: KubeObject, spec: object): KubeObject => ({ ...object, spec })

/** Names are given in each way in which a Pod can. */
const pods = (named: (field: string) => string) => ({
  template: {
    spec: {
      priorityClassName: named('priority'),
      serviceAccountName: named('account'),
      imagePullSecrets: [{ name: named('pulled') }],
      volumes: [
        { name: 'volume', secret: { secretName: named('secret-volume') } },
        { name: 'volume', configMap: { name: named('map-volume') } },
        {
          name: 'volume',
          projected: {
            sources: [{ secret: { name: named('secret-part') } }, { configMap: { name: named('map-part') } }],
          },
        },
      ],
      initContainers: [
        {
          env: [{ name: 'env', valueFrom: { secretKeyRef: { name: named('secret-key'), key: 'key' } } }],
          envFrom: [{ secretRef: { name: named('secret-env') } }],
        },
      ],
      containers: [
        {
          name: 'container',
          args: ['name: mere-text'],
          env: [{ name: 'env', valueFrom: { configMapKeyRef: { name: named('map-key'), key: 'key' } } }],
          envFrom: [{ configMapRef: { name: named('map-env') } }],
        },
      ],
    },
  },
})

const secretsOfPods = ['pulled', 'secret-volume', 'secret-part', 'secret-key', 'secret-env']
const mapsOfPods = ['map-volume', 'map-part', 'map-key', 'map-env']
const namedByPods = (prefix: string): string[] => [
  ...[`PriorityClass ${prefix}priority`, `ServiceAccount garden/${prefix}account`],
  ...secretsOfPods.map(name => `Secret garden/${prefix}${name}`),
  ...mapsOfPods.map(name => `ConfigMap garden/${prefix}${name}`),
]

/** Nothing of them is referred to: another kind, another namespace, or the name stands in some other field or text. */
const alike = [
  ...secretsOfPods.flatMap(name => [`ConfigMap garden/${name}`, `Secret elsewhere/${name}`]),
  ...mapsOfPods.flatMap(name => [`Secret garden/${name}`, `ConfigMap elsewhere/${name}`]),
  ...[
    'Secret garden/priority',
    'PriorityClass account',
    'ServiceAccount elsewhere/account',
    'Secret elsewhere/contents',
  ],
  ...['mere-text', 'volume', 'env', 'container', 'in-another'].map(name => `Secret garden/${name}`),
]

const withContents = (name: string, ...contents: readonly unknown[]): KubeObject => ({
  ...ours(`Secret garden/${name}`),
  data: Object.fromEntries(contents.map((content, index) => [`${index}.yaml`, encoded(content)])),
})

t.test('GA-210 of what is ours only what something kept refers to is kept with it', async t => {
  const inContents = { ...foreign('Deployment garden/content'), spec: pods(field => `c-${field}`) }
  const cluster = new SimulatedWorld([
    withSpec(ours('ManagedResource garden/etcd-druid'), { secretRefs: [{ name: 'contents' }] }),
    withContents('contents', 'name: mere-text', inContents, { name: 'mere-text' }),
    withSpec(
      ours('Deployment garden/gardener-resource-manager'),
      pods(field => field),
    ),
    // Its content is not that of a ManagedResource.
    withContents('secret-volume', { ...inContents, spec: pods(() => 'in-another') }),
    ...[...namedByPods('').filter(text => text !== 'Secret garden/secret-volume'), ...namedByPods('c-'), ...alike].map(
      ours,
    ),
  ])
  const steps = goes(cluster, ['etcds.druid.gardener.cloud', 'managedresources.resources.gardener.cloud'])
  const left = textsOf(cluster.objects)
  t.strictSame(
    left,
    [
      ...['ManagedResource garden/etcd-druid', 'Secret garden/contents', 'Deployment garden/gardener-resource-manager'],
      ...[...namedByPods(''), ...namedByPods('c-')],
    ].sort(),
  )
  t.strictSame(cluster.objects.filter(isOurs), [])
  const at = (name: string) => steps.findIndex(step => step.startsWith('patch ') && step.endsWith(` ${name}`))
  t.ok(at('c-secret-key') < at('contents') && at('contents') < at('etcd-druid'), 'what is needed is released first')
  t.equal(steps.filter(step => step.startsWith('delete ')).length, alike.length)
})

t.test('GA-165 what is kept is told, and a protected kind that goes is confirmed', async t => {
  const shared = ['etcds.druid.gardener.cloud', 'managedresources.resources.gardener.cloud']
  const kept = planIn(new SimulatedWorld([ours('ManagedResource garden/etcd-druid')]), shared).plan.events
  matches(t, kept, [{ type: 'Normal', reason: 'SharedComponentKept' }])
  const definition = ours('CustomResourceDefinition etcds.druid.gardener.cloud')
  definition.metadata.labels = { ...definition.metadata.labels, 'gardener.cloud/deletion-protected': 'true' }
  const cluster = new SimulatedWorld([definition])
  t.strictSame(goes(cluster).slice(0, 2), [
    'patch CustomResourceDefinition etcds.druid.gardener.cloud',
    'delete CustomResourceDefinition etcds.druid.gardener.cloud',
  ])
})
