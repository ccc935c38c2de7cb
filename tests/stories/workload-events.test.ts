// What people are told of workloads, in Events: the same by the controllers of the embedded cluster and by the real ones.
// What a node tells is not compared: the real control plane of the tests has none that speaks.
import t, { type Test } from 'tap'
import type { Fields, KubeObject } from '../harness/clients/api.ts'
import { type AnyCluster, anyCluster } from '../harness/clusters/any-cluster.ts'
import { matches } from '../harness/matches.ts'
import { usualSeconds } from '../harness/until.ts'
import { field, template, workload } from '../make/objects/workload.ts'

const embedded = { node: { stepMilliseconds: 0 } }
const nodes = /^(kubelet|kwok\w*)$/

const story = async (t: Test) => {
  const cluster: AnyCluster = await anyCluster(t, { embedded })
  const { api, namespace } = cluster
  const at = (plural: string) => {
    const root = /jobs$/.test(plural)
      ? '/apis/batch/v1'
      : /sets$|deployments$/.test(plural)
        ? '/apis/apps/v1'
        : '/api/v1'
    return `${root}/namespaces/${namespace}/${plural}`
  }
  await api.waitFor({ in: at('serviceaccounts'), name: 'default', until: found => found !== undefined })
  return {
    namespace,
    create: async (plural: string, body: Fields) => {
      const reply = await api.call('POST', at(plural), { body })
      t.equal(reply.status, 201, reply.status === 201 ? 'created' : reply.text)
    },
    merge: (plural: string, name: string, body: Fields) =>
      api.call('PATCH', `${at(plural)}/${name}`, { body, contentType: 'application/merge-patch+json' }),
    until: (plural: string, name: string, until: (object: KubeObject) => boolean) =>
      api.waitFor({ in: at(plural), name, until: found => found !== undefined && until(found) }),
    /** Waits for an Event, or as many of them, then answers the lines about the objects of a kind. */
    told: async (kind: string, last: (event: KubeObject) => boolean, count = 1) => {
      await heard(cluster, at('events'), { kind, last, count })
      const items = ((await api.call('GET', at('events'))).body.items ?? []) as KubeObject[]
      return items.filter(event => isOf(event, kind) && !nodes.test(speakerOf(event)))
    },
  }
}

type Wanted = { kind: string; last: (event: KubeObject) => boolean; count: number }

const heard = async ({ api }: AnyCluster, path: string, { kind, last, count }: Wanted): Promise<void> => {
  const signal = AbortSignal.timeout(usualSeconds * 1000)
  const names = new Set<string | undefined>()
  const others = new Set<string>()
  try {
    // Events that there are come first.
    for await (const { object } of api.watch(`${path}?watch=1`, signal)) {
      if (!isOf(object, kind)) continue
      if (last(object)) names.add(object.metadata?.name)
      else others.add(`${object.reason}: ${object.message}`)
      if (names.size === count) return
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  throw new Error(`${names.size} of ${count} ${kind} Events were told; others were: ${[...others].join('; ')}`)
}

const speakerOf = (event: KubeObject): string => String(field(event, 'source', 'component') ?? event.reportingComponent)
const isOf = (event: KubeObject, kind: string): boolean => field(event, 'involvedObject', 'kind') === kind
const says = (reason: string, text: string) => (event: KubeObject) =>
  event.reason === reason && String(event.message).includes(text)

/** Names that are made differ from run to run. */
const masked = (text: unknown): string =>
  String(text)
    .replace(
      /\b(web|daemon|once|broken|set|many|parallel)(-[b-df-hj-np-tv-z2-9]{6,10})?-[b-df-hj-np-tv-z2-9]{5}\b/g,
      '$1-POD',
    )
    .replace(/\bweb-[b-df-hj-np-tv-z2-9]{6,10}\b/g, 'web-SET')

const lines = (events: readonly KubeObject[]): string[] =>
  events.map(event => [speakerOf(event), event.type, event.reason, masked(event.message)].join(' | ')).sort()

t.jobs = 4

t.test('FN-72 a Deployment tells of its ReplicaSets, and these of their Pods', { buffered: true }, async t => {
  const { create, merge, until, told, namespace } = await story(t)
  await create('deployments', workload('web', { replicas: 2 }))
  await until('deployments', 'web', each => field(each, 'status', 'readyReplicas') === 2)
  const up = await told('Deployment', says('ScalingReplicaSet', 'to 2'))
  matches(t, up[0], {
    metadata: { name: /^web\.[0-9a-f]{15,16}$/, namespace },
    involvedObject: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'web',
      namespace,
      uid: String,
      resourceVersion: String,
    },
    source: { component: 'deployment-controller' },
    reportingComponent: 'deployment-controller',
    reportingInstance: '',
    count: 1,
    firstTimestamp: String,
    lastTimestamp: String,
    eventTime: null,
  })
  await merge('deployments', 'web', { spec: { replicas: 1 } })
  t.strictSame(lines(await told('Deployment', says('ScalingReplicaSet', 'to 1'))), [
    'deployment-controller | Normal | ScalingReplicaSet | Scaled down replica set web-SET from 2 to 1',
    'deployment-controller | Normal | ScalingReplicaSet | Scaled up replica set web-SET from 0 to 2',
  ])
  t.strictSame(lines(await told('ReplicaSet', says('SuccessfulDelete', 'web'))), [
    'replicaset-controller | Normal | SuccessfulCreate | Created pod: web-POD',
    'replicaset-controller | Normal | SuccessfulCreate | Created pod: web-POD',
    'replicaset-controller | Normal | SuccessfulDelete | Deleted pod: web-POD',
  ])
  const scheduled = await told('Pod', says('Scheduled', ''), 2)
  t.equal(scheduled.length, 2)
  matches(t, scheduled[0], {
    type: 'Normal',
    reason: 'Scheduled',
    message: new RegExp(`^Successfully assigned ${namespace}/web-\\S+ to \\S+$`),
    action: 'Binding',
    reportingComponent: 'default-scheduler',
    reportingInstance: /^default-scheduler-/,
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: /\.\d{6}Z$/,
  })
  t.notOk(scheduled[0]?.count)
})

t.test('FN-72 many similar events become one line that is counted', { buffered: true }, async t => {
  const { create, until, told } = await story(t)
  await create('replicasets', workload('many', { replicas: 12 }))
  await until('replicasets', 'many', each => field(each, 'status', 'readyReplicas') === 12)
  const events = await told('ReplicaSet', event => Number(event.count) === 3)
  t.strictSame(lines(events), [
    'replicaset-controller | Normal | SuccessfulCreate | (combined from similar events): Created pod: many-POD',
    ...Array(9).fill('replicaset-controller | Normal | SuccessfulCreate | Created pod: many-POD'),
  ])
})

t.test('FN-72 a StatefulSet tells of its Pods and claims', { buffered: true }, async t => {
  const { create, merge, until, told } = await story(t)
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
  const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: claim }]
  await create('statefulsets', workload('db', { replicas: 1, serviceName: 'db', volumeClaimTemplates }))
  await told('StatefulSet', says('SuccessfulCreate', 'Pod db-0'))
  await create('statefulsets', workload('set', { replicas: 1, serviceName: 'set' }))
  await until('statefulsets', 'set', each => field(each, 'status', 'readyReplicas') === 1)
  await merge('statefulsets', 'set', { spec: { replicas: 0 } })
  t.strictSame(lines(await told('StatefulSet', says('SuccessfulDelete', 'set-0'))), [
    'statefulset-controller | Normal | SuccessfulCreate | Create Claim data-db-0 Pod db-0 in StatefulSet db success',
    'statefulset-controller | Normal | SuccessfulCreate | Create Pod db-0 in StatefulSet db successful',
    'statefulset-controller | Normal | SuccessfulCreate | Create Pod set-0 in StatefulSet set successful',
    'statefulset-controller | Normal | SuccessfulDelete | Delete Pod set-0 in StatefulSet set successful',
  ])
})

t.test('FN-72 a DaemonSet tells of its Pods', { buffered: true }, async t => {
  const { create, merge, until, told } = await story(t)
  await create('daemonsets', workload('daemon'))
  await until('daemonsets', 'daemon', each => Number(field(each, 'status', 'numberReady')) >= 1)
  await merge('daemonsets', 'daemon', { spec: { template: { spec: { nodeSelector: { no: 'where' } } } } })
  const told1 = new Set(lines(await told('DaemonSet', says('SuccessfulDelete', 'daemon'))))
  t.strictSame(
    [...told1],
    [
      'daemonset-controller | Normal | SuccessfulCreate | Created pod: daemon-POD',
      'daemonset-controller | Normal | SuccessfulDelete | Deleted pod: daemon-POD',
    ],
  )
})

t.test('FN-72 a Job tells how it goes and ends', { buffered: true }, async t => {
  const { create, merge, told } = await story(t)
  const job = (name: string, spec: Fields, pod: Fields = {}) => ({
    metadata: { name },
    spec: { template: template({ restartPolicy: 'Never', ...pod }), ...spec },
  })
  await create('jobs', job('once', { suspend: true }))
  await told('Job', says('Suspended', ''))
  await merge('jobs', 'once', { spec: { suspend: false } })
  const done = await told('Job', says('Completed', ''))
  t.strictSame(lines(done), [
    'job-controller | Normal | Completed | Job completed',
    'job-controller | Normal | Resumed | Job resumed',
    'job-controller | Normal | SuccessfulCreate | Created pod: once-POD',
    'job-controller | Normal | Suspended | Job suspended',
  ])
  await create('jobs', job('broken', { activeDeadlineSeconds: 1 }, { nodeSelector: { no: 'where' } }))
  const failed = (await told('Job', says('DeadlineExceeded', ''))).filter(
    event => field(event, 'involvedObject', 'name') === 'broken',
  )
  t.strictSame(lines(failed), [
    'job-controller | Normal | SuccessfulCreate | Created pod: broken-POD',
    'job-controller | Normal | SuccessfulDelete | Deleted pod: broken-POD',
    'job-controller | Warning | DeadlineExceeded | Job was active longer than specified deadline',
  ])
})

t.test('FN-72 a Pod that is refused or fits no node is told of', { buffered: true }, async t => {
  const { create, told } = await story(t)
  await create('replicasets', workload('web', { replicas: 1, template: template({ serviceAccountName: 'missing' }) }))
  const [refused] = await told('ReplicaSet', says('FailedCreate', ''))
  matches(t, refused, {
    type: 'Warning',
    reportingComponent: 'replicaset-controller',
    message:
      /^Error creating: pods "web-" is forbidden: error looking up service account \S+\/missing: serviceaccount "missing" not found$/,
  })
  await create('pods', { metadata: { name: 'lost' }, spec: { ...template().spec, nodeSelector: { no: 'where' } } })
  const [lost] = await told('Pod', says('FailedScheduling', ''))
  matches(t, lost, {
    type: 'Warning',
    action: 'Scheduling',
    reportingComponent: 'default-scheduler',
    message: /^0\/\d+ nodes are available: /,
  })
})
