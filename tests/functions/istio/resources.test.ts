// The mesh resources: which are wanted when, and what makes a live one as it should be. What is in each of them is golden.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import {
  type ResourceFacts,
  type ResourceRow,
  resourceName,
  resourceSteps,
} from '../../../functions/istio/desired/resource-row.ts'
import { resourceRows } from '../../../functions/istio/desired/resource-rows.ts'
import type { ReaderInput } from '../../../functions/istio/gather/reader-input.ts'
import { readEnvoyFilters, readResources } from '../../../functions/istio/gather/resources.ts'
import { isUsersForIngress } from '../../../functions/istio/rules/users-resources.ts'
import type { ResourcesFacts } from '../../../functions/istio/world.ts'
import { espalierVersion } from '../../../shared/api/espalier.ts'
import type { Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import type { Reading } from '../../../shared/core/decisions/reading.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import { type KubeObject, type ObjectRef, refOf, refText } from '../../../shared/core/objects/object.ts'
import { matches } from '../../harness/matches.ts'
import { SimulatedWorld } from '../../harness/simulated/simulated-world.ts'
import { istio, istioWorld, told, wellFacts } from '../../make/istio/istio.ts'

const owning = istio({ metadata: { uid: 'uid-istio' } })

const facts = (change: Partial<ResourceFacts> = {}): ResourceFacts => ({
  istio: owning,
  version: '1.2.3',
  deployment: 'istio-controller-manager',
  apiPort: 443,
  isVpaServed: false,
  hasControlPlaneVpas: false,
  hasNetworkPolicies: false,
  needsProxyProtocol: false,
  ...change,
})

const wanted = (change?: Partial<ResourceFacts>): KubeObject[] =>
  resourceRows.filter(row => row.when(facts(change))).map(row => row.object(facts(change)))

const names = (objects: readonly KubeObject[]): string[] => objects.map(object => refText(refOf(object)))

const rowOf = (name: string): ResourceRow => {
  const row = resourceRows.find(({ ref }) => ref.name === name)
  if (!row) throw new Error(`no resource ${name}`)
  return row
}

/** As the API server has it after our write. */
const stored = (row: ResourceRow, change?: Partial<ResourceFacts>): KubeObject => {
  const [step] = resourceSteps(row, { live: undefined, facts: facts(change) })
  if (step?.do !== 'create' || !step.isOfNewKind) throw new Error('it is not created as one of a new kind')
  const { object } = step
  return { ...object, metadata: { ...object.metadata, uid: 'uid-live', resourceVersion: '7' } }
}

const edited = (object: KubeObject, change: object): KubeObject => mergePatched(object, change) as KubeObject

const stepsFor = (name: string, live: KubeObject | undefined, change?: Partial<ResourceFacts>): Step[] =>
  resourceSteps(rowOf(name), { live, facts: facts(change) })

/** What the live object becomes; the same where nothing is written. */
const corrected = (name: string, live: KubeObject, change?: Partial<ResourceFacts>): KubeObject => {
  const [step] = stepsFor(name, live, change)
  return step?.do === 'patch' ? edited(live, step.merge) : live
}

t.test('IS-44 the mesh resources are as their golden files', async t => {
  const all = wanted({
    apiPort: 6443,
    isVpaServed: true,
    hasControlPlaneVpas: true,
    hasNetworkPolicies: true,
    needsProxyProtocol: true,
  })
  const golden = ['mesh', 'network-policies', 'vertical-pod-autoscalers'].flatMap(file =>
    parse(readFileSync(join(import.meta.dirname, 'golden/resources', `${file}.yaml`), 'utf8')),
  )
  t.strictSame(all, golden)
})

t.test('IS-46 IS-47 IS-48 each mesh resource is wanted when its facts say so', async t => {
  const always = 'PeerAuthentication istio-system/default'
  const cases: [Partial<ResourceFacts>, number, string][] = [
    [{}, 0, 'nothing else'],
    [{ needsProxyProtocol: true }, 1, 'EnvoyFilter istio-system/proxy-protocol'],
    [{ hasNetworkPolicies: true }, 7, 'NetworkPolicy kyma-system/kyma-project.io--allow-istio-controller-manager'],
    [{ isVpaServed: true }, 1, 'VerticalPodAutoscaler kyma-system/istio-operator-vpa'],
    [{ isVpaServed: true, hasControlPlaneVpas: true }, 5, 'VerticalPodAutoscaler istio-system/istio-egressgateway-vpa'],
    [{ isVpaServed: false, hasControlPlaneVpas: true }, 0, 'nothing else'],
  ]
  for (const [change, count, last] of cases) {
    const [first, ...more] = names(wanted(change))
    t.equal(first, always)
    t.strictSame([more.length, more.at(-1) ?? 'nothing else'], [count, last], JSON.stringify(change))
  }
})

t.test(
  'IS-46 IS-47 IS-48 a mesh resource that is no longer wanted is deleted, unless somebody else made it',
  async t => {
    const all = { isVpaServed: true, hasControlPlaneVpas: true, hasNetworkPolicies: true, needsProxyProtocol: true }
    const optional = resourceRows.filter(row => !row.when(facts()))
    t.equal(optional.length, 13)
    for (const row of optional) {
      const live = stored(row, all)
      const steps = (object: KubeObject) => resourceSteps(row, { live: object, facts: facts() })
      t.strictSame(steps(live), [{ do: 'delete', target: live }], row.ref.name)
      const ofSomebody = edited(live, { metadata: { labels: { 'kyma-project.io/module': null } } })
      const going = edited(live, { metadata: { deletionTimestamp: '2026-01-02T02:00:00Z' } })
      t.strictSame([steps(ofSomebody), steps(going)], [[], []])
      t.strictSame(resourceSteps(row, { live: undefined, facts: facts() }), [])
    }
  },
)

t.test(
  'IS-312 IS-45 the PeerAuthentication is reverted: mode, a selector of somebody, our labels; a foreign label stays',
  async t => {
    const live = stored(rowOf('default'))
    t.strictSame(stepsFor('default', live), [])
    const changes = [
      { spec: { mtls: { mode: 'PERMISSIVE' } } },
      { spec: { selector: { matchLabels: { app: 'shop' } }, portLevelMtls: { 80: { mode: 'DISABLE' } } } },
      { spec: null },
      { metadata: { labels: { 'kyma-project.io/module': 'other', 'app.kubernetes.io/part-of': null } } },
      { metadata: { annotations: null } },
    ]
    for (const change of changes) {
      t.strictSame(corrected('default', edited(live, change)), live, JSON.stringify(change))
    }
    const labelled = edited(live, { metadata: { labels: { team: 'shop' } } })
    t.strictSame(stepsFor('default', labelled), [])
    t.strictSame(corrected('default', edited(labelled, { spec: null })), labelled)
    matches(t, stepsFor('default', undefined), [{ do: 'create', isOfNewKind: true }])
  },
)

t.test(
  'IS-94 the mesh resources in the namespace of the Istio have it as owner, those elsewhere have none',
  async t => {
    const owner = { apiVersion: owning.apiVersion, kind: 'Istio', name: 'default', uid: 'uid-istio' }
    const other = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop', uid: 'uid-shop' }
    const all = { isVpaServed: true, hasControlPlaneVpas: true, hasNetworkPolicies: true, needsProxyProtocol: true }
    for (const row of resourceRows) {
      const isNear = row.ref.namespace === 'kyma-system'
      const live = stored(row, all)
      t.strictSame(live.metadata.ownerReferences, isNear ? [owner] : undefined, row.ref.name)
      const former = [{ ...owner, uid: 'uid-former', controller: true }, other]
      const withOwners = edited(live, { metadata: { ownerReferences: former } })
      const { ownerReferences } = corrected(row.ref.name, withOwners, all).metadata
      t.strictSame(ownerReferences, isNear ? [other, owner] : [other], row.ref.name)
    }
  },
)

/** What is known where all wanted resources are as they should be, but for some. */
const resourcesFacts = (
  changed: Readonly<Record<string, Reading<KubeObject | undefined>>> = {},
  isVpaServed = false,
): ResourcesFacts => {
  const rows = resourceRows.filter(row => row.when(facts({ isVpaServed })))
  const live = rows.map(
    row => [resourceName(row.ref), { read: stored(row, { version: espalierVersion, isVpaServed }) }] as const,
  )
  return { rows, isVpaServed, apiPort: 443, live: new Map([...live, ...Object.entries(changed)]) }
}

/** Writes of the Istio succeed; those of resources end so. */
const toldOf = (resources: ResourcesFacts, error?: object) => {
  const result = (step: Step): StepResult =>
    error && step.do === 'create'
      ? {
          step,
          changed: false,
          error: { message: '', isConflict: false, isRetriable: false, ...error, ref: refOf(step.object) },
        }
      : { step, changed: true }
  const world = istioWorld({ istio: owning, facts: { resources } })
  const { plan, ...report } = told(world, ({ steps }) => steps.map(result))
  const created = plan.steps.flatMap(step => (step.do === 'create' ? step.object.metadata.name : []))
  return { ...report, created }
}

const readyReason = ({ conditions }: { conditions?: unknown }) =>
  (conditions as { type: string; reason: string }[]).find(({ type }) => type === 'Ready')?.reason

t.test('IS-307 a webhook changes what is written: Error, and no further pass', async t => {
  const row = rowOf('default')
  const live = stored(row, { version: espalierVersion })
  const answering = (object: KubeObject) => {
    const resources = resourcesFacts({ 'PeerAuthentication/default': { read: undefined } })
    return told(istioWorld({ istio: owning, facts: { resources } }), ({ steps }) =>
      steps.map(step => ({ step, changed: true, ...(step.do === 'create' && { object }) })),
    )
  }
  const fought = answering(edited(live, { spec: { mtls: { mode: 'PERMISSIVE' } } }))
  const cause = 'another program, such as a webhook, changes it after every write'
  const description = `Could not reconcile Istio resource PeerAuthentication/default: ${cause}`
  matches(t, fought, { status: { state: 'Error', description }, next: { is: 'failed' } })
  t.equal((fought.status.conditions as object[]).length, 1, 'nothing below it runs')
  matches(t, answering(live).next, { is: 'again' })
})

t.test('IS-307 a resource that is not wanted any more, and ends slowly, is changed by nobody', async t => {
  const row = rowOf('proxy-protocol')
  const live = stored(row, { needsProxyProtocol: true })
  const resources = { ...resourcesFacts({ [resourceName(row.ref)]: { read: live } }), rows: [row] }
  const ending = edited(live, { metadata: { deletionTimestamp: '2026-01-02T03:04:05Z', finalizers: ['x'] } })
  const { plan, next } = told(istioWorld({ istio: owning, facts: { resources } }), ({ steps }) =>
    steps.map(step => ({ step, changed: true, ...(step.do === 'delete' && { object: ending }) })),
  )
  t.ok(plan.steps.some(({ do: does }) => does === 'delete'))
  matches(t, next, { is: 'again' })
})

t.test('IS-307 a webhook takes our label off what istiod made for itself: Error, and no further pass', async t => {
  const metadata = { name: 'istio-leader', namespace: 'istio-system', uid: 'leader', resourceVersion: '1' }
  const leader: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata }
  const ended = (labelling: object) =>
    told(istioWorld({ istio: owning, facts: { istiodLabels: { found: [leader] } } }), ({ steps }) =>
      steps.map(step => ({ step, changed: true, ...(step.do === 'patch' && step.target === leader && labelling) })),
    )
  const answered = (object: KubeObject) => ended({ object })
  matches(t, answered(leader), {
    status: {
      state: 'Error',
      description: /^Could not reconcile Istio resource ConfigMap\/istio-leader: another program, such/,
    },
    next: { is: 'failed' },
  })
  const labels = { 'kyma-project.io/module': 'istio' }
  matches(t, answered({ ...leader, metadata: { ...metadata, labels } }).next, { is: 'again' })
  const error = { message: 'it is forbidden', isConflict: false, isRetriable: false, ref: refOf(leader) }
  matches(t, ended({ changed: false, error }).status, {
    description: 'Could not reconcile Istio resource ConfigMap/istio-leader: it is forbidden',
  })
})

t.test('IS-44 resources that are as they should be are not written', async t => {
  const { created, status } = toldOf(resourcesFacts())
  t.strictSame(created, [])
  t.equal(status.state, 'Ready')
})

t.test(
  'IS-50 one resource is refused or cannot be read: Error, the others are applied, nothing after them runs',
  async t => {
    const missing = { read: undefined }
    const forbidden = { message: 'it is forbidden' }
    const [scaler, authentication] = ['VerticalPodAutoscaler/istio-operator-vpa', 'PeerAuthentication/default']
    const two = resourcesFacts({ [scaler]: missing, [authentication]: missing }, true)
    const refused = toldOf(two, forbidden)
    t.strictSame(refused.created, ['default', 'istio-operator-vpa'])
    matches(t, refused.status, {
      state: 'Error',
      description: `Could not reconcile Istio resource ${authentication}: it is forbidden; ${scaler}: it is forbidden`,
    })
    t.equal(readyReason(refused.status), 'CustomResourcesReconcileFailed')
    matches(t, refused.next, { is: 'failed' })

    const unread = toldOf(resourcesFacts({ [scaler]: missing, [authentication]: { failed: 'it is hidden' } }, true))
    t.strictSame(unread.created, ['istio-operator-vpa'])
    const description = `Could not reconcile Istio resource ${authentication}: it is hidden`
    matches(t, unread.status, { state: 'Error', description })
    const hidden = toldOf(resourcesFacts({ 'PeerAuthentication/default': { failed: 'it is hidden' } }))
    t.strictSame((hidden.status.conditions as object[]).length, 1, 'EnvoyFilters of users are not looked for')

    matches(t, toldOf(two, { isConflict: true }).status, {})
  },
)

t.test('IS-47 IS-48 what the cluster is like decides which resources there are', async t => {
  const createdIn = (change: object): string[] => {
    const installation = { ...wellFacts.installation, cluster: { ...wellFacts.installation.cluster, ...change } }
    const found = { rows: resourceRows, live: new Map(), isVpaServed: true, apiPort: 443 }
    const { plan } = told(istioWorld({ istio: owning, facts: { installation, resources: found } }))
    return plan.steps.flatMap(step => (step.do === 'create' ? step.object.metadata.name : []))
  }
  const always = ['default', 'istio-operator-vpa']
  const { features, nodes } = wellFacts.installation.cluster
  t.strictSame(createdIn({}), always)
  const ofWorkloads = ['istiod', 'istio-cni-node', 'istio-ingressgateway', 'istio-egressgateway']
  t.strictSame(createdIn({ features: { ...features, hasControlPlaneVpa: true } }), [
    ...always,
    ...ofWorkloads.map(name => `${name}-vpa`),
  ])
  const openStack = nodes.map(node => ({ ...node, providerId: 'openstack:///a' }))
  t.strictSame(createdIn({ nodes: openStack }).includes('proxy-protocol'), true)
})

t.test('IS-46 the policy allows the port of the API server that its Service leads to', async t => {
  const serviceWith = (ports: unknown): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default' },
    spec: { ports },
  })
  const portOf = async (get: (ref: ObjectRef) => Promise<KubeObject | undefined>) => {
    const context = { reads: { get }, clusters: { of: async () => ({ scopeOf: async () => 'unserved' }) } }
    const world = istioWorld({ istio: istio({ spec: { networkPoliciesEnabled: true } }) })
    return (await readResources({ context, world } as unknown as ReaderInput, [])).apiPort
  }
  const cases: [unknown, number][] = [
    [[{ name: 'https', port: 443, targetPort: 6443 }], 6443],
    [
      [
        { name: 'http', targetPort: 80 },
        { name: 'https', targetPort: 8443 },
      ],
      8443,
    ],
    [[{ name: 'https', port: 443, targetPort: 'secure' }], 443],
    [[{ name: 'http', targetPort: 80 }], 443],
    [undefined, 443],
  ]
  for (const [ports, port] of cases) t.equal(await portOf(async () => serviceWith(ports)), port, JSON.stringify(ports))
  t.equal(await portOf(async () => undefined), 443)
  t.equal(await portOf(() => Promise.reject(new Error('it is forbidden'))), 443)
})

const filterOf = (spec: unknown, metadata: object = {}): KubeObject => ({
  apiVersion: 'networking.istio.io/v1alpha3',
  kind: 'EnvoyFilter',
  metadata: { name: 'mine', namespace: 'istio-system', ...metadata },
  spec,
})

t.test("IS-51 IS-52 which EnvoyFilters count as the users' own for the ingress gateway", async t => {
  const selecting = (labels: unknown) => ({ workloadSelector: { labels } })
  const ingress = selecting({ istio: 'ingressgateway' })
  const ownedBy = (kind: string) => ({ ownerReferences: [{ apiVersion: 'v1', kind, name: 'a', uid: 'a' }] })
  const cases: [KubeObject, boolean][] = [
    [filterOf(ingress), true],
    [filterOf(selecting({ app: 'istio-ingressgateway', other: 'label' })), true],
    [filterOf(ingress, ownedBy('Shop')), true],
    [filterOf(ingress, { labels: { 'kyma-project.io/modules': 'istio' } }), true],
    [filterOf(ingress, { labels: { 'kyma-project.io/module': 'istio' } }), false],
    [filterOf(ingress, { labels: { 'kyma-project.io/module': '' } }), false],
    [filterOf(ingress, ownedBy('RateLimit')), false],
    [filterOf(selecting({ istio: 'egressgateway', app: 'shop' })), false],
    [filterOf(selecting({})), false],
    [filterOf(selecting('ingressgateway')), false],
    [filterOf({ workloadSelector: null }), false],
    [filterOf(undefined), false],
  ]
  for (const [filter, isTold] of cases) t.equal(isUsersForIngress(filter), isTold, JSON.stringify(filter))
})

t.test('IS-51 IS-52 EnvoyFilters are looked for in istio-system alone', async t => {
  const selecting = { workloadSelector: { labels: { istio: 'ingressgateway' } } }
  const world = new SimulatedWorld([
    filterOf(selecting),
    filterOf(selecting, { namespace: 'team', name: 'of-a-team' }),
    filterOf({}, { name: 'for-all' }),
  ])
  const { forIngress } = await readEnvoyFilters({ context: world } as unknown as ReaderInput)
  const { apiVersion, kind } = filterOf({}, {})
  t.strictSame(forIngress, { read: [{ apiVersion, kind, metadata: { name: 'mine', namespace: 'istio-system' } }] })
})

/** The conditions that these parts speak of. */
const conditionsIn = ({ conditions }: { conditions?: unknown }) =>
  Object.fromEntries((conditions as { type: string }[]).map(condition => [condition.type, condition]))

t.test('IS-51 an EnvoyFilter of a user for the ingress gateway is a Warning until it is gone', async t => {
  const facts = (names: readonly string[]) => ({
    envoyFilters: { forIngress: { read: names.map(name => filterOf({}, { name })) } },
  })
  const { status, next } = told(istioWorld({ istio: owning, facts: facts(['second', 'first']) }))
  matches(t, status, {
    state: 'Warning',
    description:
      'misconfigured EnvoyFilter can potentially break Istio Ingress Gateway: user-created EnvoyFilter istio-system/first targeting Ingress Gateway found',
  })
  matches(t, conditionsIn(status), {
    Ready: { reason: 'ReconcileFailed' },
    IngressTargetingUserResourceFound: { status: 'True', reason: 'IngressTargetingUserResourceFound' },
  })
  matches(t, next, { is: 'waiting', seconds: 3_600 })
  const well = told(istioWorld({ istio: owning, facts: facts([]) })).status
  t.equal(well.state, 'Ready')
  matches(t, conditionsIn(well), {
    IngressTargetingUserResourceFound: { status: 'False', reason: 'IngressTargetingUserResourceNotFound' },
  })
})

t.test('IS-52 EnvoyFilters that cannot be listed are an Error', async t => {
  const envoyFilters = { forIngress: { failed: 'it is forbidden' } }
  const { status, next } = told(istioWorld({ istio: owning, facts: { envoyFilters } }))
  matches(t, status, {
    state: 'Error',
    description: 'Could not look for EnvoyFilters targeting Ingress Gateway: it is forbidden',
  })
  matches(t, conditionsIn(status), {
    Ready: { status: 'False' },
    IngressTargetingUserResourceFound: {
      status: 'Unknown',
      reason: 'IngressTargetingUserResourceDetectionFailed',
    },
  })
  matches(t, next, { is: 'failed', seconds: undefined })
})

t.test('IS-44 mesh resources are labelled with the version of this package', async t => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'))
  t.equal(espalierVersion, version)
})
