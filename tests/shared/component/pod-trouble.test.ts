// Which Pods are read of workloads that are not ready, and what these Pods say.
import t from 'tap'
import { itemKey } from '../../../shared/component/item.ts'
import { podsWanted, troubleInPods } from '../../../shared/component/observed/pod-trouble.ts'
import { plan } from '../../../shared/component/plan.ts'
import { nothingObserved, type World } from '../../../shared/component/world.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { lacks, matches } from '../../harness/matches.ts'
import { item, question } from '../../make/component/dependents.ts'

const now = new Date('2026-01-01T00:01:00Z')
const secondsAgo = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString()

const workload = (change: object = {}, kind = 'Deployment', apiVersion = 'apps/v1'): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name: 'a', namespace: 'n' },
  spec: { selector: { matchLabels: { app: 'a', tier: 'b' } } },
  ...change,
})

const worldWith = (live: KubeObject, { age = 5, ...change }: Partial<World> & { age?: number } = {}): World => {
  const key = { kind: live.kind, group: live.apiVersion.split('/')[0], namespace: 'n', name: 'a' }
  const stored = item({ ...key, lastAppliedAt: secondsAgo(age) })
  const observed = { ...nothingObserved, live: new Map([[itemKey(stored), live]]) }
  return { ...question(), items: [stored], observed, ...change }
}

t.test('CO-123 Pods are read only of workloads that are not ready for some time', async t => {
  const selectors = (world: World) => podsWanted(world, now).map(({ labelSelector }) => labelSelector)
  const read = ['app=a,tier=b']
  const conditions = [{ type: 'Failed', status: 'True' }]
  const cases: [what: string, world: World, expected: string[]][] = [
    ['Deployment', worldWith(workload()), read],
    ['StatefulSet', worldWith(workload({}, 'StatefulSet')), read],
    ['DaemonSet', worldWith(workload({}, 'DaemonSet')), read],
    ['ReplicaSet', worldWith(workload({}, 'ReplicaSet')), read],
    ['Job', worldWith(workload({}, 'Job', 'batch/v1')), read],
    ['a Job that has failed', worldWith(workload({ status: { conditions } }, 'Job', 'batch/v1')), read],
    ['ready', worldWith(workload({ spec: { replicas: 0, selector: { matchLabels: { a: 'b' } } } }, 'ReplicaSet')), []],
    ['written just now', worldWith(workload(), { age: 4 }), []],
    ['no workload', worldWith(workload({}, 'Other')), []],
    ['no labels', worldWith(workload({ spec: { selector: { matchLabels: {} } } })), []],
    ['expressions', worldWith(workload({ spec: { selector: { matchLabels: { a: 'b' }, matchExpressions: [] } } })), []],
    [
      'being deleted',
      worldWith(workload({ metadata: { name: 'a', namespace: 'n', deletionTimestamp: secondsAgo(1) } })),
      [],
    ],
    ['the component is being deleted', worldWith(workload(), { goal: 'delete' }), []],
  ]
  for (const [what, world, expected] of cases) t.strictSame(selectors(world), expected, what)
  const [one] = worldWith(workload()).items
  t.equal(selectors(worldWith(workload(), { items: Array(7).fill(one) })).length, 5, 'of five at most')
})

const pod = (name: string, status: object, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'n', creationTimestamp: secondsAgo(60), ...metadata },
  status,
})
const containers = (...containerStatuses: object[]) => ({ phase: 'Running', containerStatuses })
const ended = { exitCode: 1, reason: 'Error', message: 'no config\n' }

t.test('CO-123 the reason of a Pod, with and without what it quotes', async t => {
  const pulling = { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "a:c4n4ry"' } }
  const lost = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' }
  const looping = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } }
  const cases: [what: string, status: object, full: string | undefined, bare?: string][] = [
    [
      'an image',
      containers({ name: 'app', state: pulling }),
      'ImagePullBackOff: Back-off pulling image "a:c4n4ry"',
      'ImagePullBackOff',
    ],
    [
      'an init container',
      { initContainerStatuses: [{ name: 'init', state: pulling }] },
      'ImagePullBackOff: Back-off pulling image "a:c4n4ry"',
      'ImagePullBackOff',
    ],
    ['no node', { conditions: [lost] }, 'Unschedulable: 0/3 nodes are available', 'Unschedulable'],
    ['a node', { conditions: [{ ...lost, status: 'True' }] }, undefined],
    [
      'a crash',
      containers({ name: 'app', state: looping, lastState: { terminated: ended } }),
      'CrashLoopBackOff: container app ended with exit code 1 (Error): no config',
      'CrashLoopBackOff',
    ],
    [
      'a program that ends',
      containers({ name: 'app', state: looping, lastState: { terminated: { exitCode: 0, reason: 'Completed' } } }),
      'CrashLoopBackOff: container app ended with exit code 0 (Completed)',
      'CrashLoopBackOff',
    ],
    [
      'just ended',
      containers({ name: 'app', state: { terminated: ended } }),
      'ContainerFailed: container app ended with exit code 1 (Error): no config',
      'ContainerFailed',
    ],
    [
      'started again',
      containers({ name: 'app', state: { running: {} }, lastState: { terminated: ended } }),
      'ContainerFailed: container app ended with exit code 1 (Error): no config',
      'ContainerFailed',
    ],
    [
      'not ready',
      containers({ name: 'app', ready: false, state: { running: {} } }),
      'ContainersNotReady: container app runs and is not ready',
      'ContainersNotReady',
    ],
    ['ready', containers({ name: 'app', ready: true, state: { running: {} } }), undefined],
    ['on its way', containers({ name: 'app', state: { waiting: { reason: 'ContainerCreating' } } }), undefined],
    ['on its way, too', containers({ name: 'app', state: { waiting: { reason: 'PodInitializing' } } }), undefined],
    ['no state', containers({ name: 'app' }), undefined],
    ['done', { phase: 'Succeeded', reason: 'Odd' }, undefined],
    ['evicted', { phase: 'Failed', reason: 'Evicted', message: 'low on memory' }, 'Evicted: low on memory', 'Evicted'],
  ]
  for (const [what, status, full, bare] of cases)
    t.strictSame(
      troubleInPods(workload(), [pod('a-x', status)]),
      full && { full: `Pod a-x: ${full}`, bare: `Pod a-x: ${bare}` },
      what,
    )
})

t.test('CO-123 the youngest Pod counts, or why there is none, and long messages are shortened', async t => {
  const evicted = (name: string, metadata: object, message = 'm') =>
    pod(name, { reason: 'Evicted', message }, { ...metadata })
  const pods = [
    evicted('old', {}),
    evicted('young', { creationTimestamp: secondsAgo(5) }),
    evicted('going', { creationTimestamp: secondsAgo(1), deletionTimestamp: secondsAgo(0) }),
    pod('good', containers(), { creationTimestamp: secondsAgo(2) }),
  ]
  t.equal(troubleInPods(workload(), pods)?.full, 'Pod young: Evicted: m')
  t.equal(troubleInPods(workload(), [evicted('a', {}, 'x'.repeat(300))])?.full, `Pod a: Evicted: ${'x'.repeat(256)}…`)
  const failure = (status: string) => ({
    status: { conditions: [{ type: 'ReplicaFailure', status, reason: 'FailedCreate', message: 'exceeded quota' }] },
  })
  t.strictSame(troubleInPods(workload(failure('True')), pods), {
    bare: 'FailedCreate',
    full: 'FailedCreate: exceeded quota',
  })
  t.equal(troubleInPods(workload(failure('False')), pods)?.bare, 'Pod young: Evicted')
  t.equal(troubleInPods(workload()), undefined)
})

t.test('CO-123 RE-29 manifests with text of Secrets: the message has the reason alone', async t => {
  const told = (isConfidential: boolean) => {
    const { items, observed } = worldWith(workload())
    const pods = new Map(items.map(stored => [itemKey(stored), [pod('a-x', { reason: 'Evicted', message: 'c4n4ry' })]]))
    const manifests = [{ ...workload(), metadata: { name: 'a', namespace: 'n' } }]
    const kinds = new Map([['apps/v1/Deployment', 'namespaced' as const]])
    const world = { ...question(), items, manifests, observed: { ...observed, kinds, pods }, isConfidential }
    return JSON.stringify(plan(world, now))
  }
  matches(t, told(false), /Evicted: c4n4ry/)
  matches(t, told(true), /Pod a-x: Evicted/)
  lacks(t, told(true), 'c4n4ry')
})
