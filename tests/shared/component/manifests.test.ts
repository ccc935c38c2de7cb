// What is wrong with rendered manifests is said before anything is written, and what is not said has its defaults.
import t from 'tap'
import { policiesOf } from '../../../shared/component/declared/annotations.ts'
import { unreadableIn } from '../../../shared/component/declared/kinds.ts'
import { shapeFaults } from '../../../shared/component/declared/manifest-faults.ts'
import { applyPriorities, deletePriorities, priorityOf } from '../../../shared/component/settings.ts'
import { nothingObserved } from '../../../shared/component/world.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import {
  becomesAvailable,
  becomesReady,
  component,
  edit,
  errorsOf,
  establishes,
  ownedBy,
  type SimulatedComponent,
  shop,
} from '../../harness/component/simulated-component.ts'
import { matches } from '../../harness/matches.ts'
import {
  configMap,
  gadget,
  gadgetDefinition,
  type Kept,
  manifest,
  namespaceManifest,
  P,
  sample,
  sampleService,
  settings,
} from '../../make/component/dependents.ts'

/** The errors of a set, by which nothing was written and nothing saved. */
const refused = (manifests: readonly unknown[]): string[] => {
  const before = configMap('before')
  const subject = component({ manifests: [before] })
  subject.settle()
  const [cluster, { items }] = [subject.cluster.objects, subject.question]
  subject.change({ manifests: [configMap('new'), ...(manifests as KubeObject[])] })
  const pass = subject.settle()
  const isRefused = pass.standing.errors.length > 0
  if (isRefused)
    t.strictSame([subject.cluster.objects, subject.question.items], [cluster, items], 'nothing was written')
  return errorsOf(pass)
}

t.test('CO-35 manifests that can be no dependents', async t => {
  const cases: [manifests: unknown[], errors: RegExp[]][] = [
    [[{ ...configMap('a'), metadata: { generateName: 'a-' } }], [/^ConfigMap a- has generateName/, /no metadata.name/]],
    [[{ apiVersion: 'v1', metadata: { name: 'a' } }], [/^Manifest 2 \(a\) has no kind$/]],
    [[{ kind: 'ConfigMap', metadata: { name: 'a' } }], [/^ConfigMap a has no apiVersion$/]],
    [[{ apiVersion: 'v1', kind: 'ConfigMap' }], [/^Manifest 2 has no metadata.name$/]],
    [
      [{ ...configMap('a'), metadata: { name: 'a', labels: { n: 1 } } }],
      [/^ConfigMap a has a label whose value is not a string$/],
    ],
    [
      [{ ...configMap('a'), metadata: { name: 'a', annotations: { n: true } } }],
      [/an annotation whose value is not a string$/],
    ],
    ...[{ port: 8080 }, { list: ['a'] }, ['a']].map((stringData): [unknown[], RegExp[]] => [
      [manifest('v1', 'Secret', 's', { stringData })],
      [/^Secret shop\/s has stringData whose value is not a string$/],
    ]),
    [[manifest('unknown.io/v1', 'Nothing', 'n')], [/^Nothing shop\/n: the cluster serves no unknown.io\/v1 Nothing$/]],
    [
      [manifest('autoscaling/v1', 'Scaler', 'x'), manifest('autoscaling/v2', 'Scaler', 'x', { namespace: '' })],
      [/^Scaler shop\/x is rendered 2 times \(autoscaling\/v1 and autoscaling\/v2\)$/],
    ],
    [[{ ...configMap('a'), metadata: { name: 'a', namespace: 'shop', labels: null, annotations: null } }], []],
  ]
  for (const [manifests, errors] of cases) matches(t, refused(manifests), errors)
})

t.test('CO-107 a namespace that no path can hold, for manifests without one', async t => {
  const bare = { ...configMap('a'), metadata: { name: 'a', annotations: { [`${P}/adoption-policy`]: 'always' } } }
  for (const namespace of ['team/shop', '..', '.']) {
    const subject = component({ manifests: [bare], namespace })
    matches(t, errorsOf(subject.pass()), [`ConfigMap ${namespace}/a has a namespace that is not valid in a URL path`])
    t.strictSame(subject.question.items, [], 'nothing of it is saved: it could neither be read nor deleted')
  }
  const clusterWide = component({ manifests: [namespaceManifest('n')], namespace: 'team/shop' })
  t.strictSame(errorsOf(clusterWide.pass()), [], 'which has none')
})

t.test('CO-39 a null in stringData is an empty text, as an API server reads it', async t => {
  const secret = manifest('v1', 'Secret', 's', { stringData: { empty: null, full: 'two' } })
  const subject = component({ manifests: [secret] })
  subject.settle()
  t.strictSame(subject.live(secret)?.data, { empty: '', full: 'dHdv' })
})

t.test('CO-35 CO-39 a kind whose CRD or APIService is in the set needs no discovery', async t => {
  const kind = { ...gadget('g'), metadata: { name: 'g' } }
  const clusterWide = { ...gadgetDefinition(), spec: { ...(gadgetDefinition().spec as object), scope: 'Cluster' } }
  for (const [definition, namespace] of [
    [gadgetDefinition(), 'shop'],
    [clusterWide, undefined],
  ] as const) {
    const subject = component({ manifests: [kind, definition] })
    subject.pass()
    t.equal(subject.question.items.find(({ name }) => name === 'g')?.namespace, namespace ?? '')
  }
  const subject = component({
    manifests: [
      { ...sample('s'), apiVersion: 'unknown.io/v1', kind: 'Nothing' },
      sampleService({ spec: { group: 'unknown.io', version: 'v1' } }),
    ],
  })
  t.strictSame(errorsOf(subject.pass()), [])
  t.equal(subject.question.items.length, 2)
})

t.test('CO-36 annotations that are not understood are refused with object, key and value', async t => {
  const cases: [object: KubeObject, error: RegExp][] = [
    [
      configMap('a', { kept: { 'apply-order': '40000' } }),
      /^ConfigMap shop\/a: annotation shop.example.io\/apply-order is "40000", not an integer/,
    ],
    [configMap('a', { kept: { 'delete-order': '1.5' } }), /delete-order is "1.5"/],
    [configMap('a', { kept: { 'apply-order': '' } }), /apply-order is ""/],
    [
      configMap('a', { kept: { 'update-policy': 'patch' } }),
      /update-policy is "patch", not one of replace, ssa-merge, ssa-override, recreate, default/,
    ],
    [configMap('a', { kept: { 'delete-policy': 'keep' } }), /delete-policy is "keep"/],
    [configMap('a', { kept: { 'adoption-policy': 'default' } }), /adoption-policy is "default"/],
    [configMap('a', { kept: { 'reconcile-policy': 'twice' } }), /reconcile-policy is "twice"/],
    [configMap('a', { kept: { 'reapply-interval': '5x' } }), /reapply-interval is "5x", not a duration/],
    [configMap('a', { kept: { 'reapply-interval': '0s' } }), /reapply-interval is "0s", not a duration of at least 1s/],
    [configMap('a', { kept: { 'status-hint': 'ready' } }), /status-hint is "ready"/],
    [configMap('a', { kept: { 'delete-hook': 'pre-delete,never' } }), /delete-hook is "pre-delete,never"/],
    [gadgetDefinition({ kept: { 'purge-order': '1' } }), /purge-order, "1", is not allowed for this kind/],
    [namespaceManifest('n', { kept: { 'purge-order': '1' } }), /Namespace n: .*purge-order/],
  ]
  for (const [object, error] of cases) matches(t, refused([object]), [error])
  t.equal(
    refused(cases.map(([object], n) => ({ ...object, metadata: { ...object.metadata, name: `x${n}` } }))).length,
    cases.length,
  )
})

const policies = (kept: Kept, changes = {}) => policiesOf(configMap('a', { kept }), settings(changes)).policies

t.test('CO-37 a policy counts in either spelling; default, an empty one and none change nothing', async t => {
  t.equal(policies({ 'adoption-policy': 'IfUnowned' }, { adoptionPolicy: 'Never' }).adoptionPolicy, 'IfUnowned')
  t.equal(policies({ 'update-policy': 'ssa-merge' }).updatePolicy, 'SsaMerge')
  const empty = { 'adoption-policy': '', 'reconcile-policy': '', 'update-policy': '', 'delete-policy': '' }
  for (const kept of [{ 'update-policy': 'default', 'delete-policy': 'default' }, empty, {}] as Kept[]) {
    const found = policies(kept, { updatePolicy: 'Recreate', deletePolicy: 'Orphan', reapplySeconds: 7 })
    matches(t, found, { updatePolicy: 'Recreate', deletePolicy: 'Orphan', reapplySeconds: 7, purgeOrder: undefined })
  }
  matches(
    t,
    policies({ 'apply-order': '-32768', 'delete-order': '32767', 'purge-order': '+3', 'reapply-interval': '1h30m' }),
    {
      applyOrder: -32768,
      deleteOrder: 32767,
      purgeOrder: 3,
      reapplySeconds: 5400,
    },
  )
})

t.test('CO-38 nothing is applied before, deleted after, or survives what it stands on', async t => {
  const cases: [objects: KubeObject[], error: RegExp | undefined][] = [
    [[gadgetDefinition(), gadget('g')], undefined],
    [
      [gadgetDefinition({ kept: { 'apply-order': '1' } }), gadget('g')],
      /^Gadget shop\/g is applied before CustomResourceDefinition gadgets.example.io/,
    ],
    [[gadgetDefinition(), gadget('g', { kept: { 'delete-order': '1' } })], /^Gadget shop\/g is deleted after Custom/],
    [
      [gadgetDefinition(), gadget('g', { kept: { 'delete-policy': 'orphan' } })],
      /^Gadget shop\/g would, because of its delete policy, outlive/,
    ],
    [[gadgetDefinition(), gadget('g', { kept: { 'delete-policy': 'orphan-on-delete' } })], /outlive/],
    [
      [
        gadgetDefinition({ kept: { 'delete-policy': 'orphan-on-apply' } }),
        gadget('g', { kept: { 'delete-policy': 'orphan-on-delete' } }),
      ],
      /outlive/,
    ],
    [
      [
        gadgetDefinition({ kept: { 'delete-policy': 'orphan' } }),
        gadget('g', { kept: { 'delete-policy': 'orphan-on-delete' } }),
      ],
      undefined,
    ],
    [[sampleService(), sample('s', { kept: { 'apply-order': '-1' } })], /^Sample shop\/s is applied before APIService/],
    [
      [namespaceManifest('n'), configMap('m', { namespace: 'n', kept: { 'apply-order': '-1' } })],
      /^ConfigMap n\/m is applied before Namespace n/,
    ],
    [
      [namespaceManifest('n'), configMap('m', { namespace: 'n', kept: { 'delete-order': '1' } })],
      /is deleted after Namespace n/,
    ],
    [
      [namespaceManifest('n'), configMap('m', { namespace: 'n', kept: { 'delete-policy': 'orphan' } })],
      /outlive Namespace n/,
    ],
    [[namespaceManifest('n'), configMap('m', { namespace: 'other', kept: { 'delete-policy': 'orphan' } })], undefined],
  ]
  for (const [objects, error] of cases) matches(t, refused(objects), error ? [error] : [])
})

t.test('CO-38 nothing survives what it stands on and what is no longer rendered', async t => {
  const inPlace = configMap('m', { namespace: 'n' })
  const cases: [ground: KubeObject, object: KubeObject, error: RegExp][] = [
    [gadgetDefinition(), gadget('g'), /^Gadget shop\/g would outlive CustomResourceDefinition gadgets.example.io,/],
    [sampleService(), sample('s'), /^Sample shop\/s would outlive APIService v1.metrics.io,/],
    [namespaceManifest('n'), inPlace, /^ConfigMap n\/m would outlive Namespace n,/],
  ]
  for (const [ground, object, error] of cases) {
    const subject = settledWith([ground, object])
    const before = subject.cluster.objects
    subject.change({ manifests: [object, configMap('new')] })
    matches(t, errorsOf(subject.settle()), [error])
    t.strictSame(subject.cluster.objects, before, 'nothing was written')
    t.ok(subject.item(ground)?.digest, 'nor scheduled')
    subject.change({ manifests: [configMap('new')] })
    t.equal(subject.settle().standing.ready, true)
    t.equal(subject.live(ground), undefined, 'with what stands on it, it goes')

    const annotations = { [`${P}/delete-policy`]: 'orphan-on-apply' }
    const orphan = { ...ground, metadata: { ...ground.metadata, annotations } }
    const left = settledWith([orphan, object])
    left.change({ manifests: [object] })
    t.strictSame(errorsOf(left.settle()), [], 'it stays behind')
    const other = settledWith([ground, object])
    edit(other, ground, live => ({ ...live, ...ownedBy(live, 'other') }))
    other.change({ manifests: [object] })
    t.strictSame(errorsOf(other.settle()), [], 'it has another owner by now')
  }
})

const settledWith = (manifests: readonly KubeObject[]): SimulatedComponent => {
  const subject = component({ manifests })
  establishes(subject)
  subject.settle()
  for (const object of manifests) if (object.kind === 'APIService') becomesAvailable(subject, object)
  subject.settle()
  for (const object of manifests) if (object.kind === 'Gadget') becomesReady(subject, object)
  subject.settle()
  return subject
}

t.test('CO-46 A6 priorities, for application and for deletion', async t => {
  const cases: [apiVersion: string, kind: string, apply: number, remove: number][] = [
    ['v1', 'Namespace', -4, 3],
    ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', -3, 1],
    ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', -3, 1],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', -2, -1],
    ['networking.k8s.io/v1', 'IngressClass', -2, 4],
    ['node.k8s.io/v1', 'RuntimeClass', -2, 4],
    ['scheduling.k8s.io/v1', 'PriorityClass', -2, 4],
    ['storage.k8s.io/v1', 'StorageClass', -2, 4],
    ['rbac.authorization.k8s.io/v1', 'ClusterRole', -2, 0],
    ['rbac.authorization.k8s.io/v1', 'Role', -2, 0],
    ['v1', 'ConfigMap', -1, 2],
    ['v1', 'Secret', -1, 2],
    ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', -1, 0],
    ['rbac.authorization.k8s.io/v1', 'RoleBinding', -1, 0],
    ['apiregistration.k8s.io/v1', 'APIService', 1, -1],
    ['v1', 'Service', 0, 2],
    ['serving.knative.dev/v1', 'Service', 0, 0],
    ['apps/v1', 'Deployment', 0, 0],
  ]
  for (const [apiVersion, kind, apply, remove] of cases)
    t.strictSame(
      [priorityOf(applyPriorities, { apiVersion, kind }), priorityOf(deletePriorities, { apiVersion, kind })],
      [apply, remove],
      kind,
    )
})

t.test('CO-102 tables of priorities of a definition replace the usual ones', async t => {
  const subject = component(
    {
      settings: settings({ applyPriorities: { Secret: -9 }, deletePriorities: { 'Deployment.apps': -9 } }),
      manifests: [configMap('a'), manifest('v1', 'Secret', 's'), manifest('apps/v1', 'DaemonSet', 'd')],
    },
    [shop],
  )
  subject.pass()
  const { plan } = subject.pass()
  t.strictSame(
    plan.steps.map(({ order }) => order),
    [0, -9, 0],
  )
})

t.test(
  'RE-29 where manifests may hold text of Secrets, what is no name is refused before it is stored or told',
  async t => {
    const canary = 'c4n4ry'
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' }
    const of = (changes: object, metadata: object = {}) => ({
      ...configMap('a'),
      ...changes,
      metadata: { name: 'a', ...metadata },
    })
    const rows: [what: string, manifest: object, fault: string | undefined][] = [
      ['a name', of({}, { name: 'a.b-c' }), undefined],
      ['a password', of({}, { name: `${canary}_!` }), 'has no valid name'],
      ['capitals', of({}, { name: canary.toUpperCase() }), 'has no valid name'],
      ['the name of a role', of(role, { name: 'system:controller:A_b' }), undefined],
      ['none of a role', of(role, { name: `${canary} 1` }), 'has no valid name'],
      ['a namespace', of({}, { namespace: 'a-b' }), undefined],
      ['no namespace', of({}, { namespace: `${canary}.` }), 'has no valid namespace'],
      ['a kind', of({ kind: `${canary} x` }), 'has no valid kind'],
      ['a version', of({ apiVersion: `${canary}/x/y` }), 'has no valid apiVersion'],
      ['a version in capitals', of({ apiVersion: 'A/V1' }), 'has no valid apiVersion'],
    ]
    for (const [what, manifest, fault] of rows) {
      const faults = (isConfidential: boolean) =>
        shapeFaults([configMap('first'), manifest as KubeObject], { isConfidential })
      const bare = faults(true).map(({ bare }) => bare)
      t.strictSame(bare, fault === undefined ? [] : [`Manifest 2 ${fault}`], what)
      t.strictSame(faults(false), [], `${what}: else it is for the API server to judge`)
    }
  },
)

t.test(
  'RE-49 an object with a field toString where a manifest has a text is told, or the API server refuses it',
  async t => {
    const odd = { toString: 'is not a function' }
    const definition = manifest('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'nuts.example.com')
    const service = manifest('apiregistration.k8s.io/v1', 'APIService', 'v1.example.com')
    const oddOnes: object[] = [
      { ...definition, spec: { group: odd, names: { kind: odd }, versions: [{ name: odd }] } },
      { ...service, spec: { group: odd, version: odd } },
      { ...manifest('v1', 'Secret', 's'), stringData: { a: odd } },
      { ...configMap('a'), apiVersion: odd },
      { ...configMap('a'), kind: odd },
      { ...configMap('a'), metadata: { name: odd } },
    ]
    for (const one of oddOnes)
      for (const isConfidential of [true, false])
        t.doesNotThrow(() => {
          component({ manifests: [one as KubeObject], isConfidential }).pass()
        }, JSON.stringify(one))
  },
)

t.test('RE-29 what converts objects of such manifests, and what refuses writes of them, is not quoted', async t => {
  const found = { ...nothingObserved, unreadable: new Map([['v1/Nut', 'cannot be read: c4n4ry is no number']]) }
  const why = (isConfidential: boolean) =>
    unreadableIn({ manifests: [], items: [], observed: found, isConfidential }, 'v1/Nut')
  t.equal(why(false), 'cannot be read: c4n4ry is no number')
  t.equal(why(true), 'cannot be read: its conversion webhook fails')
  for (const isConfidential of [true, false]) {
    const subject = component({ manifests: [configMap('a'), configMap('b')], isConfidential })
    const done = [subject.pass()]
    const settling = (): void => void subject.settle({ afterEach: pass => done.push(pass) })
    settling()
    subject.change({ manifests: [configMap('a', { updatePolicy: 'recreate' })] })
    settling()
    const steps = done.flatMap(({ plan }) => plan.steps).filter(step => !isNamespaceOf(step))
    t.ok(steps.some(step => step.do === 'create') && steps.some(step => step.do === 'delete'))
    t.ok(steps.every(step => (step.isConfidential ?? false) === isConfidential))
  }
})

const isNamespaceOf = (step: Step): boolean => step.do === 'create' && step.object.kind === 'Namespace'
