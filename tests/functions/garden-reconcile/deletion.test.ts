// A Garden in deletion, over clusters that hold some of what was made for it.
import t from 'tap'
import { decide } from '../../../functions/garden-reconcile/decide.ts'
import { ownershipLabel } from '../../../functions/garden-reconcile/desired/parts/names.ts'
import { report } from '../../../functions/garden-reconcile/report.ts'
import { kindText } from '../../../functions/garden-reconcile/rules/objects.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import type { Step } from '../../../shared/core/plan.ts'
import { matches } from '../../harness/matches.ts'
import { SimulatedWorld } from '../../harness/simulated-world.ts'
import { garden } from '../../make/garden.ts'
import { gardenWorld } from '../../make/garden-world.ts'

const now = new Date('2026-03-01T12:00:00Z')

const apiVersions: Readonly<Record<string, string>> = {
  ManagedResource: 'resources.gardener.cloud/v1alpha1',
  Etcd: 'druid.gardener.cloud/v1alpha1',
  Deployment: 'apps/v1',
  Gateway: 'networking.istio.io/v1beta1',
  CustomResourceDefinition: 'apiextensions.k8s.io/v1',
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
      ...{ type: 'Delete', state: 'Processing', progress: 0, description: 'Deletion of Garden cluster in progress.' },
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
  const { kind, metadata } = 'target' in step ? step.target : 'object' in step ? step.object : step.into
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
  const wait = 'ManagedResource garden/plutono: is in deletion yet'
  t.strictSame(next, { is: 'waiting', seconds: 5, for: wait })
  matches(t, status, {
    lastOperation: {
      ...{ type: 'Delete', state: 'Processing' },
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

t.test('GA-165 what a Seed in the same cluster has and needs stays, and nothing of it is waited for', async t => {
  const others = ['ManagedResource garden/of-gardenlet', 'Etcd shoot--a/main', 'Deployment garden/gardenlet']
  const needed = [
    ...['ManagedResource garden/etcd-druid', 'Deployment garden/gardener-resource-manager'],
    ...['CustomResourceDefinition etcds.druid.gardener.cloud', 'Secret garden/managedresource-etcd-druid-1a'],
  ]
  const gone = ['ManagedResource garden/plutono', 'Etcd garden/virtual-garden-etcd-main', 'Secret garden/ca-1']
  const cluster = new SimulatedWorld([...[...needed, ...gone].map(ours), ...others.map(foreign)])
  const before = cluster.objects.filter(({ metadata }) => Object.keys(metadata.labels ?? {}).length === 0)
  const shared = ['etcds.druid.gardener.cloud', 'managedresources.resources.gardener.cloud']
  const steps = goes(cluster, shared)
  t.equal(steps.at(-1), 'removeFinalizer Garden garden')
  t.strictSame(
    cluster.objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort(),
    [...needed, ...others].map(text => text.replace(/ .*\//, ' ')).sort(),
  )
  t.ok(
    cluster.objects.every(({ metadata }) => Object.keys(metadata.labels ?? {}).length === 0),
    'none is ours any more',
  )
  for (const object of before)
    t.strictSame(
      cluster.get({ ...object, namespace: object.metadata.namespace ?? '', name: object.metadata.name }),
      object,
    )

  const kept = planIn(new SimulatedWorld([ours('ManagedResource garden/etcd-druid')]), shared).plan.events
  matches(t, kept, [{ type: 'Normal', reason: 'SharedComponentKept' }])
})
