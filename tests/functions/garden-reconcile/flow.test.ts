// The judgement of steps: made-up tables over worlds in which objects are there, or ready.
import t from 'tap'
import {
  configSecret,
  configMap as namedConfigMap,
} from '../../../functions/garden-reconcile/desired/parts/config-object.ts'
import { flowOf, type GardenStep } from '../../../functions/garden-reconcile/rules/flow.ts'
import { kindText, type Objects } from '../../../functions/garden-reconcile/rules/objects.ts'
import { unreadyText } from '../../../functions/garden-reconcile/rules/readiness.ts'
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
    waits: ['ConfigMap garden/first: does not exist yet'],
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
    waits: ['ConfigMap garden/c: does not exist yet'],
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
    faults: [
      'Secret garden/gardener: does not belong to this Garden, and its data would be overwritten; move the data to a Secret with another name, then delete it',
    ],
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
    const fault = `Secret garden/${wanted.metadata.name}: its data does not match the digest in its name; delete it`
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

t.test('GA-384 nor is a ConfigMap that a server would mount, whether it can be changed or not', async t => {
  const wanted = namedConfigMap('kube-apiserver-audit-policy', { 'audit-policy.yaml': 'kind: Policy' })
  const table: readonly GardenStep[] = [{ name: 'apiserver', needs: [], objects: () => [wanted, configMap('user')] }]
  const fault = `ConfigMap garden/${wanted.metadata.name}: its data does not match the digest in its name; delete it`
  const data = { 'audit-policy.yaml': 'rules: [{ level: None }]' }
  for (const planted of [
    { ...wanted, data },
    { ...wanted, data, immutable: undefined, metadata: { ...wanted.metadata, labels: {} } },
    { ...wanted, data: { ...(wanted.data as object), 'more.yaml': '' } },
    { ...wanted, binaryData: { 'more.yaml': 'eA==' } },
  ]) {
    const { writes, faults } = shown(table, planted as KubeObject)
    t.strictSame({ writes, faults }, { writes: [], faults: [fault] })
  }
  t.strictSame(shown(table, wanted).faults, [])
})

t.test('an object that is not as desired is not ready, one with defaults is', async t => {
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

const deployment = (status: object, spec: object = { replicas: 2, minReadySeconds: 30 }): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'gardener-apiserver', namespace: 'garden', generation: 2 },
  spec,
  status,
})

const condition = (type: string, status: string, more: object = {}) => ({ type, status, ...more })

/** As Kubernetes has it until the replicas have been Ready for `minReadySeconds`. */
const early = [
  condition('Available', 'False', { reason: 'MinimumReplicasUnavailable' }),
  condition('Progressing', 'True', { reason: 'ReplicaSetUpdated' }),
]
const counts = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, readyReplicas: 2, conditions: early }

t.test('GA-372 a Deployment is rolled out once all its replicas are of the present template, and Ready', async t => {
  const told = (change: object, spec?: object) =>
    unreadyText(deployment({ ...counts, ...change }, spec), new Map())?.replace(
      'Deployment garden/gardener-apiserver: ',
      '',
    )
  t.equal(told({}), undefined, 'nobody has to wait for minReadySeconds')
  t.equal(told({ observedGeneration: 1 }), 'its latest generation is not observed yet')
  t.equal(told({ replicas: 3 }), 'still has replicas of an older Pod template')
  t.equal(told({ replicas: 4, readyReplicas: 4 }), 'still has replicas of an older Pod template')
  t.equal(told({ readyReplicas: 1 }), 'has only 1 of 2 ready replicas')
  t.equal(told({ replicas: 1, updatedReplicas: 1, readyReplicas: 1 }), 'has only 1 of 2 ready replicas')
  t.equal(told({ replicas: 0, updatedReplicas: 0, readyReplicas: 0 }), 'has only 0 of 2 ready replicas')
  t.equal(told({ replicas: 1, updatedReplicas: 1, readyReplicas: 1 }, {}), undefined, 'one is wanted')
  t.equal(
    unreadyText(deployment({}, {}), new Map()),
    'Deployment garden/gardener-apiserver: its latest generation is not observed yet',
  )
  const late = condition('Progressing', 'False', { message: 'ReplicaSet "a" has timed out progressing.' })
  const refused = condition('ReplicaFailure', 'True', { message: 'exceeded quota' })
  const few = { readyReplicas: 1 }
  t.equal(
    told({ ...few, conditions: [late] }),
    'has only 1 of 2 ready replicas (ReplicaSet "a" has timed out progressing.)',
  )
  t.equal(told({ ...few, conditions: [late, refused] }), 'has only 1 of 2 ready replicas (exceeded quota)')
})

type Change = { readonly name?: string; readonly [field: string]: unknown }

t.test('GA-373 a ManagedResource waits for no longer than its Deployments', async t => {
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'garden', name: 'gardener-apiserver' }
  const applied = condition('ResourcesApplied', 'True')
  const unhealthy = condition('ResourcesHealthy', 'False', { reason: 'DeploymentUnhealthy', message: 'is unhealthy' })
  const progressing = condition('ResourcesProgressing', 'True', { reason: 'DeploymentProgressing', message: 'rolls' })
  const told = ({ name = 'gardener-apiserver-runtime', ...change }: Change, ...live: readonly KubeObject[]) =>
    unreadyText(
      {
        apiVersion: 'resources.gardener.cloud/v1alpha1',
        kind: 'ManagedResource',
        metadata: { name, namespace: 'garden', generation: 1 },
        status: { observedGeneration: 1, resources: [ref], conditions: [applied, unhealthy, progressing], ...change },
      },
      cluster(...live),
    )?.replace(`ManagedResource garden/${name}: `, '')
  const unhealthyText = 'ResourcesHealthy is still False (is unhealthy)'
  t.equal(told({}, deployment(counts)), undefined)
  t.equal(told({ observedGeneration: 0 }, deployment(counts)), 'its latest generation is not observed yet')
  for (const name of ['etcd-druid', 'istio-system', 'gardener-apiserver-virtual'])
    t.equal(told({ name }, deployment(counts)), unhealthyText, 'nobody has checked the objects behind the Deployment')
  t.equal(told({}), unhealthyText, 'the Deployment is not there')
  t.equal(told({}, deployment({ ...counts, readyReplicas: 1 })), unhealthyText)
  t.equal(told({}, deployment({ ...counts, replicas: 4 })), unhealthyText)
  t.equal(told({}, deployment({ ...counts, terminatingReplicas: 1 })), unhealthyText, 'a former replica has not ended')
  t.equal(told({}, deployment(counts, { replicas: 2 })), unhealthyText, 'nothing but time can be the cause')
  t.equal(told({ resources: [] }, deployment(counts)), unhealthyText)
  t.equal(told({ resources: [ref, { ...ref, name: 'other' }] }, deployment(counts)), unhealthyText)
  t.equal(told({ resources: [{ ...ref, name: { toString: 'x' } }] }, deployment(counts)), unhealthyText)
  const other = { ...unhealthy, reason: 'ServiceUnhealthy' }
  t.equal(told({ conditions: [applied, other, progressing] }, deployment(counts)), unhealthyText)
  const healthy = condition('ResourcesHealthy', 'True')
  t.equal(
    told({ conditions: [applied, healthy, progressing] }, deployment({ ...counts, terminatingReplicas: 1 })),
    'ResourcesProgressing is still True (rolls)',
  )
  t.equal(
    told({ conditions: [{ ...applied, status: 'False' }, unhealthy] }, deployment(counts)),
    'ResourcesApplied is still False',
  )
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
