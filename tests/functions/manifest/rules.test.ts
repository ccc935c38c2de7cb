// What a Manifest declares, and when what it declares is ready.
import t from 'tap'
import { engineName, moduleObjects } from '../../../functions/manifest/desired/module-objects.ts'
import { moduleReadiness } from '../../../functions/manifest/rules/readiness.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import { requeueSeconds } from '../../../shared/kyma/requeue.ts'
import { moduleManifest } from '../../make/kyma.ts'

const builtIn = { status: 'InProgress', message: 'the built-in rule' } as const
const manager = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'kyma-system', name: 'operator' }

const workload = (kind: string, name: string, fields: object): KubeObject => ({
  ...{ apiVersion: 'apps/v1', kind, metadata: { name, namespace: 'kyma-system' } },
  ...fields,
})

const deployment = (...conditions: readonly (readonly [type: string, status: string, reason?: string])[]) =>
  workload('Deployment', 'operator', {
    status: { conditions: conditions.map(([type, status, reason]) => ({ type, status, reason })) },
  })

t.test('a module is ready by its Deployments and StatefulSets, or by its manager alone', async t => {
  const [all, managed] = [moduleManifest(), moduleManifest({ spec: { manager } })]
  const stuck = workload('StatefulSet', 'store', { spec: { replicas: 2 }, status: { readyReplicas: 1 } })
  const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'x' } }
  const rows: [what: string, KubeObject, manifest: typeof all, status: string][] = [
    [
      'rolled out and available',
      deployment(['Progressing', 'True', 'NewReplicaSetAvailable'], ['Available', 'True']),
      all,
      'Current',
    ],
    [
      'rolled out, not available',
      deployment(['Progressing', 'True', 'NewReplicaSetAvailable'], ['Available', 'False']),
      all,
      'InProgress',
    ],
    ['rolling out', deployment(['Progressing', 'True', 'ReplicaSetUpdated'], ['Available', 'True']), all, 'InProgress'],
    ['a first ReplicaSet', deployment(['Progressing', 'True', 'NewReplicaSetCreated']), all, 'InProgress'],
    ['without a status', deployment(), all, 'InProgress'],
    ['its deadline has passed', deployment(['Progressing', 'False', 'ProgressDeadlineExceeded']), all, 'Failed'],
    ['a reason that nobody knows', deployment(['Progressing', 'True', 'Paused']), all, 'Failed'],
    ['a Pod is missing', stuck, all, 'InProgress'],
    ['all Pods are ready', { ...stuck, status: { readyReplicas: 2 } }, all, 'Current'],
    [
      'one Pod if nobody says',
      workload('StatefulSet', 'one', { spec: {}, status: { readyReplicas: 1 } }),
      all,
      'Current',
    ],
    ['it is not the manager', stuck, managed, 'Current'],
    ['it is the manager', deployment(), managed, 'InProgress'],
    ['any other kind', workload('DaemonSet', 'agent', {}), all, 'Current'],
    ['a definition goes by its own rule', crd, all, 'InProgress'],
    ['what is going, too', { ...deployment(), metadata: { name: 'a', deletionTimestamp: 'x' } }, managed, 'InProgress'],
  ]
  for (const [what, object, manifest, status] of rows)
    t.equal(moduleReadiness(object, builtIn, manifest).status, status, what)
})

t.test('the default object comes last and goes first; what its operator needs goes last', async t => {
  const resource = { apiVersion: 'example.com/v1', kind: 'Sample', metadata: { name: 'sample' } }
  const layer = ['Deployment', 'Service', 'ConfigMap'].map(kind => workload(kind, 'a', {}))
  const ordersOf = (spec: Partial<ReturnType<typeof moduleManifest>['spec']>) =>
    moduleObjects(moduleManifest({ spec }), layer).map(({ metadata }) =>
      ['apply-order', 'delete-order', 'reconcile-policy'].map(key => metadata.annotations?.[`${engineName}/${key}`]),
    )
  const ofLayer = [
    [undefined, '1', undefined],
    [undefined, undefined, undefined],
    [undefined, undefined, undefined],
  ]
  t.strictSame(ordersOf({ resource }), [...ofLayer, ['1', '-1', 'once']])
  t.strictSame(ordersOf({ resource, customResourcePolicy: 'Ignore' }), ofLayer)
})

t.test('when an object is called again though nothing happens', async t => {
  const settings = { ready: 300, warning: 31, busy: 5, error: 30 }
  const after = (state: 'Ready' | 'Error' | 'Warning' | 'Processing' | 'Deleting', seconds: number) =>
    requeueSeconds(
      { state, since: '2026-11-23T10:00:00Z', now: new Date(Date.parse('2026-11-23T10:00:00Z') + seconds * 1000) },
      settings,
    )
  t.strictSame([after('Ready', 0), after('Warning', 90)], [300, 31])
  t.strictSame([after('Processing', 0), after('Deleting', 59), after('Processing', 60)], [5, 5, 30])
  t.strictSame([after('Error', 0), after('Error', 12), after('Error', 500)], [5, 12, 30])
})
