// What garden-care says of every world, and when: sentence → {change of a world in which all is well, what is told}.
import t from 'tap'
import { decide } from '../../../functions/garden-care/decide.ts'
import { gardenCareSettings } from '../../../functions/garden-care/settings.ts'
import type { World } from '../../../functions/garden-care/world.ts'
import type { GardenerCondition } from '../../../shared/core/objects/gardener-condition.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import { matches } from '../../harness/matches.ts'
import { garden } from '../../make/garden/garden.ts'
import {
  components,
  deployment,
  deploymentNames,
  etcd,
  etcdNames,
  managedResource,
  managedResourceNames,
  statefulSet,
  withConditions,
} from '../../make/garden/garden-health.ts'

const types = [
  'VirtualGardenAPIServerAvailable',
  'RuntimeComponentsHealthy',
  'VirtualComponentsHealthy',
  'ObservabilityComponentsHealthy',
] as const
type Type = (typeof types)[number]

const noon = '2026-01-01T12:00:00Z'
const at = (time: string) => new Date(`2026-01-01T${time}Z`)

const condition = (type: string, change: Partial<GardenerCondition> = {}): GardenerCondition => ({
  type,
  status: 'True',
  reason: 'AsExpected',
  message: '',
  lastTransitionTime: noon,
  lastUpdateTime: noon,
  ...change,
})

const judgedBefore = (change: Partial<GardenerCondition> = {}) => types.map(type => condition(type, change))

const gardenWithConditions = (conditions: GardenerCondition[]) => garden({ status: { conditions } })

/** A world of these objects. */
const world = (objects: readonly KubeObject[], change: Partial<World> = {}): World => {
  const of = (kind: string) => ({ read: objects.filter(object => object.kind === kind) })
  return {
    garden: gardenWithConditions(judgedBefore()),
    settings: { ...defaultValues(gardenCareSettings), conditionThresholds: {} },
    apiServer: { read: { is: 'answered', code: 200, body: 'ok' } },
    managedResources: of('ManagedResource'),
    etcds: of('Etcd'),
    deployments: of('Deployment'),
    statefulSets: of('StatefulSet'),
    istiod: { read: undefined },
    ...change,
  }
}

const without = (...names: string[]) => components().filter(({ metadata }) => !names.includes(metadata.name))

/** All components, these in the place of those of the same kind and name. */
const withInstead = (...changed: KubeObject[]) => [
  ...components().filter(object => !changed.some(one => one.kind === object.kind && sameName(one, object))),
  ...changed,
]
const sameName = (a: KubeObject, b: KubeObject) => a.metadata.name === b.metadata.name

const conditionsAfter = (before: World, now = at('13:00:00')) =>
  (decide(before, now).status.conditions ?? []) as GardenerCondition[]

const after = (before: World, type: Type, now?: Date) => {
  const found = conditionsAfter(before, now).find(condition => condition.type === type)
  if (!found) throw new Error(`no ${type}`)
  return found
}

type Case = { world: World; of: Type; told: Partial<GardenerCondition>; all?: Type[] }

const runtime = 'RuntimeComponentsHealthy'
const virtual = 'VirtualComponentsHealthy'
const observability = 'ObservabilityComponentsHealthy'
const server = 'VirtualGardenAPIServerAvailable'

const answering = (code: number, body: string): Partial<World> => ({
  apiServer: { read: { is: 'answered', code, body } },
})
const silentFor = (milliseconds: number, error = 'gone'): Partial<World> => ({
  apiServer: { read: { is: 'silent', milliseconds, error } },
})

const mrFault = (change: Parameters<typeof managedResource>[1]) => withInstead(managedResource('garden-system', change))
const good = { ResourcesApplied: 'True', ResourcesHealthy: 'True', ResourcesProgressing: 'False' }

const cases: Record<string, Case> = {
  'GA-115 no way to the virtual garden': {
    world: world(components(), { apiServer: { read: { is: 'unknowable' } } }),
    of: server,
    told: {
      status: 'False',
      reason: 'VirtualGardenAPIServerDown',
      message: 'Could not reach virtual garden API server during client initialization.',
    },
  },
  'GA-116 no answer in time, with the real time': {
    world: world(components(), silentFor(5003.4, 'fell silent')),
    of: server,
    told: {
      status: 'False',
      reason: 'HealthzRequestFailed',
      message: 'Request to API server /healthz endpoint failed. [response_time:5003ms] (fell silent)',
    },
  },
  'GA-117 another answer than 200': {
    world: world(components(), answering(503, 'etcd failed')),
    of: server,
    told: {
      status: 'False',
      reason: 'HealthzRequestError',
      message: 'API server /healthz endpoint check returned a non ok status code 503. (etcd failed)',
    },
  },
  'GA-117 200': {
    world: world(components()),
    of: server,
    told: {
      status: 'True',
      reason: 'HealthzRequestSucceeded',
      message: 'API server /healthz endpoint responded with success status code.',
    },
  },
  'GA-119 the generation is not the observed one': {
    world: world(mrFault({ metadata: { generation: 3 } })),
    of: runtime,
    told: {
      status: 'False',
      reason: 'OutdatedStatus',
      message: "observed generation of managed resource 'garden/garden-system' outdated (1/3)",
    },
  },
  'GA-119 a newer observed generation is not the generation either': {
    world: world(mrFault({ status: { observedGeneration: 2 } })),
    of: runtime,
    told: {
      reason: 'OutdatedStatus',
      message: "observed generation of managed resource 'garden/garden-system' outdated (2/1)",
    },
  },
  'GA-119 outdated, and the new one could not be applied: that is told': {
    world: world(
      mrFault({
        metadata: { generation: 3 },
        ...withConditions({ ...good, ResourcesApplied: 'False' }, 'ApplyFailed'),
      }),
    ),
    of: runtime,
    told: { status: 'False', reason: 'ApplyFailed', message: 'ResourcesApplied is False' },
  },
  'GA-119 outdated, not applied for another reason: outdated': {
    world: world(
      mrFault({ metadata: { generation: 3 }, ...withConditions({ ...good, ResourcesApplied: 'False' }, 'Other') }),
    ),
    of: runtime,
    told: { reason: 'OutdatedStatus' },
  },
  'GA-120 of several faults the first wins': {
    world: world(
      mrFault(withConditions({ ResourcesProgressing: 'True', ResourcesHealthy: 'False', ResourcesApplied: 'True' })),
    ),
    of: runtime,
    told: { reason: 'AsExpected', message: 'ResourcesHealthy is False' },
  },
  'GA-120 a fault wins over a condition that is absent': {
    world: world(mrFault(withConditions({ ResourcesProgressing: 'True' }))),
    of: runtime,
    told: { message: 'ResourcesProgressing is True' },
  },
  'GA-120 one absent': {
    world: world(mrFault(withConditions({ ResourcesApplied: 'True', ResourcesProgressing: 'False' }))),
    of: runtime,
    told: {
      reason: 'MissingManagedResourceCondition',
      message: 'ManagedResource garden-system is missing the following condition(s), [ResourcesHealthy]',
    },
  },
  'GA-121 both Etcds missing': {
    world: world(without(...etcdNames)),
    of: virtual,
    told: {
      status: 'False',
      reason: 'EtcdMissing',
      message: 'Missing required etcds: [virtual-garden-etcd-events virtual-garden-etcd-main]',
    },
  },
  'GA-121 an Etcd is not ready': {
    world: world(withInstead(etcd('virtual-garden-etcd-events', { status: { ready: false } }))),
    of: virtual,
    told: {
      status: 'False',
      reason: 'EtcdUnhealthy',
      message:
        'Etcd extension resource "virtual-garden-etcd-events" is unhealthy: etcd "virtual-garden-etcd-events" is not ready yet',
    },
  },
  'GA-121 an Etcd says nothing of being ready': {
    world: world(withInstead(etcd('virtual-garden-etcd-main', { status: null as never }))),
    of: virtual,
    told: { reason: 'EtcdUnhealthy' },
  },
  'GA-186 an Etcd that is not ready and errs': {
    world: world(
      withInstead(
        etcd('virtual-garden-etcd-main', {
          status: {
            ready: false,
            lastErrors: [
              { code: 'ERR_PVC', description: 'no space', observedAt: '2026-01-01T12:30:00Z' },
              { code: 'ERR_POD', description: 'gone' },
            ],
          },
        }),
      ),
    ),
    of: virtual,
    told: {
      reason: 'EtcdUnhealthy',
      message:
        'Etcd extension resource "virtual-garden-etcd-main" is unhealthy: etcd "virtual-garden-etcd-main" is not ready yet ' +
        '([{Code:ERR_PVC Description:no space ObservedAt:2026-01-01 12:30:00 +0000 UTC} ' +
        '{Code:ERR_POD Description:gone ObservedAt:0001-01-01 00:00:00 +0000 UTC}])',
    },
  },
  'GA-186 of two Etcds that are not ready the first by name': {
    world: world(withInstead(...etcdNames.map(name => etcd(name, { status: { ready: false } })))),
    of: virtual,
    told: {
      reason: 'EtcdUnhealthy',
      message:
        'Etcd extension resource "virtual-garden-etcd-events" is unhealthy: etcd "virtual-garden-etcd-events" is not ready yet',
    },
  },
  'GA-121 the backup of an Etcd fails': {
    world: world(withInstead(etcd('virtual-garden-etcd-main', withConditions({ BackupReady: 'False' })))),
    of: virtual,
    told: {
      reason: 'EtcdUnhealthy',
      message:
        'Etcd extension resource "virtual-garden-etcd-main" is unhealthy: backup for etcd "virtual-garden-etcd-main" is reported as unready: BackupReady is False',
    },
  },
  'GA-185 nothing is known of the backup of an Etcd': {
    world: world(withInstead(etcd('virtual-garden-etcd-main', withConditions({ BackupReady: 'Unknown' })))),
    of: virtual,
    told: {
      reason: 'EtcdUnhealthy',
      message:
        'Etcd extension resource "virtual-garden-etcd-main" is unhealthy: backup for etcd "virtual-garden-etcd-main" is reported as unready: BackupReady is Unknown',
    },
  },
  'GA-121 an Etcd that is not ready, whose backup fails too': {
    world: world(
      withInstead(
        etcd('virtual-garden-etcd-main', {
          status: { ready: false, conditions: [{ type: 'BackupReady', status: 'False' }] },
        }),
      ),
    ),
    of: virtual,
    told: {
      message:
        'Etcd extension resource "virtual-garden-etcd-main" is unhealthy: etcd "virtual-garden-etcd-main" is not ready yet',
    },
  },
  'GA-122 two Deployments missing': {
    world: world(without('virtual-garden-kube-apiserver', 'virtual-garden-gardener-resource-manager')),
    of: virtual,
    told: {
      reason: 'DeploymentMissing',
      message: 'Missing required deployments: [virtual-garden-gardener-resource-manager virtual-garden-kube-apiserver]',
    },
  },
  'GA-186 Deployments that are missing, by name': {
    world: world(without(...deploymentNames.observability)),
    of: observability,
    told: {
      reason: 'DeploymentMissing',
      message: 'Missing required deployments: [fluent-operator gardener-metrics-exporter kube-state-metrics plutono]',
    },
  },
  'GA-122 Etcds are told before Deployments': {
    world: world(without('virtual-garden-kube-apiserver', 'virtual-garden-etcd-main')),
    of: virtual,
    told: { reason: 'EtcdMissing' },
  },
  'GA-122 Deployments are told before ManagedResources': {
    world: world(without('virtual-garden-kube-apiserver', 'garden-system-virtual')),
    of: virtual,
    told: { reason: 'DeploymentMissing' },
  },
  'GA-158 the StatefulSet missing': {
    world: world(components().filter(({ kind }) => kind !== 'StatefulSet')),
    of: observability,
    told: { status: 'False', reason: 'StatefulSetMissing', message: 'Missing required stateful sets: [vali]' },
  },
  'GA-158 the StatefulSet unready': {
    world: world(withInstead(statefulSet('vali', { status: { readyReplicas: null } }))),
    of: observability,
    told: {
      reason: 'StatefulSetUnhealthy',
      message: 'Stateful set "vali" is unhealthy: not enough ready replicas (0/1)',
    },
  },
  'GA-158 the StatefulSet that names no replicas wants one': {
    world: world(withInstead(statefulSet('vali', { spec: { replicas: null }, status: { readyReplicas: null } }))),
    of: observability,
    told: { message: 'Stateful set "vali" is unhealthy: not enough ready replicas (0/1)' },
  },
  'GA-158 the StatefulSet stale': {
    world: world(withInstead(statefulSet('vali', { metadata: { generation: 2 } }))),
    of: observability,
    told: { message: 'Stateful set "vali" is unhealthy: observed generation outdated (1/2)' },
  },
  'GA-158 the StatefulSet is told before ManagedResources, after Deployments': {
    world: world(without('vali')),
    of: observability,
    told: { reason: 'StatefulSetMissing' },
  },
  'GA-158 Deployments first': {
    world: world(without('vali', 'plutono')),
    of: observability,
    told: { reason: 'DeploymentMissing', message: 'Missing required deployments: [plutono]' },
  },
}

t.test('GA-366 vali is not missed where Pods have IPv6 addresses', async t => {
  const objects = without('vali')
  const judged = (pods: string[]) => {
    const garden = gardenWithConditions(judgedBefore())
    const networking = { ...garden.spec.runtimeCluster.networking, pods }
    const spec = { ...garden.spec, runtimeCluster: { ...garden.spec.runtimeCluster, networking } }
    return after(world(objects, { garden: { ...garden, spec } }), observability).status
  }
  t.strictSame([judged(['10.1.0.0/16']), judged(['10.1.0.0/16', 'fd00:1::/64'])], ['False', 'True'])
})

for (const [sentence, { world, of, told }] of Object.entries(cases))
  t.test(sentence, async t => {
    matches(t, after(world, of), told)
    const others = types.filter(type => type !== of)
    t.strictSame(
      others.map(type => after(world, type).status),
      others.map(() => 'True'),
      'and nothing of the others',
    )
  })

const main = 'virtual-garden-etcd-main'
const kubeAPIServer = 'virtual-garden-kube-apiserver'

/** Whatever reads conditions knows these texts from Gardener's operator. */
const operatorsWords: Record<string, readonly [Type, World]> = {
  'The condition has been initialized but its semantic check has not been performed yet.': [
    virtual,
    world(components(), { garden: garden() }),
  ],
  "observed generation of managed resource 'garden/garden-system' outdated (1/3)": [
    runtime,
    world(mrFault({ metadata: { generation: 3 } })),
  ],
  'ManagedResource garden-system is missing the following condition(s), [ResourcesApplied ResourcesProgressing]': [
    runtime,
    world(mrFault(withConditions({ ResourcesHealthy: 'True' }))),
  ],
  'Missing required etcds: [virtual-garden-etcd-events virtual-garden-etcd-main]': [
    virtual,
    world(without(...etcdNames)),
  ],
  'Etcd extension resource "virtual-garden-etcd-main" is unhealthy: etcd "virtual-garden-etcd-main" is not ready yet': [
    virtual,
    world(withInstead(etcd(main, { status: { ready: false } }))),
  ],
  'Etcd extension resource "virtual-garden-etcd-main" is unhealthy: backup for etcd "virtual-garden-etcd-main" is reported as unready: BackupReady is False':
    [virtual, world(withInstead(etcd(main, withConditions({ BackupReady: 'False' }))))],
  'Missing required deployments: [virtual-garden-gardener-resource-manager virtual-garden-kube-apiserver virtual-garden-kube-controller-manager]':
    [virtual, world(without(...deploymentNames.virtual))],
  'Deployment "virtual-garden-kube-apiserver" is unhealthy: observed generation outdated (1/2)': [
    virtual,
    world(withInstead(deployment(kubeAPIServer, { metadata: { generation: 2 } }))),
  ],
  'Deployment "virtual-garden-kube-apiserver" is unhealthy: condition "Available" is missing': [
    virtual,
    world(withInstead(deployment(kubeAPIServer, withConditions({ Progressing: 'True' })))),
  ],
  'Deployment "virtual-garden-kube-apiserver" is unhealthy: condition "Available" has invalid status False (expected True) due to AsExpected: Available is False':
    [virtual, world(withInstead(deployment(kubeAPIServer, withConditions({ Available: 'False' }))))],
  'Missing required stateful sets: [vali]': [
    observability,
    world(components().filter(({ kind }) => kind !== 'StatefulSet')),
  ],
}

t.test('GA-186 word for word as the operator', async t => {
  for (const [message, [type, before]] of Object.entries(operatorsWords)) t.equal(after(before, type).message, message)
})

t.test('GA-185 what is no fault of a ManagedResource', async t => {
  for (const type of ['ResourcesApplied', 'ResourcesHealthy']) {
    const objects = mrFault(withConditions({ ...good, [type]: 'Progressing' }, 'DeletionPending'))
    t.equal(after(world(objects), runtime).status, 'True', `${type} is Progressing: a deletion is pending`)
  }
  const resting = mrFault(withConditions({ ...good, ResourcesProgressing: 'Progressing' }))
  t.equal(after(world(resting), runtime).status, 'True')
})

t.test('GA-185 what is no fault of an Etcd that is ready', async t => {
  const wells: Record<string, Parameters<typeof etcd>[1]> = {
    'it met errors': { status: { lastErrors: [{ code: 'ERR_PVC', description: 'no space' }] } },
    'its generation was not observed': { metadata: { generation: 7 } },
    'an operation was asked of it': { metadata: { annotations: { 'gardener.cloud/operation': 'reconcile' } } },
    'it says nothing of a backup': { status: { conditions: [] } },
  }
  for (const [sentence, change] of Object.entries(wells))
    for (const name of etcdNames)
      t.equal(after(world(withInstead(etcd(name, change))), virtual).status, 'True', sentence)
})

t.test('GA-123 healthy components make all conditions True, each with its message', async t => {
  matches(t, conditionsAfter(world(components())), [
    { status: 'True' },
    { status: 'True', reason: 'RuntimeComponentsRunning', message: 'All runtime components are healthy.' },
    { status: 'True', reason: 'VirtualComponentsRunning', message: 'All virtual garden components are healthy.' },
    {
      status: 'True',
      reason: 'ObservabilityComponentsRunning',
      message: 'All observability components are healthy.',
    },
  ])
})

const listed: readonly [Type, readonly string[], string?][] = [
  [runtime, managedResourceNames.runtime],
  [runtime, managedResourceNames.istio, 'istio-system'],
  [virtual, managedResourceNames.virtual],
  [observability, managedResourceNames.observability],
]

t.test('GA-118 each listed ManagedResource that is absent is named', async t => {
  for (const [type, names, namespace = 'garden'] of listed)
    for (const name of names) {
      const objects = components().filter(one => one.kind !== 'ManagedResource' || one.metadata.name !== name)
      const told = { status: 'False', reason: 'ResourceNotFound' }
      matches(t, after(world(objects), type), { ...told, message: new RegExp(`${namespace}/${name}'`) }, name)
    }
})

t.test('GA-118 what is listed follows the Garden and what there is', async t => {
  const spec = { runtimeCluster: { settings: { verticalPodAutoscaler: { enabled: false } } } }
  const noVpa = garden({ spec, status: { conditions: judgedBefore() } })
  matches(t, after(world(without('vpa'), { garden: noVpa }), runtime), { status: 'True' }, 'vpa only when it is on')
  const nginx = managedResource('nginx-ingress', { metadata: { generation: 2 } })
  matches(
    t,
    after(world([...components(), nginx]), runtime),
    { reason: 'OutdatedStatus' },
    'nginx-ingress if it is there',
  )
})

t.test('GA-166 a foreign istiod needs no ManagedResource of ours', async t => {
  const istiod = (metadata: object) => ({ istiod: { read: deployment('istiod', { metadata }, 'istio-system') } })
  const noIstio = components().filter(one => one.metadata.name !== 'istio-system')
  const origins: readonly [string, object, string][] = [
    ['somebody else made it', {}, 'True'],
    ['we made it', { labels: { 'operator.gardener.cloud/managed-by': 'garden-reconcile' } }, 'False'],
    ['a ManagedResource made it', { annotations: { 'resources.gardener.cloud/origin': 'x:istio-system/y' } }, 'False'],
  ]
  for (const [sentence, metadata, status] of origins)
    matches(t, after(world(noIstio, istiod(metadata)), runtime), { status }, sentence)
  const noGateway = without('istio-system', 'virtual-garden-istio')
  matches(t, after(world(noGateway, istiod({})), runtime), { message: /istio-system\/virtual-garden-istio/ })
})

t.test('GA-120 each condition with each status that is a fault', async t => {
  const faults: Record<string, string[]> = {
    ResourcesApplied: ['False', 'Unknown'],
    ResourcesHealthy: ['False', 'Unknown'],
    ResourcesProgressing: ['True', 'Unknown'],
  }
  for (const [type, statuses] of Object.entries(faults))
    for (const status of statuses) {
      const objects = mrFault(withConditions({ ...good, [type]: status }, `${type}Reason`))
      const told = { status: 'False', reason: `${type}Reason`, message: `${type} is ${status}` }
      matches(t, after(world(objects), runtime), told)
    }
})

t.test('GA-353 a ManagedResource counts for the condition that its label names', async t => {
  const statuses = (labels: object, change: object, namespace = 'garden') => {
    const more = managedResource('monitoring', { metadata: { labels, ...change } }, namespace)
    return conditionsAfter(world([...components(), more])).flatMap(({ type, status }) =>
      status === 'True' ? [] : type,
    )
  }
  const label = 'care.gardener.cloud/condition-type'
  const ill = { generation: 2 }
  for (const type of [runtime, virtual, observability])
    for (const namespace of ['garden', 'istio-system']) {
      t.strictSame(statuses({ [label]: type }, ill, namespace), [type], `${type} ${namespace}`)
      t.strictSame(statuses({ [label]: type }, {}, namespace), [], 'it is healthy')
    }
  t.strictSame(statuses({ [label]: 'SystemComponentsHealthy' }, ill), [])
  t.strictSame(statuses({}, ill), [])
  const two = withInstead(managedResource('vali', withConditions({ ...good, ResourcesHealthy: 'False' }, 'Listed')))
  const labelled = managedResource('a', { metadata: { labels: { [label]: observability }, ...ill } })
  matches(t, after(world([labelled, ...two]), observability), { reason: 'Listed' }, 'those listed come first')
})

t.test('GA-192 of a long text the beginning is told, and of what is none its JSON', async t => {
  const failing = (reason: unknown, message: unknown) => {
    const conditions = [{ type: 'ResourcesApplied', status: 'False', reason, message }]
    return after(world(mrFault({ status: { conditions } })), runtime)
  }
  const all = failing('r'.repeat(2_000_000), 'm'.repeat(2_000_000))
  t.strictSame([all.reason, all.message], ['r'.repeat(1_024), 'm'.repeat(32_768)])
  t.equal(failing('Failed', { code: 7 }).message, '{"code":7}')
})

t.test('GA-122 GA-158 what ails a Deployment, of the virtual garden and of its observability', async t => {
  const fine = { Available: 'True', Progressing: 'True' }
  const ailments: Record<string, [Parameters<typeof deployment>[1], string]> = {
    stale: [{ metadata: { generation: 2 } }, 'observed generation outdated (1/2)'],
    'not Available': [
      withConditions({ ...fine, Available: 'False' }),
      'condition "Available" has invalid status False (expected True) due to AsExpected: Available is False',
    ],
    'says nothing of Available': [withConditions({ Progressing: 'True' }), 'condition "Available" is missing'],
    'Progressing not True': [
      withConditions({ ...fine, Progressing: 'False' }),
      'condition "Progressing" has invalid status False (expected True) due to AsExpected: Progressing is False',
    ],
    'Progressing Unknown': [
      withConditions({ ...fine, Progressing: 'Unknown' }),
      'condition "Progressing" has invalid status Unknown (expected True) due to AsExpected: Progressing is Unknown',
    ],
    ReplicaFailure: [
      withConditions({ ...fine, ReplicaFailure: 'True' }),
      'condition "ReplicaFailure" has invalid status True (expected False) due to AsExpected: ReplicaFailure is True',
    ],
    'says little of it': [
      { status: { conditions: [{ type: 'Available', status: 'Unknown' }] } },
      'condition "Available" has invalid status Unknown (expected True) due to : ',
    ],
  }
  const all = [
    ...deploymentNames.virtual.map(name => [virtual, name] as const),
    ...deploymentNames.observability.map(name => [observability, name] as const),
  ]
  for (const [type, name] of all) {
    const objects = components().filter(one => one.kind !== 'Deployment' || one.metadata.name !== name)
    const missing = { reason: 'DeploymentMissing', message: `Missing required deployments: [${name}]` }
    matches(t, after(world(objects), type), missing)
    for (const [sentence, [change, because]] of Object.entries(ailments)) {
      const told = after(world(withInstead(deployment(name, change))), type)
      const message = `Deployment "${name}" is unhealthy: ${because}`
      matches(t, told, { status: 'False', reason: 'DeploymentUnhealthy', message }, `${name} is ${sentence}`)
    }
  }
})

t.test('GA-124 a read that fails makes Unknown what needs it, and nothing else', async t => {
  const needed: Record<string, Type[]> = {
    apiServer: [server],
    managedResources: [runtime, virtual, observability],
    istiod: [runtime],
    etcds: [virtual],
    deployments: [virtual, observability],
    statefulSets: [observability],
  }
  for (const [read, concerned] of Object.entries(needed)) {
    const conditions = conditionsAfter(world(components(), { [read]: { failed: 'the API server is busy' } }))
    const unknown = conditions.filter(({ status }) => status === 'Unknown')
    t.strictSame(
      unknown.map(({ type }) => type),
      concerned,
      read,
    )
    for (const one of unknown) matches(t, one, { reason: 'ConditionCheckError', message: 'the API server is busy' })
  }
})

t.test('GA-114 no conditions yet: Unknown first, then judged, in one order', async t => {
  const before = world(without('vali'), { garden: garden(), ...answering(500, '') })
  const first = decide(before, at('12:00:00'))
  matches(t, first, { steps: [], next: { is: 'again' } })
  const initialized = {
    status: 'Unknown',
    reason: 'ConditionInitialized',
    lastTransitionTime: noon,
    lastUpdateTime: noon,
  }
  matches(
    t,
    first.status.conditions,
    types.map(type => ({ type, ...initialized })),
  )
  const conditions = first.status.conditions as GardenerCondition[]
  const settings = defaultValues(gardenCareSettings)
  const then = conditionsAfter({ ...before, settings, garden: gardenWithConditions(conditions) })
  t.strictSame(
    then.map(({ type, status }) => [type, status]),
    [
      [server, 'False'],
      [runtime, 'True'],
      [virtual, 'True'],
      [observability, 'False'],
    ],
    'what was never True is False at once, whatever the threshold',
  )
})

t.test('GA-114 one is new: it is added behind the others, which stay', async t => {
  const conditions = judgedBefore().filter(({ type }) => type !== virtual)
  const plan = decide(world(components(), { garden: gardenWithConditions(conditions) }), at('13:00:00'))
  t.strictSame((plan.status.conditions as GardenerCondition[]).slice(0, 3), conditions)
  matches(t, (plan.status.conditions as GardenerCondition[])[3], { type: virtual, reason: 'ConditionInitialized' })
})

const patient = (seconds: number) => ({
  settings: { ...defaultValues(gardenCareSettings), conditionThresholds: { [server]: seconds } },
})

/** Calls at these times of a Garden whose API server answers 500 from the first one on. */
const failing = (start: GardenerCondition, times: readonly string[], change: Partial<World>): GardenerCondition[] => {
  let conditions = types.map(type => (type === server ? start : condition(type)))
  return times.map(time => {
    const before = world(components(), { ...answering(500, ''), ...change, garden: gardenWithConditions(conditions) })
    conditions = conditionsAfter(before, at(time))
    return after(before, server, at(time))
  })
}

t.test('GA-125 a threshold of 90 s', async t => {
  const times = ['12:00:00', '12:00:45', '12:01:30', '12:01:31', '12:05:00']
  const told = failing(condition(server), times, patient(90))
  t.strictSame(
    told.map(({ status }) => status),
    ['Progressing', 'Progressing', 'Progressing', 'False', 'False'],
  )
  t.equal(told[2]?.lastUpdateTime, '2026-01-01T12:00:00Z')
  matches(t, told[3], { lastTransitionTime: '2026-01-01T12:01:31Z', lastUpdateTime: '2026-01-01T12:01:31Z' })
})

t.test('GA-125 no threshold, or from Unknown: False at once', async t => {
  matches(t, failing(condition(server), ['12:00:00'], {}), [{ status: 'False' }])
  matches(t, failing(condition(server, { status: 'Unknown' }), ['12:00:00'], patient(90)), [{ status: 'False' }])
})

t.test('GA-125 another fault while Progressing does not make it longer', async t => {
  const start = condition(server, { status: 'Progressing', reason: 'Other' })
  matches(t, failing(start, ['12:01:00', '12:01:30', '12:01:31'], patient(90)), [
    { status: 'Progressing', lastUpdateTime: '2026-01-01T12:01:00Z', lastTransitionTime: noon },
    { status: 'Progressing' },
    { status: 'False' },
  ])
})

t.test('GA-351 another fault while False is Progressing first', async t => {
  const start = condition(server, { status: 'False', reason: 'Other' })
  const times = ['12:30:00', '12:31:30', '12:31:31', '12:40:00']
  matches(t, failing(start, times, patient(90)), [
    { status: 'Progressing', reason: 'HealthzRequestError', lastTransitionTime: '2026-01-01T12:30:00Z' },
    { status: 'Progressing' },
    { status: 'False' },
    { status: 'False' },
  ])
  matches(t, failing(start, ['12:30:00'], {}), [{ status: 'False' }], 'no threshold')
})

t.test('GA-352 what fails soon after an operation that succeeded is Progressing', async t => {
  const told = (status: GardenerCondition['status'], state: 'Succeeded' | 'Processing', time: string) => {
    const before = condition(server, {
      status,
      reason: 'HealthzRequestError',
      lastTransitionTime: '2026-01-01T11:00:00Z',
    })
    const lastOperation = { type: 'Reconcile' as const, state, progress: 100, description: '', lastUpdateTime: noon }
    const conditions = types.map(type => (type === server ? before : condition(type)))
    const change = { ...patient(90), ...answering(500, ''), garden: garden({ status: { conditions, lastOperation } }) }
    return after(world(components(), change), server, at(time)).status
  }
  for (const before of ['False', 'Progressing'] as const) {
    t.equal(told(before, 'Succeeded', '12:01:30'), 'Progressing', before)
    t.equal(told(before, 'Succeeded', '12:01:31'), 'False', before)
    t.equal(told(before, 'Processing', '12:00:01'), 'False', before)
  }
  t.equal(told('Unknown', 'Succeeded', '12:00:01'), 'False')
})

t.test('GA-126 only the measured time differs: no update, until it is False', async t => {
  const message = (milliseconds: number) =>
    `Request to API server /healthz endpoint failed. [response_time:${milliseconds}ms] (gone)`
  const before = condition(server, { status: 'Progressing', reason: 'HealthzRequestFailed', message: message(7) })
  const [same] = failing(before, ['12:00:30'], { ...patient(90), ...silentFor(12) })
  t.strictSame(same, before)
  const [later] = failing(before, ['12:01:31'], { ...patient(90), ...silentFor(12) })
  matches(t, later, { status: 'False', message: message(12), lastUpdateTime: '2026-01-01T12:01:31Z' })
  const [other] = failing(before, ['12:00:30'], { ...patient(90), ...silentFor(12, 'refused') })
  matches(t, other, { status: 'Progressing', lastUpdateTime: '2026-01-01T12:00:30Z' }, 'another error is an update')
})

t.test('GA-127 which times move, and what is kept', async t => {
  const foreign = condition('Reconciled', { status: 'Progressing', reason: 'Ours', codes: ['ERR'] })
  const [bad, worse] = [answering(500, 'bad'), answering(500, 'worse')]
  const start = [foreign, ...judgedBefore()]
  const first = conditionsAfter(world(components(), { ...bad, garden: gardenWithConditions(start) }), at('13:00:00'))
  const of = (conditions: GardenerCondition[]) => conditions.find(({ type }) => type === server)
  const one = '2026-01-01T13:00:00Z'
  matches(t, of(first), { status: 'False', lastTransitionTime: one, lastUpdateTime: one }, 'status')
  const second = conditionsAfter(world(components(), { ...worse, garden: gardenWithConditions(first) }), at('14:00:00'))
  matches(t, of(second), { lastTransitionTime: one, lastUpdateTime: '2026-01-01T14:00:00Z' }, 'only the message')
  const third = conditionsAfter(world(components(), { ...worse, garden: gardenWithConditions(second) }), at('15:00:00'))
  t.strictSame(third, second, 'nothing')
  t.strictSame(third[0], foreign, 'a foreign condition, in its place')
})

t.test('GA-127 codes of an earlier fault go with it', async t => {
  const before = judgedBefore({ status: 'False', codes: ['ERR_INFRA_QUOTA_EXCEEDED'] })
  for (const one of conditionsAfter(world(components(), { garden: gardenWithConditions(before) })))
    t.notOk('codes' in one, one.type)
})

t.test('GA-128 looked at again after the period', async t => {
  const next = (change: Partial<World>) => decide(world(components(), change), at('13:00:00')).next
  t.strictSame(next({}), { is: 'settled', againSeconds: 60 })
  t.strictSame(next({ settings: { ...defaultValues(gardenCareSettings), careSeconds: 15 } }), {
    is: 'settled',
    againSeconds: 15,
  })
})

/** When each condition is False, failing from noon on in every second. */
const falseAfter = (conditionThresholds: Record<string, number>): (number | undefined)[] => {
  const settings = { ...defaultValues(gardenCareSettings), conditionThresholds }
  let conditions = judgedBefore()
  const found = new Map<string, number>()
  for (let second = 0; second <= 100; second++) {
    const before = world([], { settings, ...answering(500, ''), garden: gardenWithConditions(conditions) })
    conditions = conditionsAfter(before, new Date(Date.parse(noon) + second * 1_000))
    for (const { type, status } of conditions) if (status === 'False' && !found.has(type)) found.set(type, second)
  }
  return types.map(type => found.get(type))
}

t.test('GA-174 thresholds: the defaults, and a list that replaces them all', async t => {
  t.strictSame(falseAfter(defaultValues(gardenCareSettings).conditionThresholds), [61, 61, 61, 61])
  t.strictSame(falseAfter({ [virtual]: 90, [runtime]: 30 }), [0, 31, 91, 0])
})
