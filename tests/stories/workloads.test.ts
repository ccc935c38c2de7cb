// Workloads from the outside: what a person sees who applies them, the same on the stand-in node of the embedded cluster and
// on the real control plane.
import t, { type Test } from 'tap'
import type { Fields, KubeObject } from '../harness/clients/api.ts'
import { anyCluster } from '../harness/clusters/any-cluster.ts'
import { matches } from '../harness/matches.ts'
import { eventually } from '../harness/until.ts'
import { condition, field, isReady, labels, template, workload } from '../make/objects/workload.ts'

const embedded = { node: { stepMilliseconds: 0 } }
const cluster = await anyCluster(t, { embedded })

const apps = '/apis/apps/v1'
const batch = '/apis/batch/v1'

/** A namespace of its own for one story, and the few calls a story is told in. */
const story = async (t: Test) => {
  const { api } = cluster
  const namespace = `workloads-${Math.random().toString(36).slice(2, 8)}`
  await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } })
  await api.waitFor({ in: `/api/v1/namespaces/${namespace}/serviceaccounts`, name: 'default', until: found => !!found })
  t.teardown(() => api.call('DELETE', `/api/v1/namespaces/${namespace}`))
  const collection = (kind: string) => {
    const [root, plural] = kind.includes('/') ? [/^(cron)?jobs/.test(kind) ? batch : apps, ''] : ['/api/v1', kind]
    return `${root}/namespaces/${namespace}/${plural || kind.split('/')[0]}`
  }
  return {
    namespace,
    at: collection,
    create: async (kind: string, body: Fields) => {
      const reply = await api.call('POST', collection(kind), { body })
      t.equal(reply.status, 201, reply.status === 201 ? 'created' : reply.text)
    },
    merge: (kind: string, name: string, body: Fields) =>
      api.call('PATCH', `${collection(kind)}/${name}`, { body, contentType: 'application/merge-patch+json' }),
    get: async (kind: string, name: string) => (await api.call('GET', `${collection(kind)}/${name}`)).body,
    list: async (kind: string) => ((await api.call('GET', collection(kind))).body.items ?? []) as KubeObject[],
    until: (kind: string, name: string, until: (object: KubeObject) => boolean) =>
      api.waitFor({ in: collection(kind), name, until: found => found !== undefined && until(found) }),
    gone: (kind: string, name: string) =>
      api.waitFor({ in: collection(kind), name, until: found => found === undefined }),
    end: (kind: string, name: string) => api.call('DELETE', `${collection(kind)}/${name}`),
  }
}

const newImage = { spec: { template: { spec: { containers: [{ name: 'app', image: 'example.com/app:2' }] } } } }

const isObserved = (object: KubeObject) =>
  Number(field(object, 'status', 'observedGeneration')) >= Number(field(object, 'metadata', 'generation'))
const isRolledOut = (object: KubeObject) =>
  isObserved(object) &&
  ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'].every(
    count => (field(object, 'status', count) ?? 0) === field(object, 'spec', 'replicas'),
  )
const isSet = (object: KubeObject) =>
  isRolledOut(object) && field(object, 'status', 'currentRevision') === field(object, 'status', 'updateRevision')

t.test('FN-72 a Deployment becomes available: ReplicaSet, Pods, conditions', async t => {
  const { create, until, list } = await story(t)
  await create('deployments/', workload('web', { replicas: 2 }))
  const done = await until('deployments/', 'web', isRolledOut)
  matches(t, done?.metadata?.annotations, { 'deployment.kubernetes.io/revision': '1' })
  matches(t, condition(done ?? {}, 'Available'), { status: 'True', reason: 'MinimumReplicasAvailable' })
  matches(t, condition(done ?? {}, 'Progressing'), { status: 'True', reason: 'NewReplicaSetAvailable' })
  const [set, ...others] = await list('replicasets/')
  t.equal(others.length, 0)
  const hash = field(set, 'metadata', 'labels', 'pod-template-hash')
  t.equal(set?.metadata?.name, `web-${hash}`)
  matches(t, set?.metadata, {
    annotations: { 'deployment.kubernetes.io/desired-replicas': '2', 'deployment.kubernetes.io/max-replicas': '3' },
    ownerReferences: [{ kind: 'Deployment', name: 'web', controller: true, blockOwnerDeletion: true }],
  })
  const pods = await list('pods')
  t.equal(pods.length, 2)
  for (const pod of pods) {
    matches(t, pod, {
      metadata: { generateName: `web-${hash}-`, labels: { ...labels, 'pod-template-hash': hash } },
      status: { phase: 'Running', containerStatuses: [{ name: 'app', ready: true, restartCount: 0 }] },
    })
    t.type(field(pod, 'status', 'podIP'), 'string')
    matches(t, condition(pod, 'Ready'), { status: 'True' })
  }
  t.equal(new Set(pods.map(pod => field(pod, 'status', 'podIP'))).size, 2, 'each its own address')
})

t.test('FN-72 a changed template rolls, within surge and unavailability, and back to the same ReplicaSet', async t => {
  const { create, until, merge, list, at } = await story(t)
  const rollingUpdate = { maxSurge: 1, maxUnavailable: 1 }
  await create('deployments/', workload('web', { replicas: 4, strategy: { rollingUpdate } }))
  await until('deployments/', 'web', isRolledOut)
  const stop = new AbortController()
  const seen: { wanted: number; available: number }[] = []
  const events = await cluster.api.openWatch(`${at('replicasets/')}?watch=1`, stop.signal)
  const watching = (async () => {
    const sizes = new Map<string, { wanted: number; available: number }>()
    for await (const { object } of events) {
      const available = Number(field(object, 'status', 'availableReplicas') ?? 0)
      sizes.set(object.metadata?.name ?? '', { wanted: Number(object.spec?.replicas ?? 0), available })
      const all = [...sizes.values()]
      seen.push({
        wanted: all.reduce((sum, each) => sum + each.wanted, 0),
        available: all.reduce((sum, each) => sum + each.available, 0),
      })
    }
  })().catch(error => t.ok(stop.signal.aborted, String(error)))
  const [first] = await list('replicasets/')
  await merge('deployments/', 'web', newImage)
  const second = await until('deployments/', 'web', isRolledOut)
  matches(t, second?.metadata?.annotations, { 'deployment.kubernetes.io/revision': '2' })
  t.ok((await list('pods')).filter(pod => !pod.metadata?.deletionTimestamp).every(isNew), 'all Pods are new')
  await until('replicasets/', first?.metadata?.name ?? '', set => field(set, 'spec', 'replicas') === 0)
  stop.abort()
  await watching
  const settled = seen.slice(1)
  t.ok(Math.max(...settled.map(({ wanted }) => wanted)) <= 5, 'never more than surge allows')
  t.ok(Math.min(...settled.map(({ available }) => available)) >= 3, 'never less than may be unavailable')
  await merge('deployments/', 'web', { spec: { template: template() } })
  await until('deployments/', 'web', object => isRolledOut(object) && revision(object) === '3')
  const again = await until('replicasets/', first?.metadata?.name ?? '', set => field(set, 'spec', 'replicas') === 4)
  t.equal(revision(again ?? {}), '3')
})

const revision = (object: KubeObject) => field(object, 'metadata', 'annotations', 'deployment.kubernetes.io/revision')
const isNew = (pod: KubeObject) => field(pod, 'spec', 'containers', 0, 'image') === 'example.com/app:2'

t.test('FN-72 a Deployment scales, rests while paused, and can replace all Pods at once', async t => {
  const { create, until, merge, list } = await story(t)
  await create('deployments/', workload('web', { strategy: { type: 'Recreate' } }))
  await until('deployments/', 'web', isRolledOut)
  await merge('deployments/', 'web', { spec: { replicas: 3 } })
  await until('deployments/', 'web', isRolledOut)
  await merge('deployments/', 'web', { spec: { paused: true } })
  await merge('deployments/', 'web', newImage)
  await until('deployments/', 'web', isObserved)
  t.equal((await list('replicasets/')).length, 1, 'nothing new while it is paused')
  await merge('deployments/', 'web', { spec: { paused: null } })
  await until('deployments/', 'web', object => isRolledOut(object) && revision(object) === '2')
  await merge('deployments/', 'web', { spec: { replicas: 0 } })
  await until('deployments/', 'web', object => isObserved(object) && field(object, 'status', 'replicas') === undefined)
  t.equal((await list('replicasets/')).length, 2)
})

t.test('FN-72 a ReplicaSet adopts, replaces and ends Pods', async t => {
  const { create, until, merge, list, end, gone } = await story(t)
  await create('pods', { metadata: { name: 'orphan', labels }, spec: template().spec })
  await until('pods', 'orphan', isReady)
  await create('replicasets/', workload('set', { replicas: 2 }))
  const counts = (count: number) => (set: KubeObject) => field(set, 'status', 'readyReplicas') === count
  await until('replicasets/', 'set', counts(2))
  t.equal((await list('pods')).length, 2, 'the orphan is one of them')
  await end('pods', 'orphan')
  await gone('pods', 'orphan')
  await until('replicasets/', 'set', set => counts(2)(set))
  await merge('replicasets/', 'set', { spec: { replicas: 0 } })
  await until('replicasets/', 'set', set => field(set, 'status', 'replicas') === 0)
  for (const pod of await list('pods')) await gone('pods', pod.metadata?.name ?? '')
})

t.test('FN-72 what belongs to a Deployment goes with it', async t => {
  const { create, until, end, list, gone } = await story(t)
  await create('deployments/', workload('web', { replicas: 2 }))
  await until('deployments/', 'web', isRolledOut)
  const left = [
    ...(await list('pods')).map(pod => ['pods', pod]),
    ...(await list('replicasets/')).map(s => ['replicasets/', s]),
  ]
  await end('deployments/', 'web')
  for (const [kind, object] of left as [string, KubeObject][]) await gone(kind, object.metadata?.name ?? '')
  t.equal(left.length, 3)
})

t.test('FN-72 a StatefulSet has Pods with names that stay, and rolls from the last to the first', async t => {
  const { create, until, merge, list, at } = await story(t)
  await create('statefulsets/', workload('db', { replicas: 3, serviceName: 'db' }))
  await until('statefulsets/', 'db', isSet)
  const before = await list('pods')
  t.strictSame(before.map(pod => pod.metadata?.name).sort(), ['db-0', 'db-1', 'db-2'])
  matches(
    t,
    before.find(pod => pod.metadata?.name === 'db-1'),
    {
      metadata: { labels: { 'statefulset.kubernetes.io/pod-name': 'db-1', 'apps.kubernetes.io/pod-index': '1' } },
      spec: { hostname: 'db-1', subdomain: 'db' },
    },
  )
  const stop = new AbortController()
  const order: string[] = []
  const events = await cluster.api.openWatch(`${at('pods')}?watch=1`, stop.signal)
  const watching = (async () => {
    for await (const { type, object } of events)
      if (type === 'ADDED' && isNew(object)) order.push(object.metadata?.name ?? '')
  })().catch(error => t.ok(stop.signal.aborted, String(error)))
  await merge('statefulsets/', 'db', newImage)
  await until('statefulsets/', 'db', object => isSet(object) && isObserved(object))
  stop.abort()
  await watching
  t.strictSame([...new Set(order)], ['db-2', 'db-1', 'db-0'])
  t.ok((await list('pods')).every(isNew))
  await merge('statefulsets/', 'db', { spec: { replicas: 1 } })
  await until('statefulsets/', 'db', isSet)
  t.strictSame(
    (await list('pods')).map(pod => pod.metadata?.name),
    ['db-0'],
  )
})

t.test('FN-72 a partition keeps the lower Pods of a StatefulSet as they are', async t => {
  const { create, until, merge, list } = await story(t)
  const updateStrategy = { rollingUpdate: { partition: 1 } }
  await create(
    'statefulsets/',
    workload('db', { replicas: 2, serviceName: 'db', podManagementPolicy: 'Parallel', updateStrategy }),
  )
  await until('statefulsets/', 'db', isSet)
  await merge('statefulsets/', 'db', newImage)
  await until(
    'statefulsets/',
    'db',
    set =>
      field(set, 'status', 'updatedReplicas') === 1 && field(set, 'status', 'readyReplicas') === 2 && isObserved(set),
  )
  const isNewByName = Object.fromEntries((await list('pods')).map(pod => [pod.metadata?.name, isNew(pod)]))
  t.strictSame(isNewByName, { 'db-0': false, 'db-1': true })
})

t.test('FN-72 a DaemonSet has one Pod per node, and replaces it', async t => {
  const { create, until, merge, list } = await story(t)
  const nodes = field((await cluster.api.call('GET', '/api/v1/nodes')).body, 'items') as unknown[]
  const isEverywhere = (set: KubeObject) =>
    isObserved(set) &&
    ['desiredNumberScheduled', 'numberAvailable', 'numberReady', 'updatedNumberScheduled'].every(
      count => field(set, 'status', count) === nodes.length,
    )
  await create('daemonsets/', workload('agent'))
  await until('daemonsets/', 'agent', isEverywhere)
  await merge('daemonsets/', 'agent', newImage)
  await until('daemonsets/', 'agent', isEverywhere)
  const pods = (await list('pods')).filter(pod => !pod.metadata?.deletionTimestamp)
  t.equal(pods.length, nodes.length)
  t.ok(pods.every(isNew))
})

const job = (name: string, spec: Fields) => ({
  metadata: { name },
  spec: { template: { spec: { ...template().spec, restartPolicy: 'Never' } }, ...spec },
})
const isComplete = (object: KubeObject) => condition(object, 'Complete')?.status === 'True'

t.test('FN-72 a Job runs until enough Pods succeeded', async t => {
  const { create, until, list } = await story(t)
  await create('jobs/', job('work', { completions: 3, parallelism: 2 }))
  const done = await until('jobs/', 'work', isComplete)
  matches(t, done?.status, {
    succeeded: 3,
    conditions: [{ type: 'SuccessCriteriaMet' }, { type: 'Complete', status: 'True' }],
  })
  t.type(field(done, 'status', 'completionTime'), 'string')
  t.equal(field(done, 'status', 'active'), undefined)
  const pods = await list('pods')
  t.equal(pods.length, 3)
  t.ok(pods.every(pod => field(pod, 'status', 'phase') === 'Succeeded'))
})

t.test('FN-72 an Indexed Job has one success per index; a suspended one waits', async t => {
  const { create, until, list, merge } = await story(t)
  await create('jobs/', job('work', { completions: 3, parallelism: 3, completionMode: 'Indexed', suspend: true }))
  await until('jobs/', 'work', object => condition(object, 'Suspended')?.status === 'True')
  t.equal((await list('pods')).length, 0)
  await merge('jobs/', 'work', { spec: { suspend: false } })
  const done = await until('jobs/', 'work', isComplete)
  matches(t, done?.status, { succeeded: 3, completedIndexes: '0-2' })
  const indexes = (await list('pods')).map(pod =>
    field(pod, 'metadata', 'annotations', 'batch.kubernetes.io/job-completion-index'),
  )
  t.strictSame(indexes.sort(), ['0', '1', '2'])
  matches(t, field(await list('pods'), 0, 'spec', 'containers', 0, 'env', 0), { name: 'JOB_COMPLETION_INDEX' })
})

t.test('FN-72 a CronJob makes a Job at its time, and says so', async t => {
  const { create, until, merge, get, list } = await story(t)
  const jobTemplate = { spec: job('', {}).spec, metadata: { labels } }
  await create('cronjobs/', { metadata: { name: 'tick' }, spec: { schedule: '* * * * *', jobTemplate } })
  const created = Date.parse(String((await get('cronjobs/', 'tick')).metadata?.creationTimestamp))
  const isDue = ({ metadata }: KubeObject) => Number(metadata?.name?.slice('tick-'.length)) * 60_000 > created
  t.ok((await list('jobs/')).every(isDue), 'none at once; a minute may have begun since')
  const past = new Date(Date.now() - 150_000).toISOString().replace(/\.\d+/, '')
  await merge('cronjobs/', 'tick/status', { status: { lastScheduleTime: past } })
  const cronJob = await until('cronjobs/', 'tick', each => field(each, 'status', 'lastSuccessfulTime') !== undefined)
  const time = String(field(cronJob, 'status', 'lastScheduleTime'))
  matches(t, time, /:00Z$/)
  const made = await get('jobs/', `tick-${Date.parse(time) / 60_000}`)
  matches(t, made.metadata, {
    labels,
    ownerReferences: [{ kind: 'CronJob', name: 'tick', controller: true }],
  })
  await merge('cronjobs/', 'tick', { spec: { suspend: true } })
})

t.test('FN-72 a Service leads to the ready Pods it selects', async t => {
  const { create, until, end, namespace, list } = await story(t)
  await create('services', {
    metadata: { name: 'web' },
    spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
  })
  await create('deployments/', workload('web', { replicas: 2 }))
  const found = await until(
    'endpoints',
    'web',
    each => (field(each, 'subsets', 0, 'addresses') as unknown[])?.length === 2,
  )
  const pods = await list('pods')
  t.strictSame(
    (field(found, 'subsets', 0, 'addresses') as Fields[]).map(({ ip }) => ip).sort(),
    pods.map(pod => field(pod, 'status', 'podIP')).sort(),
  )
  matches(t, field(found, 'subsets', 0, 'ports'), [{ port: 8080, protocol: 'TCP' }])
  const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?labelSelector=kubernetes.io/service-name=web`
  const slice = async () => field((await cluster.api.call('GET', slices)).body, 'items', 0)
  await eventually('the EndpointSlice has ports', async () => field(await slice(), 'ports', 0) !== undefined)
  matches(t, await slice(), { addressType: 'IPv4', ports: [{ port: 8080 }] })
  await end('services', 'web')
  await cluster.api.waitFor({
    in: `/api/v1/namespaces/${namespace}/endpoints`,
    name: 'web',
    until: each => each === undefined,
  })
})

t.test('FN-72 a Pod that no node takes says so', async t => {
  const { create, until } = await story(t)
  await create('pods', { metadata: { name: 'picky' }, spec: { ...template().spec, nodeSelector: { no: 'where' } } })
  const pod = await until('pods', 'picky', each => condition(each, 'PodScheduled') !== undefined)
  matches(t, condition(pod ?? {}, 'PodScheduled'), { status: 'False', reason: 'Unschedulable' })
  t.equal(field(pod, 'status', 'phase'), 'Pending')
})

t.test('FN-72 a namespace ends with everything that runs in it', async t => {
  const { create, until, namespace } = await story(t)
  await create('deployments/', workload('web', { replicas: 2 }))
  await create('jobs/', job('work', { completions: 1 }))
  await until('deployments/', 'web', isRolledOut)
  await cluster.api.call('DELETE', `/api/v1/namespaces/${namespace}`)
  await cluster.api.waitFor({ in: '/api/v1/namespaces', name: namespace, until: found => found === undefined })
  t.pass('it is gone')
})
