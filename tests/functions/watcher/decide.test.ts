import t from 'tap'
import { decide, report } from '../../../functions/watcher/decide.ts'
import { gather } from '../../../functions/watcher/gather.ts'
import { watcherSettings } from '../../../functions/watcher/settings.ts'
import type { Gateway, World } from '../../../functions/watcher/world.ts'
import type { Plan, StepResult } from '../../../shared/core/decisions/plan.ts'
import { subjectOf } from '../../../shared/core/decisions/steps.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import type { ListQuery, Reads } from '../../../shared/kube/client-types.ts'
import { KindNotServed } from '../../../shared/kube/errors.ts'
import { matches } from '../../harness/matches.ts'
import { watcher } from '../../make/kyma/kyma.ts'

const now = new Date('2026-11-23T10:00:00Z')
const settings = defaultValues(watcherSettings)
const finalizers = ['operator.kyma-project.io/watcher']
const deletionTimestamp = '2026-11-23T09:00:00Z'

const gateway = (name: string, ...hosts: string[][]): Gateway => ({
  apiVersion: 'networking.istio.io/v1',
  kind: 'Gateway',
  metadata: { name, namespace: 'istio-system', labels: { app: 'gateway' } },
  spec: { servers: hosts.map(hosts => ({ hosts })) },
})

const stored = (change: Parameters<typeof watcher>[0] = {}) =>
  watcher({
    metadata: { uid: 'w', resourceVersion: '1', generation: 3, ...change.metadata },
    ...withoutMetadata(change),
  })

const withoutMetadata = ({ metadata: _, ...rest }: Parameters<typeof watcher>[0] & object) => rest

const world = (change: Partial<World> = {}): World => ({
  watcher: stored(),
  settings,
  gateways: [gateway('events', ['events.example.com'])],
  virtualService: undefined,
  ...change,
})

const route = (change: object = {}): KubeObject => ({
  apiVersion: 'networking.istio.io/v1',
  kind: 'VirtualService',
  metadata: {
    name: 'kyma-watcher',
    namespace: 'kcp-system',
    uid: 'v',
    resourceVersion: '2',
    ownerReferences: [{ apiVersion: 'operator.kyma-project.io/v1beta2', kind: 'Watcher', name: 'x', uid: 'w' }],
    ...change,
  },
})

const stepsOf = ({ steps }: Plan): string[] => steps.map(step => `${step.do} ${subjectOf(step).kind}`)

const conditionOf = ({ status }: Pick<Plan, 'status'>) => (status.conditions as object[] | undefined)?.[0]

const ready = { state: 'Ready', observedGeneration: 3 }
const condition = { type: 'VirtualService', reason: 'Ready', observedGeneration: 3 }

t.test('KY-140 KY-194 one Gateway: the VirtualService, and a status that says so', async t => {
  const plan = decide(world(), now)
  t.strictSame(stepsOf(plan), ['addFinalizer Watcher', 'create VirtualService'])
  matches(t, plan.steps[1], {
    object: {
      apiVersion: 'networking.istio.io/v1',
      metadata: {
        name: 'kyma-watcher',
        namespace: 'kcp-system',
        ownerReferences: [
          { apiVersion: 'operator.kyma-project.io/v1beta2', kind: 'Watcher', name: 'kyma-watcher', uid: 'w' },
        ],
      },
      spec: {
        gateways: ['istio-system/events'],
        hosts: ['events.example.com'],
        http: [
          {
            name: 'kcp-system/kyma-watcher',
            match: [{ uri: { prefix: '/v2/lifecycle-manager/event' } }],
            route: [{ destination: { host: 'events.kcp-system.svc.cluster.local', port: { number: 8082 } } }],
          },
        ],
      },
    },
  })
  matches(t, plan.status, {
    ...ready,
    conditions: [
      {
        ...condition,
        status: 'True',
        message: 'VirtualService is configured',
        lastTransitionTime: '2026-11-23T10:00:00Z',
      },
    ],
  })
  t.strictSame(plan.next, { is: 'settled', againSeconds: 60 })
})

t.test('KY-295 servers and hosts of a Gateway that have another shape count for nothing', async t => {
  const odd = [{}, 'x', { servers: {} }, { servers: 'x' }, { servers: [null, 'x', {}, { hosts: 'x' }, { hosts: {} }] }]
  const one = { servers: [{ hosts: [5, null, 'team/x.example.com', ['y']] }] }
  const gateways = [...odd, one].map(spec => ({ ...gateway('a'), spec }) as Gateway)
  const [create] = decide(world({ gateways }), now).steps.slice(-1)
  matches(t, create, { do: 'create', object: { spec: { hosts: ['x.example.com'] } } })
})

t.test('KY-140 all Gateways, all hosts of all their servers, each once', async t => {
  const gateways = [gateway('a', ['x.example.com', 'team/y.example.com'], ['*']), gateway('b', ['x.example.com'])]
  matches(t, decide(world({ gateways }), now).steps[1], {
    object: {
      spec: {
        gateways: ['istio-system/a', 'istio-system/b'],
        hosts: ['x.example.com', 'y.example.com', '*'],
      },
    },
  })
})

t.test('KY-140 spec.manager comes before the label', async t => {
  const named = stored({ spec: { manager: 'listener' } })
  matches(t, decide(world({ watcher: named }), now).steps[1], {
    object: { spec: { http: [{ match: [{ uri: { prefix: '/v2/listener/event' } }] }] } },
  })
})

t.test('KY-141 what others changed in the spec is taken back, what they own besides stays', async t => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'other' }
  const http = [{ name: 'kcp-system/kyma-watcher' }]
  const virtualService = { ...route({ ownerReferences: [owner] }), spec: { hosts: ['else'], tcp: [{}], http } }
  matches(t, decide(world({ virtualService }), now).steps[1], {
    do: 'patch',
    target: virtualService,
    merge: {
      metadata: { ownerReferences: [owner, { kind: 'Watcher', uid: 'w', controller: true }] },
      spec: { hosts: ['events.example.com'], gateways: ['istio-system/events'], http: [Object], tcp: null },
    },
  })
})

t.test(
  'KY-296 an object has one controller: of a former Watcher of the name nothing stays, beside another one we only own',
  async t => {
    const http = [{ name: 'kcp-system/kyma-watcher' }]
    const watcherOf = { apiVersion: 'operator.kyma-project.io/v1beta1', kind: 'Watcher', name: 'kyma-watcher' }
    const former = { ...watcherOf, uid: 'former', controller: true }
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'other', controller: true }
    const ours = { ...watcherOf, apiVersion: 'operator.kyma-project.io/v1beta2', uid: 'w' }
    const ownersAfter = (...ownerReferences: object[]) => {
      const virtualService = { ...route({ ownerReferences }), spec: { http } }
      const [, patch] = decide(world({ virtualService }), now).steps
      return (
        patch?.do === 'patch' && (patch.merge.metadata as { ownerReferences: object[] } | undefined)?.ownerReferences
      )
    }
    t.strictSame(ownersAfter(former), [{ ...ours, controller: true }])
    t.strictSame(ownersAfter(former, ours), [ours])
    t.strictSame(ownersAfter(other), [other, ours])
    t.strictSame(ownersAfter(other, ours), undefined, 'it is well')
    const another = { ...former, name: 'another-watcher' }
    t.strictSame(ownersAfter(another), [another, ours], 'a Watcher of another name')
  },
)

t.test('KY-194 the time of the condition stands still while its status does', async t => {
  const before = decide(world(), new Date('2026-11-23T08:00:00Z')).status
  const known = stored({ metadata: { generation: 4 }, status: before })
  matches(t, conditionOf(decide(world({ watcher: known }), now)), {
    observedGeneration: 4,
    lastTransitionTime: '2026-11-23T08:00:00Z',
  })
})

const faults: Record<string, Partial<World>> = {
  'no Gateway matches': { gateways: [] },
  'no server has a host': { gateways: [gateway('a', []), gateway('b')] },
  'no manager': { watcher: stored({ metadata: { labels: null } }) },
  'a manager that is no part of a path': { watcher: stored({ spec: { manager: 'a/b' } }) },
  'a manager that leads elsewhere': { watcher: stored({ spec: { manager: '..' } }) },
  'a manager that no API server takes as a part of a path': { watcher: stored({ spec: { manager: 'My_Manager' } }) },
  'port 0': { watcher: stored({ spec: { serviceInfo: { port: 0 } } }) },
  'port 65536': { watcher: stored({ spec: { serviceInfo: { port: 65_536 } } }) },
  'a VirtualService that is on its way out': { virtualService: route({ deletionTimestamp, finalizers: ['x'] }) },
  'no Istio, though events shall pass it': { gateways: undefined, settings: { ...settings, eventIngress: 'istio' } },
}

for (const [name, change] of Object.entries(faults))
  t.test(`KY-142 ${name}: Error, and what is there stays as it is`, async t => {
    const plan = decide(world({ virtualService: route(), ...change }), now)
    t.strictSame(stepsOf(plan), ['addFinalizer Watcher'])
    matches(t, plan.status, { state: 'Error' })
    matches(t, conditionOf(plan), { ...condition, status: 'False', message: 'VirtualService is not configured' })
    matches(t, plan.next, { is: 'waiting', seconds: 60, for: String })
    const reasons = plan.events.map(({ type, reason }) => `${type} ${reason}`)
    const reason = name === 'no Gateway matches' ? 'WatcherGatewayNotFound' : 'WatcherNotConfigured'
    t.strictSame(reasons, [`Warning ${reason}`])
  })

t.test('KY-220 KY-142 the Event of a Watcher that is wrong says what is', async t => {
  const told = (change: Parameters<typeof watcher>[0]) =>
    decide(world({ watcher: stored(change) }), now).events.map(({ message }) => message)
  t.strictSame(told({ spec: { labelsToWatch: { app: 'a b' } } }), ['spec.labelsToWatch: "app=a b" is not a label'])
  t.strictSame(told({ spec: { serviceInfo: { port: 0 } } }), [
    'spec.serviceInfo.port is 0, expected a port from 1 to 65535',
  ])
})

t.test('KY-225 a VirtualService that was not made for the Watcher is in the way, and stays as it is', async t => {
  for (const http of [[{ name: 'kcp-system/another' }, { match: [] }], [], undefined]) {
    const virtualService = { ...route({ ownerReferences: [] }), spec: { hosts: ['shop.example.com'], http } }
    const plan = decide(world({ virtualService }), now)
    t.strictSame(stepsOf(plan), ['addFinalizer Watcher'])
    matches(t, plan.status, { state: 'Error' })
    t.strictSame(
      plan.events.map(({ message }) => message),
      ['VirtualService kcp-system/kyma-watcher already exists and does not belong to this Watcher'],
    )
  }
})

t.test('KY-225 one of the Go operator is taken over, with and without an owner', async t => {
  const http = [{ name: 'somebody-added' }, { name: 'kcp-system/kyma-watcher' }]
  const bare = { ...route({ ownerReferences: [] }), spec: { http } }
  matches(t, decide(world({ virtualService: bare }), now).steps[1], {
    do: 'patch',
    target: bare,
    merge: { metadata: { ownerReferences: [{ kind: 'Watcher', uid: 'w' }] } },
  })
  const owned = { ...route(), spec: { http: [] } }
  matches(t, decide(world({ virtualService: owned }), now).steps[1], { do: 'patch', target: owned })
})

t.test(
  'KY-232 each fault of a Watcher is told once: for a generation, until it is another, or comes again',
  async t => {
    const eventOf = (change: Partial<World>, at = now) => decide(world(change), at).events[0]
    const later = new Date('2026-11-23T11:00:00Z')
    const missing = { gateways: [] }
    const known = { watcher: stored({ status: decide(world(missing), now).status }) }
    t.strictSame(
      eventOf({ ...missing, ...known }, later),
      eventOf(missing),
      'the same Event, so it is not recorded again',
    )
    const hostless = eventOf({ gateways: [gateway('a', [])], ...known }, later)
    matches(t, hostless, { reason: 'WatcherNotConfigured', message: 'no server of the selected Gateways has a host' })
    const edited = { watcher: stored({ metadata: { generation: 4 }, status: known.watcher.status }) }
    t.not(eventOf({ ...missing, ...edited }, later)?.occasion, eventOf(missing)?.occasion)
    const recovered = { watcher: stored({ status: decide(world(known), now).status }) }
    t.not(eventOf({ ...missing, ...recovered }, later)?.occasion, eventOf(missing)?.occasion)
  },
)

t.test('KY-142 one write of two fails: Error; if it was overtaken, that says nothing', async t => {
  const plan = decide(world(), now)
  const failed = (isConflict: boolean): StepResult[] => {
    const error = { message: 'denied', isConflict, isRetriable: false, ref: { ...route(), namespace: 'n', name: 'v' } }
    return plan.steps.map((step, at) => (at === 0 ? { step, changed: true } : { step, changed: false, error }))
  }
  matches(t, report(world(), plan, failed(false), now).status, { state: 'Error' })
  matches(t, conditionOf(report(world(), plan, failed(false), now)), { status: 'False' })
  matches(t, report(world(), plan, failed(true), now).status, ready)
})

t.test('KY-143 deleted: the VirtualService goes, then the finalizer', async t => {
  const watcher = stored({ metadata: { finalizers, deletionTimestamp } })
  const first = decide(world({ watcher, virtualService: route() }), now)
  t.strictSame(stepsOf(first), ['delete VirtualService'])
  t.strictSame(first.status, { state: 'Deleting' })
  t.strictSame(first.next, { is: 'again' }, 'also when somebody else deleted it meanwhile')
  const error = {
    message: 'denied',
    isConflict: false,
    isRetriable: false,
    ref: { ...route(), namespace: 'n', name: 'v' },
  }
  const failed = first.steps.map(step => ({ step, changed: false, error }))
  t.strictSame(report(world({ watcher }), first, failed, now).status, { state: 'Deleting' }, 'also when it fails')
  const held = decide(world({ watcher, virtualService: route({ deletionTimestamp, finalizers: ['x'] }) }), now)
  matches(t, held.next, { is: 'waiting', seconds: 10 })
  t.strictSame(stepsOf(decide(world({ watcher }), now)), ['removeFinalizer Watcher'])
  const foreign = decide(world({ watcher, virtualService: route({ ownerReferences: [] }) }), now)
  t.strictSame(stepsOf(foreign), ['removeFinalizer Watcher'], 'a VirtualService that is not its own stays')
})

t.test('KY-144 no Istio: Ready, Unknown, and no VirtualService', async t => {
  const plan = decide(world({ gateways: undefined }), now)
  t.strictSame(stepsOf(plan), ['addFinalizer Watcher'])
  matches(t, plan.status, ready)
  matches(t, conditionOf(plan), { ...condition, status: 'Unknown', message: 'events reach the listener directly' })
})

t.test('KY-144 where events shall come in without Istio, the VirtualService of before goes', async t => {
  const native = { settings: { ...settings, eventIngress: 'native' as const }, virtualService: route() }
  const plan = decide(world(native), now)
  t.strictSame(stepsOf(plan), ['addFinalizer Watcher', 'delete VirtualService'])
  matches(t, plan.status, ready)
})

t.test('KY-187 a Watcher is called again when its setting says', async t => {
  const often = { ...settings, requeue: 7 }
  t.strictSame(decide(world({ settings: often }), now).next, { is: 'settled', againSeconds: 7 })
  matches(t, decide(world({ settings: often, gateways: [] }), now).next, { is: 'waiting', seconds: 7 })
})

/** An API server with these Gateways; undefined: without Istio. */
const readsOf = (gateways: readonly KubeObject[] | undefined): Reads => {
  const served = async <T>({ apiVersion, kind }: ListQuery, found: () => T): Promise<T> => {
    if (!gateways) throw new KindNotServed({ apiVersion, kind })
    return found()
  }
  return {
    get: ref => served(ref, () => undefined),
    list: query =>
      served(query, () =>
        (gateways ?? [])
          .filter(({ metadata }) => query.namespace === undefined || metadata.namespace === query.namespace)
          .flatMap(gateway => query.keep?.(gateway) ?? []),
      ),
  }
}

const gathered = (gateways: readonly KubeObject[] | undefined, selector: object, gatewayNamespace = 'kcp-system') =>
  gather(stored({ spec: { gateway: { selector: { matchLabels: null, ...selector } } } }), {
    reads: readsOf(gateways),
    settings: { ...settings, gatewayNamespace },
  })

t.test('KY-140 KY-335 Gateways are found by labels, in one namespace alone, and sorted', async t => {
  const named = (name: string, app: string, namespace = 'kcp-system') => ({
    ...gateway(name),
    metadata: { name, namespace, labels: { app } },
  })
  const all = [named('b', 'gateway'), named('c', 'else'), named('a', 'gateway'), named('x', 'gateway', 'team')]
  const names = async (selector: object, namespace?: string) =>
    (await gathered(all, selector, namespace)).gateways?.map(({ metadata }) => metadata.name)
  t.strictSame(await names({ matchLabels: { app: 'gateway' } }), ['a', 'b'])
  t.strictSame(await names({ matchExpressions: [{ key: 'app', operator: 'In', values: ['else'] }] }), ['c'])
  t.strictSame(await names({}), ['a', 'b', 'c'])
  t.strictSame(await names({}, 'team'), ['x'])
  t.equal(settings.gatewayNamespace, 'kcp-system')
})

t.test('KY-144 an API server without Istio has no Gateways to be asked for', async t => {
  matches(t, await gathered(undefined, {}), { gateways: undefined, virtualService: undefined })
})
