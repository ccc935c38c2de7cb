// Readiness, line by line: what a live object says of itself, and what follows.
import t from 'tap'
import {
  type Hints,
  type ObjectReadiness,
  readHints,
  readinessOf,
} from '../../../shared/component/observed/readiness.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { KubeObject, ObjectMeta } from '../../../shared/core/objects/object.ts'

const now = new Date('2026-01-01T00:01:00Z')

type Case = [name: string, status: ObjectReadiness['status'], object: KubeObject, hints?: Hints]

const judged = (cases: readonly Case[]) => async (t: Tap) => {
  for (const [name, status, object, hints = { conditions: [] }] of cases) {
    const found = readinessOf(object, hints, now)
    t.equal(found.status, status, `${name}: ${found.message}`)
    t.ok(found.message, `${name} has a message`)
  }
}

type Tap = { equal: typeof t.equal; ok: typeof t.ok }

const made = (
  apiVersion: string,
  kind: string,
  content: object = {},
  metadata: Partial<ObjectMeta> = {},
): KubeObject => ({
  apiVersion,
  kind,
  ...content,
  metadata: { name: 'a', namespace: 'n', generation: 2, ...metadata },
})

const condition = (type: string, status: string, reason = 'Because', message = '') => ({
  type,
  status,
  reason,
  message,
})
const gadget = (status?: object, metadata?: Partial<ObjectMeta>) =>
  made('example.io/v1', 'Gadget', status && { status }, metadata)
const withConditions = (...conditions: object[]) => gadget({ conditions })

t.test(
  'CO-73 A4 what holds for every kind, the first that fits',
  judged([
    ['no status at all', 'Current', gadget()],
    ['in deletion', 'Terminating', gadget({ observedGeneration: 1 }, { deletionTimestamp: 'now' })],
    ['an old generation', 'InProgress', gadget({ observedGeneration: 1, conditions: [condition('Stalled', 'True')] })],
    ['the generation', 'Current', gadget({ observedGeneration: 2 })],
    ['reconciling', 'InProgress', withConditions(condition('Stalled', 'True'), condition('Reconciling', 'True'))],
    ['stalled', 'Failed', withConditions(condition('Stalled', 'True'), condition('Ready', 'True'))],
    ['neither', 'Current', withConditions(condition('Stalled', 'False'), condition('Reconciling', 'Unknown'))],
    ['ready', 'Current', withConditions(condition('Ready', 'True'))],
    ['not ready', 'InProgress', withConditions(condition('Ready', 'False'))],
    ['maybe ready', 'InProgress', withConditions(condition('Ready', 'Unknown'))],
    ['other conditions', 'Current', withConditions(condition('Synced', 'False'))],
  ]),
)

const hints = (text: string): Hints => readHints(text) ?? { conditions: ['no such hint'] }

t.test(
  'CO-74 each hint with and without its field or condition',
  judged([
    ['no observedGeneration', 'InProgress', gadget(), hints('has-observed-generation')],
    ['with it', 'Current', gadget({ observedGeneration: 2 }), hints('has-observed-generation')],
    ['the one of Ready', 'Current', readyAt(2), hints('has-observed-generation')],
    ['an old one of Ready', 'InProgress', readyAt(1), hints('has-observed-generation')],
    ['no Ready', 'InProgress', gadget(), hints('has-ready-condition')],
    ['Ready', 'Current', withConditions(condition('Ready', 'True')), hints('has-ready-condition')],
    ['no Ready on a kind with rules', 'InProgress', made('v1', 'ConfigMap'), hints('has-ready-condition')],
    ['one of two conditions', 'InProgress', withConditions(condition('A', 'True')), hints('conditions=A;B')],
    [
      'one of them False',
      'InProgress',
      withConditions(condition('A', 'True'), condition('B', 'False')),
      hints('conditions=A;B'),
    ],
    ['both', 'Current', withConditions(condition('A', 'True'), condition('B', 'True')), hints('conditions=A;B')],
    ['conditions of a kind with rules', 'InProgress', made('v1', 'Secret'), hints('conditions=A')],
    [
      'a hint mends no failure',
      'Failed',
      withConditions(condition('Stalled', 'True'), condition('A', 'True')),
      hints('conditions=A'),
    ],
    [
      'several hints',
      'InProgress',
      gadget({ observedGeneration: 2 }),
      hints('has-observed-generation, has-ready-condition'),
    ],
  ]),
)

function readyAt(observedGeneration: number): KubeObject {
  return withConditions({ ...condition('Ready', 'True'), observedGeneration })
}

t.test('CO-74 a value on the first two hints, none on conditions, other words', async t => {
  for (const text of [
    'has-observed-generation=1',
    'has-ready-condition=true',
    'conditions',
    'conditions=',
    'conditions=A;;B',
    'ready',
    '',
    'constructor',
  ])
    t.equal(readHints(text), undefined, text)
})

t.test(
  'CO-73 kinds that are ready as soon as they exist',
  judged([
    ['Secret', 'Current', made('v1', 'Secret')],
    ['ConfigMap', 'Current', made('v1', 'ConfigMap')],
    ['CronJob', 'Current', made('batch/v1', 'CronJob')],
    ['PodDisruptionBudget', 'Current', made('policy/v1', 'PodDisruptionBudget')],
    ['Service', 'Current', made('v1', 'Service', { spec: { type: 'ClusterIP' } })],
    ['balancer without address', 'InProgress', made('v1', 'Service', { spec: { type: 'LoadBalancer' } })],
    ['balancer', 'Current', made('v1', 'Service', { spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1' } })],
    ['unbound claim', 'InProgress', made('v1', 'PersistentVolumeClaim', { status: { phase: 'Pending' } })],
    ['bound claim', 'Current', made('v1', 'PersistentVolumeClaim', { status: { phase: 'Bound' } })],
  ]),
)

const available = condition('Available', 'True')
const rolledOut = condition('Progressing', 'True', 'NewReplicaSetAvailable')
const replicas = (n: number) => ({ replicas: n, updatedReplicas: n, availableReplicas: n, readyReplicas: n })
const deployment = (status: object, spec: object = { replicas: 2, progressDeadlineSeconds: 600 }) =>
  made('apps/v1', 'Deployment', { spec, status: { ...replicas(2), conditions: [available, rolledOut], ...status } })

t.test(
  'CO-73 a Deployment is Current once it is rolled out',
  judged([
    ['rolled out', 'Current', deployment({})],
    ['one replica unless said', 'Current', deployment(replicas(1), {})],
    ['too few replicas', 'InProgress', deployment({ replicas: 1 })],
    ['too many', 'InProgress', deployment({ replicas: 3 })],
    ['not updated', 'InProgress', deployment({ updatedReplicas: 1 })],
    ['not available', 'InProgress', deployment({ availableReplicas: 1 })],
    ['not ready', 'InProgress', deployment({ readyReplicas: 1 })],
    ['Available False', 'InProgress', deployment({ conditions: [condition('Available', 'False'), rolledOut] })],
    ['no Available', 'InProgress', deployment({ conditions: [rolledOut] })],
    [
      'still progressing',
      'InProgress',
      deployment({ conditions: [available, condition('Progressing', 'True', 'ReplicaSetUpdated')] }),
    ],
    ['no deadline, no Progressing', 'Current', deployment({ conditions: [available] }, { replicas: 2 })],
    [
      'endless deadline',
      'Current',
      deployment({ conditions: [available] }, { replicas: 2, progressDeadlineSeconds: 2147483647 }),
    ],
    [
      'deadline exceeded',
      'Failed',
      deployment({ conditions: [available, condition('Progressing', 'False', 'ProgressDeadlineExceeded')] }),
    ],
    ['none wanted', 'Current', deployment(replicas(0), { replicas: 0 })],
    ['no status', 'InProgress', made('apps/v1', 'Deployment', { spec: { replicas: 1 } })],
  ]),
)

const set = {
  replicas: 3,
  readyReplicas: 3,
  currentReplicas: 3,
  updatedReplicas: 3,
  currentRevision: 'b',
  updateRevision: 'b',
}
const statefulSet = (status: object, rollingUpdate?: object) =>
  made('apps/v1', 'StatefulSet', {
    spec: { replicas: 3, updateStrategy: { type: 'RollingUpdate', rollingUpdate } },
    status: { ...set, ...status },
  })

t.test(
  'CO-73 a StatefulSet is Current once its last revision runs',
  judged([
    ['OnDelete', 'Current', made('apps/v1', 'StatefulSet', { spec: { updateStrategy: { type: 'OnDelete' } } })],
    ['rolled out', 'Current', statefulSet({})],
    ['too few', 'InProgress', statefulSet({ replicas: 2 })],
    ['too many', 'InProgress', statefulSet({ replicas: 4 })],
    ['not ready', 'InProgress', statefulSet({ readyReplicas: 2 })],
    ['old ones left', 'InProgress', statefulSet({ currentReplicas: 2 })],
    ['old revision', 'InProgress', statefulSet({ currentRevision: 'a' })],
    [
      'partition reached',
      'Current',
      statefulSet({ updatedReplicas: 1, currentRevision: 'a', currentReplicas: 2 }, { partition: 2 }),
    ],
    ['partition not reached', 'InProgress', statefulSet({ updatedReplicas: 0 }, { partition: 2 })],
    ['partition 0', 'InProgress', statefulSet({ updatedReplicas: 2 }, { partition: 0 })],
  ]),
)

const nodes = {
  observedGeneration: 2,
  desiredNumberScheduled: 2,
  currentNumberScheduled: 2,
  updatedNumberScheduled: 2,
  numberAvailable: 2,
  numberReady: 2,
}
const daemonSet = (status: object, metadata?: Partial<ObjectMeta>) =>
  made('apps/v1', 'DaemonSet', { status: { ...nodes, ...status } }, metadata)

t.test(
  'CO-73 a DaemonSet is Current once it runs everywhere',
  judged([
    ['everywhere', 'Current', daemonSet({})],
    ['no generation', 'InProgress', daemonSet({}, { generation: undefined })],
    ['not observed', 'InProgress', daemonSet({ observedGeneration: undefined })],
    ['not desired', 'InProgress', daemonSet({ desiredNumberScheduled: undefined })],
    ['not current', 'InProgress', daemonSet({ currentNumberScheduled: 1 })],
    ['not updated', 'InProgress', daemonSet({ updatedNumberScheduled: 1 })],
    ['not available', 'InProgress', daemonSet({ numberAvailable: 1 })],
    ['not ready', 'InProgress', daemonSet({ numberReady: 1 })],
  ]),
)

const replicaSet = (status: object) =>
  made('apps/v1', 'ReplicaSet', {
    spec: { replicas: 2 },
    status: { replicas: 2, fullyLabeledReplicas: 2, availableReplicas: 2, readyReplicas: 2, ...status },
  })

t.test(
  'CO-73 a ReplicaSet is Current once its replicas are there',
  judged([
    ['there', 'Current', replicaSet({})],
    ['failing', 'InProgress', replicaSet({ conditions: [condition('ReplicaFailure', 'True')] })],
    ['not labelled', 'InProgress', replicaSet({ fullyLabeledReplicas: 1 })],
    ['not available', 'InProgress', replicaSet({ availableReplicas: 1 })],
    ['not ready', 'InProgress', replicaSet({ readyReplicas: 1 })],
    ['too many', 'InProgress', replicaSet({ replicas: 3 })],
  ]),
)

const pod = (status: object, ageSeconds = 60) =>
  made('v1', 'Pod', { status }, { creationTimestamp: new Date(now.getTime() - ageSeconds * 1000).toISOString() })
const crashing = [{ name: 'web', state: { waiting: { reason: 'CrashLoopBackOff' } } }]
const unschedulable = [condition('PodScheduled', 'False', 'Unschedulable', 'no nodes')]

t.test(
  'CO-73 CO-31 a Pod is Current when ready or succeeded, and Failed when it failed',
  judged([
    ['succeeded', 'Current', pod({ phase: 'Succeeded' })],
    ['ready', 'Current', pod({ phase: 'Running', conditions: [condition('Ready', 'True')] })],
    ['running', 'InProgress', pod({ phase: 'Running', conditions: [condition('Ready', 'False')] })],
    ['crashing', 'Failed', pod({ phase: 'Running', containerStatuses: crashing })],
    ['crashing at the start', 'Failed', pod({ phase: 'Pending', initContainerStatuses: crashing })],
    ['failed', 'Failed', pod({ phase: 'Failed' })],
    ['pending', 'InProgress', pod({ phase: 'Pending' })],
    ['unschedulable for 14 s', 'InProgress', pod({ phase: 'Pending', conditions: unschedulable }, 14)],
    ['unschedulable for 15 s', 'Failed', pod({ phase: 'Pending', conditions: unschedulable }, 15)],
  ]),
)

t.test(
  'CO-73 CO-31 a Job is Current when complete, and Failed when it failed',
  judged([
    ['new', 'InProgress', made('batch/v1', 'Job')],
    ['running', 'InProgress', made('batch/v1', 'Job', { status: { active: 1, startTime: 'now' } })],
    ['complete', 'Current', made('batch/v1', 'Job', { status: { conditions: [condition('Complete', 'True')] } })],
    ['failed', 'Failed', made('batch/v1', 'Job', { status: { conditions: [condition('Failed', 'True')] } })],
  ]),
)

const definition = (...conditions: object[]) =>
  made('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { status: { conditions } })
const accepted = condition('NamesAccepted', 'True')
const apiService = (...conditions: object[]) =>
  made('apiregistration.k8s.io/v1', 'APIService', { status: { conditions } })

t.test(
  'CO-73 CO-31 a CustomResourceDefinition is Current when established, an APIService when available',
  judged([
    ['new', 'InProgress', definition()],
    ['established', 'Current', definition(accepted, condition('Established', 'True'))],
    ['names not told', 'InProgress', definition(condition('Established', 'True'))],
    [
      'names taken',
      'Failed',
      definition(condition('NamesAccepted', 'False'), condition('Established', 'False', 'NotAccepted')),
    ],
    ['installing', 'InProgress', definition(accepted, condition('Established', 'False', 'Installing'))],
    ['refused', 'Failed', definition(accepted, condition('Established', 'False', 'Refused'))],
    ['new service', 'InProgress', apiService()],
    ['available', 'Current', apiService(condition('Available', 'True'))],
    ['not available', 'InProgress', apiService(condition('Available', 'False'))],
  ]),
)

t.test('RE-53 an object with a field toString where a live object has a number or a text', async t => {
  const odd = { toString: 1 } as never
  const ready = withConditions(condition('Ready', 'True'))
  const observed = { ...mapOrEmpty(ready.status), observedGeneration: 1 }
  const messageOf = (object: KubeObject) => readinessOf(object, { conditions: [] }, now).message
  t.equal(
    messageOf({ ...ready, metadata: { name: 'x', generation: odd }, status: observed }),
    'is ready',
    'a generation that is none was observed',
  )
  const [container] = crashing
  t.equal(
    messageOf(pod({ phase: 'Running', containerStatuses: [{ ...container, name: odd }] })),
    'container {"toString":1} keeps crashing',
  )
  t.equal(messageOf(pod({ phase: odd })), 'is {"toString":1}')
})

t.test('RE-29 what a manifest wrote has a sentence without it, for manifests with text of Secrets', async t => {
  const looping = readinessOf(pod({ phase: 'Running', containerStatuses: crashing }), { conditions: [] }, now)
  t.equal(looping.message, 'container web keeps crashing')
  t.equal(looping.bare, 'a container keeps crashing')
  const hinted = readinessOf(withConditions(condition('Ready', 'True')), { conditions: ['Ripe'] }, now)
  t.equal(hinted.message, 'condition Ripe is not True yet')
  t.equal(hinted.bare, 'a condition that its status hint names is not True yet')
})
