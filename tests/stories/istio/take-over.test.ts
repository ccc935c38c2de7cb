// A mesh as the Go operator leaves it is taken over, and given back. What the Go operator writes is written here under its field managers:
// `istio-operator` applies the charts, `manager` labels what was applied and keeps the mesh resources, the Istio and its status.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { parse } from 'yaml'
import { besideLive } from '../../../functions/istio/desired/chart-object.ts'
import { chartsOf } from '../../../functions/istio/desired/desired-chart.ts'
import { readCluster } from '../../../functions/istio/gather/cluster.ts'
import { appliedText } from '../../../functions/istio/rules/applied-configuration.ts'
import { istioNames } from '../../../shared/api/istio/names.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import { readinessOf } from '../../../shared/component/observed/readiness.ts'
import { type JsonMap, mapOrEmpty, mapsIn, sameJson } from '../../../shared/core/json/json.ts'
import { type KubeObject, type ObjectRef, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { runCommand } from '../../../shared/main/cli/command.ts'
import { commands } from '../../../shared/main/cli/commands.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { define } from '../../harness/clusters/test-definitions.ts'
import { later } from '../../harness/component/orchards.ts'
import { istioGround } from '../../harness/istio/istio-ground.ts'
import { contains, matches } from '../../harness/matches.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { eventually } from '../../harness/until.ts'
import { patchedChart } from '../../make/istio/istio-charts.ts'
import { istioDefinition } from '../../make/istio/istio-definitions.ts'
import { operatorFor } from '../../make/istio/istio-operator.ts'

const { namespaces, labels, module, prefix, finalizer, annotations, disclaimer } = istioNames
const { mesh, control } = namespaces
const installer = { fieldManager: 'istio-operator', force: true }
const manager = { fieldManager: 'manager' }
const [tag, version] = ['1.30.2-distroless', '1.31.0']

const ground = await istioGround(t)
const { client } = ground
const spec: JsonMap = { config: { numTrustedProxies: 2, enableDNSProxying: true }, networkPoliciesEnabled: true }
const theIstio: ObjectRef = { ...istioKind, namespace: control, name: 'default' }

/** The module makes VerticalPodAutoscalers of the mesh's workloads, too. */
const features: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'istio-features', namespace: control },
  data: { features: JSON.stringify({ enableControlPlaneVPA: true }) },
}
await client.apply(features, manager)

const operator = operatorFor(spec, { cluster: await readCluster(client, { experimental: 'false' }) })

/** The labels of the installer. The Go operator adds the module's, also to the Pods of workloads. */
const installed = chartsOf(operator).flatMap(desired =>
  patchedChart(desired).objects.map(object => {
    const component = desired.component.charAt(0).toUpperCase() + desired.component.slice(1)
    const own = {
      'operator.istio.io/managed': 'Reconcile',
      'operator.istio.io/version': 'unknown',
      'operator.istio.io/component': component,
      'install.operator.istio.io/owning-resource': 'default-operator',
      'install.operator.istio.io/owning-resource-namespace': mesh,
      'istio.io/rev': 'default',
    }
    return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...own } } }
  }),
)
const applied = installed.map(object => besideLive(object, installed))

const ofModule = { [labels.module]: module }
const managed = {
  ...ofModule,
  'app.kubernetes.io/component': 'operator',
  'app.kubernetes.io/part-of': 'istio',
  'app.kubernetes.io/name': 'istio-operator',
  'app.kubernetes.io/instance': 'istio-operator-default',
}
const disclaimed = { annotations: { [annotations.disclaimer]: disclaimer } }

const golden = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../functions/istio/golden/resources', `${name}.yaml`), 'utf8')

/** With the port of this API server. */
const networkPolicies = async (): Promise<KubeObject[]> => {
  const service = await client.get({ apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'kubernetes' })
  const [port] = mapsIn(mapOrEmpty(service?.spec).ports)
  const policies: KubeObject[] = parse(golden('network-policies').replaceAll('6443', String(port?.targetPort)))
  return policies.map(({ metadata, ...policy }) => ({ ...policy, metadata: { ...metadata, ownerReferences: [] } }))
}

/** What it keeps besides, each with the module's version as a label. */
const kept: readonly KubeObject[] = [
  ...(await networkPolicies()),
  ...(parse(golden('vertical-pod-autoscalers')) as KubeObject[]).filter(({ metadata }) => metadata.namespace === mesh),
  {
    apiVersion: 'security.istio.io/v1',
    kind: 'PeerAuthentication',
    metadata: { name: 'default', namespace: mesh, labels: managed },
    spec: { mtls: { mode: 'STRICT' } },
  },
  {
    apiVersion: 'autoscaling.k8s.io/v1',
    kind: 'VerticalPodAutoscaler',
    metadata: { name: 'istio-operator-vpa', namespace: control, labels: managed },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'istio-controller-manager' },
      updatePolicy: { updateMode: 'InPlaceOrRecreate', minReplicas: 1 },
      resourcePolicy: {
        containerPolicies: [
          {
            containerName: 'manager',
            minAllowed: { cpu: '10m', memory: '64Mi' },
            maxAllowed: { cpu: '10000m', memory: '16Gi' },
          },
        ],
      },
    },
  },
]

/** Part of the module itself, and what istiod makes. */
const others: readonly KubeObject[] = [
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: mesh, labels: { 'operator.kyma-project.io/managed-by': 'kyma' } },
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'istio-kyma-priority', labels: { 'app.kubernetes.io/component': 'operator' } },
    value: 2_100_000,
    description: 'of the module',
  },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'istio-leader', namespace: mesh, labels: ofModule } },
]

const conditions = (reasons: readonly (readonly [type: string, status: string, reason: string, message: string])[]) =>
  reasons.map(([type, status, reason, message]) => ({
    ...{ type, status, reason, message },
    lastTransitionTime: '2026-01-02T03:04:05Z',
  }))

const status = {
  state: 'Ready',
  conditions: conditions([
    ['Ready', 'True', 'ReconcileSucceeded', 'Reconciliation succeeded'],
    ['ProxySidecarRestartSucceeded', 'True', 'ProxySidecarRestartSucceeded', 'Proxy sidecar restart succeeded'],
    [
      ...(['IngressTargetingUserResourceFound', 'False', 'IngressTargetingUserResourceNotFound'] as const),
      'Resources targeting Istio Ingress Gateway not found',
    ],
  ]),
}

const podMakers = ['Deployment', 'DaemonSet']

/** The writes of one reconciliation, of an installation that is new or exists. */
const goReconciles = async (): Promise<void> => {
  for (const object of applied) await client.apply(object, installer)
  for (const { kind, ...object } of applied) {
    const template = podMakers.includes(kind) && { spec: { template: { metadata: { labels: ofModule } } } }
    const body = { metadata: { labels: ofModule }, ...template }
    await client.patch(refOf({ kind, ...object }), { type: 'merge', body }, manager)
  }
  const warden = { labels: { 'namespaces.warden.kyma-project.io/validate': 'enabled' }, ...disclaimed }
  await client.patch(refOf(others[0] as KubeObject), { type: 'merge', body: { metadata: warden } }, manager)
  const owner = { ...istioKind, name: 'default', uid: (await ground.read()).metadata.uid ?? '' }
  for (const object of kept) {
    const live = await client.get(refOf(object))
    const versioned = {
      labels: { ...object.metadata.labels, 'app.kubernetes.io/version': version },
      ...(object.metadata.name === 'istio-operator-vpa' && { ownerReferences: [owner] }),
    }
    const metadata = { ...object.metadata, ...versioned, ...disclaimed }
    if (!live) await client.create({ ...object, metadata }, manager)
    else await client.patch(refOf(object), { type: 'merge', body: { metadata: versioned, spec: object.spec } }, manager)
  }
  const lastApplied = appliedText({ spec, tag })
  const metadata = { finalizers: [finalizer], annotations: { [annotations.lastApplied]: lastApplied } }
  await client.patch(theIstio, { type: 'merge', body: { metadata } }, manager)
  const { status: before, ...bare } = await ground.read()
  // Its update of the status has the fields alone that its types have.
  if (before) await client.replace({ ...bare, status } as KubeObject, { ...manager, subresource: 'status' })
  else await client.patch(theIstio, { type: 'merge', body: { status } }, { ...manager, subresource: 'status' })
}

const all = [...applied, ...kept, ...others]

type Standing = Record<string, unknown>

/** Each object without what every write changes, and the Pods: a rollout would replace them. */
const standing = async (): Promise<Standing> => {
  const objects = await Promise.all(all.map(object => client.get(refOf(object))))
  const pods = await client.list({ apiVersion: 'v1', kind: 'Pod', namespace: mesh })
  return {
    Pods: { uids: pods.map(({ metadata }) => metadata.uid ?? '').toSorted() },
    ...Object.fromEntries(
      objects.map((object, at) => {
        const name = refText(refOf(all[at] as KubeObject))
        if (!object) return [name, undefined]
        const { status: _status, metadata, ...content } = object
        const { uid, labels, annotations, ownerReferences } = metadata
        return [name, { ...content, uid, labels, annotations, ownerReferences }]
      }),
    ),
  }
}

const writes: string[] = []
const recorded = (real: Client): Partial<Client> => {
  const noted = <T>(verb: string, { kind, name }: { kind: string; name: string }, options: unknown, done: T): T => {
    const { subresource } = mapOrEmpty(options)
    writes.push(`${verb} ${kind}${subresource ? `/${subresource}` : ''} ${name}`)
    return done
  }
  return {
    apply: (object, options) => noted('apply', refOf(object), options, real.apply(object, options)),
    create: (object, options) => noted('create', refOf(object), options, real.create(object, options)),
    replace: (object, options) => noted('replace', refOf(object), options, real.replace(object, options)),
    patch: (ref, patch, options) => noted('patch', ref, options, real.patch(ref, patch, options)),
    delete: (ref, options) => noted('delete', ref, options, real.delete(ref, options)),
  }
}
const own = altered(clientTo(t, ground.cluster), recorded)
const takesOver = async (seconds = 0) => {
  writes.length = 0
  await ground.settle({ clusters: clusters({ local: own }), ...later(seconds) })
}

const isReady = async (): Promise<boolean> => {
  const found = await Promise.all(applied.map(object => client.get(refOf(object))))
  return found.every(object => object && readinessOf(object, { conditions: [] }, new Date()).status === 'Current')
}

/** A real autoscaler looks at its Deployment every 15 seconds. The embedded cluster has none. */
const areScaled = async (): Promise<boolean> => {
  if (!ground.cluster.isReal) return true
  const autoscalers = applied.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
  const scaled = await Promise.all(
    autoscalers.map(async ({ spec }) => {
      const { scaleTargetRef, minReplicas } = spec as { scaleTargetRef: { name: string }; minReplicas: number }
      const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: mesh, name: scaleTargetRef.name }
      return Number(mapOrEmpty((await client.get(target))?.spec).replicas) >= minReplicas
    }),
  )
  return scaled.every(Boolean)
}

/** Autoscalers write their objects and scale Deployments for some seconds after the Go operator applied both. */
const isAtRest = async (): Promise<boolean> => {
  const versions = async () => {
    const found = await Promise.all(applied.map(object => client.get(refOf(object))))
    return [(await standing()).Pods, found.map(object => object?.metadata.resourceVersion)]
  }
  const first = await versions()
  await wait(2_000)
  return (await areScaled()) && (await isReady()) && sameJson(first, await versions())
}

let before: Standing = {}

/** As the row says. Of each object once, of the status as often as it says something new. */
const expectedWrites = [
  ...[others[0] as KubeObject, ...applied].map(object => `apply ${object.kind} ${object.metadata.name}`),
  'patch NetworkPolicy kyma-project.io--allow-istio-controller-manager',
  'patch PeerAuthentication default',
  ...kept
    .filter(({ kind }) => kind === 'VerticalPodAutoscaler')
    .map(({ metadata }) => `patch VerticalPodAutoscaler ${metadata.name}`),
  'replace Istio/status default',
].toSorted()

/** The labels, annotations and other fields that changed in any object. */
const changedIn = (after: Standing): string[] => {
  const changed = Object.keys(before).flatMap(name => {
    const [from, to] = [mapOrEmpty(before[name]), mapOrEmpty(after[name])]
    return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap(field => {
      if (sameJson(from[field], to[field])) return []
      if (field !== 'labels' && field !== 'annotations') return [`${name}: ${field}`]
      const [old, found] = [mapOrEmpty(from[field]), mapOrEmpty(to[field])]
      const keys = [...new Set([...Object.keys(old), ...Object.keys(found)])]
      return keys.filter(key => old[key] !== found[key]).map(key => `${field} ${key}`)
    })
  })
  return [...new Set(changed)].toSorted()
}

const orders = ['apply-order', 'delete-order', 'digest', 'owner-id'].map(name => `annotations ${prefix}/${name}`)
const ours = [...orders, `labels ${prefix}/owner-id`]
const policyOwner = 'NetworkPolicy kyma-system/kyma-project.io--allow-istio-controller-manager: ownerReferences'

t.test('IS-315 of a mesh of the Go operator each object is written once, and nothing is restarted', async t => {
  await define(client, istioDefinition('VerticalPodAutoscaler'))
  for (const object of others) await client.create(object, manager)
  await ground.create(spec)
  await goReconciles()
  await eventually('the mesh runs', isReady)
  before = await standing()
  const { metadata } = await ground.read()
  await takesOver()
  t.strictSame([...new Set(writes)].toSorted(), expectedWrites)
  t.equal(expectedWrites.filter(write => write.includes('VerticalPodAutoscaler')).length, 5)
  t.strictSame(
    writes.filter((one, at) => writes.indexOf(one) !== at && !one.startsWith('replace Istio/status')),
    [],
  )
  const istio = await ground.read()
  t.strictSame(istio.metadata.annotations, metadata.annotations, 'the annotation is the same, byte for byte')
  t.strictSame(istio.metadata.finalizers, metadata.finalizers)
  matches(t, istio.status, { state: 'Ready', installation: { version: tag, state: 'Ready' } })
  // A Deployment observes its new annotations before it is ready again.
  const timeless = (conditions: unknown) => mapsIn(conditions).map(({ lastTransitionTime: _, ...one }) => one)
  t.strictSame(timeless(istio.status?.conditions), timeless(status.conditions))
  t.strictSame(
    changedIn(await standing()),
    [
      ...ours,
      policyOwner,
      'annotations helm.sh/resource-policy',
      `annotations ${prefix}/delete-policy`,
      'labels app.kubernetes.io/version',
      'labels operator.istio.io/version',
    ].toSorted(),
  )
  await takesOver(3_600)
  t.strictSame(writes, [], 'a further call writes nothing')
})

t.test('IS-316 the Go operator goes on with that mesh, and nothing of ours is left but on two objects', async t => {
  await goReconciles()
  t.strictSame(changedIn(await standing()), [...ours, policyOwner].toSorted())
  const after = await standing()
  const changed = Object.keys(before).filter(name => !sameJson(before[name], after[name]))
  t.strictSame(changed, [
    `NetworkPolicy ${control}/kyma-project.io--allow-istio-controller-manager`,
    `Namespace ${mesh}`,
  ])
  t.strictSame((await ground.read()).status, status)
})

t.test('IS-316 it is taken over once more', async t => {
  await takesOver(7_200)
  t.strictSame(
    [...new Set(writes)].toSorted(),
    expectedWrites.filter(write => !/^(patch NetworkPolicy|apply Namespace) /.test(write)),
  )
  matches(t, (await ground.read()).status, { state: 'Ready', installation: { version: tag } })
})

t.test('SEE-51 espalier migrate --apply takes the mesh over, and restarts nothing', async t => {
  const kubeconfig = join(testFolder(t), 'kubeconfig')
  writeFileSync(kubeconfig, ground.cluster.kubeconfig)
  const migrate = (...more: string[]) =>
    runCommand(commands, ['migrate', 'istio', 'default', '-n', control, '--kubeconfig', kubeconfig, ...more])
  const system = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'espalier-system' } }
  await client.create(system, { fieldManager: 'person' }).catch(() => undefined)
  await goReconciles()
  await eventually('the mesh runs again, and its autoscalers have scaled it', isAtRest)
  before = await standing()
  const shown = await migrate()
  t.strictSame([shown.code, shown.fault], [1, ''])
  const text = shown.out.replaceAll(/\s+/g, ' ')
  for (const part of [
    `finalizers now: ${finalizer}`,
    `Deployment ${mesh}/istiod`,
    `metadata.labels["${prefix}/owner-id"]`,
  ])
    contains(t, text, part)
  t.strictSame(await standing(), before, 'nothing is written')
  const { code, out, fault } = await migrate('--apply')
  t.strictSame([code, fault], [0, ''], out)
  contains(t, out, 'istio: ')
  const owner = (one: Standing) => mapOrEmpty(mapOrEmpty(one[`Deployment ${mesh}/istiod`]).labels)[`${prefix}/owner-id`]
  const after = await standing()
  t.notOk(owner(before))
  t.ok(owner(after))
  t.strictSame(after.Pods, before.Pods)
})
