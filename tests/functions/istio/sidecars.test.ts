// Which sidecars are to be made anew, why, and who does it: the judgements that need no cluster.
import t from 'tap'
import type { ReaderInput } from '../../../functions/istio/gather/reader-input.ts'
import { readSidecars } from '../../../functions/istio/gather/sidecars.ts'
import { podOwner, seenWorkload, WorkloadsSeen } from '../../../functions/istio/rules/restarts/pod-owners.ts'
import { PodSurvey, type Survey } from '../../../functions/istio/rules/restarts/pod-survey.ts'
import {
  restartEvents,
  restartSteps,
  restartsTried,
  workloadsText,
} from '../../../functions/istio/rules/restarts/restart-steps.ts'
import {
  compatibility,
  desiredSidecar,
  haveChanged,
  sidecarFields,
} from '../../../functions/istio/rules/restarts/restart-targets.ts'
import {
  type DesiredSidecar,
  type FieldsChange,
  mayBeStarting,
  seenPod,
  staleAgainst,
} from '../../../functions/istio/rules/restarts/stale-pod.ts'
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { IstioStatus } from '../../../shared/api/istio.ts'
import type { Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { type KubeObject, keyOf, keyText, type OwnerReference } from '../../../shared/core/objects/object.ts'
import { matches } from '../../harness/matches.ts'
import { allInstalled, image, istio, istioNow, istioWorld, meshPod, told } from '../../make/istio/istio.ts'
import {
  noonAt,
  ownerObject,
  ownerOf,
  proxyContainer,
  sidecarPod,
  timeAt,
  wellSidecar,
} from '../../make/istio/istio-restarts.ts'

const causeOf = (pod: KubeObject, desired: Partial<DesiredSidecar> = {}, change?: FieldsChange) =>
  staleAgainst({ ...wellSidecar, ...desired }, change)(pod)?.cause

const annotated = (annotations: Record<string, string | null>, change: object = {}) =>
  sidecarPod({ metadata: { annotations }, ...change })
const oldImage = { containers: [proxyContainer({ image: 'hub/proxyv2:1.29.5' })] }

t.test('IS-60 only running Pods with a sidecar are picked, whatever other conditions they have', async t => {
  const pod = (change: object) => sidecarPod({ spec: oldImage, ...change })
  t.equal(causeOf(pod({})), 'image')
  for (const phase of ['Pending', 'Succeeded', 'Failed', 'Unknown', null])
    t.equal(causeOf(pod({ status: { phase } })), undefined, `phase ${phase}`)
  t.equal(causeOf(pod({ metadata: { deletionTimestamp: timeAt(noonAt) } })), undefined, 'terminating')
  t.equal(causeOf(pod({ metadata: { annotations: null } })), undefined, 'no sidecar')
  const conditions = [
    { type: 'ContainersReady', status: 'False' },
    { type: 'Ready', status: 'True' },
  ]
  t.equal(causeOf(pod({ status: { conditions } })), 'image', 'another condition is not True')
  t.equal(causeOf(sidecarPod()), undefined, 'still outdated')
})

t.test('IS-93 a stale Pod that is not ready may be starting for ten minutes', async t => {
  const starting = (status: object, made = noonAt - 3600) => {
    const pod = sidecarPod({ spec: oldImage, status, metadata: { creationTimestamp: timeAt(made) } })
    const stale = staleAgainst(wellSidecar)(pod)
    return stale && mayBeStarting(stale, noonAt)
  }
  const since = (seconds: number, status = 'False') => ({
    conditions: [{ type: 'Ready', status, lastTransitionTime: timeAt(noonAt - seconds) }],
  })
  t.equal(starting(since(540)), true, 'for 9 minutes')
  t.equal(starting(since(540, 'Unknown')), true, 'nobody knows for 9 minutes')
  t.equal(starting(since(660)), false, 'for 11 minutes')
  t.equal(starting(since(540, 'True')), false, 'it is ready')
  t.equal(starting(since(-30)), true, 'by the clock of its node')
  t.equal(starting(since(-660)), false, 'from a time to come')
  t.equal(starting({ conditions: null }, noonAt - 540), true, 'made 9 minutes ago')
  t.equal(starting({ conditions: null }, noonAt - 660), false, 'made 11 minutes ago')
})

t.test('IS-61 another image or one of four other quantities is a cause', async t => {
  const withProxy = (change: object) => sidecarPod({ spec: { containers: [proxyContainer(change)] } })
  t.equal(causeOf(withProxy({ image: 'hub/proxyv2:1.30.1' })), 'image')
  const inits = { spec: { containers: [], initContainers: [proxyContainer({ image: 'x', restartPolicy: 'Always' })] } }
  t.equal(causeOf(sidecarPod(inits)), 'image', 'an init container')
  for (const side of ['requests', 'limits'])
    for (const [what, quantity] of [
      ['cpu', '11m'],
      ['memory', '193Mi'],
      ['cpu', null],
      ['memory', null],
    ] as const) {
      // A request that is not there counts as the limit.
      t.equal(
        causeOf(withProxy({ resources: { [side]: { [what]: quantity } } })),
        'resources',
        `${side} ${what} ${quantity}`,
      )
    }
  t.equal(causeOf(withProxy({ resources: { limits: { cpu: '1000m', memory: '1024Mi' } } })), undefined, '1 is 1000m')
  t.equal(causeOf(sidecarPod({ spec: { containers: [{ name: 'app' }] } })), undefined, 'no proxy to compare')
})

t.test('IS-62 with an image of its own neither image nor resources are compared', async t => {
  const own = { 'sidecar.istio.io/proxyImage': 'mine:1' }
  const spec = { containers: [proxyContainer({ image: 'mine:1', resources: null })] }
  t.equal(causeOf(annotated(own, { spec })), undefined)
  t.equal(causeOf(annotated(own, { spec }), {}, { from: 0, until: noonAt }), 'configuration')
})

/** A Pod that brings an istio-proxy along, as the injector notes it. */
const bringing = (own: object, proxy: object, list = 'containers') =>
  annotated(
    { 'proxy.istio.io/overrides': JSON.stringify({ [list]: [{ name: 'app' }, { name: 'istio-proxy', ...own }] }) },
    { spec: { containers: [], [list]: [proxyContainer(proxy)] } },
  )

t.test('IS-62 a Pod that defines the image of its proxy itself is not stale because of that image', async t => {
  for (const list of ['containers', 'initContainers']) {
    const pod = bringing({ image: 'mine:1' }, { image: 'mine:1', resources: null }, list)
    t.equal(causeOf(pod), undefined, list)
  }
  t.equal(causeOf(bringing({}, { image: 'hub/proxyv2:1.30.1' })), 'image', 'an image auto is noted as none')
})

t.test('IS-114 what the Pod defines of its proxy replaces what is expected', async t => {
  const own = { resources: { limits: { cpu: '700m' }, requests: { cpu: '700m' } } }
  t.equal(causeOf(bringing(own, own)), undefined, 'two of four quantities')
  t.equal(causeOf(bringing(own, {})), 'resources', 'not yet')
  t.equal(causeOf(bringing(own, own), { resources: { limits: { memory: '5Gi' } } }), 'resources', 'the others changed')
  for (const unreadable of ['', '{', 'null', '[]', '{"containers":7}']) {
    const pod = annotated({ 'proxy.istio.io/overrides': unreadable }, { spec: { containers: [proxyContainer(own)] } })
    t.equal(causeOf(pod), 'resources', `unreadable: ${unreadable}`)
  }
  const typed = (type: string, image: string) =>
    annotated({ 'sidecar.istio.io/proxyImageType': type }, { spec: { containers: [proxyContainer({ image })] } })
  const desired = { image: 'hub/proxyv2:1.30.2-distroless' }
  for (const [type, end] of Object.entries({ debug: '-debug', default: '', own: '-own' })) {
    t.equal(causeOf(typed(type, `hub/proxyv2:1.30.2${end}`), desired), undefined, type)
    t.equal(causeOf(typed(type, `hub/proxyv2:1.30.1${end}`), desired), 'image', `${type} of another version`)
  }
  t.equal(
    causeOf(sidecarPod({ spec: { containers: [proxyContainer({ image: 'hub/proxyv2:1.30.2-debug' })] } }), desired),
    'image',
  )
})

t.test('IS-111 of a template that sets no resources, such as that of gateways, no resources are compared', async t => {
  const spec = { containers: [proxyContainer({ resources: null })] }
  const made = (templates: string, change: object = {}) =>
    annotated({ 'inject.istio.io/templates': templates }, { spec, ...change })
  for (const templates of ['gateway', 'gateway,own', 'grpc-simple'])
    t.equal(causeOf(made(templates)), undefined, templates)
  for (const templates of ['sidecar', 'own, sidecar', 'grpc-agent'])
    t.equal(causeOf(made(templates)), 'resources', templates)
  t.equal(causeOf(made('gateway', { spec: oldImage })), 'image', 'other causes count')
})

t.test('IS-63 annotations replace all four quantities', async t => {
  const pod = (annotations: Record<string, string>, resources: object) =>
    sidecarPod({
      metadata: {
        annotations: Object.fromEntries(
          Object.entries(annotations).map(([key, value]) => [`sidecar.istio.io/${key}`, value]),
        ),
      },
      spec: { containers: [{ name: 'istio-proxy', image: wellSidecar.image, resources }] },
    })
  const all = { proxyCPU: '1', proxyMemory: '2Gi', proxyCPULimit: '2', proxyMemoryLimit: '3Gi' }
  const asAnnotated = { requests: { cpu: '1', memory: '2Gi' }, limits: { cpu: '2', memory: '3Gi' } }
  t.equal(causeOf(pod(all, asAnnotated)), undefined, 'all four')
  t.equal(causeOf(pod(all, { ...wellSidecar.resources })), 'resources', 'as all others')
  const limited = { requests: { cpu: '200m' }, limits: { cpu: '200m' } }
  t.equal(causeOf(pod({ proxyCPULimit: '200m' }, limited)), undefined, 'a limit alone is requested, too')
  t.equal(causeOf(pod({ proxyCPULimit: '200m' }, { ...limited, requests: { cpu: '100m' } })), 'resources')
  const withMemory = { requests: { cpu: '200m', memory: '1Gi' }, limits: { cpu: '200m' } }
  t.equal(causeOf(pod({ proxyCPULimit: '200m' }, withMemory)), 'resources', 'no memory is expected')
  for (const hostile of ['abc', '', '1e', '9'.repeat(100_000), '1Gi\n', '{"cpu":1}'])
    t.equal(causeOf(pod({ proxyCPU: hostile }, {})), undefined, `unreadable: ${hostile.slice(0, 9)}`)
  t.equal(causeOf(pod({ proxyCPU: '1e999' }, { requests: { cpu: '1' } })), 'resources', 'more than there is')
})

t.test('IS-64 another place for Prometheus metrics makes sidecars stale', async t => {
  const both = { 'prometheus.io/path': '/stats/prometheus', 'prometheus.io/port': '15020' }
  const metrics = (isMerged: boolean, port = '15020') => ({ metrics: { isMerged, port } })
  t.equal(causeOf(annotated(both), metrics(true)), undefined)
  t.equal(causeOf(annotated({ ...both, 'prometheus.io/path': null }), metrics(true)), undefined, 'its own port')
  t.equal(causeOf(annotated({ ...both, 'prometheus.io/port': '9090' }), metrics(true)), 'metrics')
  t.equal(causeOf(annotated({}), metrics(true)), 'metrics')
  t.equal(causeOf(annotated(both), metrics(true, '15021')), 'metrics', 'the mesh says another port')
  t.equal(causeOf(annotated({}), metrics(false)), undefined)
  t.equal(causeOf(annotated({ 'prometheus.io/port': '15020' }), metrics(false)), undefined, 'its own port')
  t.equal(causeOf(annotated({ 'prometheus.io/path': '/stats/prometheus' }), metrics(false)), 'metrics')
  t.equal(causeOf(annotated(both), metrics(false, '15021')), 'metrics', 'the mesh said another port then')
  t.equal(
    causeOf(annotated({ 'prometheus.io/path': '/metrics', 'prometheus.io/port': '9090' }), metrics(false)),
    undefined,
  )
  const [scrape, merge] = ['prometheus.io/scrape', 'prometheus.istio.io/merge-metrics']
  for (const own of [scrape, 'prometheus_io_scrape', merge])
    for (const no of ['false', 'False', 'F', '0'])
      t.equal(causeOf(annotated({ [own]: no }), metrics(true)), undefined, `${own} ${no}: none are ever merged`)
  t.equal(causeOf(annotated({ [scrape]: 'true' }), metrics(true)), 'metrics', 'it wants them collected')
  t.equal(causeOf(annotated({ [merge]: 'never' }), metrics(true)), 'metrics', 'nobody reads that')
  for (const yes of ['true', 'T', '1']) {
    t.equal(causeOf(annotated({ ...both, [merge]: yes }), metrics(false)), undefined, `${yes}: its own are merged`)
    t.equal(causeOf(annotated({ [merge]: yes }), metrics(false)), 'metrics', `${yes}: its own are to be merged`)
  }
  t.equal(causeOf(annotated({ ...both, [merge]: 'false' }), metrics(false)), undefined, 'it shows them so itself')
  const gateway = annotated(both, { spec: { containers: [proxyContainer()] } })
  t.equal(causeOf(gateway, metrics(false)), undefined, 'a gateway, by its chart')
  t.equal(causeOf(gateway, metrics(true, '15021')), 'metrics', 'the mesh says another port')
})

t.test('IS-65 Pods that are older than a change of their fields are stale', async t => {
  const spec = (config: object, compatibilityMode?: boolean) => ({
    config,
    ...(compatibilityMode && { compatibilityMode }),
  })
  const rows: readonly (readonly [
    what: string,
    before: object,
    after: object,
    told: Record<string, string>,
    is: boolean,
  ])[] = [
    ['DNS proxying', {}, { enableDNSProxying: true }, compatibility, true],
    ['DNS proxying off as before', {}, { enableDNSProxying: false }, compatibility, false],
    ['statistics', {}, { proxyStatsMatcher: { inclusionRegexps: ['a'] } }, compatibility, true],
    ['a field of gateways', {}, { numTrustedProxies: 2 }, compatibility, false],
  ]
  for (const [what, before, after, told, is] of rows)
    t.equal(haveChanged(sidecarFields(told), spec(before), spec(after)), is, what)
  t.equal(Object.keys(compatibility).length, 0, 'today sidecars are told nothing of compatibilityMode')
  t.notOk(haveChanged(sidecarFields(), spec({}), spec({}, true)))
  t.ok(haveChanged(sidecarFields({ A: 'b' }), spec({}), spec({}, true)), 'if they were, it would count')
  const pod = sidecarPod({ metadata: { creationTimestamp: timeAt(noonAt) } })
  t.equal(causeOf(pod, {}, { from: 0, until: noonAt + 1 }), 'configuration', 'created before')
  t.equal(causeOf(pod, {}, { from: 0, until: noonAt }), 'configuration', 'made in the same second')
  t.equal(causeOf(pod, {}, { from: 0, until: noonAt - 1 }), undefined, 'made a second later')
})

t.test('IS-125 after a change was taken back, Pods that were made since it began are stale', async t => {
  const pod = sidecarPod({ metadata: { creationTimestamp: timeAt(noonAt) } })
  const until = noonAt + 5
  t.equal(causeOf(pod, {}, { from: noonAt + 1, until }), undefined, 'created before')
  t.equal(causeOf(pod, {}, { from: noonAt, until }), 'configuration', 'made in the same second')
  t.equal(causeOf(pod, {}, { from: noonAt - 2, until: noonAt - 1 }), undefined, 'made later')
})

t.test('IS-66 Pods that were made for the other way to redirect traffic (CNI or init container) are stale', async t => {
  const pod = (name: string) => sidecarPod({ spec: { initContainers: [{ name }] } })
  t.equal(causeOf(pod('istio-init')), 'cni')
  t.equal(causeOf(pod('istio-validation')), undefined)
  t.equal(causeOf(pod('istio-validation'), { hasCni: false }), 'cni')
  t.equal(causeOf(pod('istio-init'), { hasCni: false }), undefined)
})

t.test(
  'IS-64 IS-66 what sidecars should be like is read from the features and from the ConfigMap of the mesh',
  async t => {
    const desiredFor = (isCniDisabled: boolean, mesh?: string) => {
      const features = { isCniDisabled, hasControlPlaneVpa: false }
      const installation = { ...allInstalled, cluster: { ...allInstalled.cluster, features } }
      const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'istio' }, data: { mesh: mesh ?? '' } }
      return desiredSidecar(istioWorld({ facts: { installation } }), config)
    }
    t.equal(desiredFor(false)?.hasCni, true)
    t.equal(desiredFor(true)?.hasCni, false)
    t.equal(desiredFor(false)?.metrics.port, '15020')
    t.equal(desiredFor(false, 'defaultConfig: {statusPort: 15030}')?.metrics.port, '15030')
    t.equal(desiredFor(false, '{')?.metrics.port, '15020', 'nobody can read that')
  },
)

const seen = (owner?: OwnerReference, change: object = {}) =>
  seenPod(
    sidecarPod({
      ...change,
      metadata: { ...(owner && { ownerReferences: [owner] }), ...(change as { metadata?: object }).metadata },
    }),
    { cause: 'image' },
  )

const workloadsOf = (...objects: readonly KubeObject[]) => {
  const workloads = new WorkloadsSeen()
  workloads.add(objects.map(seenWorkload))
  return workloads
}

const ownedBy = (reference: OwnerReference) => ({ metadata: { ownerReferences: [reference] } })

t.test('IS-74 each owner has its own action', async t => {
  const objects = [
    ownerObject('Deployment', 'shop'),
    ownerObject('ReplicaSet', 'shop-a', ownedBy(ownerOf('Deployment', 'shop'))),
    ownerObject('ReplicaSet', 'bare'),
    ownerObject('ReplicaSet', 'canary', ownedBy(ownerOf('Rollout', 'ship', 'argoproj.io/v1alpha1'))),
    ownerObject('ReplicaSet', 'orphan', ownedBy(ownerOf('Deployment', 'gone'))),
    ownerObject('ReplicaSet', 'circle', ownedBy(ownerOf('ReplicaSet', 'circle'))),
    ownerObject('StatefulSet', 'store'),
    ownerObject('DaemonSet', 'agent'),
    ownerObject('Deployment', 'far', { metadata: { namespace: 'elsewhere' } }),
  ]
  const unowned = 'pod sidecar could not be updated because OwnerReferences was not found.'
  const ofJob = 'pod sidecar could not be updated because it is owned by a Job.'
  const unknown =
    'pod sidecar could not be updated because Espalier does not know how to restart the pods of its owner.'
  const old = ownerOf('ReplicationController', 'old', 'v1')
  const rows: readonly (readonly [what: string, OwnerReference | undefined, does: string, shown: string])[] = [
    ['nobody', undefined, unowned, 'shop-1'],
    ['a ReplicaSet that is gone', ownerOf('ReplicaSet', 'nobody'), unowned, 'nobody'],
    ['a Job', ownerOf('Job', 'nightly', 'batch/v1'), ofJob, 'nightly'],
    ['a bare ReplicaSet', ownerOf('ReplicaSet', 'bare'), 'delete', 'bare'],
    ['a ReplicationController', ownerOf('ReplicationController', 'old', 'v1'), 'delete', 'old'],
    ['a ReplicaSet of a Deployment', ownerOf('ReplicaSet', 'shop-a'), 'roll', 'shop'],
    ['a Deployment', ownerOf('Deployment', 'shop'), 'roll', 'shop'],
    ['a StatefulSet', ownerOf('StatefulSet', 'store'), 'roll', 'store'],
    ['a DaemonSet', ownerOf('DaemonSet', 'agent'), 'roll', 'agent'],
    ['another kind', ownerOf('Rollout', 'ship', 'argoproj.io/v1alpha1'), unknown, 'ship'],
    ['a ReplicaSet of another kind', ownerOf('ReplicaSet', 'canary'), unknown, 'ship'],
    ['a ReplicaSet of nobody that is there', ownerOf('ReplicaSet', 'orphan'), unknown, 'gone'],
    ['a ReplicaSet that owns itself', ownerOf('ReplicaSet', 'circle'), unknown, 'circle'],
    ['a Deployment of another group', ownerOf('Deployment', 'shop', 'evil.example/v1'), unknown, 'shop'],
    ['a Deployment that is gone', ownerOf('Deployment', 'gone'), unknown, 'gone'],
    ['a Deployment of another namespace', ownerOf('Deployment', 'far'), unknown, 'far'],
    ['another uid', { ...ownerOf('Deployment', 'shop'), uid: 'other' }, unknown, 'shop'],
    ['the uid of another kind', { ...ownerOf('StatefulSet', 'shop') }, unknown, 'shop'],
    ['the prototype', ownerOf('__proto__', 'constructor'), unknown, 'constructor'],
    ['a name that is none', { ...ownerOf('Rollout', 'x'), name: `${'x'.repeat(300)}\n` }, unowned, 'shop-1'],
    ['the same of what need not be read', { ...old, name: 'x'.repeat(1_000_000) }, unowned, 'shop-1'],
    ['a version that is none', { ...old, apiVersion: 'v'.repeat(1_000_000) }, 'delete', 'old'],
  ]
  for (const [what, reference, does, shown] of rows) {
    const { action, key } = podOwner(seen(reference), workloadsOf(...objects))
    t.equal(action.does === 'nothing' ? action.why : action.does, does, what)
    t.equal(key.name, shown, `${what} is shown as ${shown}`)
    if (action.does === 'delete') matches(t, action.owner, { apiVersion: /^(apps\/)?v1$/ })
  }
})

t.test('IS-306 whoever owns a Pod and does not control it makes no new one: nothing is done to either', async t => {
  const loose = (kind: string, name: string, apiVersion?: string): OwnerReference => {
    const { controller: _, ...owner } = ownerOf(kind, name, apiVersion)
    return owner
  }
  const objects = [
    ownerObject('Deployment', 'shop'),
    ownerObject('ReplicaSet', 'shop-a', {
      metadata: { ownerReferences: [loose('Rollout', 'ship', 'argoproj.io/v1alpha1'), ownerOf('Deployment', 'shop')] },
    }),
    ownerObject('ReplicaSet', 'bare'),
    ownerObject('ReplicaSet', 'listed', { metadata: { ownerReferences: [loose('Deployment', 'shop')] } }),
  ]
  const doneTo = (...ownerReferences: OwnerReference[]) => {
    const pods = [stalePod('a', undefined, { metadata: { ownerReferences } })]
    const { due, stuck } = surveyOf({ pods, workloads: objects })
    return restartSteps(due, new Date()).map(({ do: does }) => does)[0] ?? stuck[0]?.why
  }
  const unknown =
    'pod sidecar could not be updated because Espalier does not know how to restart the pods of its owner.'
  for (const owner of [
    loose('ReplicaSet', 'bare'),
    loose('Deployment', 'shop'),
    loose('ReplicationController', 'x', 'v1'),
  ])
    t.equal(doneTo(owner), unknown, owner.kind)
  t.equal(
    doneTo(loose('ReplicaSet', 'bare'), ownerOf('ReplicaSet', 'shop-a')),
    'patch',
    'its controller is not the first',
  )
  t.equal(doneTo(ownerOf('ReplicaSet', 'listed')), 'delete', 'the ReplicaSet that nobody controls makes it again')
})

t.test('IS-74 a Pod that names an owner of another namespace, or its uid, changes nothing for it', async t => {
  const foreign = { ...ownerOf('ReplicationController', 'shop', 'v1'), uid: 'uid-shop' }
  const pods = [
    stalePod('a', foreign, { metadata: { namespace: 'evil' } }),
    stalePod('b', foreign),
    stalePod('shop-0', ownerOf('StatefulSet', 'shop')),
  ]
  const survey = surveyOf({ pods, workloads: [ownerObject('StatefulSet', 'shop')] })
  matches(
    t,
    restartSteps(survey.due, new Date()).map(step => [step.do, 'target' in step && keyText(keyOf(step.target))]),
    [
      ['delete', 'evil/a'],
      ['delete', 'team/b'],
      ['patch', 'team/shop'],
    ],
  )
})

t.test(
  'IS-81 the Event about a restart is about the owner that makes the Pod again, in the namespace of both',
  async t => {
    for (const owner of [ownerOf('ReplicationController', 'old', 'v1'), ownerOf('StatefulSet', 'store')]) {
      const { due } = surveyOf({ pods: [stalePod('a', owner)], workloads: [ownerObject('StatefulSet', 'store')] })
      const results = restartSteps(due, istioNow).map(step => ({ step, changed: true }))
      matches(t, restartEvents(restartsTried(due, results)), [
        {
          reason: 'IstioSidecarRestarted',
          regarding: { kind: owner.kind, metadata: { namespace: 'team', name: owner.name } },
        },
      ])
    }
  },
)

const { restartedAt } = istioNames.annotations
const since = noonAt - 1000

type Given = {
  readonly pods: readonly KubeObject[]
  readonly workloads?: readonly KubeObject[]
  readonly now?: number
  readonly wasRefused?: (id: string) => boolean
}

/** What is found of stale Pods. */
const surveyOf = ({ pods, workloads = [], now = noonAt, wasRefused = () => false }: Given): Survey => {
  const survey = new PodSurvey({ since, now, tried: new Map(), wasRefused, isGivenUp: () => false })
  survey.addWorkloads(workloads.map(seenWorkload))
  survey.add(pods.map(pod => seenPod(pod, staleAgainst(wellSidecar)(pod))))
  return survey.result(true)
}

const stalePod = (name: string, owner: OwnerReference | undefined, change: object = {}) =>
  sidecarPod({
    spec: oldImage,
    ...change,
    metadata: {
      name,
      uid: `uid-${name}`,
      ...(owner && { ownerReferences: [owner] }),
      ...(change as { metadata?: object }).metadata,
    },
  })

/** In a word. */
const verdict = (given: Given): string => {
  const { due, stuck, isSettling } = surveyOf(given)
  return [due.length > 0 && 'due', stuck.length > 0 && 'stuck', isSettling && 'settling'].filter(Boolean).join()
}

const stamped = (seconds: number) => ({
  spec: { template: { metadata: { annotations: { [restartedAt]: timeAt(seconds) } } } },
})

t.test(
  'IS-75 IS-102 an owner that is rolling out is waited for until it has made no new Pod for ten minutes',
  async t => {
    const made = (seconds: number) => ({ creationTimestamp: timeAt(seconds) })
    const deployment = (replicas: object, seconds: number) => ({
      pods: [stalePod('shop-1', ownerOf('ReplicaSet', 'shop-a'))],
      workloads: [
        ownerObject('Deployment', 'shop'),
        ownerObject('ReplicaSet', 'shop-a', { ...ownedBy(ownerOf('Deployment', 'shop')), status: { replicas: 1 } }),
        ownerObject('ReplicaSet', 'shop-b', {
          metadata: { ...made(seconds), ownerReferences: [ownerOf('Deployment', 'shop')] },
          status: replicas,
        }),
      ],
    })
    t.equal(
      verdict(deployment({ replicas: 1, readyReplicas: 0 }, noonAt - 599)),
      'settling',
      'another ReplicaSet is not ready',
    )
    t.equal(verdict(deployment({ replicas: 1 }, noonAt - 600)), 'stuck', 'and was made ten minutes ago')
    t.equal(verdict(deployment({ replicas: 1, readyReplicas: 1 }, noonAt - 60)), 'due', 'it is ready')
    t.equal(verdict(deployment({ replicas: 0 }, noonAt - 60)), 'due', 'it has no Pods')
    t.equal(verdict(deployment({ replicas: 0, readyReplicas: 1 }, noonAt - 60)), 'due', 'it has none any more')
    const old = deployment({ replicas: 2, readyReplicas: 1 }, noonAt - 700)
    const young = sidecarPod({
      metadata: { uid: 'x', ...made(noonAt - 30), ownerReferences: [ownerOf('ReplicaSet', 'shop-b')] },
    })
    t.equal(verdict({ ...old, pods: [...old.pods, young] }), 'settling', 'a Pod of it was made just now')

    const single = (kind: string, status: object, revised: number) => ({
      pods: [stalePod('store-1', ownerOf(kind, 'store'))],
      workloads: [
        ownerObject(kind, 'store', { status }),
        ownerObject('ControllerRevision', 'store-2', {
          metadata: { ...made(revised), ownerReferences: [ownerOf(kind, 'store')] },
        }),
      ],
    })
    const updating = { replicas: 2, readyReplicas: 2, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' }
    t.equal(verdict(single('StatefulSet', updating, noonAt - 60)), 'settling')
    t.equal(verdict(single('StatefulSet', updating, noonAt - 660)), 'stuck')
    t.equal(verdict(single('StatefulSet', { ...updating, updateRevision: 'a' }, noonAt - 60)), 'due')
    t.equal(
      verdict(single('StatefulSet', { ...updating, updateRevision: 'a', observedGeneration: 0 }, noonAt - 60)),
      'settling',
    )
    const daemons = { desiredNumberScheduled: 3, updatedNumberScheduled: 2 }
    t.equal(verdict(single('DaemonSet', daemons, noonAt - 60)), 'settling')
    t.equal(verdict(single('DaemonSet', daemons, noonAt - 660)), 'stuck')
    t.equal(verdict(single('DaemonSet', { ...daemons, updatedNumberScheduled: 3 }, noonAt - 60)), 'due')
  },
)

t.test(
  'IS-77 a workload that is still stale after its restart is waited for ten minutes and then reported',
  async t => {
    const store = (seconds: number, at = noonAt) => ({
      pods: [stalePod('store-1', ownerOf('StatefulSet', 'store'))],
      workloads: [ownerObject('StatefulSet', 'store', stamped(seconds))],
      now: at,
    })
    t.equal(verdict(store(since)), 'due', 'restarted for something before')
    t.equal(verdict(store(since + 1)), 'stuck', 'more than ten minutes ago')
    t.equal(verdict(store(noonAt - 599)), 'settling')
    t.equal(verdict(store(noonAt - 600)), 'stuck')
    t.equal(verdict(store(noonAt + 3600)), 'due', 'a time that is still to come was made up')
    const bare = (made: number) => ({
      pods: [stalePod('a', ownerOf('ReplicaSet', 'bare'), { metadata: { creationTimestamp: timeAt(made) } })],
      workloads: [ownerObject('ReplicaSet', 'bare')],
    })
    t.equal(verdict(bare(since)), 'due', 'the Pod is older than what is wanted')
    t.equal(verdict(bare(noonAt - 60)), 'settling', 'the Pod came back stale')
    t.equal(verdict(bare(since + 1)), 'stuck', 'ten minutes ago')
  },
)

t.test('IS-93 an owner whose stale Pods are all starting is waited for', async t => {
  const starting = {
    status: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: timeAt(noonAt - 60) }] },
  }
  const owner = ownerOf('StatefulSet', 'store')
  const workloads = [ownerObject('StatefulSet', 'store')]
  t.equal(verdict({ pods: [stalePod('a', owner, starting)], workloads }), 'settling')
  t.equal(verdict({ pods: [stalePod('a', owner, starting), stalePod('b', owner)], workloads }), 'due')
})

t.test('IS-74 an owner is acted on once in a call, however many Pods it has', async t => {
  const made = (seconds: number) => ({ metadata: { creationTimestamp: timeAt(seconds) } })
  const [store, bare] = [ownerOf('StatefulSet', 'store'), ownerOf('ReplicaSet', 'bare')]
  const { due } = surveyOf({
    pods: [
      ...['store-0', 'store-1'].map(name => stalePod(name, store)),
      ...[3000, 5000, 4000].map(ago => stalePod(`bare-${ago}`, bare, made(noonAt - ago))),
    ],
    workloads: [ownerObject('StatefulSet', 'store'), ownerObject('ReplicaSet', 'bare')],
  })
  matches(
    t,
    restartSteps(due, new Date()).map(step => [step.do, 'target' in step && step.target.metadata.name]),
    [
      ['patch', 'store'],
      ['delete', 'bare-5000'],
    ],
    'the oldest Pod goes first',
  )
})

t.test('IS-73 workloads in namespaces of Kyma are restarted first', async t => {
  const names = Array.from({ length: 40 }, (_, at) => `shop-${at}`)
  const kyma = { metadata: { namespace: 'kyma-system' } }
  const mesh = { metadata: { namespace: 'istio-system' } }
  const pods = [
    ...names.map(name => stalePod(`${name}-0`, ownerOf('StatefulSet', name))),
    stalePod('module-0', ownerOf('StatefulSet', 'module'), kyma),
    stalePod('addon-0', ownerOf('StatefulSet', 'addon'), mesh),
  ]
  const workloads = [
    ...names.map(name => ownerObject('StatefulSet', name)),
    ownerObject('StatefulSet', 'module', kyma),
    ownerObject('StatefulSet', 'addon', mesh),
  ]
  const { due, isCutShort } = surveyOf({ pods, workloads })
  t.equal(due.length, 30, 'one limit')
  t.strictSame(
    due.slice(0, 3).map(({ owner }) => owner.key.name),
    ['module', 'addon', 'shop-0'],
  )
  t.ok(isCutShort)
  const refused = surveyOf({ pods, workloads, wasRefused: id => Number(id.split('-')[2]) < 20 })
  t.ok(
    refused.due.some(({ owner }) => owner.key.name === 'shop-39'),
    'what failed before does not hold up others',
  )
})

t.test('IS-310 a label on the Pods of others brings them no place in front', async t => {
  const names = Array.from({ length: 30 }, (_, at) => `shop-${at}`)
  const labelled = { metadata: { labels: { 'kyma-project.io/module': 'serverless' } } }
  const { due } = surveyOf({
    pods: [
      ...names.map(name => stalePod(`${name}-0`, ownerOf('StatefulSet', name))),
      stalePod('mine-0', ownerOf('StatefulSet', 'mine'), labelled),
    ],
    workloads: [...names, 'mine'].map(name => ownerObject('StatefulSet', name)),
  })
  t.strictSame(
    due.map(({ owner }) => owner.key.name),
    names,
  )
})

t.test('IS-300 forty workloads whose restarts were refused are stuck, and nobody waits for more', async t => {
  const names = Array.from({ length: 40 }, (_, at) => `shop-${at}`)
  const given = {
    pods: names.map(name => stalePod(`${name}-0`, ownerOf('StatefulSet', name))),
    workloads: names.map(name => ownerObject('StatefulSet', name)),
  }
  const refused = surveyOf({ ...given, wasRefused: () => true })
  t.strictSame([refused.due.length, refused.stuck.length, refused.isCutShort], [30, 10, false])
  const world = istioWorld({ facts: { sidecars: { is: 'surveyed', survey: { read: refused }, hasActed: false } } })
  const error = { message: 'it is forbidden', isConflict: false, isRetriable: false }
  const isRefused = (step: Step) => 'target' in step && step.target.kind === 'StatefulSet'
  const { status, next } = told(world, ({ steps }) =>
    steps.map(step => ({ step, changed: false, ...(isRefused(step) && { error }) }) as StepResult),
  )
  matches(t, next, { is: 'waiting', seconds: 3_600 })
  matches(
    t,
    (status.conditions as { type: string; message: string }[]).find(({ type }) => type.startsWith('ProxySidecar')),
    { message: /and 35 additional workload\(s\)$/ },
  )
  const some = surveyOf({ ...given, wasRefused: id => Number(id.split('-')[2]) < 5 })
  t.strictSame([some.due.length, some.stuck.length, some.isCutShort], [30, 0, true], 'others have yet to be tried')
})

t.test('IS-301 of a ReplicaSet that nobody owns each Pod counts by itself as tried', async t => {
  const asked = new Set<string>()
  const wasRefused = (id: string) => Boolean(asked.add(id))
  const pods = ['a', 'b'].map(name => stalePod(name, ownerOf('ReplicaSet', 'bare')))
  surveyOf({ pods, workloads: [ownerObject('ReplicaSet', 'bare')], wasRefused })
  t.strictSame([...asked], ['uid-a'])
})

t.test('IS-73 IS-310 a Pod that cannot be restarted, whosever it is, is a warning and delays nobody', async t => {
  const labels = { 'kyma-project.io/module': 'serverless' }
  const pods = [
    stalePod('shop-0', ownerOf('StatefulSet', 'shop')),
    stalePod('orphan', undefined, { metadata: { namespace: 'kyma-system' } }),
    stalePod('labelled', undefined, { metadata: { labels } }),
  ]
  const survey = surveyOf({ pods, workloads: [ownerObject('StatefulSet', 'shop')] })
  matches(t, restartSteps(survey.due, new Date()), [{ do: 'patch', target: { metadata: { name: 'shop' } } }])
  const world = istioWorld({ facts: { sidecars: { is: 'surveyed', survey: { read: survey }, hasActed: false } } })
  const { status, next } = told(world)
  matches(t, status, { state: 'Warning' })
  matches(
    t,
    (status.conditions as { type: string; message: string }[]).find(({ type }) => type.startsWith('ProxySidecar')),
    { message: /could not be restarted: kyma-system\/orphan, team\/labelled$/ },
  )
  matches(t, next, { is: 'waiting', seconds: 60 })
})

t.test('IS-79 the status names five of the stuck workloads, sorted, and counts the others', async t => {
  const keys = (...names: readonly string[]) => names.map(name => ({ namespace: 'ns', name }))
  t.equal(workloadsText(keys('b', 'a', 'b')), 'ns/a, ns/b')
  t.equal(workloadsText(keys('e', 'd', 'c', 'b', 'a')), 'ns/a, ns/b, ns/c, ns/d, ns/e')
  const nine = keys('i', 'h', 'g', 'f', 'e', 'd', 'c', 'b', 'a')
  t.equal(workloadsText(nine), 'ns/a, ns/b, ns/c, ns/d, ns/e and 4 additional workload(s)')
})

t.test('IS-79 the log names all workloads that cannot be restarted, fifty in a line', async t => {
  const old = { containers: [proxyContainer({ image: image('proxyv2', '1.29.5') })] }
  const pods = Array.from({ length: 120 }, (_, at) => stalePod(`bare-${at}`, undefined, { spec: old }))
  const lines: { workloads: { workload: string; why: string }[] }[] = []
  const log = { warn: (line: (typeof lines)[number]) => lines.push(line) }
  async function* pages({ keep }: { keep: (pod: KubeObject) => KubeObject | undefined }) {
    yield { objects: pods.flatMap(pod => keep(pod) ?? []) }
  }
  const clusters = { of: async () => ({ pages }) }
  const context = { reads: { get: async () => undefined }, clusters, memory: { attempts: new Map() } }
  const read = (digest: string) => {
    const restarts = [{ target: 'sidecars' as const, digest, since: '2026-01-01T00:00:00Z' }]
    const world = istioWorld({ istio: istio({ status: { state: 'Ready', restarts } }) })
    return readSidecars({ world, context, log, now: istioNow, tried: new Map() } as unknown as ReaderInput)
  }
  const first = await read('unknown')
  await read(first.is === 'unnoted' ? first.noted.note.digest : '')
  t.strictSame(
    lines.map(({ workloads }) => workloads.length),
    [50, 50, 20],
  )
  matches(t, lines[2]?.workloads.at(-1), { workload: 'team/bare-119', why: /OwnerReferences was not found/ })
})

t.test(
  'IS-313 sidecars that were never noted, or in this second, are looked through before anything waits',
  async t => {
    const old = { containers: [proxyContainer({ image: image('proxyv2', '1.29.5') })] }
    const read = (pods: readonly KubeObject[], restarts: object[] = []) => {
      async function* pages({ keep }: { keep: (pod: KubeObject) => KubeObject | undefined }) {
        yield { objects: pods.flatMap(pod => keep(pod) ?? []) }
      }
      const context = { clusters: { of: async () => ({ pages }) }, memory: { attempts: new Map() } }
      const status = { state: 'Ready', restarts } as unknown as IstioStatus
      const world = istioWorld({ istio: istio({ status }) })
      return readSidecars({ world, context, now: istioNow, tried: new Map() } as unknown as ReaderInput)
    }
    const bare = stalePod('bare', undefined, { spec: old })
    const first = await read([])
    matches(t, first, { is: 'surveyed', noted: { is: 'new' } })
    matches(t, told(istioWorld({ facts: { sidecars: first } })).status, {
      state: 'Ready',
      restarts: [{ target: 'sidecars' }],
    })
    matches(t, await read([bare]), { is: 'unnoted', noted: { is: 'new' } })
    const { note } = (first as { noted: { note: { digest: string } } }).noted
    matches(t, await read([], [note]), { is: 'surveyed', noted: { is: 'fresh' } })
    matches(t, await read([bare], [note]), { is: 'unnoted', noted: { is: 'fresh' } })
    matches(t, await read([], [{ ...note, digest: 'other' }]), { is: 'unnoted', noted: { is: 'new' } })
    matches(t, await read([], [{ ...note, digest: '' }]), { is: 'surveyed', noted: { is: 'new' } }, 'a change began')
  },
)

t.test('IS-301 while Istio runs, a Pod that was tried is remembered, not its ReplicationController', async t => {
  const old = { containers: [proxyContainer({ image: image('proxyv2', '1.29.5') })] }
  const metadata = { creationTimestamp: '2025-12-31T00:00:00Z' }
  const pods = [stalePod('a', ownerOf('ReplicationController', 'shop', 'v1'), { metadata, spec: old })]
  async function* pages({ kind, keep }: { kind: string; keep: (pod: KubeObject) => KubeObject | undefined }) {
    yield { objects: kind === 'Pod' ? pods.flatMap(pod => keep(pod) ?? []) : [] }
  }
  const attempts = new Map<string, string>()
  const context = {
    reads: { get: async () => undefined },
    clusters: { of: async () => ({ pages }) },
    memory: { attempts },
  }
  const read = (digest: string) => {
    const restarts = [{ target: 'sidecars' as const, digest, since: '2026-01-01T00:00:00Z' }]
    const world = istioWorld({ istio: istio({ status: { state: 'Ready', restarts } }) })
    return readSidecars({ world, context, now: istioNow, tried: new Map() } as unknown as ReaderInput)
  }
  const first = await read('unknown')
  await read(first.is === 'unnoted' ? first.noted.note.digest : '')
  t.strictSame([...attempts.keys()], ['uid-a'])
})

t.test('ten thousand hostile owners and Pods take no noticeable time', async t => {
  const names = Array.from({ length: 10_000 }, (_, at) => `shop-${at}`)
  const survey = surveyOf({
    pods: names.map(name => stalePod(`${name}-0`, ownerOf('StatefulSet', name))),
    workloads: names.map(name => ownerObject('StatefulSet', name, stamped(since + 1))),
  })
  t.equal(survey.stuck.length, 10_000)
})

t.test('IS-68 while Pods of the mesh run another version no sidecar is restarted', async t => {
  const pods = [meshPod('istiod-1', { discovery: image('pilot', '1.29.5') })]
  const read = (digest: string) => {
    const restarts = [{ target: 'sidecars' as const, digest, since: '2026-01-01T00:00:00Z' }]
    const world = istioWorld({
      istio: istio({ status: { state: 'Ready', restarts } }),
      facts: { podVersions: { pods } },
    })
    const context = { reads: { get: async () => undefined } }
    return readSidecars({ world, context, now: istioNow, tried: new Map() } as unknown as ReaderInput)
  }
  const first = await read('unknown')
  const digest = first.is === 'unnoted' ? first.noted.note.digest : ''
  const { status, plan, next } = told(istioWorld({ facts: { sidecars: await read(digest) } }))
  matches(
    t,
    plan.steps.filter(step => step.do === 'patch' && step.target.kind !== 'Istio'),
    [],
  )
  const cause =
    'Verifying Pod versions in istio-system namespace failed: istio-system Pods version 1.29.5 do not match istio operator version 1.30.2'
  matches(t, status, {
    state: 'Error',
    description: `Error occurred during reconciliation of Istio Sidecars: ${cause}`,
  })
  const conditions = (status.conditions ?? []) as { type: string; reason: string }[]
  const { reason } = conditions.find(({ type }) => type === 'ProxySidecarRestartSucceeded') ?? {}
  t.equal(reason, 'ProxySidecarRestartFailed')
  matches(t, next, { is: 'failed' })
})
