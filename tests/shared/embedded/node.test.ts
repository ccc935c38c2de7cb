// The stand-in node alone: a Pod's life step by step, Pods told to misbehave, and the arithmetic of rollouts. What is the same
// on the real control plane is in tests/stories/workloads.test.ts.
import fc from 'fast-check'

import t, { type Test } from 'tap'
import {
  type Behaviour,
  behaviourAnnotation,
  nodeName,
  pauseMilliseconds,
} from '../../../shared/embedded/node/behaviour.ts'
import { indexesIn, nextIndexes, rangesText } from '../../../shared/embedded/node/workloads/job-verdict.ts'
import {
  newSize,
  oldSizes,
  type Part,
  proportionalSizes,
  roomOf,
} from '../../../shared/embedded/node/workloads/rollout.ts'
import { type EmbeddedOptions, startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { apiClient, type Fields, type KubeObject } from '../../harness/clients/api.ts'
import { matches } from '../../harness/matches.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { condition, field, isReady } from '../../make/objects/workload.ts'

const pods = '/api/v1/namespaces/default/pods'
const deployments = '/apis/apps/v1/namespaces/default/deployments'
const jobs = '/apis/batch/v1/namespaces/default/jobs'

const start = async (t: Test, options: EmbeddedOptions = { node: { stepMilliseconds: 0 } }) => {
  const cluster = await startEmbeddedCluster(options)
  const api = apiClient(cluster, { token: cluster.adminToken })
  t.teardown(async () => {
    await api.close()
    await cluster.stop()
  })
  const create = async (path: string, body: Fields) => {
    const reply = await api.call('POST', path, { body })
    t.equal(reply.status, 201, reply.status === 201 ? 'created' : reply.text)
    return reply.body
  }
  const until = async (path: string, name: string, until: (object: KubeObject) => boolean) =>
    (await api.waitFor({ in: path, name, until: found => found !== undefined && until(found) })) ?? {}
  return { cluster, api, create, until }
}

const labels = { app: 'node' }
const told = (behaviour: Behaviour) => ({ annotations: { [behaviourAnnotation]: behaviour } })
const podSpec = (more: Fields = {}) => ({ containers: [{ name: 'app', image: 'example.com/app:1' }], ...more })
const pod = (name: string, behaviour: Behaviour = 'run', more: Fields = {}) => ({
  metadata: { name, ...told(behaviour) },
  spec: podSpec(more),
})
const deployment = (behaviour: Behaviour, spec: Fields = {}) => ({
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels, ...told(behaviour) }, spec: podSpec() },
    ...spec,
  },
})
const container = (object: KubeObject, ...path: string[]) => field(object, 'status', 'containerStatuses', 0, ...path)
const restarts = (object: KubeObject) => Number(container(object, 'restartCount') ?? 0)

t.test('FN-72 a Pod is scheduled, starts, becomes ready and stops, one step after another', async t => {
  const { api, create, until } = await start(t, { node: { stepMilliseconds: 20 } })
  const seen: string[] = []
  const events = await api.openWatch(`${pods}?watch=1`)
  const watching = (async () => {
    for await (const { type, object } of events) {
      const state = Object.keys((container(object, 'state') ?? {}) as Fields).join()
      const ready = isReady(object) ? 'ready' : 'not ready'
      const isEnding = object.metadata?.deletionTimestamp ? 'ending' : ''
      seen.push(
        [field(object, 'status', 'phase'), field(object, 'spec', 'nodeName'), state, ready, isEnding].join(' ').trim(),
      )
      if (type === 'DELETED') return
    }
  })()
  const readinessProbe = { httpGet: { port: 80 } }
  const containers = [{ name: 'app', image: 'example.com/app:1', readinessProbe }]
  const initContainers = [{ name: 'first', image: 'example.com/first:1' }]
  await create(pods, pod('life', 'run', { containers, initContainers }))
  const found = await until(pods, 'life', isReady)
  matches(t, found.status, {
    podIP: /^10\.24\d\./,
    hostIP: '10.0.0.1',
    startTime: String,
    initContainerStatuses: [{ name: 'first', state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
    containerStatuses: [{ name: 'app', image: 'example.com/app:1', started: true, restartCount: 0 }],
  })
  await api.call('DELETE', `${pods}/life`)
  await watching
  t.strictSame(
    [...new Set(seen)],
    [
      'Pending   not ready',
      `Pending ${nodeName}  not ready`,
      `Pending ${nodeName} waiting not ready`,
      `Running ${nodeName} running not ready`,
      `Running ${nodeName} running ready`,
      `Running ${nodeName} running ready ending`,
    ],
  )
})

t.test('FN-72 Pods fail, hang or crash as their annotation says', async t => {
  const { create, until, api } = await start(t)
  await create(pods, pod('fails', 'fail', { restartPolicy: 'Never' }))
  await create(pods, pod('fails-again', 'fail'))
  await create(pods, pod('hangs', 'hang'))
  await create(pods, pod('loops', 'crash-loop', { restartPolicy: 'Never' }))
  const failed = await until(pods, 'fails', each => field(each, 'status', 'phase') === 'Failed')
  matches(t, container(failed, 'state'), { terminated: { exitCode: 1, reason: 'Error' } })
  for (const name of ['fails-again', 'loops']) {
    const looping = await until(pods, name, each => restarts(each) >= 1)
    matches(t, looping.status, {
      phase: 'Running',
      containerStatuses: [
        {
          ready: false,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 1 } },
        },
      ],
    })
  }
  const hanging = await until(pods, 'hangs', each => container(each, 'state', 'running') !== undefined)
  t.notOk(isReady(hanging))
  t.equal(condition(hanging, 'Ready')?.reason, 'ContainersNotReady')
  await api.call('DELETE', `${pods}/loops`)
  await api.waitFor({ in: pods, name: 'loops', until: found => found === undefined })
  t.ok(pauseMilliseconds(0, 3) > pauseMilliseconds(0, 2), 'pauses grow')
  t.equal(pauseMilliseconds(500, 0), 500)
})

t.test(
  'FN-72 a rollout that cannot end keeps the old Pods, misses its deadline, and goes on when it is mended',
  async t => {
    const { api, create, until } = await start(t)
    await create(deployments, deployment('run', { replicas: 2, progressDeadlineSeconds: 1 }))
    await until(deployments, 'web', each => condition(each, 'Progressing')?.reason === 'NewReplicaSetAvailable')
    const turn = (behaviour: Behaviour) =>
      api.call('PATCH', `${deployments}/web`, {
        body: { spec: { template: { metadata: told(behaviour) } } },
        contentType: 'application/merge-patch+json',
      })
    await turn('hang')
    const isLate = (each: KubeObject) =>
      condition(each, 'Progressing')?.status === 'False' && field(each, 'status', 'updatedReplicas') === 1
    const late = await until(deployments, 'web', isLate)
    t.equal(condition(late, 'Progressing')?.reason, 'ProgressDeadlineExceeded')
    t.equal(condition(late, 'Available')?.status, 'True')
    matches(t, late.status, { availableReplicas: 2, updatedReplicas: 1, unavailableReplicas: 1 })
    await turn('run')
    const mended = await until(
      deployments,
      'web',
      each => condition(each, 'Progressing')?.reason === 'NewReplicaSetAvailable',
    )
    t.equal(condition(mended, 'Progressing')?.status, 'True')
  },
)

t.test('FN-72 Jobs whose Pods fail or hang end by their limits', async t => {
  const { api, create, until } = await start(t)
  const job = (name: string, behaviour: Behaviour, spec: Fields) => ({
    metadata: { name },
    spec: { template: { metadata: told(behaviour), spec: podSpec({ restartPolicy: 'Never' }) }, ...spec },
  })
  await create(jobs, job('broken', 'fail', { backoffLimit: 2 }))
  await create(jobs, job('endless', 'hang', { activeDeadlineSeconds: 1 }))
  await create(jobs, job('passing', 'run', { ttlSecondsAfterFinished: 0 }))
  const broken = await until(jobs, 'broken', each => condition(each, 'Failed') !== undefined)
  matches(t, broken.status, { failed: 3 })
  t.equal(condition(broken, 'Failed')?.reason, 'BackoffLimitExceeded')
  matches(t, condition(broken, 'FailureTarget'), { status: 'True' })
  const late = await until(jobs, 'endless', each => condition(each, 'Failed') !== undefined)
  t.equal(condition(late, 'Failed')?.reason, 'DeadlineExceeded')
  await api.waitFor({ in: jobs, name: 'passing', until: found => found === undefined })
  const left = ((await api.call('GET', pods)).body.items ?? []) as KubeObject[]
  t.ok(
    left.every(each => !field(each, 'metadata', 'finalizers')),
    'no Pod is held by a Job that ended',
  )
})

t.test('FN-72 claims are bound, and go when nobody uses them', async t => {
  const { api, create, until } = await start(t)
  const claims = '/api/v1/namespaces/default/persistentvolumeclaims'
  const sets = '/apis/apps/v1/namespaces/default/statefulsets'
  const volumeClaimTemplates = [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ]
  const { spec } = deployment('run')
  await create(sets, {
    metadata: { name: 'db' },
    spec: { ...spec, serviceName: 'db', replicas: 1, volumeClaimTemplates },
  })
  const ready = await until(pods, 'db-0', isReady)
  matches(t, field(ready, 'spec', 'volumes'), [
    { name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } },
    { name: /^kube-api-access-/ },
  ])
  await until(claims, 'data-db-0', each => field(each, 'status', 'phase') === 'Bound')
  await api.call('DELETE', `${claims}/data-db-0`)
  t.equal((await api.call('GET', `${claims}/data-db-0`)).status, 200, 'it is in use')
  await api.call('DELETE', `${sets}/db`)
  await api.waitFor({ in: claims, name: 'data-db-0', until: found => found === undefined })
})

t.test('FN-72 a cluster that ends in the middle of a rollout goes on with it', async t => {
  const data = testFolder(t)
  const options = { data, node: { stepMilliseconds: 5 } }
  const first = await startEmbeddedCluster(options)
  const api = apiClient(first, { token: first.adminToken })
  await api.call('POST', deployments, { body: deployment('run', { replicas: 3 }) })
  await api.waitFor({ in: deployments, name: 'web', until: each => field(each, 'status', 'replicas') !== undefined })
  await api.close()
  await first.stop()
  const { until } = await start(t, options)
  const done = await until(deployments, 'web', each => field(each, 'status', 'availableReplicas') === 3)
  matches(t, done.status, { replicas: 3, updatedReplicas: 3 })
})

t.test('without the node Pods stay as they are, and nothing is made for workloads', async t => {
  const { api, cluster, create } = await start(t, {})
  await create(pods, pod('alone'))
  await create(deployments, deployment('run'))
  await cluster.settled()
  t.equal(field((await api.call('GET', `${pods}/alone`)).body, 'status', 'phase'), 'Pending')
  t.equal((field((await api.call('GET', pods)).body, 'items') as unknown[]).length, 1)
})

t.test('FN-72 the node and its lease are registered', async t => {
  const { api } = await start(t)
  const node = (await api.call('GET', `/api/v1/nodes/${nodeName}`)).body
  matches(t, condition(node, 'Ready'), { status: 'True' })
  matches(
    t,
    (await api.call('GET', `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${nodeName}`)).body,
    {
      spec: { holderIdentity: nodeName },
    },
  )
})

const share = fc.oneof(
  fc.integer({ min: 0, max: 6 }),
  fc.integer({ min: 0, max: 100 }).map(percent => `${percent}%`),
)

t.test('FN-72 every rollout ends, and stays within its room all the way', async t => {
  const rollouts = fc.record({ desired: fc.integer({ min: 0, max: 12 }), maxSurge: share, maxUnavailable: share })
  fc.assert(
    fc.property(
      rollouts,
      fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 3 }),
      ({ desired, ...rollingUpdate }, sizes) => {
        const room = roomOf({ spec: { replicas: desired, strategy: { type: 'RollingUpdate', rollingUpdate } } })
        const least = Math.min(
          desired - room.unavailable,
          sizes.reduce((sum, size) => sum + size, 0),
        )
        let old: Part[] = sizes.map(size => ({ wanted: size, available: size }))
        let fresh: Part = { wanted: 0, available: 0 }
        const total = () => [fresh, ...old].reduce((sum, { wanted }) => sum + wanted, 0)
        const begin = total()
        for (let round = 0; round < 60; round++) {
          fresh = { ...fresh, wanted: newSize(room, fresh, old) }
          old = oldSizes(room, fresh, old).map(wanted => ({ wanted, available: wanted }))
          const available = [fresh, ...old].reduce((sum, part) => sum + part.available, 0)
          if (available < least || total() > Math.max(begin, desired + room.surge)) return false
          fresh = { wanted: fresh.wanted, available: fresh.wanted }
        }
        return fresh.wanted === desired && old.every(({ wanted }) => wanted === 0)
      },
    ),
    { seed: 72 },
  )
  t.pass('as far as could be found')
})

t.test('FN-72 in the middle of a rollout a new size is shared', async t => {
  const part = (wanted: number): Part => ({ wanted, available: wanted })
  t.strictSame(proportionalSizes(20, [part(8), part(2)]), [16, 4])
  t.strictSame(proportionalSizes(5, [part(3), part(1)]), [4, 1])
  t.strictSame(proportionalSizes(0, [part(3), part(1)]), [0, 0])
})

t.test('FN-72 completed indexes of a Job are written as ranges', async t => {
  t.equal(rangesText('', [0, 1, 2, 5]), '0-2,5')
  t.equal(rangesText('0-2,5', [4, 3]), '0-5')
  t.strictSame(indexesIn('0-2,5'), [0, 1, 2, 5])
  t.strictSame(nextIndexes('0-1', [3], 3), [2, 4, 5])
})
