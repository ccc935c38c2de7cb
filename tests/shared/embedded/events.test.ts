// Events of the embedded cluster alone: what the stand-in node tells of containers, how much is told, and when it is forgotten.
// What controllers tell is in tests/stories/workload-events.test.ts, as the real ones tell it.
import t, { type Test } from 'tap'
import { dropOldEvents } from '../../../shared/embedded/collect/garbage.ts'
import { type Behaviour, behaviourAnnotation } from '../../../shared/embedded/node/behaviour.ts'
import { EventFlow } from '../../../shared/embedded/node/node-events.ts'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { Store } from '../../../shared/embedded/storage/store.ts'
import { apiClient, type KubeObject } from '../../harness/clients/api.ts'
import { matches } from '../../harness/matches.ts'

const pods = '/api/v1/namespaces/default/pods'
const events = '/api/v1/namespaces/default/events'

const ground = async (t: Test) => {
  const cluster = await startEmbeddedCluster({ node: { stepMilliseconds: 0 } })
  const api = apiClient(cluster, { token: cluster.adminToken })
  t.teardown(async () => {
    await api.close()
    await cluster.stop()
  })
  const told = async () => (((await api.call('GET', events)).body.items ?? []) as KubeObject[]).filter(isOfNode)
  return {
    api,
    create: (name: string, behaviour: Behaviour, spec: Record<string, unknown> = {}) =>
      api.call('POST', pods, {
        body: {
          metadata: { name, annotations: { [behaviourAnnotation]: behaviour } },
          spec: { containers: [{ name: 'app', image: 'example.com/app:1' }], ...spec },
        },
      }),
    told,
    until: async (is: (event: KubeObject) => boolean) => {
      const { items = [], metadata } = (await api.call('GET', events)).body
      const watching = `${events}?watch=1&resourceVersion=${metadata?.resourceVersion}`
      if (!(items as KubeObject[]).some(is))
        for await (const { object } of api.watch(watching, AbortSignal.timeout(120_000))) if (is(object)) break
      return told()
    },
  }
}

const isOfNode = ({ reportingComponent }: KubeObject): boolean => reportingComponent === 'kubelet'
const line = ({ type, reason, message, involvedObject }: KubeObject): string =>
  [type, reason, (involvedObject as { fieldPath?: string }).fieldPath, message].join(' | ')

t.test('FN-72 the node tells how containers start and stop', async t => {
  const { api, create, told, until } = await ground(t)
  await create('life', 'run', { initContainers: [{ name: 'first', image: 'example.com/first:1' }] })
  const started = await until(each => each.reason === 'Started' && line(each).includes('{app}'))
  matches(t, started[0], {
    source: { component: 'kubelet', host: 'embedded-node' },
    reportingInstance: 'embedded-node',
    involvedObject: { kind: 'Pod', apiVersion: 'v1', name: 'life', uid: String },
  })
  await api.call('DELETE', `${pods}/life`)
  await until(each => each.reason === 'Killing')
  const present = 'already present on machine and can be accessed by the pod'
  t.strictSame(
    (await told()).map(line).sort(),
    [
      `Normal | Pulled | spec.initContainers{first} | Container image "example.com/first:1" ${present}`,
      'Normal | Created | spec.initContainers{first} | Container created',
      'Normal | Started | spec.initContainers{first} | Container started',
      `Normal | Pulled | spec.containers{app} | Container image "example.com/app:1" ${present}`,
      'Normal | Created | spec.containers{app} | Container created',
      'Normal | Started | spec.containers{app} | Container started',
      'Normal | Killing | spec.containers{app} | Stopping container app',
    ].sort(),
  )
})

t.test('FN-72 the node tells of containers that fail, and counts what comes again', async t => {
  const { api, create, until } = await ground(t)
  const { body } = await create('loops', 'crash-loop')
  const looping = await until(each => each.reason === 'BackOff' && Number(each.count) >= 2)
  const backOff = looping.find(({ reason }) => reason === 'BackOff')
  matches(t, backOff, {
    type: 'Warning',
    message: `Back-off restarting failed container app in pod loops_default(${body.metadata?.uid})`,
  })
  t.ok(Number(looping.find(({ reason }) => reason === 'Started')?.count) >= 2, 'each start is told')
  await api.call('DELETE', `${pods}/loops`)
  await create('hangs', 'hang')
  const hanging = await until(each => each.reason === 'Unhealthy')
  matches(t, hanging.find(({ reason }) => reason === 'Unhealthy')?.message, /^Readiness probe failed: /)
})

const content = (message: string) => ({ type: 'Normal' as const, reason: 'Done', message })

t.test('FN-72 of many similar events the first stand alone, until a while has passed', t => {
  let now = 0
  const flow = new EventFlow(() => now)
  const told = (message: string) => flow.passed('uid', content(message))
  const first = Array.from({ length: 9 }, (_, index) => told(`number ${index}`))
  t.ok(first.every(each => each && !each.isCombined))
  matches(t, told('number 9'), { message: '(combined from similar events): number 9', isCombined: true })
  t.notOk(told('number 3')?.isCombined, 'one that stood alone before still does')
  now = 600_001
  t.notOk(told('number 10')?.isCombined)
  t.end()
})

t.test('FN-72 an object that never rests is heard of now and then', t => {
  let now = 0
  const flow = new EventFlow(() => now)
  const told = (at: number, uid = 'uid') => {
    now = at
    return flow.passed(uid, content('again')) !== undefined
  }
  t.strictSame(
    Array.from({ length: 27 }, () => told(0)),
    [...Array(25).fill(true), false, false],
  )
  t.ok(told(0, 'another'))
  t.notOk(told(299_000))
  t.ok(told(301_000), 'one more every five minutes')
  t.notOk(told(302_000))
  t.end()
})

t.test('FN-60 Events go an hour after their last change', t => {
  const store = new Store(10)
  const event = (name: string, creationTimestamp: string, time = creationTimestamp) =>
    store.write('events', `default/${name}`, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: 'default', creationTimestamp, managedFields: [{ time }] },
    })
  event('old', '2026-01-01T10:00:00Z')
  event('counted-again', '2026-01-01T10:00:00Z', '2026-01-01T10:30:00Z')
  event('new', '2026-01-01T10:59:00Z')
  dropOldEvents(store, Date.parse('2026-01-01T11:00:01Z'))
  t.strictSame(store.now('events').keys(''), ['default/counted-again', 'default/new'])
  t.end()
})
