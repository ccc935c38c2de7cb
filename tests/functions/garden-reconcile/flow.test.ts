// The judgement of steps: made-up tables over worlds in which objects are there, or ready.
import t from 'tap'
import { configSecret } from '../../../functions/garden-reconcile/desired/parts/config-object.ts'
import { flowOf } from '../../../functions/garden-reconcile/rules/flow.ts'
import { kindText, type Objects } from '../../../functions/garden-reconcile/rules/objects.ts'
import { unreadyText } from '../../../functions/garden-reconcile/rules/readiness.ts'
import type { GardenStep } from '../../../functions/garden-reconcile/rules/step.ts'
import { steps } from '../../../functions/garden-reconcile/rules/steps.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'

const now = new Date('2026-03-01T12:00:00Z')

const configMap = (name: string, data: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'garden' },
  data,
})

const etcd = (status?: object): KubeObject => ({
  apiVersion: 'druid.gardener.cloud/v1alpha1',
  kind: 'Etcd',
  spec: { replicas: 1 },
  ...(status && { status }),
  metadata: { name: 'virtual-garden-etcd-main', namespace: 'garden' },
})

const cluster = (...objects: readonly KubeObject[]): Objects => Map.groupBy(objects, kindText)

const rows: readonly GardenStep[] = [
  { name: 'namespace', needs: [], objects: () => [configMap('first')] },
  { name: 'crds', needs: [], skipIf: () => true, objects: () => [configMap('skipped')] },
  { name: 'etcds', needs: ['namespace', 'crds'], objects: () => [etcd()] },
  { name: 'apiserver', needs: ['etcds'], objects: () => [configMap('last')] },
]

const shown = (table: readonly GardenStep[], ...objects: readonly KubeObject[]) => {
  const { writes, waits, percent, faults } = flowOf(table, gardenWorld({ runtime: cluster(...objects) }), now)
  return { writes: writes.map(step => 'object' in step && step.object.metadata.name), waits, percent, faults }
}

t.test('GA-61 a run tells its share of ready steps and each wait', async t => {
  t.strictSame(shown(rows), {
    writes: ['first'],
    waits: ['ConfigMap garden/first: is not there yet'],
    percent: 0,
    faults: [],
  })
  t.strictSame(shown(rows, configMap('first'), etcd({ ready: false })).waits, [
    'Etcd garden/virtual-garden-etcd-main: is not ready yet',
  ])
  t.equal(shown(rows, configMap('first'), etcd({ ready: false })).percent, 33)
  t.equal(shown(rows, configMap('first'), etcd({ ready: true })).percent, 66)
  t.equal(shown(rows, configMap('first'), etcd({ ready: true }), configMap('last')).percent, 100)
})

t.test('a step with a fault applies nothing, and those beside it go on', async t => {
  const faulty: readonly GardenStep[] = [
    { name: 'namespace', needs: [], faults: () => ['Secret garden/a: is missing'], objects: () => [configMap('a')] },
    { name: 'crds', needs: [], images: ['nobody'], objects: () => [configMap('b')] },
    { name: 'etcds', needs: [], objects: () => [configMap('c')] },
  ]
  t.strictSame(shown(faulty), {
    writes: ['c'],
    waits: ['ConfigMap garden/c: is not there yet'],
    percent: 0,
    faults: ['Secret garden/a: is missing', 'no image for container nobody'],
  })
})

t.test('GA-204 what others made under our names is taken over, but for what they keep in a Secret', async t => {
  const secret = (metadata: object, data?: object): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'gardener', namespace: 'garden', ...metadata },
    ...(data && { data }),
  })
  const owned = { labels: { 'operator.gardener.cloud/managed-by': 'garden-reconcile' } }
  const wanted = secret(owned, { kubeconfig: 'b3Vycw==' })
  const table: readonly GardenStep[] = [
    { name: 'access', needs: [], objects: () => [configMap('beside'), wanted] },
    { name: 'observability', needs: [], objects: () => [configMap('other', { key: 'ours' })] },
  ]
  const seen = (...objects: readonly KubeObject[]) => {
    const { writes, faults } = shown(table, ...objects)
    return { writes, faults }
  }
  const theirs = { kubeconfig: 'dGhlaXJz' }
  t.strictSame(seen(secret({}, theirs), configMap('other', { key: 'theirs' })), {
    writes: ['other'],
    faults: ["Secret garden/gardener: is somebody else's, and what it holds would be overwritten"],
  })
  t.equal(seen(secret({ labels: { app: 'a' } }, { more: 'eA==' })).faults.length, 1, 'also what we would only add to')
  const { writes } = flowOf(table, gardenWorld({ runtime: cluster(configMap('other', { key: 'theirs' })) }), now)
  t.ok(writes.every(step => step.do === 'apply' && step.force))
  const managedFields = [{ manager: 'garden-reconcile', operation: 'Apply' }]
  for (const free of [
    secret(owned, theirs),
    secret({ managedFields }, theirs),
    secret({ labels: { 'resources.gardener.cloud/purpose': 'token-requestor' } }, theirs),
    secret({}),
    secret({}, { kubeconfig: 'b3Vycw==' }),
  ])
    t.strictSame(seen(free), { writes: ['beside', 'gardener', 'other'], faults: [] })
})

t.test(
  'GA-322 a Secret that is named after its content and holds anything else is not used, whoever it seems to be of',
  async t => {
    const wanted = configSecret('managedresource-vpa', { 'namespace____a.yaml': 'kind: Namespace' })
    const one: readonly GardenStep[] = [{ name: 'runtime-components', needs: [], objects: () => [wanted] }]
    const more = {
      ...wanted,
      data: { ...(wanted.data as object), 'clusterrolebinding____evil.yaml': 'a2luZDogRXZpbA==' },
    }
    const managedFields = [{ manager: 'garden-reconcile', operation: 'Apply' }]
    const fault = `Secret garden/${wanted.metadata.name}: holds something else than its name says; delete it`
    for (const planted of [
      ...[more, { ...more, metadata: { ...more.metadata, managedFields } }],
      ...[
        { ...more, metadata: { ...more.metadata, labels: {} } },
        { ...wanted, data: undefined },
      ],
    ]) {
      const { writes, faults } = shown(one, planted as KubeObject)
      t.strictSame({ writes, faults }, { writes: [], faults: [fault] })
    }
    t.strictSame(shown(one, wanted).faults, [])
  },
)

t.test('an object that is not as wished is not ready, one with defaults is', async t => {
  const one: readonly GardenStep[] = [{ name: 'namespace', needs: [], objects: () => [configMap('a', { key: '1' })] }]
  t.equal(shown(one, configMap('a', { key: '2' })).percent, 0)
  t.equal(shown(one, configMap('a', { key: '1', more: '2' })).percent, 100)
})

t.test('no step stands above one it needs', async t => {
  t.strictSame(
    steps.flatMap(({ name, needs }, at) =>
      needs.filter(need => !steps.slice(0, at).some(step => step.name === need)).map(need => `${name}: ${need}`),
    ),
    [],
  )
})

t.test('the etcds wait for no ingress and for no logs', async t => {
  const needed = (name: string): string[] =>
    steps.filter(step => step.name === name).flatMap(({ needs }) => [...needs, ...needs.flatMap(needed)])
  const names = new Set(needed('etcds'))
  t.ok(names.has('runtime-components') && names.has('istio'))
  t.notOk(names.has('nginx-ingress') || names.has('logging'))
})

t.test('objects of each kind are ready by their own status', async t => {
  const deployment = (status: object): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    status,
    metadata: { name: 'a', namespace: 'garden', generation: 2 },
  })
  const rolledOut = [
    { type: 'Available', status: 'True' },
    { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
  ]
  const ready = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, conditions: rolledOut }
  t.equal(unreadyText(deployment(ready)), undefined)
  t.equal(
    unreadyText(deployment({ ...ready, observedGeneration: 1 })),
    'Deployment garden/a: its generation is not observed yet',
  )
  t.equal(
    unreadyText(deployment({ ...ready, replicas: 3 })),
    'Deployment garden/a: has replicas of a former template yet',
  )
  t.equal(
    unreadyText(deployment({ ...ready, conditions: rolledOut.slice(0, 1) })),
    'Deployment garden/a: is not rolled out yet',
  )
  t.equal(unreadyText(deployment({ ...ready, conditions: [] })), 'Deployment garden/a: Available is not told yet')
})

t.test('a step with changes of what others hold is ready when there are none', async t => {
  const change = { do: 'patch', target: configMap('of-others'), merge: { data: { key: '1' } } } as const
  const table = (changes: GardenStep['changes']): readonly GardenStep[] => [
    { name: 'namespace', needs: [], objects: () => [], ...(changes && { changes }) },
    { name: 'crds', needs: ['namespace'], objects: () => [configMap('after')] },
  ]
  const writesOf = (changes: GardenStep['changes']) =>
    flowOf(table(changes), gardenWorld(), now).writes.map(step => step.do)
  t.strictSame(
    writesOf(() => [change]),
    ['patch'],
  )
  t.strictSame(
    writesOf(() => []),
    ['apply'],
  )
})
